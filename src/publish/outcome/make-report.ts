import { type AppError, type ExitCode, problemOf } from '../../errors.ts';
import { type MediaCounts, noCounts } from '../../images/counts.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { FeedCounts } from '../../site/vehicle-feeds/feed.ts';
import { type BuiltChunk, type MadePages, newSteps, type Steps } from '../chunk/built-chunk.ts';
import type { Attention } from '../gates/attention.ts';
import type { DealerOutcome } from '../gates/gates.ts';
import { addCounts, countBy, listedFailures } from '../report/dealer-report.ts';
import type { BuildReport, DealerReport } from '../report/report.ts';
import { missingFilesNote } from '../site-diff/published-files.ts';

/** The results of a build's steps so far. Every report is made from them. Its times are of the steps after the chunks. */
export interface BuildResults extends Steps {
  /** Ids of the dealers, in the order of the report. */
  order: readonly number[];
  /** Chunks of dealers, unfinished ones included. In any order. */
  chunks: readonly BuiltChunk[];
  feeds?: FeedCounts[];
  siteWide?: MadePages;
  /** Set once the site is published. `unchanged`: the published site already equals the result of this build. */
  outcome?: 'published' | 'unchanged';
  /** Failures after publishing, and notes that do not concern a single dealer. */
  notes: string[];
  /** Problems that need attention and do not concern a single dealer. */
  attention: Attention[];
}

export const noResults = (order: readonly number[] = []): BuildResults => ({
  ...newSteps(),
  order,
  chunks: [],
  notes: [],
  attention: [],
});

/** Sorts entries of chunks by dealer, in the order in which the dealers are configured. */
function inOrder<T>(
  entries: T[],
  { order }: Pick<BuildResults, 'order'>,
  idOf: (entry: T) => number | undefined,
): T[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = (entry: T) => places.get(idOf(entry) ?? Number.NaN) ?? order.length;
  return entries.sort((a, b) => placeOf(a) - placeOf(b));
}

export function outcomesIn(results: BuildResults): DealerOutcome[] {
  const outcomes = results.chunks.flatMap((chunk) => chunk.outcomes);
  return inOrder(outcomes, results, ({ dealer }) => dealer.id);
}

export function reportsIn(results: BuildResults): DealerReport[] {
  const reports = results.chunks.flatMap((chunk) => chunk.reports);
  return inOrder(reports, results, ({ id }) => id);
}

export function attentionIn(results: BuildResults): Attention[] {
  const attention = results.chunks.flatMap((chunk) => chunk.attention);
  return [...inOrder(attention, results, ({ dealer }) => dealer), ...results.attention];
}

/** Times of all processes. They ran in parallel, so the longest time counts, and CPU times are added. */
function stepsOf({ chunks, steps, cpu }: BuildResults): Steps {
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
  addCounts(all.steps, steps);
  addCounts(all.cpu, cpu);
  return all;
}

export function mediaCounts({ chunks }: BuildResults): MediaCounts {
  const media: MediaCounts & Record<string, number> = noCounts();
  for (const { media: counts } of chunks) addCounts(media, counts);
  return media;
}

function notesIn({ chunks, notes }: BuildResults, pageSets: readonly MadePages[]): string[] {
  const missing =
    missingFilesNote(new Set(pageSets.flatMap(({ missingLists }) => missingLists))) ?? [];
  const cards = pageSets.reduce((sum, { incompleteCards }) => sum + incompleteCards, 0);
  const incomplete =
    cards === 0
      ? []
      : `Thumbnails for ${countText(cards, 'social card')} could not be read or decoded, so the cards were drawn without a picture. The next build draws them again.`;
  const all = [...chunks.flatMap((chunk) => chunk.notes), missing, incomplete, ...notes];
  // Chunks may have the same note.
  return [...new Set(all.flat())];
}

/** Pages of all chunks, and embed codes for which no provider is known. */
function pagesIn(pageSets: readonly MadePages[]) {
  const unmatched: Record<string, number> = {};
  for (const set of pageSets) addCounts(unmatched, Object.fromEntries(set.unmatched));
  return {
    pages: pageSets.reduce((sum, { pages }) => sum + pages, 0),
    ...(pageSets.length > 0 && {
      rendered: pageSets.reduce((sum, { rendered }) => sum + rendered, 0),
    }),
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
    ...(results.chunks.length > 0 && { media: mediaCounts(results) }),
    pictureFailures: listedFailures(failures),
    pictureFailureCodes: countBy(failures.map(({ code }) => code)),
  };
}

/** The report of a build, complete or not. */
export function makeReport(
  results: BuildResults,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  const { chunks, siteWide, outcome } = results;
  const dealers = reportsIn(results);
  const isDegraded = outcome && dealers.some(({ state }) => state !== 'fresh');
  const pageSets = [...chunks.map((chunk) => chunk.madePages), siteWide].filter(
    (one) => one !== undefined,
  );
  const { unmatchedEmbeds, ...pages } = pagesIn(pageSets);
  const waiting = { vehicles: 0, pictures: 0 };
  for (const { waiting: counts = {} } of dealers) addCounts(waiting, counts);
  return {
    version: 1,
    outcome: isDegraded ? 'degraded' : (outcome ?? 'not-published'),
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
    notes: notesIn(results, pageSets),
    ...(error && { problem: problemOf(error) }),
  };
}
