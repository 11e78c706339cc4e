import { type MediaCounts, noCounts } from '../../images/counts.ts';
import type { MediaProgress, PictureFailure } from '../../images/pipeline/types.ts';
import type { WrittenNext } from '../../record/published-records.ts';
import type { FeedRows } from '../../site/vehicle-feeds/feed.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { Attention } from '../gates/attention.ts';
import type { DealerOutcome } from '../gates/gates.ts';
import type { DealerReport } from '../report/report.ts';
import type { Verified } from '../verify/verify.ts';

/** The measured steps of a build. Recalling, fetching and accepting dealers overlap, so they count as `fetch`. */
export type Step = 'fetch' | 'images' | 'pages' | 'verify' | 'publish';

/** Milliseconds by step: `steps` wall-clock time, `cpu` CPU time of all threads of this process. */
export interface Steps {
  steps: Record<string, number>;
  cpu: Record<string, number>;
}

/** Pages and files of some dealers, or the site-wide ones, new and unchanged. */
export interface MadePages extends Pick<Verified, 'links' | 'findings'> {
  /** Summaries of the dealers that have pages, by id. */
  summaries: ReadonlyMap<number, DealerSummary>;
  /** Hosts of hosted videos that no provider matches, with how often each was seen. */
  unmatched: ReadonlyMap<string, number>;
  /** Rows of the dealers in feeds. */
  feeds: FeedRows[];
  pages: number;
  rendered: number;
  /** Number of social cards without their picture, because its thumbnail could not be read. */
  incompleteCards: number;
  /** The next record of each dealer. Its files are next to the dealer's pages. */
  records: WrittenNext[];
  /** Unchanged published files, if nothing changed. Otherwise the next site already links them. */
  unchanged: string[];
  /** Whether anything differs from the published folder. */
  isChanged: boolean;
  /** For a change set: pages that are new, changed or removed. */
  changed: string[];
  /** Names of lists of published files that are missing or unreadable. */
  missingLists: string[];
}

/** Names of outputs by picture, see `OutputNames`. */
type OutputRows = [hash: string, suffixes: readonly string[]][];

/** Result of building a chunk of dealers, as plain data: another process may have built it. */
export interface BuiltChunk extends Steps {
  /** The process that built it. The first is 0. */
  process: number;
  outcomes: DealerOutcome[];
  reports: DealerReport[];
  /** Problems that need attention. */
  attention: Attention[];
  /** Decisions about single vehicles that match a vehicle of the chunk, see `ControlEffect`. */
  matched: string[];
  notes: string[];
  media: MediaCounts;
  failures: PictureFailure[];
  /** See `mentionsBatchFields`. */
  mentionsFields: boolean;
  /** Progress of its pictures. */
  progress?: MediaProgress;
  madePages?: MadePages;
  /** Its thumbnails. */
  outputs: OutputRows;
  /** Thumbnails that are missing or different in the published folder. */
  unpublished: OutputRows;
  /** See `RecordedDealer.first`. The latest of its dealers. */
  first?: string | null;
  /** Whether the cache may hold outputs that no vehicle uses any more. */
  mayLeaveOutputs: boolean;
}

export const newSteps = (): Steps => ({ steps: {}, cpu: {} });

export const newChunk = (): BuiltChunk => ({
  ...newSteps(),
  process: 0,
  outcomes: [],
  reports: [],
  attention: [],
  matched: [],
  notes: [],
  media: noCounts(),
  failures: [],
  mentionsFields: false,
  outputs: [],
  unpublished: [],
  mayLeaveOutputs: false,
});

/** Runs a step and adds its duration to `steps`, even if it fails. */
export async function timed<T>(
  { steps, cpu }: Steps,
  step: Step,
  work: () => T | Promise<T>,
): Promise<T> {
  const start = performance.now();
  const before = process.cpuUsage();
  try {
    return await work();
  } finally {
    const { user, system } = process.cpuUsage(before);
    steps[step] = (steps[step] ?? 0) + Math.round(performance.now() - start);
    cpu[step] = (cpu[step] ?? 0) + Math.round((user + system) / 1000);
  }
}
