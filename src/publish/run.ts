/**
 * A build from start to end: recall, fetch, accept, images, pages and verify for the dealers, chunk by chunk
 * (`build/build-chunk.ts`), then the site-wide pages, and publish.
 */
import path from 'node:path';
import { secretsOf } from '../config/build-secrets.ts';
import { SecretSearch } from '../config/secret-search.ts';
import { type AppError, EXIT } from '../errors.ts';
import { openEngines } from '../images/line/engines.ts';
import { lockFolder } from '../lib/files/folder-lock.ts';
import { removeJournals } from '../record/known-pictures.ts';
import { readSearched, recordsFolder, saveRecords, timesOf } from '../record/published-records.ts';
import { latestFirst } from '../record/times.ts';
import { makeCustomPages } from '../render/custom-pages.ts';
import { type OwnFiles, readOwnFiles } from '../render/own-files.ts';
import { pageRenderer } from '../render/page-renderer.ts';
import type { ChunkOutcome } from './build/build-chunk.ts';
import { type BuildInput, type ChunkContext, openContext } from './build/context.ts';
import { siteWidePlan } from './build/prepare.ts';
import { type MadePages, timed } from './chunk/built-chunk.ts';
import { changesForm } from './finish/changes-form.ts';
import { type FinishOptions, finish } from './finish/finish.ts';
import { siteForm } from './finish/site-form.ts';
import { claimFolders, lockOutput, refuseLinks } from './folder-checks/check.ts';
import { unmatchedDecisions } from './gates/attention.ts';
import {
  checkDealers,
  checkPictures,
  type DealerOutcome,
  nothingToPublish,
  pictureLoss,
} from './gates/gates.ts';
import { checkAcceptedLosses } from './options/accepted-losses.ts';
import type { RunOptions } from './options/run-options.ts';
import {
  attentionIn,
  type BuildResults,
  inOrder,
  makeReport,
  mediaOf,
  noResults,
} from './outcome/make-report.ts';
import type { RunResult } from './outcome/run-and-report.ts';
import { afterText, toError } from './outcome/to-error.ts';
import { recover, stagingFolder } from './output/swap.ts';
import { type BuiltDealers, buildDealers } from './processes/build-dealers.ts';
import { BuildProgress } from './report/build-progress.ts';
import { FilesInFolder, missingFilesNote } from './site-diff/published-files.ts';

export type { RunOptions, RunResult };

/** What the steps of one build share. */
interface Build {
  run: RunOptions;
  own: OwnFiles;
  context: ChunkContext;
  /** Records of this configuration in the cache. */
  records: string;
  /** Marks of the keys that files are searched for, see `SecretSearch.mark`. */
  searched: { output: string; site: string };
}

/**
 * Fetches, makes, checks and publishes a site.
 *
 * @param results receives what each step results in, so that a failed build is reported from the results so far.
 */
async function buildAndPublish(run: RunOptions, results: BuildResults): Promise<void> {
  const { cacheDir, config, console, now = Date.now() } = run;
  const until = run.timeLimit === undefined ? undefined : Date.now() + run.timeLimit;
  checkAcceptedLosses(run.acceptLoss ?? [], config);
  const output = claimFolders(run.output, config, { cacheDir, form: run.form });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(run.signal ? [run.signal] : [])]);
  const own = await readOwnFiles(config, { signal, hide: run.hide });
  for (const { id, name } of config.dealers) {
    for (const note of own.facts.get(id)?.notes ?? []) console.warn(`${name}: ${note}`);
  }
  await refuseLinks(cacheDir);
  using _output = lockOutput(output);
  using _cache = lockFolder(cacheDir);
  await using shared = await openEngines(run.engines ?? {}, cacheDir, {
    say: (text) => console.line(text),
  });
  await recover(output);

  const records = recordsFolder(cacheDir, config);
  const search = SecretSearch.of(secretsOf(config, run.engines));
  const searched = { output: search.mark(output), site: search.mark(config.site.url) };
  const { acceptLoss, hide, first, fromPublished } = run;
  const input: Omit<BuildInput, 'config'> = {
    options: { cacheDir, acceptLoss, hide, first, fromPublished },
    ...{ now, output, until, staging: stagingFolder(output) },
    searched: (await readSearched(records)) === searched.output,
    thin: run.form === 'thin' ? { searched: searched.site } : undefined,
  };
  const progress = new BuildProgress(console, { dealers: config.dealers.length });
  const { engines } = shared;
  const context = openContext(
    { ...input, config },
    { own, search, engines, signal, notify: (event) => progress.notify(event) },
  );
  await using _memory = context.memory;
  const built = await buildDealers(context, {
    start: { ...input, forms: search.forms },
    progress,
    singleChunk: own.customPages !== undefined || engines !== undefined || run.onSite !== undefined,
    vehicles: run.chunkVehicles,
    stop,
  });
  console.finish();
  results.chunks = built.chunks;
  if (built.error) throw built.error;
  if (!built.local) throw nothingToPublish();
  const build = { run, own, context, records, searched };
  const outcomes = checkSite(results, config);
  const matched = built.chunks.flatMap((chunk) => chunk.matched);
  const unmatched = unmatchedDecisions(own.control, { outcomes, matched });
  results.attention.push(...unmatched.attention);
  results.notes.push(...unmatched.notes);
  for (const note of unmatched.notes) console.warn(note);
  results.siteWide = await makeSiteWide(build, built, results);
  await publish(build, built, built.local, results);
}

