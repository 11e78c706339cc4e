import path from 'node:path';
import pMap from 'p-map';
import { type EnginesConfig, engineSecrets } from '../config/engines.ts';
import { configurationId } from '../config/identity.ts';
import type { LoadedConfig } from '../config/load.ts';
import { type AppError, EXIT, type ExitCode } from '../errors.ts';
import { openEngines } from '../media/engines.ts';
import type { PublishedSite } from '../media/published/restore.ts';
import { sweepAll } from '../media/sweep.ts';
import { loadStock } from '../stock/load.ts';
import { removeUnusedRecords, snapshotFolder } from '../stock/snapshot.ts';
import { bytesText, type Console, timeText } from '../terminal/progress.ts';
import { assembleSite } from './assemble.ts';
import { refuseLinks } from './cache-links.ts';
import { claimFolders } from './folders/check.ts';
import { speaksOfBatches } from './foreign.ts';
import { checkDealers, checkPictures, pictureLoss, stateOf } from './gates.ts';
import { lockFolder } from './lock.ts';
import { readOwnFiles } from './own-files.ts';
import { checkEveryPicture } from './picture-account.ts';
import { lockOutput } from './places.ts';
import { prepareSite } from './prepare.ts';
import { publishedLists, tellRestore } from './published-lists.ts';
import { PublishedSiteLists } from './published-vehicles.ts';
import { readRemembered, rememberedFolder } from './remembered.ts';
import type { BuildReport } from './report.ts';
import { afterText, makeReport, newState, type State, timed, toError } from './run-state.ts';
import { asShard } from './shards/as-shard.ts';
import { refuseExtension, refuseSite } from './shards/checks.ts';
import { dealersOf, type Shard } from './shards/shard.ts';
import { recover } from './swap.ts';

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
  /** Treat a degraded result as exit code 8. It is published all the same. */
  strict?: boolean;
  /** Queue and store that several machines share. */
  engines?: EnginesConfig;
  /** Build only this part, for `mergeShards`. */
  shard?: Shard;
  /** When thumbnails are taken from the published site; never without it. */
  fromPublished?: PublishedSite['use'] | undefined;
  /** How many vehicles stay in memory while pictures and pages are made. */
  heldVehicles?: number | undefined;
  signal?: AbortSignal;
}

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

/** Of so many, reading them again takes longer than the 50 MB of them and their pictures are worth. */
const HELD_VEHICLES = 2000;

/** Small files that are written, and synced to disk, at the same time. */
const ACCEPTED_AT_ONCE = 8;

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
  await using published = new PublishedSiteLists(config, {
    output: shard ? undefined : output,
    signal,
  });
  let answered = 0;
  state.stock = await timed(state, 'fetch', () =>
    loadStock({
      config,
      cacheDir,
      now,
      published: (dealer) => published.of(dealer),
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
  for (const { problem, dealer, notes, source } of state.stock) {
    const fix = source === 'held' ? problem?.fix : undefined;
    if (problem) console.warn([problem.message, problem.why, fix].filter(Boolean).join(' '));
    for (const note of notes) console.warn(`${dealer.name}: ${note}`);
  }
  // Whether a part is enough to be published is known once all of them are there.
  const first = options.first === true;
  state.states = shard
    ? new Map(state.stock.map((one) => [one.dealer.id, stateOf(one, { first })]))
    : checkDealers(state.stock, { first });

  // Field names of batches in texts of the service itself are odd but no leak.
  const personalWords = speaksOfBatches(state.stock) ? 'as-keys' : 'anywhere';

  const remembered = rememberedFolder(cacheDir, configurationId(whole));
  const held = options.heldVehicles ?? HELD_VEHICLES;
  const vehicles = state.stock.reduce((sum, one) => sum + one.vehicles.length, 0);
  const started = performance.now();
  const { plan, media, theme } = await timed(state, 'media', () =>
    prepareSite(config, state.stock, {
      cacheDir,
      now,
      own,
      remembered: (dealerId) => readRemembered(remembered, dealerId),
      otherDealers: otherDealers(whole, state.stock),
      engines: shared.engines,
      published: {
        url: options.fromPublished && config.site.url,
        folder: output,
        use: options.fromPublished ?? 'when-empty',
      },
      heldVehicles: held,
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

  const lists = await timed(state, 'lists', () => publishedLists(media));
  const thumbnails = shard ? media.fingerprints() : [];
  if (vehicles > held) {
    await media.release();
    sweepAll();
  }
  const secrets = [
    ...[...whole.dealers, ...whole.accounts].map(({ apiKey }) => apiKey),
    ...engineSecrets(options.engines ?? {}),
  ];
  const changed = await assembleSite({
    plan,
    theme,
    media,
    also: lists,
    output,
    remembered,
    siteUrl: config.site.url,
    secrets,
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
    beforePublish: async () => {
      await pMap(state.stock, async ({ accept }) => accept?.(), { concurrency: ACCEPTED_AT_ONCE });
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
    const used = state.stock.flatMap(({ dealer, stored }): [number, string][] =>
      stored === undefined ? [] : [[dealer.id, stored]],
    );
    if (used.length > 0) await removeUnusedRecords(snapshotFolder(cacheDir, whole), new Map(used));
    await media.removeUnplanned();
  });
}

/** Dealers whose pictures this build is not about: those of other parts, and those without an answer. */
function otherDealers({ dealers }: LoadedConfig, stock: State['stock']): Set<string> {
  const built = new Set(
    stock.filter(({ source }) => source !== 'none').map(({ dealer }) => dealer.id),
  );
  return new Set(dealers.flatMap(({ id }) => (built.has(id) ? [] : [String(id)])));
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
  const degraded = [...state.states.values()].some((one) => one !== 'fresh');
  const exitCode = error?.exitCode ?? (degraded && options.strict ? EXIT.degraded : EXIT.published);
  const report = makeReport(state, now, error, exitCode, startedAt);
  const { shard } = options;
  return {
    exitCode,
    error,
    report: shard ? { ...report, shard: `${shard.number}/${shard.count}` } : report,
  };
}
