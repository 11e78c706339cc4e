import { existsSync } from 'node:fs';
import path from 'node:path';
import { type EnginesConfig, engineSecrets } from '../config/engines.ts';
import type { LoadedConfig } from '../config/load.ts';
import { AppError, EXIT, type ExitCode, GateError } from '../errors.ts';
import { openEngines } from '../media/engines.ts';
import type { MediaResult } from '../media/line.ts';
import type { DealerFacts } from '../stock/facts.ts';
import { type DealerStock, loadStock } from '../stock/load.ts';
import { writeShown } from '../stock/shown.ts';
import { snapshotFolder } from '../stock/snapshot.ts';
import { bytesText, type Console, timeText } from '../terminal/progress.ts';
import { refuseLinks } from './cache-links.ts';
import { countBy, dealerReport, listedFailures, problemOf } from './dealer-report.ts';
import { speaksOfBatches } from './foreign.ts';
import { checkDealers, checkPictures, type DealerState } from './gates.ts';
import { lockFolder } from './lock.ts';
import { type MadePages, makePages } from './pages.ts';
import { prepareSite } from './prepare.ts';
import { readRemembered } from './remembered.ts';
import type { BuildReport } from './report.ts';
import { manifestFiles, recover, stagingFolder, swap, workFolder } from './swap.ts';
import { readPageManifest, writePageManifest } from './tree/page-manifest.ts';
import { Tree } from './tree/tree.ts';
import { formsOf, refuseSecrets, verificationError, verifySite } from './verify.ts';

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
  made?: MadePages;
  facts?: ReadonlyMap<number, DealerFacts>;
  steps: Record<string, number>;
  notes: string[];
  published: boolean;
  /** The published site was already what this build would have made. */
  unchanged: boolean;
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
  const { plan, media, facts, theme } = await timed(state, 'media', () =>
    prepareSite(config, state.stock, {
      cacheDir,
      now,
      remembered: (dealerId) => readRemembered(cacheDir, dealerId),
      engines: shared.engines,
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
  state.media = media;
  state.facts = facts;
  state.notes.push(...media.problems);
  checkPictures(media, config.publish);

  const staging = stagingFolder(output);
  const manifests = manifestFiles(output);
  const secrets = [
    ...[...config.dealers, ...config.accounts].map(({ apiKey }) => apiKey),
    ...engineSecrets(options.engines ?? {}),
  ];
  const forms = formsOf(secrets);
  const tree = new Tree({
    output,
    published: readPageManifest(manifests.published),
    staging,
    former: readPageManifest(manifests.staging),
    // Keys can be new where a page is not.
    look: (file, bytes) => refuseSecrets(forms, file, bytes),
  });
  const made = await timed(state, 'render', () =>
    makePages({
      plan,
      theme,
      tree,
      staging,
      cacheDir,
      signal,
      onProgress: ({ rendered, kept }) => console.progress(`Pages: ${rendered} made, ${kept} kept`),
    }),
  );
  state.made = made;
  console.finish();
  if (tree.isPublished(media.outputs)) state.unchanged = true;
  else {
    await timed(state, 'place', async () => tree.complete(media.outputs, media.folder));
    const pages = tree.kept();
    const findings = await timed(state, 'verify', async () =>
      verifySite({
        folder: staging,
        siteUrl: config.site.url,
        expected: tree.files(),
        foreign: made.foreign,
        personalWords: speaksOfBatches(state.stock) ? 'as-keys' : 'anywhere',
        secrets,
        known: tree.kept(),
        onFile: (file, hash, uses) =>
          pages.set(file, { key: tree.made.get(file) ?? '', hash, uses }),
      }),
    );
    if (findings.length > 0) throw verificationError(findings);
    signal?.throwIfAborted();
    await timed(state, 'publish', () => swap(output, (file) => writePageManifest(file, pages)));
  }
  state.published = true;
  await timed(state, 'clean', async () => {
    for (const { dealer, withdrawn, source } of state.stock) {
      if (source !== 'none') await writeShown(snapshotFolder(cacheDir), dealer.id, withdrawn);
    }
    await media.removeUnplanned();
  });
}

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

function outcomeOf({ published, unchanged }: State, degraded: boolean): BuildReport['outcome'] {
  if (!published) return 'not-published';
  if (degraded) return 'degraded';
  return unchanged ? 'unchanged' : 'published';
}

function unmatchedOf(made: MadePages | undefined): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { unmatched } of made?.summaries.values() ?? []) {
    for (const [host, count] of Object.entries(unmatched)) {
      counts.set(host, (counts.get(host) ?? 0) + count);
    }
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function makeReport(
  state: State,
  now: number,
  error: AppError | undefined,
  exitCode: ExitCode,
  startedAt: number,
): BuildReport {
  const { made, media, stock, states } = state;
  const degraded = [...states.values()].some((one) => one !== 'fresh');
  return {
    version: 1,
    outcome: outcomeOf(state, degraded),
    exitCode,
    startedAt: new Date(now).toISOString(),
    durationMs: Math.round(performance.now() - startedAt),
    steps: state.steps,
    pages: made?.pages ?? 0,
    ...(made && { rendered: made.rendered }),
    dealers: stock.map((one) =>
      dealerReport({
        stock: one,
        state: states.get(one.dealer.id) ?? (one.source === 'none' ? 'failed' : 'fresh'),
        now,
        summary: made?.summaries.get(one.dealer.id),
        media,
        facts: state.facts?.get(one.dealer.id),
      }),
    ),
    ...(media && { media: media.counts }),
    pictureFailures: listedFailures(media),
    pictureFailureCodes: countBy((media?.failures ?? []).map(({ code }) => code)),
    unmatchedEmbeds: unmatchedOf(made),
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
    unchanged: false,
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
