import type { AppError, ExitCode } from '../../errors.ts';
import { type MediaCounts, noCounts } from '../../images/counts.ts';
import type { FeedCounts } from '../../site/vehicle-feeds/feed.ts';
import { type BuiltChunk, type MadePages, newSteps, type Steps } from '../chunk/built-chunk.ts';
import type { Attention } from '../gates/attention.ts';
import { countBy, listedFailures, problemOf } from '../report/dealer-report.ts';
import type { BuildReport } from '../report/report.ts';
import { missingFilesNote } from '../site-diff/published-files.ts';

/** Result of the steps `pages` and `verify` for the site-wide pages. */
export type SiteWidePages = MadePages & Steps;

/** Result of the step `publish`. */
export interface Published extends Steps {
  /** `unchanged`: the published site was already what this build would have made. */
  outcome: 'published' | 'unchanged';
  /** Whether the record of a dealer was removed from the cache. */
  removedRecord: boolean;
}

/** Result of removing what is not needed any more. */
export interface Cleaned extends Steps {
  /** How many thumbnails were removed. */
  outputsRemoved: number;
}

/** The results of a build's steps so far, from which every outcome is reported. */
export interface BuildResults {
  /** Ids of the dealers, in the order in which they are reported. */
  order: readonly number[];
  /** Chunks of dealers, unfinished ones included. In any order. */
  chunks: readonly BuiltChunk[];
  feeds?: FeedCounts[];
  siteWide?: SiteWidePages;
  published?: Published;
  cleaned?: Cleaned;
  /** What failed after the site was published, and what concerns no single dealer. */
  notes: string[];
  /** Matters of no single dealer that need a person. */
  attention: Attention[];
}

export const noResults = (order: readonly number[] = []): BuildResults => ({
  order,
  chunks: [],
  notes: [],
  attention: [],
});

/** What all chunks hold of one kind, in the order in which their dealers are configured. */
export function inOrder<T>(
  { order, chunks }: Pick<BuildResults, 'order' | 'chunks'>,
  listOf: (chunk: BuiltChunk) => readonly T[],
  idOf: (one: T) => number | undefined,
): T[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = (one: T) => places.get(idOf(one) ?? Number.NaN) ?? order.length;
  return chunks.flatMap(listOf).sort((a, b) => placeOf(a) - placeOf(b));
}

export const attentionIn = (results: BuildResults): BuildReport['attention'] => [
  ...inOrder(
    results,
    (chunk) => chunk.attention,
    ({ dealer }) => dealer,
  ),
  ...results.attention,
];

function addCounts(sum: Record<string, number>, more: object): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}

/** The steps of all processes: they ran at the same time, and each had its own CPU. */
function stepsOf({ chunks, siteWide, published, cleaned }: BuildResults): Steps {
  const all: Steps = newSteps();
  for (const ofProcess of Map.groupBy(chunks, (chunk) => chunk.process).values()) {
    const sum: Record<string, number> = {};
    for (const one of ofProcess) {
      addCounts(sum, one.steps);
      addCounts(all.cpu, one.cpu);
    }
    for (const [step, time] of Object.entries(sum)) {
      all.steps[step] = Math.max(all.steps[step] ?? 0, time);
    }
  }
  for (const { steps, cpu } of [siteWide, published, cleaned].filter((one) => one !== undefined)) {
    addCounts(all.steps, steps);
    addCounts(all.cpu, cpu);
  }
  return all;
}

export function mediaOf({ chunks, cleaned }: BuildResults): MediaCounts {
  const { outputsRemoved = 0 } = cleaned ?? {};
  const media: MediaCounts & Record<string, number> = { ...noCounts(), outputsRemoved };
  for (const { media: counts } of chunks) addCounts(media, counts);
  return media;
}

function notesIn({ chunks, notes }: BuildResults, made: readonly MadePages[]): string[] {
  const missing = missingFilesNote(new Set(made.flatMap(({ lacking }) => lacking))) ?? [];
  // What every chunk notes is one note.
  return [...new Set([...chunks.flatMap((chunk) => chunk.notes), missing, ...notes].flat())];
}

/** Pages of all chunks, and embed codes for which no provider is known. */
function pagesIn(made: readonly MadePages[]) {
  const unmatched: Record<string, number> = {};
  for (const one of made) addCounts(unmatched, Object.fromEntries(one.unmatched));
  return {
    pages: made.reduce((sum, { pages }) => sum + pages, 0),
    ...(made.length > 0 && { rendered: made.reduce((sum, { rendered }) => sum + rendered, 0) }),
    unmatchedEmbeds: Object.fromEntries(
      Object.entries(unmatched).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

/** Counts of pictures, and why some are missing. */
function picturesIn(results: BuildResults) {
  const failures = results.chunks
    .flatMap((chunk) => chunk.failures)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    ...(results.chunks.length > 0 && { media: mediaOf(results) }),
    pictureFailures: listedFailures(failures),
    pictureFailureCodes: countBy(failures.map(({ code }) => code)),
  };
}

/** The report of a build, however far it came. */
export function makeReport(
  results: BuildResults,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  const { chunks, siteWide, published } = results;
  const outcome = published?.outcome ?? 'not-published';
  const dealers = inOrder(
    results,
    (chunk) => chunk.reports,
    ({ id }) => id,
  );
  const isDegraded = published && dealers.some(({ state }) => state !== 'fresh');
  const made = [...chunks.map((chunk) => chunk.made), siteWide].filter((one) => one !== undefined);
  const { unmatchedEmbeds, ...pages } = pagesIn(made);
  const waiting = { vehicles: 0, pictures: 0 };
  for (const { waiting: its = {} } of dealers) addCounts(waiting, its);
  return {
    version: 1,
    outcome: isDegraded ? 'degraded' : outcome,
    exitCode,
    startedAt: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    ...stepsOf(results),
    ...pages,
    ...(waiting.vehicles > 0 && { waiting }),
    dealers,
    ...picturesIn(results),
    unmatchedEmbeds,
    ...(results.feeds && results.feeds.length > 0 && { feeds: results.feeds }),
    attention: attentionIn(results),
    notes: notesIn(results, made),
    ...(error && { problem: problemOf(error) }),
  };
}
