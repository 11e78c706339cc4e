import { lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { keyIn, refuseKey, type SecretSearch } from '../../config/secret-search.ts';
import { isFuture } from '../../lib/clock-skew.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import type { ReadPiece } from '../../record/file.ts';
import {
  bytesHash,
  type FileRows,
  fileHash,
  filesName,
  hasSum,
  type PublishedFile,
  type PublishedFiles,
  readFiles,
  sumIn,
} from '../../record/files.ts';
import type { PublishedDealer } from '../../record/memory.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { readTimes, type Times } from '../../record/times.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';

/** The files of one dealer, or the site-wide files. */
export type Part = number | 'site';

type FileList = PublishedFiles & { plan?: DealerHead };

const LIST = /^(?:site|(\d+))\.files\.json$/;

/** The files of the published site: in a folder on this disk, or online. */
export type PublishedSiteFiles = FilesInFolder | FilesOnline;

/** The files of a published folder. */
export class FilesInFolder {
  /**
   * Time of the last check, milliseconds since 1970 by the clock of the disk. An older file with the same size
   * has not changed since (git's index uses the same rule).
   */
  readonly since: number;
  /** Ids of dealers with records. Undefined if they are unknown. */
  readonly dealers: readonly number[] | undefined;
  /** Names of lists that are missing or unusable. */
  readonly missing = new Set<string>();
  readonly #output: string;
  readonly #times: Times | undefined;
  readonly #search: SecretSearch | undefined;
  readonly #searched: boolean;

  /**
   * @param search finds keys in the bytes of unchanged files. Without it, only lists can be read.
   * @param searched whether the published files were searched for the same keys.
   */
  constructor(output: string, search?: SecretSearch, searched = false) {
    this.#output = output;
    this.#search = search;
    this.#searched = searched;
    const file = path.join(output, PUBLISHED_TIMES);
    const stats = statSync(file, { throwIfNoEntry: false });
    this.#times = stats && readTimes(readFileSync(file))?.times;
    // With a time in the future, later changes would count as older.
    this.since = stats && !isFuture(stats.mtimeMs, Date.now()) ? stats.mtimeMs : 0;
    this.dealers = this.#times && [...this.#times.keys()];
  }

  /** Reads a list. Undefined if it is missing or unusable. */
  list(part: Part): FileList | undefined {
    const times = this.#times;
    const name = filesName(part);
    const listed = part === 'site' ? undefined : times?.get(part)?.files;
    const bytes = readIfReadable(path.join(this.#output, RECORDS, name));
    // A list without its checksum in `times.json` belongs to another build or dealer.
    const isOther = times && part !== 'site' && (!bytes || bytesHash(bytes) !== listed);
    const list = bytes && !isOther ? (readFiles(bytes) as FileList | undefined) : undefined;
    const isExpected = part === 'site' ? times !== undefined : listed !== undefined;
    if (!list && (bytes !== undefined || isExpected)) this.missing.add(name);
    return list;
  }

  /** Whether a file has the listed bytes. */
  isIntact(file: string, row: PublishedFile): boolean {
    const target = path.join(this.#output, file);
    const stats = lstatSync(target, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size !== row.size) return false;
    if (this.#searched && stats.mtimeMs < this.since) return true;
    return this.#has(file, (bytes) => fileHash(bytes) === row.hash, true);
  }

  /** Whether a record file (a piece of a record, or a list of files) exists with this checksum. */
  hasRecord(file: string, sum: string): boolean {
    return this.#has(file, (bytes) => hasSum(bytes, sum));
  }

  /** All listed files. `isComplete`: the lists include all files from builds. */
  all(): { rows: FileRows; isComplete: boolean } {
    const rows = new Map<string, PublishedFile>();
    const parts = new Set<Part>([...(this.dealers ?? []), 'site']);
    for (const { name } of entriesOf(path.join(this.#output, RECORDS))) {
      const [isList, dealer] = LIST.exec(name) ?? [];
      if (isList !== undefined) parts.add(dealer === undefined ? 'site' : Number(dealer));
    }
    for (const part of parts) {
      for (const [file, row] of this.list(part)?.rows ?? []) rows.set(file, row);
    }
    return { rows, isComplete: this.dealers !== undefined && this.missing.size === 0 };
  }

  /**
   * Reads and compares a file. Searches an unchanged file if keys were added since it was published.
   *
   * @param always whether to search it in any case.
   */
  #has(file: string, isSame: (bytes: Buffer) => boolean, always = false): boolean {
    const bytes = readIfReadable(path.join(this.#output, file));
    if (bytes === undefined || !isSame(bytes)) return false;
    if (this.#search && (always || !this.#searched)) {
      refuseKey(file, keyIn(this.#search, file, bytes));
    }
    return true;
  }
}

/**
 * The files of a site that is published only online, for dealers whose records were read. Files under a valid
 * signature count as published.
 */
export class FilesOnline {
  readonly dealers = undefined;
  readonly missing = new Set<string>();
  readonly #published: (dealer: number) => PublishedDealer | undefined;

  /** @param published the trusted part of a dealer's published records. */
  constructor(published: (dealer: number) => PublishedDealer | undefined) {
    this.#published = published;
  }

  list(part: Part): FileList | undefined {
    const { list, isListed } = this.#dealer(part) ?? {};
    if (isListed && !list) this.missing.add(filesName(part));
    return list as FileList | undefined;
  }

  isIntact(): boolean {
    return true;
  }

  hasRecord(file: string, sum: string): boolean {
    return this.recordAt(file)?.sum === sum;
  }

  /** Checksum, size and hash of an existing record file. */
  recordAt(file: string): Pick<ReadPiece, 'sum' | 'size' | 'hash'> | undefined {
    const name = path.basename(file);
    const { list, pieces = [] } = this.#dealer(Number.parseInt(name, 10)) ?? {};
    // Without the list, the keys searched for are unknown.
    if (!list) return undefined;
    const { bytes } = list;
    if (LIST.test(name)) return { sum: sumIn(bytes), size: bytes.length, hash: fileHash(bytes) };
    return pieces.find((piece) => piece.name === name);
  }

  // The list of the site-wide files has no signature, so it is not requested.
  #dealer(part: Part): PublishedDealer | undefined {
    return part === 'site' ? undefined : this.#published(part);
  }
}

/** The note about missing or unusable lists in the report. */
export function missingFilesNote(names: Iterable<string>): string | undefined {
  const [first, ...others] = names;
  return first === undefined
    ? undefined
    : `Lists of files of the published site are missing, damaged or from another build (${first}${others.length > 0 ? ` and ${others.length} more` : ''}). These files are made again.`;
}
