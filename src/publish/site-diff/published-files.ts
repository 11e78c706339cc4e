import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isFuture } from '../../lib/clock-skew.ts';
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
import type { RemoteFiles } from './site-diff.ts';

const LIST = /^(?:site|(\d+))\.files\.json$/;

/** Lists of a published site's files, dealer by dealer. */
export interface SiteLists {
  /**
   * When it was last found intact, milliseconds since 1970 by the clock of the disk. A
   * file that is older and of the same size has not changed since (git's index goes by the same).
   */
  readonly since: number;
  /** Ids of dealers with records; undefined if there is no list of them. */
  readonly dealers: readonly number[] | undefined;
  /** Names of lists that are missing or unusable. */
  readonly lacking: ReadonlySet<string>;
  /** The list of a dealer's files, or of the site-wide ones; undefined if there is no usable list. */
  of(dealer: number | 'site'): (PublishedFiles & { plan?: DealerHead }) | undefined;
  /** Trusted facts about their files, if the site is online only. */
  remote?(dealers: Iterable<number | 'site'>): RemoteFiles;
}

/** The lists of files in a published folder, each read when it is asked for. */
export class PublishedLists implements SiteLists {
  readonly since: number;
  readonly lacking = new Set<string>();
  readonly #folder: string;
  readonly #times: ReturnType<typeof readTimes>;

  constructor(output: string) {
    const file = path.join(output, PUBLISHED_TIMES);
    const stats = statSync(file, { throwIfNoEntry: false });
    // With a time in the future, later changes would count as older.
    this.since = stats && !isFuture(stats.mtimeMs, Date.now()) ? stats.mtimeMs : 0;
    this.#times = stats && readTimes(readFileSync(file));
    this.#folder = path.join(output, RECORDS);
  }

  get dealers(): number[] | undefined {
    return this.#times && [...this.#times.keys()];
  }

  of(dealer: number | 'site'): (PublishedFiles & { plan?: DealerHead }) | undefined {
    const name = filesName(dealer);
    const named = dealer === 'site' ? undefined : this.#times?.get(dealer)?.files;
    const bytes = readIfReadable(path.join(this.#folder, name));
    // A list without its checksum in `times.json` belongs to another build or dealer.
    const isOther = this.#times && dealer !== 'site' && (!bytes || bytesHash(bytes) !== named);
    const found = bytes && !isOther ? readFiles(bytes) : undefined;
    const isExpected = dealer === 'site' ? this.#times !== undefined : named !== undefined;
    if (!found && (bytes || isExpected)) this.lacking.add(name);
    return found as PublishedFiles & { plan?: DealerHead };
  }
}

/** The report's note on missing or unusable lists. */
export function missingFilesNote(names: Iterable<string>): string | undefined {
  const [first, ...others] = names;
  return first === undefined
    ? undefined
    : `Lists of files of the published site are missing, damaged or of another night (${first}${others.length > 0 ? ` and ${others.length} more` : ''}): what they list is made again.`;
}

/**
 * Reads all lists of a published folder; empty if there are none. Damaged lists are skipped.
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
