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
  /** What is known of its files. */
  rows: FileRows;
  /** When they were last found to be as they should be, see `PublishedLists`. */
  since: number;
  /** Finds what must not be published in the bytes of a file that stays. */
  search: SecretSearch;
  /** Whether the same was looked for in the published files. */
  searched: boolean;
  /** What is believed of files that are not on this disk: then none is looked at. */
  remote?: RemoteFiles | undefined;
}

/** A published site elsewhere, as far as it need not be looked at. */
export interface RemoteFiles {
  /** Pieces of records, by file: their checksums, sizes and hashes. */
  pieces: ReadonlyMap<string, { sum: string; size: number; hash: string }>;
  /** Lists of files, by file. */
  lists: ReadonlyMap<string, Uint8Array>;
  /** Files that it has lost. */
  lost: ReadonlySet<string>;
}

const bare = ({ file }: Planned): string => file.slice(1);

/** Difference between the next site and the published one: a file whose key is published already stays, any other is made. */
export class SiteDiff {
  readonly #options: SiteDiffOptions;
  /** What is known of the files that stay as they are. */
  readonly kept = new Map<string, PublishedFile>();
  /** Records that stay. */
  readonly keptRecords = new Set<string>();
  /** Keys of the files that are made anew, by file. */
  readonly made = new Map<string, string>();
  /** Records that are made anew. */
  readonly madeRecords = new Set<string>();

  constructor(options: SiteDiffOptions) {
    this.#options = options;
  }

  /** Whether a planned file must be made; if not, it stays as an earlier build made it. */
  mustMake(planned: Planned): boolean {
    const file = bare(planned);
    const row = this.#options.rows.get(file);
    const stays = row?.key === planned.key && this.#isIntact(file, row);
    if (row && stays) this.kept.set(file, row);
    else this.made.set(file, planned.key);
    return !stays;
  }

  /** The same of a piece of a record, which stays if it has the bytes that this checksum stands for. */
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

  /** The same of a text that says what the next build begins with. */
  mustMakeText(file: string, text: string): boolean {
    const { output, remote } = this.#options;
    const its = remote?.lists.get(file);
    if (remote) return !this.#staysThere(file, its !== undefined && Buffer.from(text).equals(its));
    const bytes = readIfReadable(path.join(output, file));
    return !this.#staysRecord(file, bytes, (its) => its.equals(Buffer.from(text)));
  }

  /** Files that stay, records among them. */
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

  /** Records and lists that stay where they are, elsewhere. */
  *remoteRecords(): Iterable<[file: string, its: { size: number; hash: string }]> {
    const { remote } = this.#options;
    for (const file of this.keptRecords) {
      const list = remote?.lists.get(file);
      const piece = remote?.pieces.get(file);
      if (list) yield [file, { size: list.length, hash: fileHash(list) }];
      else if (piece) yield [file, { size: piece.size, hash: piece.hash }];
    }
  }

  /** Hash of the bytes that a file has in the published site; undefined where it is not listed. */
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

  /** Whether a published file has the bytes that it should have. */
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

  /** Keys can be new where a file is not. */
  #refuseKey(file: string, bytes: Buffer): void {
    const { search } = this.#options;
    refuseKey(file, keyIn(search, file, bytes));
  }
}
