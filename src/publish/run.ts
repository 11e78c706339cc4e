import { existsSync } from 'node:fs';
import path from 'node:path';
import { type EnginesConfig, engineSecrets } from '../config/engines.ts';
import type { LoadedConfig } from '../config/load.ts';
import { AppError, EXIT, type ExitCode, GateError } from '../errors.ts';
import { openEngines } from '../media/engines.ts';
import type { MediaResult } from '../media/line.ts';
import type { PublishedSite } from '../media/published/restore.ts';
import { pageFiles } from '../site/build-model.ts';
import type { SiteModel } from '../site/view.ts';
import type { DealerFacts } from '../stock/facts.ts';
import { type DealerStock, loadStock } from '../stock/load.ts';
import { writeShown } from '../stock/shown.ts';
import { snapshotFolder } from '../stock/snapshot.ts';
import { bytesText, type Console, timeText } from '../terminal/progress.ts';
import { refuseLinks } from './cache-links.ts';
import { countBy, dealerReport, listedFailures, problemOf } from './dealer-report.ts';
import { checkPages } from './files.ts';
import { foreignLinks, speaksOfBatches } from './foreign.ts';
import { checkDealers, checkPictures, type DealerState } from './gates.ts';
import { lockFolder } from './lock.ts';
import { prepareSite } from './prepare.ts';
import { publishedListFiles, tellRestore } from './published-lists.ts';
import { placeThumbnails, renderPages, writeFiles } from './render.ts';
import type { BuildReport } from './report.ts';
import { recover, stagingFolder, swap, workFolder } from './swap.ts';
import { verificationError, verifySite } from './verify.ts';

export interface RunOptions {
  config: LoadedConfig;
  output: string;
  cacheDir: string;
  console: Console;
  /** The clock, milliseconds since 1970; decides snapshot ages, withdrawn pages, revalidation. */
  now?: number;
  acceptLoss?: readonly string[];
  /** Treat a degraded result as exit code 8. It is published all the same. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: EnginesConfig;
  /** When thumbnails are taken from the published site; never without it. */
  fromPublished?: PublishedSite['use'] | undefined;
  signal?: AbortSignal;
}

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

/** What is known so far, so that every outcome has a report. */
interface State {
  stock: DealerStock[];
  states: Map<number, DealerState>;
  media?: MediaResult;
  model?: SiteModel;
  facts?: ReadonlyMap<number, DealerFacts>;
  steps: Record<string, number>;
  notes: string[];
  published: boolean;
}

async function timed<T>(state: State, step: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    state.steps[step] = Math.round(performance.now() - start);
  }
}

/** With more dealers than this, their answers are progress, not lines that stay. */
const TOLD_DEALERS = 4;

