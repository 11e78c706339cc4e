import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SecretSearch } from '../../config/secret-search.ts';
import type { MediaResult } from '../../media/line.ts';
import { entriesOf } from '../../media/store/entries-of.ts';
import { isPiece } from '../../record/file.ts';
import { bytesHash, type FileRows, type PublishedFile } from '../../record/files.ts';
import type { Planned } from '../../site/plan/planned.ts';
import { saidOfRecord } from '../records.ts';
import { keyIn, refuseKey } from '../secrets.ts';
import { MEDIA } from './listing.ts';
import { place } from './place.ts';
import type { PublishedFolder } from './published-files.ts';

export interface TreeOptions {
  /** The published folder, and what is known of it. */
  output: string;
  published: Pick<PublishedFolder, 'rows' | 'isWhole' | 'since'>;
  /** The folder that becomes the next site; nothing is there. */
  staging: string;
  /** Finds what must not be published in the bytes of a file that stays. */
  search: SecretSearch;
  /** Whether the same was looked for in the published files. */
  searched: boolean;
}

const bare = ({ file }: Planned): string => file.slice(1);

/**
 * Puts the next site together beside the published one. A file whose key the published site has is
 * not made again. Files of two folders may be one file with two names, so none is ever written in
 * place.
 */
export class Tree {
  readonly #options: TreeOptions;
  /** Files that stay as they are. */
  readonly #kept = new Map<string, PublishedFile>();
  /** Records that stay. */
  readonly #records = new Set<string>();
  /** Keys of files that are made anew. */
  readonly #made = new Map<string, string>();
  #recordsMade = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** Whether a planned file must be made; if not, it stays as an earlier build made it. */
  needs(planned: Planned): boolean {
    const file = bare(planned);
    const row = this.#options.published.rows.get(file);
    const stays = row?.key === planned.key && this.#isIntact(file, row);
    if (row && stays) this.#kept.set(file, row);
    else this.#made.set(file, planned.key);
    return !stays;
  }

  /** The same of a piece of a record, which stays if it has the bytes that this checksum stands for. */
  needsRecord(file: string, sum: string): boolean {
    const { output, published } = this.#options;
    const target = path.join(output, file);
    const said = saidOfRecord(target);
    const isOlder = said !== undefined && said.mtimeMs < published.since;
    const stays = said?.sum === sum && (isOlder || isPiece(readFileSync(target), sum));
    if (stays) this.#records.add(file);
    else this.#recordsMade++;
    return !stays;
  }

  /** Whether the published folder has a file with exactly these bytes. */
  hasRecord(file: string, text: string): boolean {
    const bytes = readIfThere(path.join(this.#options.output, file));
    return bytes?.equals(Buffer.from(text)) === true;
  }

  /** Every planned file. */
  *files(): Iterable<string> {
    yield* this.#kept.keys();
    yield* this.#made.keys();
  }

  /** Keys of the files that are made anew, by file. */
  get made(): ReadonlyMap<string, string> {
    return this.#made;
  }

  /** What is known of the files that stay. */
  get kept(): FileRows {
    return this.#kept;
  }

  /**
   * Whether the published folder holds exactly what is planned. What no build made is not in it: that
   * was looked at when the folder was claimed.
   */
  isPublished({ outputs, unpublished }: Pick<MediaResult, 'outputs' | 'unpublished'>): boolean {
    const { output, published } = this.#options;
    if (this.#made.size > 0 || this.#recordsMade > 0 || unpublished.size > 0) return false;
    // What the lists name beyond that is no longer planned.
    if (!published.isWhole || published.rows.size !== this.#kept.size) return false;
    const shards = entriesOf(path.join(output, MEDIA)).map(({ name }) => name);
    return shards.every((shard) => {
      const folder = path.join(output, MEDIA, shard);
      // Nothing was added since it was as it should be, and all that is planned is there.
      if (statSync(folder).mtimeMs < published.since) return true;
      return entriesOf(folder).every(({ name }) => outputs.has(`${shard}/${name}`));
    });
  }

  /** Completes the staging folder with what stays and with the files of the store. */
  complete({
    outputs,
    unpublished,
    folder,
  }: Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>): void {
    const { staging, output } = this.#options;
    for (const file of [...this.#kept.keys(), ...this.#records]) {
      place(path.join(output, file), path.join(staging, file));
    }
    const [from, to] = [path.join(output, MEDIA), path.join(staging, MEDIA)];
    for (const name of outputs) {
      place(unpublished.has(name) ? `${folder}/${name}` : from + name, to + name);
    }
  }

  /** Whether a published file has the bytes that it should have. */
  #isIntact(file: string, row: PublishedFile): boolean {
    const { output, published, searched } = this.#options;
    const target = path.join(output, file);
    const stats = statSync(target, { throwIfNoEntry: false });
    if (stats?.size !== row.size) return false;
    if (searched && stats.mtimeMs < published.since) return true;
    const bytes = readIfThere(target);
    if (bytes === undefined || bytesHash(bytes) !== row.hash) return false;
    this.#refuseKey(file, bytes);
    return true;
  }

  /** Keys can be new where a file is not. */
  #refuseKey(file: string, bytes: Buffer): void {
    const { search } = this.#options;
    refuseKey(file, keyIn(search, file, bytes));
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    // Synchronous: one at a time, a promise costs five times the reading (measured at 4,000 files).
    return readFileSync(file);
  } catch {
    // Whatever keeps it from being read, it is made again.
    return undefined;
  }
}
