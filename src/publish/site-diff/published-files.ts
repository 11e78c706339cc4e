import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import {
  bytesHash,
  filesName,
  type PublishedFile,
  type PublishedFiles,
  readFiles,
} from '../../record/files.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { readTimes } from '../../record/times.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';
import { SHARD_RECORD } from '../options/shard.ts';
import type { RemoteFiles } from './site-diff.ts';

const LIST = /^(?:site|(\d+))\.files\.json$/;

/** What is listed of a published site, dealer by dealer. */
export interface SiteLists {
  /**
   * When it was last found to be as it should be, milliseconds since 1970 by the clock of the disk. A
   * file that is older and of the same size has not changed since (git's index goes by the same).
   */
  readonly since: number;
  /** Dealers that it has records of; undefined where nothing says so. */
  readonly dealers: readonly number[] | undefined;
  /** Names of lists that should be there, and could not be used. */
  readonly lacking: ReadonlySet<string>;
  /** What is listed of a dealer, or of the site as a whole; undefined where no list can be used. */
  of(dealer: number | 'site'): (PublishedFiles & { plan?: DealerHead }) | undefined;
  /** What is believed of files of theirs, where the site is not on this disk. */
  remote?(dealers: Iterable<number | 'site'>): RemoteFiles;
}

/** The lists of files in a published folder, each read when it is asked for. */
export class PublishedLists implements SiteLists {
  readonly since: number;
  readonly lacking = new Set<string>();
  readonly #folder: string;
  readonly #times: ReturnType<typeof readTimes>;
  /** A part of a site has no list of the site as a whole. */
  readonly #isPart: boolean;

  constructor(output: string) {
    const file = path.join(output, PUBLISHED_TIMES);
    const stats = statSync(file, { throwIfNoEntry: false });
    this.since = stats?.mtimeMs ?? 0;
    this.#times = stats && readTimes(readFileSync(file));
    this.#folder = path.join(output, RECORDS);
    this.#isPart = existsSync(path.join(output, SHARD_RECORD));
  }

  get dealers(): number[] | undefined {
    return this.#times && [...this.#times.keys()];
  }

  of(dealer: number | 'site'): (PublishedFiles & { plan?: DealerHead }) | undefined {
    const name = filesName(dealer);
    const named = dealer === 'site' ? undefined : this.#times?.get(dealer)?.files;
    const bytes = readIfReadable(path.join(this.#folder, name));
    // One that the times do not name is of another night, or another dealer's.
    const isOther = this.#times && dealer !== 'site' && (!bytes || bytesHash(bytes) !== named);
    const found = bytes && !isOther ? readFiles(bytes) : undefined;
    const isExpected = dealer === 'site' ? this.#times && !this.#isPart : named !== undefined;
    if (!found && (bytes || isExpected)) this.lacking.add(name);
    return found as PublishedFiles & { plan?: DealerHead };
  }
}

/** To be reported: lists that should be there. */
export function missingFilesNote(names: Iterable<string>): string | undefined {
  const [first, ...others] = names;
  return first === undefined
    ? undefined
    : `Lists of files of the published site are missing, damaged or of another night (${first}${others.length > 0 ? ` and ${others.length} more` : ''}): what they list is made again.`;
}

/**
 * Reads all lists of a published folder; nothing where none is there. A damaged one counts for none.
 *
 * @returns `isWhole`: whether the lists name all files that builds made.
 */
export function readPublishedFolder(output: string) {
  const lists = new PublishedLists(output);
  const rows = new Map<string, PublishedFile>();
  const all = new Set<number | 'site'>(lists.dealers);
  for (const { name } of entriesOf(path.join(output, RECORDS))) {
    const list = LIST.exec(name);
    if (list) all.add(list[1] === undefined ? 'site' : Number(list[1]));
  }
  all.add('site');
  for (const of of all) {
    for (const [file, row] of lists.of(of)?.rows ?? []) rows.set(file, row);
  }
  const isWhole = lists.dealers !== undefined && lists.lacking.size === 0;
  return { rows, isWhole, since: lists.since };
}
