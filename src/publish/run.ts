import path from 'node:path';
import { secretsOf } from '../config/build-secrets.ts';
import { SecretSearch } from '../config/secret-search.ts';
import { type AppError, EXIT } from '../errors.ts';
import { openEngines } from '../images/line/engines.ts';
import { OutputNames } from '../images/output-names.ts';
import { lockFolder } from '../lib/files/folder-lock.ts';
import { removeJournals } from '../record/known-pictures.ts';
import { readSearched, recordsFolder, saveRecords, timesOf } from '../record/published-records.ts';
import { latestFirst } from '../record/times.ts';
import { makeCustomPages } from '../render/custom-pages.ts';
import { readOwnFiles } from '../render/own-files.ts';
import { pageRenderer } from '../render/page-renderer.ts';
import type { LocalResult } from './build/build-chunk.ts';
import { siteWidePlan } from './build/prepare.ts';
import { type BuiltChunk, timed } from './chunk/built-chunk.ts';
import { changesForm } from './finish/changes-form.ts';
import { type FinishOptions, finish } from './finish/finish.ts';
import { siteForm } from './finish/site-form.ts';
import { refuseLinks } from './folder-checks/cache-links.ts';
import { claimFolders, lockOutput } from './folder-checks/check.ts';
import { checkDealers, checkPictures, lossOf, nothingToPublish } from './gates/gates.ts';
import { checkAcceptedLosses } from './options/accepted-losses.ts';
import type { RunOptions } from './options/run-options.ts';
import type { RunResult } from './outcome/run-and-report.ts';
import {
  afterText,
  attention,
  makeReport,
  newState,
  outcomes,
  personalWords,
  type State,
  summaries,
  toError,
} from './outcome/run-state.ts';
import { recover, stagingFolder } from './output/swap.ts';
import { buildDealers } from './processes/build-dealers.ts';
import { openContext } from './processes/context.ts';
import { BuildProgress } from './report/build-progress.ts';
import { missingFilesNote } from './site-diff/site-lists.ts';

export type { RunOptions, RunResult };

function addNames(names: OutputNames, rows: BuiltChunk['outputs']): void {
  for (const [hash, ends] of rows) names.addPictures(ends, [hash]);
}

