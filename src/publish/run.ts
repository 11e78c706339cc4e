import path from 'node:path';
import { engineSecrets } from '../config/engines.ts';
import { SecretSearch } from '../config/secret-search.ts';
import { type AppError, EXIT, type ExitCode } from '../errors.ts';
import { openEngines } from '../media/engines.ts';
import { OutputNames } from '../media/store/output-names.ts';
import { removeJournals } from '../record/known-pictures.ts';
import { SiteAssembly } from './assemble.ts';
import { stockBatches } from './batches.ts';
import { type Batch, buildBatch, loadBatch } from './build-batch.ts';
import { refuseLinks } from './cache-links.ts';
import { claimFolders } from './folders/check.ts';
import { removeFormerState } from './folders/former.ts';
import { checkDealers, checkPictures, nothingToPublish } from './gates.ts';
import { lockFolder } from './lock.ts';
import { BuildMemory } from './memory.ts';
import { readOwnFiles } from './own-files.ts';
import { lockOutput } from './places.ts';
import { restPlan } from './prepare.ts';
import {
  keepRecords,
  RECORDS,
  readSearched,
  recordsFolder,
  storeRecords,
  timesOf,
} from './records.ts';
import type { BuildReport } from './report.ts';
import type { RunOptions } from './run-options.ts';
import {
  afterText,
  endBatch,
  makeReport,
  newState,
  type State,
  timed,
  toError,
} from './run-state.ts';
import { asShard } from './shards/as-shard.ts';
import { refuseExtension, refuseSite } from './shards/checks.ts';
import { dealersOf } from './shards/shard.ts';
import { recover } from './swap.ts';
import { readPublishedFolder } from './tree/published-files.ts';

export type { RunOptions };

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

/** Builds beside the published folder, checks, and swaps. Throws whatever stops it before that. */
async function buildAndPublish(options: RunOptions, state: State, now: number): Promise<void> {
  const { cacheDir, console, shard, signal } = options;
  const whole = options.config;
  if (shard) refuseExtension(whole);
  const config = shard ? { ...whole, dealers: dealersOf(whole.dealers, shard) } : whole;
  const output = claimFolders(options.output, config, { cacheDir });
  const own = await readOwnFiles(config, { signal });
  state.facts = own.facts;
  for (const { id, name } of config.dealers) {
    for (const note of own.facts.get(id)?.notes ?? []) console.warn(`${name}: ${note}`);
  }
  await refuseLinks(cacheDir);
  using _output = lockOutput(output);
  using _cache = lockFolder(cacheDir);
  await using shared = await openEngines(options.engines ?? {}, cacheDir, {
    say: (text) => options.console.line(text),
  });
  await recover(output);
  if (shard) refuseSite(output);

  // What lies in the folder of a part was never a site.
  await using memory = new BuildMemory(config, {
    cacheDir,
    now,
    store: shared.engines?.store,
    published: { folder: shard ? undefined : output, signal },
  });
  const published = readPublishedFolder(output);
  if (published.note) state.notes.push(published.note);
  const records = recordsFolder(cacheDir, whole);
  const secrets = [
    ...[...whole.dealers, ...whole.accounts].map(({ apiKey }) => apiKey),
    ...engineSecrets(options.engines ?? {}),
  ];
  const search = SecretSearch.of(secrets);
  const searched = search.mark(output);
  await using assembly = new SiteAssembly({
    config: whole,
    theme: own.theme,
    output,
    published,
    search,
    searched: readSearched(records) === searched,
    step: (name, work) => timed(state, name, work),
    onProgress: ({ rendered, kept }) => console.progress(`Pages: ${rendered} made, ${kept} kept`),
    signal,
  });
  state.made = assembly.made;

  const store = shared.engines?.store;
  const context = {
    options,
    output,
    now,
    config,
    own,
    memory,
    published,
    assembly,
    engines: shared.engines,
  };
  let last: Batch | undefined;
  const outputs = new OutputNames();
  const unpublished = new OutputNames();
  const thumbnails: [string, string][] = [];
  // An extension sees the vehicles of all dealers, and workers get one plan.
  const batches = stockBatches(config, (dealers) => loadBatch(dealers, context, state), {
    whole: own.extension !== undefined || shared.engines !== undefined,
    vehicles: options.batchVehicles,
  });
  for await (const stock of batches) {
    last = await buildBatch(stock, context, state);
    outputs.addAll(last.media.outputs);
    unpublished.addAll(last.media.unpublished);
    if (shard) thumbnails.push(...last.media.fingerprints());
    endBatch(state, now);
    memory.release();
  }
  if (!last) throw nothingToPublish();
  if (!shard) {
    checkDealers(state.dealers, { complete: true });
    checkPictures(state.loss, config.publish);
  }
  // Whose rest is made: with one batch its own plan, which an extension has seen.
  const plan = state.batches === 1 ? last.plan : await restPlan(whole, own);
  const media = { outputs, folder: last.media.folder, unpublished };
  state.thumbnails = media;
  const { personalWords } = state;
  let forgot = false;
  const changed = await assembly.finish({
    plan,
    media,
    personalWords,
    ...(shard
      ? asShard(shard, { plan, thumbnails, state, now, secrets })
      : { rest: plan.rest, elsewhere: [] }),
    // A kill in between leaves an answer that is the last good one although its pages are not public
    // yet; a loss in the next one is still counted against those that are. The other way round, pages
    // of new vehicles would be gone in a night without an answer.
    beforePublish: async (next, site) => {
      const times = timesOf(next, whole);
      const from = path.join(site, RECORDS);
      const configured = new Set(whole.dealers.map(({ id }) => id));
      forgot = await keepRecords(records, next, { from, times, configured, searched });
      if (store && store.folder === undefined) {
        await storeRecords(store, next, { from, times, config: whole });
      }
    },
    onPublished: () => {
      state.published = true;
    },
  });
  state.unchanged = !changed;
  state.published = true;
  const { removeUnplanned } = last.media;
  await timed(state, 'clean', async () => {
    removeJournals(records, assembly.made.summaries.keys());
    removeFormerState(cacheDir);
    state.media.outputsRemoved += await removeUnplanned(forgot || state.mayLeaveOutputs, outputs);
  });
}

/**
 * One build from start to end: fetch, thumbnails, pages, checks, and only then the swap. Whatever
 * fails before it, the published folder is as it was, and the report says why; what fails after it
 * is a note. Never throws.
 */
export async function runBuild(options: RunOptions): Promise<RunResult> {
  const now = options.now ?? Date.now();
  const startedAt = performance.now();
  const state = newState();
  let error: AppError | undefined;
  try {
    await buildAndPublish(options, state, now);
  } catch (cause) {
    options.console.finish();
    // What was published is published, whatever failed after it.
    if (state.published) state.after.push(afterText(cause));
    else error = toError(cause, state, [path.dirname(options.output), options.cacheDir]);
  }
  for (const note of state.after) options.console.warn(note);
  const isNeeded = options.strict === true && state.attention.length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  const report = makeReport(state, now, error, exitCode, startedAt);
  const { shard } = options;
  return {
    exitCode,
    error,
    report: shard ? { ...report, shard: `${shard.number}/${shard.count}` } : report,
  };
}
