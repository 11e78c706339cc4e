import { type MediaCounts, noCounts } from '../../images/counts.ts';
import type { MediaProgress, PictureFailure } from '../../images/line/types.ts';
import type { WrittenNext } from '../../record/published-records.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { Attention } from '../gates/attention.ts';
import type { DealerOutcome, PictureLoss } from '../gates/gates.ts';
import type { DealerReport } from '../report/report.ts';
import type { OutwardLink, VerifyFinding } from '../verify/verify.ts';

/** Milliseconds by step: by the clock, and of all threads of this process together. */
export interface Steps {
  steps: Record<string, number>;
  cpu: Record<string, number>;
}

/** Pages and files that were made, or stay: those of some dealers, or those of the site as a whole. */
export interface MadePages {
  /** Of dealers that have pages. */
  summaries: [id: number, DealerSummary][];
  /** Hosts of hosted videos that no provider matches, with how often each was seen. */
  unmatched: [host: string, count: number][];
  /** All pages, and those of them that were rendered. */
  pages: number;
  rendered: number;
  /** What is going to be remembered of each dealer; the files are beside its pages. */
  records: WrittenNext[];
  /** Files that stay as they are in the published folder, where nothing changed: else they are placed. */
  kept: string[];
  /** Whether anything differs from the published folder. */
  isChanged: boolean;
  /** Files elsewhere in the site that pages link to. */
  links: [target: string, OutwardLink][];
  /** What must not be published. */
  findings: VerifyFinding[];
  /** Of a build that leaves a change set. */
  changes?: MadeChanges;
}

/** What differs from the published site, as far as that is known. */
export interface MadeChanges {
  /** Pages that are new, changed or gone. */
  changed: string[];
  /** Files that are gone. */
  gone: string[];
}

/** What a chunk believed of the published site, of which nothing is on this disk. */
export interface ChunkBase {
  /** Names the times that it went by, see `bytesHash`, and the dealers that these name. */
  times: { hash: string; dealers: readonly number[] } | undefined;
  /** Dealers whose lists of files were believed. */
  listed: readonly number[];
  /** Thumbnails that the site has, and that the chunk has no use for. */
  unused: OutputRows;
}

/** Names of outputs by picture, see `OutputNames`. */
type OutputRows = [hash: string, suffixes: readonly string[]][];

/** What a chunk of dealers came to. It is plain data: another process may have made it. */
export interface BuiltChunk extends Steps {
  /** Which process of the build made it; 0 for the first. */
  process: number;
  outcomes: DealerOutcome[];
  reports: DealerReport[];
  /** What a person is needed for. */
  attention: Attention[];
  notes: string[];
  media: MediaCounts;
  failures: PictureFailure[];
  loss: PictureLoss;
  /** See `speaksOfBatches`. */
  personalWords: 'anywhere' | 'as-keys';
  /** How far its pictures are. */
  progress?: MediaProgress;
  /** Bytes of its pages, about. */
  pageBytes: number;
  made?: MadePages;
  /** Names of lists of published files that should be there, and could not be used. */
  lacking: string[];
  /** Its thumbnails. */
  outputs: OutputRows;
  /** Those of them that the published folder does not have as they were made. */
  unpublished: OutputRows;
  /** Of a build that leaves a change set. */
  base?: ChunkBase;
  /** For a part of a site: names of thumbnails, and fingerprints. */
  fingerprints: [name: string, fingerprint: string][];
  /** Whether outputs may be there that nobody uses any more. */
  mayLeaveOutputs: boolean;
}

export const newChunk = (): BuiltChunk => ({
  process: 0,
  steps: {},
  cpu: {},
  outcomes: [],
  reports: [],
  attention: [],
  notes: [],
  media: noCounts(),
  failures: [],
  loss: { pictures: 0, missing: 0, first: undefined },
  personalWords: 'anywhere',
  pageBytes: 0,
  lacking: [],
  outputs: [],
  unpublished: [],
  fingerprints: [],
  mayLeaveOutputs: false,
});

/** Runs a step, and notes how long it took, however it ended. */
export async function timed<T>(
  { steps, cpu }: Steps,
  step: string,
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