/** Builds beside the published folder, checks, and swaps. @throws any error before the swap. */
async function buildAndPublish(run: RunOptions, state: State, now: number): Promise<void> {
  const { cacheDir, config, console } = run;
  const began = Date.now();
  checkAcceptedLosses(run.acceptLoss ?? [], config);
  state.order = config.dealers.map(({ id }) => id);
  const output = claimFolders(run.output, config, { cacheDir, form: run.form });
  const stop = new AbortController();
  const signal = run.signal ? AbortSignal.any([run.signal, stop.signal]) : stop.signal;
  const own = await readOwnFiles(config, { signal });
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
  const secrets = secretsOf(config, run.engines);
  const search = SecretSearch.of(secrets);
  const searched = search.mark(output);
  const searchedSite = search.mark(config.site.url);
  const { acceptLoss, first, fromPublished } = run;
  const staging = stagingFolder(output);
  const start = {
    options: { cacheDir, acceptLoss, first, fromPublished },
    now,
    output,
    staging,
    searched: (await readSearched(records)) === searched,
    ...(run.timeLimit !== undefined && { until: began + run.timeLimit }),
    ...(run.form === 'thin' && { thin: { searched: searchedSite, lost: run.lost ?? [] } }),
  };
  const progress = new BuildProgress(console, { dealers: config.dealers.length });
  const context = openContext(
    { ...start, config, options: { ...start.options, signal } },
    { own, search, engines: shared.engines, notify: (event) => progress.notify(event) },
  );
  await using _memory = context.memory;
  let local: LocalResult | undefined;
  const [outputs, unpublished] = [new OutputNames(), new OutputNames()];
  await buildDealers(context, {
    start: { ...start, forms: search.forms },
    progress,
    singleChunk:
      own.customPages !== undefined || shared.engines !== undefined || run.onSite !== undefined,
    vehicles: run.chunkVehicles,
    onChunk: (chunk) => state.chunks.push(chunk),
    onLocalResult: (one) => {
      local = one;
    },
    // Names of pictures take most of a chunk's memory, so all chunks share one set of them.
    onBuilt: (chunk) => {
      addNames(outputs, chunk.outputs.splice(0));
      addNames(unpublished, chunk.unpublished.splice(0));
    },
    stop,
  });
  console.finish();
  if (!local) throw nothingToPublish();
  checkDealers(outcomes(state), { complete: true });
  checkPictures(lossOf(state.chunks.map(({ loss }) => loss)), config.publish);
  const { chunks } = state;
  const { folder, removeUnplanned } = local.media;
  const media = { outputs, unpublished, folder };
  state.thumbnails = media;
  // The plan of the site-wide files: with one chunk its own plan.
  const plan = chunks.length === 1 ? local.plan : await siteWidePlan(config, own);
  const pages = run.onSite ? undefined : own.customPages;
  const custom = await makeCustomPages(pages, { config, plan, theme: own.theme, signal });
  const part = plan.siteWide(summaries(state), custom);
  const facts = { outputs, personalWords: personalWords(state), steps: state };
  state.siteWide = await context.pages.siteWide(plan, part, facts);
  const lacking = [...chunks.flatMap((chunk) => chunk.lacking), ...context.lists.lacking];
  const note = missingFilesNote(new Set(lacking));
  if (note) state.notes.push(note);
  // --first states that nothing is published, so nothing was overlooked.
  const assumed = first
    ? undefined
    : (latestFirst(chunks.map((chunk) => chunk.first)) ?? undefined);
  let forgot = false;
  const finishing: FinishOptions = {
    ...{ config, output, staging, pages: context.pages, searched: searchedSite, media },
    first: assumed,
    made: [...chunks.flatMap(({ made }) => made ?? []), state.siteWide],
    steps: state,
    signal,
    onPublished: () => {
      state.published = true;
    },
    // A kill in between leaves an answer that is the last good one although its pages are not public
    // yet; a loss in the next one is still counted against those that are. The other way round, pages
    // of new vehicles would be lost in a night without an answer.
    beforePublish: async (next, from) => {
      const times = timesOf(next, config, searchedSite);
      const configured = new Set(config.dealers.map(({ id }) => id));
      const notes = { searched, first: assumed };
      forgot = await saveRecords(records, next, { from, times, configured, ...notes });
    },
  };
  const form =
    run.form === 'thin'
      ? changesForm(
          finishing,
          chunks.flatMap(({ base }) => base ?? []),
        )
      : siteForm({ ...finishing, lists: context.lists });
  state.unchanged = !(await finish(finishing, form));
  state.published = true;
  run.onSite?.({ ...local.plan.views(), render: pageRenderer(local.plan.sites, own.theme) });
  await timed(state, 'clean', async () => {
    removeJournals(
      records,
      chunks.flatMap(({ made }) => made?.records.map(({ id }) => id) ?? []),
    );
    const look = forgot || chunks.some(({ mayLeaveOutputs }) => mayLeaveOutputs);
    state.outputsRemoved = await removeUnplanned(look, outputs);
  });
}

/**
 * One build from start to end: fetch, thumbnails, pages, checks, and only then the swap. Whatever
 * fails before it, the published folder is as it was, and the report says why; what fails after it
 * becomes a note in the report. Never throws.
 */
export async function runBuild(options: RunOptions): Promise<RunResult> {
  const { console, now = Date.now(), output, cacheDir, strict } = options;
  const startedAt = performance.now();
  const state = newState();
  let error: AppError | undefined;
  try {
    await buildAndPublish(options, state, now);
  } catch (cause) {
    console.finish();
    // A failure after the publish does not undo it; it becomes a note.
    if (state.published) state.after.push(afterText(cause));
    else error = toError(cause, state, [path.dirname(output), cacheDir]);
  }
  for (const note of state.after) console.warn(note);
  const isNeeded = strict === true && attention(state).length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  return { exitCode, error, report: makeReport(state, now, error, exitCode, startedAt) };
}
