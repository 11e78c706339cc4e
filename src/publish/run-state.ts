import { statSync } from 'node:fs';
import path from 'node:path';
import { tellFullDisk, tellSystem } from '../errors/system.ts';
import { AppError, type ExitCode, GateError } from '../errors.ts';
import { type MediaCounts, noCounts } from '../media/counts.ts';
import type { MediaProgress, MediaResult, PictureFailure } from '../media/line.ts';
import type { DealerFacts } from '../stock/facts.ts';
import type { DealerStock } from '../stock/load.ts';
import type { Attention } from './attention.ts';
import { countBy, dealerReport, listedFailures, problemOf } from './dealer-report.ts';
import type { DealerOutcome, DealerState, PictureLoss } from './gates.ts';
import type { MadePages } from './pages.ts';
import type { BuildReport, DealerReport } from './report.ts';

/** What is known so far, so that every outcome has a report. */
export interface State {
  /** Dealers that answered, or did not. */
  answered: number;
  /** What became of each dealer so far. */
  dealers: DealerOutcome[];
  /** Of the batch that is worked on. */
  stock: DealerStock[];
  states: Map<number, DealerState>;
  batchMedia?: MediaResult | undefined;
  /** Of the batches before. */
  reports: DealerReport[];
  media: MediaCounts;
  failures: PictureFailure[];
  batches: number;
  /** Bytes of their pages, about. */
  pageBytes: number;
  /** All thumbnails, once they are known. */
  thumbnails?: Pick<MediaResult, 'unpublished' | 'folder'>;
  loss: PictureLoss;
  personalWords: 'anywhere' | 'as-keys';
  /** Whether outputs may be there that nobody uses any more. */
  mayLeaveOutputs: boolean;
  made?: MadePages;
  facts?: ReadonlyMap<number, DealerFacts>;
  steps: Record<string, number>;
  /** CPU milliseconds of this process by step, all of its threads together. */
  cpu: Record<string, number>;
  /** What a person is needed for. */
  attention: Attention[];
  notes: string[];
  /** What failed once the new site was published. */
  after: string[];
  /** How far the pictures are. */
  progress?: MediaProgress;
  published: boolean;
  /** The published site was already what this build would have made. */
  unchanged: boolean;
}

/** Runs a step, and notes how long it took, however it ended. */
export async function timed<T>(state: State, step: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const before = process.cpuUsage();
  try {
    return await work();
  } finally {
    const { user, system } = process.cpuUsage(before);
    state.steps[step] = (state.steps[step] ?? 0) + Math.round(performance.now() - start);
    state.cpu[step] = (state.cpu[step] ?? 0) + Math.round((user + system) / 1000);
  }
}

export const newState = (): State => ({
  answered: 0,
  dealers: [],
  stock: [],
  states: new Map(),
  reports: [],
  media: noCounts(),
  failures: [],
  batches: 0,
  pageBytes: 0,
  loss: { pictures: 0, missing: 0, first: undefined },
  personalWords: 'anywhere',
  mayLeaveOutputs: false,
  steps: {},
  cpu: {},
  attention: [],
  notes: [],
  after: [],
  published: false,
  unchanged: false,
});

/** Bytes of a vehicle's pages and of each of its media in them, measured. */
const PAGE = { vehicle: 15_500, media: 1_500 };
/** Bytes of the thumbnails of a picture, where none was made yet. */
const THUMBNAILS = 100_000;

/** Bytes of new thumbnails, where they are copied because the disk of the site is another. */
function copiesOf(
  media: Pick<MediaResult, 'unpublished' | 'folder'> | undefined,
  error: unknown,
): number {
  if (!media || (error as NodeJS.ErrnoException | null)?.syscall !== 'copyfile') return 0;
  const sizes = Array.from(
    media.unpublished,
    (name) => statSync(path.join(media.folder, name)).size,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of the pages of dealers, about. */
const pageBytes = (stock: readonly DealerStock[]): number =>
  stock.reduce(
    (sum, { vehicles: { length, media } }) =>
      sum + length * PAGE.vehicle + (media.image + media.video) * PAGE.media,
    0,
  );

/** How many bytes this build was going to write, about. */
function neededRoom(state: State, error: unknown): number | undefined {
  const pages = state.pageBytes + pageBytes(state.stock);
  if (pages === 0) return undefined;
  const { total = 0, done = 0, outputsMadeBytes = 0 } = state.progress ?? {};
  const mean = outputsMadeBytes > 0 ? outputsMadeBytes / done : THUMBNAILS;
  return pages + (total - done) * mean + copiesOf(state.thumbnails ?? state.batchMedia, error);
}

/** What failed after the new site was published, in one sentence. */
export function afterText(problem: unknown): string {
  const { message, why } = toError(problem);
  return `The site was published. What a build notes after that failed: ${message}${why ? ` ${why}` : ''}`;
}

/**
 * What stopped a build, in words for people.
 *
 * @param state how far it came. @param folders those that it writes to.
 */
export function toError(
  error: unknown,
  state: State = newState(),
  folders: readonly string[] = [],
): AppError {
  const full = tellFullDisk(error, folders, neededRoom(state, error));
  if (full || error instanceof AppError) return full ?? (error as AppError);
  const told = tellSystem(error);
  if (told) return told;
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

function outcomeOf({ published, unchanged }: State, degraded: boolean): BuildReport['outcome'] {
  if (!published) return 'not-published';
  if (degraded) return 'degraded';
  return unchanged ? 'unchanged' : 'published';
}

/** Reports of the dealers of the batch that is worked on. */
function batchReports({ stock, states, made, batchMedia, facts }: State, now: number) {
  return stock.map((one) =>
    dealerReport({
      stock: one,
      state: states.get(one.dealer.id) ?? 'failed',
      now,
      summary: made?.summaries.get(one.dealer.id),
      media: batchMedia,
      facts: facts?.get(one.dealer.id),
    }),
  );
}

/** Lets go of a batch: what is needed of it from then on is its reports and counts. */
export function endBatch(state: State, now: number): void {
  state.reports.push(...batchReports(state, now));
  const { batchMedia } = state;
  if (batchMedia) {
    const { counts, failures, problems } = batchMedia;
    for (const [name, count] of Object.entries(counts)) {
      state.media[name as keyof MediaCounts] += count;
    }
    state.failures.push(...failures);
    state.notes.push(...problems.filter((one) => !state.notes.includes(one)));
    state.mayLeaveOutputs ||= batchMedia.mayLeaveOutputs;
  }
  state.batches++;
  state.pageBytes += pageBytes(state.stock);
  state.stock = [];
  state.states = new Map();
  state.batchMedia = undefined;
}

/** The report of a build, however far it came. */
export function makeReport(
  state: State,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  if (state.stock.length > 0) endBatch(state, now);
  const { made, media, reports, failures, batches } = state;
  const degraded = reports.some((one) => one.state !== 'fresh');
  return {
    version: 1,
    outcome: outcomeOf(state, degraded),
    exitCode,
    startedAt: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    steps: state.steps,
    cpu: state.cpu,
    pages: made?.pages ?? 0,
    ...(made && { rendered: made.rendered }),
    dealers: reports,
    ...(batches > 0 && { media }),
    pictureFailures: listedFailures(failures),
    pictureFailureCodes: countBy(failures.map(({ code }) => code)),
    unmatchedEmbeds: Object.fromEntries(
      [...(made?.unmatched ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    attention: state.attention,
    notes: [...state.notes, ...state.after],
    ...(error && { problem: problemOf(error) }),
  };
}
