import { statSync } from 'node:fs';
import path from 'node:path';
import { AppError, type ExitCode, GateError } from '../../errors.ts';
import { type MediaCounts, noCounts } from '../../images/counts.ts';
import type { MediaResult } from '../../images/line/types.ts';
import {
  explainFullDisk,
  explainOpenFiles,
  explainSystemError,
} from '../../lib/files/system-errors.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { BuiltChunk, MadePages, Steps } from '../chunk/built-chunk.ts';
import type { DealerOutcome } from '../gates/gates.ts';
import { countBy, listedFailures, problemOf } from '../report/dealer-report.ts';
import type { BuildReport } from '../report/report.ts';

/** Facts collected during a run, so that every outcome has a report. */
export interface State extends Steps {
  /** Ids of the dealers, in the order in which they are reported. */
  order: readonly number[];
  /** Chunks of dealers, unfinished ones included; in any order. */
  chunks: BuiltChunk[];
  /** The site-wide pages. */
  siteWide?: MadePages;
  /** Thumbnails that are not published yet, once they are known. */
  thumbnails?: Pick<MediaResult, 'unpublished' | 'folder'>;
  /** Thumbnails that were removed at the end. */
  outputsRemoved: number;
  notes: string[];
  /** What failed once the new site was published. */
  after: string[];
  published: boolean;
  /** The published site was already what this build would have made. */
  unchanged: boolean;
}

export const newState = (): State => ({
  steps: {},
  cpu: {},
  order: [],
  chunks: [],
  outputsRemoved: 0,
  notes: [],
  after: [],
  published: false,
  unchanged: false,
});

/** Sorts items into the order in which their dealers are configured. */
const inOrder = <T>({ order }: State, all: T[], id: (one: T) => number | undefined): T[] => {
  const places = new Map(order.map((one, place) => [one, place]));
  const placeOf = (one: T) => places.get(id(one) ?? Number.NaN) ?? order.length;
  return all.sort((a, b) => placeOf(a) - placeOf(b));
};

/** Outcomes of the dealers so far. */
export const outcomes = (state: State): DealerOutcome[] =>
  inOrder(
    state,
    state.chunks.flatMap((chunk) => chunk.outcomes),
    ({ dealer }) => dealer.id,
  );

/** Summaries of dealers, for the site-wide pages. */
export function summaries({ order, chunks }: State): DealerSummary[] {
  const byId = new Map(chunks.flatMap(({ made }) => made?.summaries ?? []));
  return order.flatMap((id) => byId.get(id) ?? []);
}

export const attention = (state: State): BuildReport['attention'] =>
  inOrder(
    state,
    state.chunks.flatMap((chunk) => chunk.attention),
    ({ dealer }) => dealer,
  );

/** Texts of the service may hold field names of batches; that is unusual but no leak. */
export const personalWords = ({ chunks }: State): 'anywhere' | 'as-keys' =>
  chunks.some((one) => one.personalWords === 'as-keys') ? 'as-keys' : 'anywhere';

/** Estimated bytes of a picture's thumbnails, used before any was made. */
const THUMBNAILS = 100_000;

