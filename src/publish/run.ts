import path from 'node:path';
import { type EnginesConfig, engineSecrets } from '../config/engines.ts';
import type { LoadedConfig } from '../config/load.ts';
import { SecretSearch } from '../config/secret-search.ts';
import { type AppError, EXIT, type ExitCode } from '../errors.ts';
import { openEngines } from '../media/engines.ts';
import type { KnownPictures } from '../record/known-pictures.ts';
import { countsOf } from '../record/schema.ts';
import type { DealerPlan } from '../site/plan/dealer-plan.ts';
import { loadStock } from '../stock/load.ts';
import { bytesText, type Console, timeText } from '../terminal/progress.ts';
import { assembleSite } from './assemble.ts';
import { attentionOf } from './attention.ts';
import { refuseLinks } from './cache-links.ts';
import { claimFolders } from './folders/check.ts';
import { speaksOfBatches } from './foreign.ts';
import { checkDealers, checkPictures, pictureLoss, statesOf } from './gates.ts';
import { lockFolder } from './lock.ts';
import { BuildMemory } from './memory.ts';
import { readOwnFiles } from './own-files.ts';
import { checkEveryPicture } from './picture-account.ts';
import { lockOutput } from './places.ts';
import { prepareSite } from './prepare.ts';
import { tellRestore } from './published-lists.ts';
import {
  keepRecords,
  type NextRecord,
  nextRecord,
  RECORDS,
  readSearched,
  recordsFolder,
  storeRecords,
  timesOf,
} from './records.ts';
import type { BuildReport } from './report.ts';
import { afterText, makeReport, newState, type State, timed, toError } from './run-state.ts';
import { asShard } from './shards/as-shard.ts';
import { refuseExtension, refuseSite } from './shards/checks.ts';
import { dealersOf, type Shard } from './shards/shard.ts';
import { recover } from './swap.ts';
import { readPublishedFolder } from './tree/published-files.ts';

export interface RunOptions {
  config: LoadedConfig;
  output: string;
  cacheDir: string;
  console: Console;
  /** The clock, milliseconds since 1970; decides snapshot ages, withdrawn pages, revalidation. */
  now?: number;
  acceptLoss?: readonly string[];
  /** A person says that nothing is live yet: then no dealer can be lost. */
  first?: boolean;
  /** Exit with code 8 where a person is needed. It is published all the same. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: EnginesConfig;
  /** Build only this part, for `mergeShards`. */
  shard?: Shard;
  /** Take thumbnails that are missing here from the published site (`site.url`). */
  fromPublished?: boolean | undefined;
  signal?: AbortSignal;
}

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

/** With more dealers than this, their answers are progress, not lines that stay. */
const TOLD_DEALERS = 4;

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
  let answered = 0;
  state.stock = await timed(state, 'fetch', () =>
    loadStock({
      config,
      cacheDir,
      now,
      memory: (dealer) => memory.of(dealer),
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
  const first = options.first === true;
  const { maxSnapshotAge } = config.publish;
  state.states = statesOf(state.stock, { first });
  state.attention = attentionOf(state.stock, state.states, { now, maxSnapshotAge, first });
  warnOfDealers(state, console);
  // Whether a part is enough to be published is known once all of them are there.
  if (!shard) checkDealers(state.stock, state.states);

  // Field names of batches in texts of the service itself are odd but no leak.
  const personalWords = speaksOfBatches(state.stock) ? 'as-keys' : 'anywhere';

  const published = readPublishedFolder(output);
  const started = performance.now();
  const pictures = memory.pictures(state.stock);
  const { plan, media, theme } = await timed(state, 'media', () =>
    prepareSite(config, state.stock, {
      cacheDir,
      now,
      own,
      headOf: (dealerId) => published.heads.get(dealerId),
      pictures,
      engines: shared.engines,
      published: {
        url: options.fromPublished ? config.site.url : undefined,
        folder: output,
      },
      onRestore: (progress) => tellRestore(console, progress),
      ...(signal && { signal }),
      onProgress: (progress) => {
        const { total, done, failed, downloadedBytes, outputsMade } = progress;
        state.progress = progress;
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
  state.notes.push(...media.problems);
  if (!shard) checkPictures(pictureLoss(media), config.publish);

  const thumbnails = shard ? media.fingerprints() : [];
  const secrets = [
    ...[...whole.dealers, ...whole.accounts].map(({ apiKey }) => apiKey),
    ...engineSecrets(options.engines ?? {}),
  ];
  const search = SecretSearch.of(secrets);
  const records = recordsFolder(cacheDir, whole);
  const searched = search.mark(output);
  let forgot = false;
  const changed = await assembleSite({
    plan,
    theme,
    media,
    record: (dealer) => recordOf(dealer, state, { memory, known: pictures.known }),
    config: whole,
    output,
    published,
    search,
    searched: readSearched(records) === searched,
    personalWords,
    ...(shard
      ? asShard(shard, { plan, media, thumbnails, state, now, secrets, personalWords })
      : { rest: plan.rest, elsewhere: [] }),
    step: (name, work) => timed(state, name, work),
    onMade: (made) => {
      state.made = made;
      console.finish();
      checkEveryPicture(state.stock, made.summaries, media);
    },
    // A kill in between leaves an answer that is the last good one although its pages are not public
    // yet; a loss in the next one is still counted against those that are. The other way round, pages
    // of new vehicles would be gone in a night without an answer.
    beforePublish: async (next, site) => {
      const times = timesOf(next, whole);
      const from = path.join(site, RECORDS);
      const configured = new Set(whole.dealers.map(({ id }) => id));
      forgot = await keepRecords(records, next, { from, times, configured, searched });
      const store = shared.engines?.store;
      if (store && store.folder === undefined) {
        await storeRecords(store, next, { from, times, config: whole });
      }
    },
    onPublished: () => {
      state.published = true;
    },
    onProgress: ({ rendered, kept }) => console.progress(`Pages: ${rendered} made, ${kept} kept`),
    ...(signal && { signal }),
  });
  state.unchanged = !changed;
  state.published = true;
  await timed(state, 'clean', async () => {
    pictures.known.saved();
    await media.removeUnplanned(forgot);
  });
}

/** What is going to be remembered of a dealer: what it answered, or what was remembered before. */
function recordOf(
  { dealerId, shown }: DealerPlan,
  { stock }: State,
  { memory, known }: { memory: BuildMemory; known: KnownPictures },
): NextRecord {
  const { source, counts, takenAt, withdrawn } =
    stock.find(({ dealer }) => dealer.id === dealerId) ?? {};
  const former = memory.record(dealerId);
  if (source !== 'live' && former)
    return nextRecord(former.record, takenAt ?? former.confirmed, former);
  if (!counts || !takenAt || !withdrawn) throw new Error(`Nothing is known of dealer ${dealerId}.`);
  const rows = known.rows(String(dealerId));
  const record = {
    dealer: dealerId,
    counts: countsOf(counts),
    withdrawn,
    vehicles: shown,
    ...rows,
  };
  return nextRecord(record, takenAt, former);
}

/** Says what is odd about answers as soon as it is known: pictures may take an hour. */
function warnOfDealers({ stock, attention }: State, console: Console): void {
  const byDealer = new Map(attention.map((one) => [one.dealer, one]));
  for (const { problem, dealer, notes } of stock) {
    const { what = problem?.message, fix } = byDealer.get(dealer.id) ?? {};
    if (what) console.warn([what, problem?.why, fix].filter(Boolean).join(' '));
    for (const note of notes) console.warn(`${dealer.name}: ${note}`);
  }
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