/** Builds beside the published folder, checks, and swaps. Throws whatever stops it before that. */
async function buildAndPublish(options: RunOptions, state: State, now: number): Promise<void> {
  const { config, output, cacheDir, console, signal } = options;
  using _output = lockFolder(workFolder(output));
  using _cache = lockFolder(cacheDir);
  await using shared = await openEngines(options.engines ?? {}, cacheDir);
  await refuseLinks(cacheDir);
  await recover(output);

  let answered = 0;
  state.stock = await timed(state, 'fetch', () =>
    loadStock({
      config,
      cacheDir,
      now,
      ...(options.acceptLoss && { acceptLoss: options.acceptLoss }),
      ...(signal && { signal }),
      onDealer: ({ dealer, source, vehicles }) => {
        answered++;
        const text = `${dealer.name}: ${vehicles.length} vehicles (${source})`;
        // A long list would push the summary off the screen.
        if (config.dealers.length <= TOLD_DEALERS) console.line(text);
        else console.progress(`Dealers: ${answered} of ${config.dealers.length}, ${text}`);
      },
    }),
  );
  console.finish();
  for (const { problem, dealer, notes } of state.stock) {
    if (problem) console.warn(`${problem.message}${problem.why ? ` ${problem.why}` : ''}`);
    for (const note of notes) console.warn(`${dealer.name}: ${note}`);
  }
  state.states = checkDealers(state.stock, (slug) =>
    existsSync(path.join(output, slug, 'index.html')),
  );

  const started = performance.now();
  const { model, media, facts, theme } = await timed(state, 'media', () =>
    prepareSite(config, state.stock, {
      cacheDir,
      now,
      engines: shared.engines,
      fromPublished: options.fromPublished,
      onRestore: (progress) => tellRestore(console, progress),
      ...(signal && { signal }),
      onProgress: ({ total, done, failed, downloadedBytes, outputsMade }) => {
        if (total === 0) return;
        const rate = done / ((performance.now() - started) / 1000);
        const left = rate > 0 ? timeText(((total - done) / rate) * 1000) : '–';
        console.progress(
          `Pictures: ${done} of ${total}${failed ? `, ${failed} failed` : ''}, ${left} left, ${rate.toFixed(1)}/s, ${outputsMade} thumbnails, ${bytesText(downloadedBytes)}`,
          done / total,
        );
      },
    }),
  );
  console.finish();
  state.model = model;
  state.media = media;
  state.facts = facts;
  state.notes.push(...media.problems);
  checkPictures(media, config.publish);

  checkPages(model);
  const staging = stagingFolder(output);
  console.progress(`Pages: ${pageCount(model)}`);
  await timed(state, 'render', () => renderPages(model, theme, staging));
  await timed(state, 'place', () => placeThumbnails(model.usedOutputs, media.folder, staging));
  await timed(state, 'lists', async () => writeFiles(await publishedListFiles(media), staging));
  console.finish();
  const findings = await timed(state, 'verify', () =>
    verifySite({
      folder: staging,
      siteUrl: config.site.url,
      expected: expectedFiles(model),
      foreign: foreignLinks(model),
      personalWords: speaksOfBatches(model) ? 'as-keys' : 'anywhere',
      secrets: [
        ...[...config.dealers, ...config.accounts].map(({ apiKey }) => apiKey),
        ...engineSecrets(options.engines ?? {}),
      ],
    }),
  );
  if (findings.length > 0) throw verificationError(findings);
  signal?.throwIfAborted();
  await timed(state, 'publish', () => swap(output));
  state.published = true;
  await timed(state, 'clean', async () => {
    for (const { dealer, withdrawn, source } of state.stock) {
      if (source !== 'none') await writeShown(snapshotFolder(cacheDir), dealer.id, withdrawn);
    }
    await media.removeUnplanned();
  });
}

function* expectedFiles(model: SiteModel): Iterable<string> {
  for (const file of pageFiles(model)) yield file.slice(1);
  for (const { file } of model.files()) yield file.slice(1);
}

const pageCount = (model: SiteModel): number => [...pageFiles(model)].length;

function toError(error: unknown): AppError {
  if (error instanceof AppError) return error;
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

function makeReport(
  state: State,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  const { model, media, stock, states } = state;
  const degraded = [...states.values()].some((one) => one !== 'fresh');
  return {
    version: 1,
    outcome: !state.published ? 'not-published' : degraded ? 'degraded' : 'published',
    exitCode,
    startedAt: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    steps: state.steps,
    pages: model ? pageCount(model) : 0,
    dealers: stock.map((one) =>
      dealerReport({
        stock: one,
        state: states.get(one.dealer.id) ?? (one.source === 'none' ? 'failed' : 'fresh'),
        now,
        model,
        media,
        facts: state.facts?.get(one.dealer.id),
      }),
    ),
    ...(media && { media: media.counts }),
    pictureFailures: listedFailures(media),
    pictureFailureCodes: countBy((media?.failures ?? []).map(({ code }) => code)),
    unmatchedEmbeds: model?.unmatchedEmbeds ?? {},
    notes: state.notes,
    ...(error && { problem: problemOf(error) }),
  };
}

/**
 * One build from start to end: fetch, thumbnails, pages, checks, and only then the swap. Whatever
 * fails, the published folder is as it was, and the report says why. Never throws.
 */
export async function runBuild(options: RunOptions): Promise<RunResult> {
  const now = options.now ?? Date.now();
  const startedAt = performance.now();
  const state: State = {
    stock: [],
    states: new Map(),
    steps: {},
    notes: [],
    published: false,
  };
  let error: AppError | undefined;
  try {
    await buildAndPublish(options, state, now);
  } catch (cause) {
    options.console.finish();
    error = toError(cause);
  }
  const degraded = [...state.states.values()].some((one) => one !== 'fresh');
  const exitCode = error?.exitCode ?? (degraded && options.strict ? EXIT.degraded : EXIT.published);
  return { exitCode, error, report: makeReport(state, now, error, exitCode, startedAt) };
}