/** Bytes of new thumbnails, if they are copied because the site is on another disk than the cache. */
function copiesOf({ thumbnails }: State, error: unknown): number {
  if (!thumbnails || (error as NodeJS.ErrnoException | null)?.syscall !== 'copyfile') return 0;
  const { unpublished, folder } = thumbnails;
  const sizes = Array.from(unpublished, (name) => statSync(path.join(folder, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Estimated bytes that this build needs on disk. */
function neededRoom(state: State, error: unknown): number | undefined {
  const pages = state.chunks.reduce((sum, { pageBytes }) => sum + pageBytes, 0);
  if (pages === 0) return undefined;
  const pictures = state.chunks.reduce((sum, { progress }) => {
    const { total = 0, done = 0, outputsMadeBytes = 0 } = progress ?? {};
    return sum + (total - done) * (outputsMadeBytes > 0 ? outputsMadeBytes / done : THUMBNAILS);
  }, 0);
  return pages + pictures + copiesOf(state, error);
}

/** What failed after the new site was published, in one sentence. */
export function afterText(problem: unknown): string {
  const { message, why } = toError(problem);
  return `The site was published. What a build notes after that failed: ${message}${why ? ` ${why}` : ''}`;
}

/**
 * The error that stopped a build, with reason and fix.
 *
 * @param state how far it came. @param folders those that it writes to.
 */
export function toError(
  error: unknown,
  state: State = newState(),
  folders: readonly string[] = [],
): AppError {
  const limit = explainOpenFiles(error);
  if (limit) return limit;
  const full = explainFullDisk(error, folders, neededRoom(state, error));
  if (full || error instanceof AppError) return full ?? (error as AppError);
  const known = explainSystemError(error);
  if (known) return known;
  if (error instanceof Error && error.name === 'AbortError') {
    return new GateError({
      code: 'build-interrupted',
      what: 'The build was interrupted.',
      why: 'A person or the scheduler stopped it.',
      fix: 'Run it again; finished pictures are kept. The published site is as it was.',
    });
  }
  return new AppError({
    code: 'internal',
    what: 'The build failed by a fault of this program.',
    why: error instanceof Error ? error.message : String(error),
    fix: 'Run it again with --debug and report what it prints. The published site is as it was.',
    cause: error,
  });
}

/** The steps of all processes: they ran at the same time, and each had its own CPU. */
function stepsOf({ steps, cpu, chunks }: State): Steps {
  const all: Steps = { steps: {}, cpu: { ...cpu } };
  const byProcess = Map.groupBy(chunks, (chunk) => chunk.process);
  for (const its of byProcess.values()) {
    const sum: Record<string, number> = {};
    for (const one of its) {
      addCounts(sum, one.steps);
      addCounts(all.cpu, one.cpu);
    }
    for (const [step, time] of Object.entries(sum)) {
      all.steps[step] = Math.max(all.steps[step] ?? 0, time);
    }
  }
  addCounts(all.steps, steps);
  return all;
}

function addCounts(sum: Record<string, number>, more: object): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}

function runOutcomeOf({ published, unchanged }: State, degraded: boolean): BuildReport['outcome'] {
  if (!published) return 'not-published';
  if (degraded) return 'degraded';
  return unchanged ? 'unchanged' : 'published';
}

function mediaOf({ chunks, outputsRemoved }: State): MediaCounts {
  const media: MediaCounts & Record<string, number> = { ...noCounts(), outputsRemoved };
  for (const { media: counts } of chunks) addCounts(media, counts);
  return media;
}

function waitingOf(reports: BuildReport['dealers']): Pick<BuildReport, 'waiting'> {
  const waiting = { vehicles: 0, pictures: 0 };
  for (const { waiting: its = {} } of reports) addCounts(waiting, its);
  return waiting.vehicles > 0 ? { waiting } : {};
}

/** The report of a build, however far it came. */
export function makeReport(
  state: State,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  const { chunks, siteWide } = state;
  const reports = inOrder(
    state,
    chunks.flatMap((chunk) => chunk.reports),
    ({ id }) => id,
  );
  const failures = chunks
    .flatMap((chunk) => chunk.failures)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const made = [...chunks.map((chunk) => chunk.made), siteWide].filter((one) => one !== undefined);
  const unmatched: Record<string, number> = {};
  for (const one of made) addCounts(unmatched, Object.fromEntries(one.unmatched));
  const notes = [...state.notes, ...chunks.flatMap((chunk) => chunk.notes), ...state.after];
  return {
    version: 1,
    outcome: runOutcomeOf(
      state,
      reports.some((one) => one.state !== 'fresh'),
    ),
    exitCode,
    startedAt: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    ...stepsOf(state),
    pages: made.reduce((sum, { pages }) => sum + pages, 0),
    ...(made.length > 0 && { rendered: made.reduce((sum, { rendered }) => sum + rendered, 0) }),
    ...waitingOf(reports),
    dealers: reports,
    ...(chunks.length > 0 && { media: mediaOf(state) }),
    pictureFailures: listedFailures(failures),
    pictureFailureCodes: countBy(failures.map(({ code }) => code)),
    unmatchedEmbeds: Object.fromEntries(
      Object.entries(unmatched).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    attention: attention(state),
    // What every chunk notes is one note.
    notes: [...new Set(notes)],
    ...(error && { problem: problemOf(error) }),
  };
}
