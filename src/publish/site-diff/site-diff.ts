import { lstatSync } from 'node:fs';
import path from 'node:path';
import { keyIn, refuseKey } from '../../config/build-secrets.ts';
import type { SecretSearch } from '../../config/secret-search.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { isPiece } from '../../record/file.ts';
import { type FileRows, fileHash, type PublishedFile } from '../../record/files.ts';
import { recordStat } from '../../record/published-records.ts';
import type { Planned } from '../../site/plan/planned.ts';

export interface SiteDiffOptions {
  /** The published folder. */
  output: string;
  /** The listed files. */
  rows: FileRows;
  /** When they were last found intact, see `SiteLists`. */
  since: number;
  /** Finds secrets in the bytes of unchanged files. */
  search: SecretSearch;
  /** Whether the published files were searched for the same keys. */
  searched: boolean;
  /** Trusted facts about files that are online only; with it, no file on this disk is checked. */
  remote?: RemoteFiles | undefined;
}

/** Trusted facts about the files of a published site that is online only. */
export interface RemoteFiles {
  /** Pieces of records, by file: their checksums, sizes and hashes. */
  pieces: ReadonlyMap<string, { sum: string; size: number; hash: string }>;
  /** Lists of files, by file. */
  lists: ReadonlyMap<string, Uint8Array>;
  /** Files that the site has lost. */
  lost: ReadonlySet<string>;
}

const bare = ({ file }: Planned): string => file.slice(1);

/** Difference between the next site and the published one: a file whose key is unchanged stays, any other is made. */
export class SiteDiff {
  readonly #options: SiteDiffOptions;
  /** Rows of the unchanged files. */
  readonly kept = new Map<string, PublishedFile>();
  /** Unchanged record files. */
  readonly keptRecords = new Set<string>();
  /** Keys of the files to make, by file. */
  readonly made = new Map<string, string>();
  /** Record files to write. */
  readonly madeRecords = new Set<string>();

  constructor(options: SiteDiffOptions) {
    this.#options = options;
  }

  /** Whether a planned file must be made; otherwise it stays as an earlier build made it. */
  mustMake(planned: Planned): boolean {
    const file = bare(planned);
    const row = this.#options.rows.get(file);
    const stays = row?.key === planned.key && this.#isIntact(file, row);
    if (row && stays) this.kept.set(file, row);
    else this.made.set(file, planned.key);
    return !stays;
  }

  /** The same for a piece of a record, which stays if its checksum is this one. */
  mustMakeRecord(file: string, sum: string): boolean {
    const { output, since, searched, remote } = this.#options;
    if (remote) return !this.#staysThere(file, remote.pieces.get(file)?.sum === sum);
    const target = path.join(output, file);
    const said = recordStat(target);
    const isOlder = searched && said !== undefined && said.mtimeMs < since;
    if (said?.sum === sum && isOlder) this.keptRecords.add(file);
    else return !this.#staysRecord(file, readIfReadable(target), (its) => isPiece(its, sum));
    return false;
  }

  /** The same for a list of files, compared by its text. */
  mustMakeText(file: string, text: string): boolean {
    const { output, remote } = this.#options;
    const its = remote?.lists.get(file);
    if (remote) return !this.#staysThere(file, its !== undefined && Buffer.from(text).equals(its));
    const bytes = readIfReadable(path.join(output, file));
    return !this.#staysRecord(file, bytes, (its) => its.equals(Buffer.from(text)));
  }

  /** Unchanged files, records included. */
  get stays(): string[] {
    return [...this.kept.keys(), ...this.keptRecords];
  }

  /** Known files that are no longer planned. */
  get gone(): string[] {
    const { rows, remote } = this.#options;
    const { kept, made, keptRecords, madeRecords } = this;
    const files = [...rows.keys()].filter((file) => !kept.has(file) && !made.has(file));
    const records = [...(remote?.pieces.keys() ?? [])].filter((file) => {
      return !keptRecords.has(file) && !madeRecords.has(file);
    });
    return [...files, ...records];
  }

  /** Unchanged records and lists of the online site. */
  *remoteRecords(): Iterable<[file: string, its: { size: number; hash: string }]> {
    const { remote } = this.#options;
    for (const file of this.keptRecords) {
      const list = remote?.lists.get(file);
      const piece = remote?.pieces.get(file);
      if (list) yield [file, { size: list.length, hash: fileHash(list) }];
      else if (piece) yield [file, { size: piece.size, hash: piece.hash }];
    }
  }

  /** Hash of a file's published bytes; undefined if it is not listed. */
  formerHash(file: string): string | undefined {
    return this.#options.rows.get(file)?.hash;
  }

  /** Whether anything must be made, or is no longer planned. */
  get isChanged(): boolean {
    const { size } = this.#options.rows;
    return this.made.size > 0 || this.madeRecords.size > 0 || size !== this.kept.size;
  }

  #staysRecord(file: string, bytes: Buffer | undefined, isSame: (its: Buffer) => boolean): boolean {
    const stays = bytes !== undefined && isSame(bytes);
    if (stays && !this.#options.searched) this.#refuseKey(file, bytes);
    (stays ? this.keptRecords : this.madeRecords).add(file);
    return stays;
  }

  #staysThere(file: string, isSame: boolean): boolean {
    const stays = isSame && !this.#options.remote?.lost.has(file);
    (stays ? this.keptRecords : this.madeRecords).add(file);
    return stays;
  }

  /** Whether a published file has the listed bytes. */
  #isIntact(file: string, row: PublishedFile): boolean {
    const { output, since, searched, remote } = this.#options;
    if (remote) return !remote.lost.has(file);
    const target = path.join(output, file);
    const stats = lstatSync(target, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size !== row.size) return false;
    if (searched && stats.mtimeMs < since) return true;
    const bytes = readIfReadable(target);
    if (bytes === undefined || fileHash(bytes) !== row.hash) return false;
    this.#refuseKey(file, bytes);
    return true;
  }

  /** Searches an unchanged file for keys that were added since it was published. */
  #refuseKey(file: string, bytes: Buffer): void {
    const { search } = this.#options;
    refuseKey(file, keyIn(search, file, bytes));
  }
}