/** @throws {AppError} all dealers together must not be published. */
function checkSite(results: BuildResults, { publish }: RunOptions['config']): DealerOutcome[] {
  const outcomes = inOrder(
    results,
    (chunk) => chunk.outcomes,
    ({ dealer }) => dealer.id,
  );
  checkDealers(outcomes, { complete: true });
  const failures = results.chunks.flatMap((chunk) => chunk.failures);
  checkPictures(pictureLoss(mediaOf(results).sources, failures), publish);
  return outcomes;
}

/** The site-wide pages and files. */
async function makeSiteWide(
  { run: { config, onSite }, own, context }: Build,
  { chunks, outputs, local }: BuiltDealers,
  results: BuildResults,
): Promise<MadePages> {
  const plan = chunks.length === 1 && local ? local.plan : await siteWidePlan(config, own);
  const summaries = new Map(chunks.flatMap(({ made }) => made?.summaries ?? []));
  // A build for another Eleventy site publishes none of our pages.
  const pages = onSite ? undefined : own.customPages;
  const { theme } = own;
  const custom = await makeCustomPages(pages, { config, plan, theme, signal: context.signal });
  const listed = config.dealers.flatMap(({ id }) => summaries.get(id) ?? []);
  const part = plan.siteWide(listed, custom);
  // Texts of the service may hold field names of batches; that is unusual but no leak.
  const isSpoken = chunks.some(({ personalWords }) => personalWords === 'as-keys');
  const personalWords = isSpoken ? 'as-keys' : 'anywhere';
  return context.pages.siteWide(plan, part, { outputs, personalWords, steps: results });
}

/** Publishes the next site, then removes what no build needs any more. */
async function publish(
  { run, own, context, records, searched }: Build,
  { chunks, outputs, unpublished }: BuiltDealers,
  { plan, media }: NonNullable<ChunkOutcome['local']>,
  results: BuildResults,
): Promise<void> {
  const { config } = run;
  const { output, staging, published, pages, signal } = context;
  const note = missingFilesNote(
    new Set([...chunks.flatMap((chunk) => chunk.lacking), ...published.missing]),
  );
  if (note) results.notes.push(note);
  // --first states that nothing is published, so nothing was overlooked.
  const first = run.first
    ? undefined
    : (latestFirst(chunks.map((chunk) => chunk.first)) ?? undefined);
  let removedRecord = false;
  const made = [...chunks, { made: results.siteWide }].flatMap((one) => one.made ?? []);
  const finishing: FinishOptions = {
    ...{ config, output, staging, pages, searched: searched.site, first, made, signal },
    media: { outputs, unpublished, folder: media.folder },
    steps: results,
    onPublished: () => {
      results.outcome = 'published';
    },
    // A kill in between leaves an answer that is the last good one although its pages are not public
    // yet; a loss in the next one is still counted against those that are. The other way round, pages
    // of new vehicles would be lost in a night without an answer.
    beforePublish: async (next, from) => {
      const times = timesOf(next, config, searched.site);
      const configured = new Set(config.dealers.map(({ id }) => id));
      const notes = { searched: searched.output, first };
      removedRecord = await saveRecords(records, next, { from, times, configured, ...notes });
    },
  };
  const form =
    published instanceof FilesInFolder ? siteForm(finishing, published) : changesForm(finishing);
  results.outcome = (await finish(finishing, form)) ? 'published' : 'unchanged';
  run.onSite?.({ ...plan.views(), render: pageRenderer(plan.sites, own.theme) });
  await timed(results, 'clean', async () => {
    removeJournals(
      records,
      made.flatMap((one) => one.records.map(({ id }) => id)),
    );
    const look = removedRecord || chunks.some(({ mayLeaveOutputs }) => mayLeaveOutputs);
    results.outputsRemoved = await media.removeUnplanned(look, outputs);
  });
}

/**
 * One build from start to end: fetch, thumbnails, pages, checks, and only then the swap. Whatever
 * fails before it, the published folder is as it was, and the report says why; what fails after it
 * becomes a note in the report. Never throws.
 */
export async function runBuild(options: RunOptions): Promise<RunResult> {
  const { config, console, now = Date.now(), output, cacheDir, strict } = options;
  const startedAt = performance.now();
  const results = noResults(config.dealers.map(({ id }) => id));
  let error: AppError | undefined;
  try {
    await buildAndPublish({ ...options, now }, results);
  } catch (cause) {
    console.finish();
    if (results.outcome === 'not-published') {
      const folders = [path.dirname(output), cacheDir];
      error = toError(cause, { chunks: results.chunks, folders });
    } else {
      // A failure after the publish does not undo it.
      const note = afterText(cause);
      results.notes.push(note);
      console.warn(note);
    }
  }
  const isNeeded = strict === true && attentionIn(results).length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  return { exitCode, error, report: makeReport(results, now, error, exitCode, startedAt) };
}
