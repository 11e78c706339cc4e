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
import type { PublishedDealer } from '../../record/memory.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../record/published-records.ts';
import { readTimes } from '../../record/times.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';
import type { RemoteFiles } from './site-diff.ts';

const LIST = /^(?:site|(\d+))\.files\.json$/;

/** What was read of the published records of dealers. */
interface PublishedMemory {
  published(dealer: number): PublishedDealer | undefined;
}

/** The list of some files of a site. */
type List = PublishedFiles & { plan?: DealerHead };

interface Source {
  since: number;
  dealers: readonly number[] | undefined;
  /** Reads a list; `isMissing`: there should be one. */
  read: (dealer: number | 'site') => { list: List | undefined; isMissing: boolean };
  remote?: (dealers: Iterable<number | 'site'>) => RemoteFiles;
}

/** Lists of a published site's files, dealer by dealer, each read when it is asked for. */
export class SiteLists {
  /**
   * When it was last found intact, milliseconds since 1970 by the clock of the disk. A
   * file that is older and of the same size has not changed since (git's index goes by the same).
   */
  readonly since: number;
  /** Ids of dealers with records; undefined if there is no list of them. */
  readonly dealers: readonly number[] | undefined;
  /** Names of lists that are missing or unusable. */
  readonly lacking = new Set<string>();
  /** Trusted facts about the files of some dealers, if the site is online only. */
  readonly remote: Source['remote'];
  readonly #read: Source['read'];

  private constructor({ since, dealers, read, remote }: Source) {
    this.since = since;
    this.dealers = dealers;
    this.remote = remote;
    this.#read = read;
  }

  /** The list of a dealer's files, or of the site-wide ones; undefined if there is no usable list. */
  of(dealer: number | 'site'): List | undefined {
    const { list, isMissing } = this.#read(dealer);
    if (isMissing) this.lacking.add(filesName(dealer));
    return list;
  }

  /** The lists in a published folder. */
  static inFolder(output: string): SiteLists {
    const file = path.join(output, PUBLISHED_TIMES);
    const stats = statSync(file, { throwIfNoEntry: false });
    const times = stats && readTimes(readFileSync(file));
    return new SiteLists({
      // With a time in the future, later changes would count as older.
      since: stats && !isFuture(stats.mtimeMs, Date.now()) ? stats.mtimeMs : 0,
      dealers: times && [...times.keys()],
      read: (dealer) => {
        const named = dealer === 'site' ? undefined : times?.get(dealer)?.files;
        const bytes = readIfReadable(path.join(output, RECORDS, filesName(dealer)));
        // A list without its checksum in `times.json` belongs to another build or dealer.
        const isOther = times && dealer !== 'site' && (!bytes || bytesHash(bytes) !== named);
        const list = bytes && !isOther ? (readFiles(bytes) as List | undefined) : undefined;
        const isExpected = dealer === 'site' ? times !== undefined : named !== undefined;
        return { list, isMissing: !list && (bytes !== undefined || isExpected) };
      },
    });
  }

  /**
   * The lists of a published site that is online only, for dealers whose records were read.
   *
   * @param lost files that the site has lost, or holds with other bytes than were made.
   */
  static online(memory: PublishedMemory, lost: ReadonlySet<string>): SiteLists {
    // The list of the site-wide files has no mark, so it is not even asked for.
    const publishedOf = (dealer: number | 'site') =>
      dealer === 'site' ? undefined : memory.published(dealer);
    return new SiteLists({
      // No file of the site is on this disk.
      since: 0,
      dealers: undefined,
      read: (dealer) => {
        const { list, isListed } = publishedOf(dealer) ?? {};
        return { list: list as List | undefined, isMissing: isListed === true && !list };
      },
      remote: (dealers) => {
        const pieces = new Map<string, { sum: string; size: number; hash: string }>();
        const lists = new Map<string, Uint8Array>();
        for (const dealer of dealers) {
          const published = publishedOf(dealer);
          // Without the list, the keys searched for are unknown.
          if (!published?.list) continue;
          lists.set(RECORDS + filesName(dealer), published.list.bytes);
          for (const [index, { name, ...its }] of published.pieces.entries()) {
            pieces.set(RECORDS + name, { ...its, sum: published.sums[index] as string });
          }
        }
        return { pieces, lists, lost };
      },
    });
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
  const lists = SiteLists.inFolder(output);
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
