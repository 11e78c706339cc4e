/**
 * A build, from start to end:
 *
 *     recall → fetch → accept → images → pages → verify → publish
 *
 * The first six steps process dealers in chunks, so memory use depends on the largest dealer. They are in
 * `build/build-chunk.ts`, and run in this process and in workers (`processes/`). This process then makes the
 * site-wide pages and publishes. Eleventy renders pages in the step `pages` (`src/render/`).
 */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AppError, EXIT, type ExitCode } from '../errors.ts';
import { removeJournals } from '../record/known-pictures.ts';
import { saveRecords, timesOf } from '../record/published-records.ts';
import { latestFirst, writeTimes } from '../record/times.ts';
import { makeCustomPages } from '../render/custom-pages.ts';
import { pageRenderer } from '../render/theme/page-renderer.ts';
import { type FeedFile, feedFiles } from '../site/vehicle-feeds/feed.ts';
import type { LocalChunk } from './build/build-chunk.ts';
import { type MainBuild, startBuild } from './build/context.ts';
import { siteWidePlan } from './build/prepare.ts';
import { verifyPages } from './build/verify-pages.ts';
import { type MadePages, type Steps, timed } from './chunk/built-chunk.ts';
import { changesForm } from './finish/changes-form.ts';
import { finish } from './finish/finish.ts';
import { claimPrivateFeeds, publicFeeds, writePrivateFeeds } from './finish/private-feeds.ts';
import { siteForm } from './finish/site-form.ts';
import {
  type Attention,
  emptyFeeds,
  failedPicturesAttention,
  removedDealers,
  unmatchedDecisions,
} from './gates/attention.ts';
import { checkDealers, checkPictures, nothingToPublish } from './gates/gates.ts';
import type { RunOptions } from './options/run-options.ts';
import {
  attentionIn,
  type BuildResults,
  makeReport,
  mediaCounts,
  noResults,
  outcomesIn,
  reportsIn,
} from './outcome/make-report.ts';
import { afterText, toError } from './outcome/to-error.ts';
import { type BuiltDealers, buildDealers } from './processes/build-dealers.ts';
import { warningsOf } from './report/attention-lines.ts';
import { BuildProgress, type Notify } from './report/build-progress.ts';
import type { BuildReport } from './report/report.ts';
import { FilesInFolder } from './site-diff/published-files.ts';
import { SiteDiff } from './site-diff/site-diff.ts';

export interface RunResult {
  exitCode: ExitCode;
  report: BuildReport;
  /** Why nothing was published. */
  error: unknown;
}

type Dealers = Omit<BuiltDealers, 'local' | 'error'>;

/**
 * Builds, publishes and reports a site. If anything fails before publishing, the published folder is unchanged
 * and the report gives the reason. A later failure becomes a note. Never throws.
 */
export async function runBuild(run: RunOptions): Promise<RunResult> {
  const { config, console, now = Date.now(), output, cacheDir, strict = false } = run;
  const startedAt = performance.now();
  const results = noResults(config.dealers.map(({ id }) => id));
  const progress = new BuildProgress(console, config.dealers.length);
  const notify: Notify = (event, from) => progress.notify(event, from);
  let error: AppError | undefined;
  try {
    await buildSite({ ...run, now }, notify, results);
  } catch (cause) {
    const { chunks, outcome, notes } = results;
    if (outcome) {
      notes.push(afterText(cause));
      notify({ kind: 'warn', text: afterText(cause) });
    } else error = toError(cause, chunks, [path.dirname(output), cacheDir, tmpdir()]);
  } finally {
    console.finish();
  }
  const isNeeded = strict && attentionIn(results).length > 0;
  const exitCode = error?.exitCode ?? (isNeeded ? EXIT.attention : EXIT.published);
  return { exitCode, error, report: makeReport(results, now, error, exitCode, startedAt) };
}

/** @param results receives the result of each step, so that the report of a failed build includes them. */
async function buildSite(run: RunOptions, notify: Notify, results: BuildResults): Promise<void> {
  await using build = await startBuild(run, notify);
  claimPrivateFeeds(run.config, run.output);
  // recall → fetch → accept → images → pages → verify, chunk by chunk
  const { error, local, ...dealers } = await buildDealers(build);
  results.chunks = dealers.chunks;
  if (error || !local) throw error ?? nothingToPublish();
  checkSite(results, build);
  const rows = results.chunks.flatMap(({ madePages }) => madePages?.feeds ?? []);
  const feeds = feedFiles(run.config, rows);
  results.feeds = feeds.map(({ content: _, ...counts }) => counts);
  needAttention(results, emptyFeeds(results.feeds), notify);
  const siteWide = await makeSiteWide(build, dealers, local, feeds, results);
  results.siteWide = siteWide;
  const published = await timed(results, 'publish', () =>
    publishSite(build, dealers, local, siteWide),
  );
  results.outcome = published.outcome;
  await writePrivateFeeds(feeds, run.output);
  run.onSite?.({
    ...local.plan.views(),
    render: pageRenderer(local.plan.sites, build.userFiles.theme),
  });
  await timed(results, 'publish', () => cleanCache(build, dealers, local, published.removedRecord));
}

/** Adds problems of the finished dealers. With `--quiet`, only warnings reach the user. */
function needAttention(results: BuildResults, found: readonly Attention[], notify: Notify): void {
  results.attention.push(...found);
  for (const text of warningsOf(found, reportsIn(results))) notify({ kind: 'warn', text });
}

/** @throws {AppError} the dealers must not be published together. */
function checkSite(
  results: BuildResults,
  { options: { config, first, now }, memory, userFiles, notify }: MainBuild,
): void {
  const outcomes = outcomesIn(results);
  checkDealers(outcomes, { complete: true });
  const failures = results.chunks.flatMap((chunk) => chunk.failures);
  checkPictures(mediaCounts(results).sources, failures, config.publish);
  needAttention(results, failedPicturesAttention(reportsIn(results), config.publish), notify);
  const matched = results.chunks.flatMap((chunk) => chunk.matched);
  const unmatched = unmatchedDecisions(userFiles.control, { outcomes, matched });
  needAttention(results, unmatched.attention, notify);
  const notes = [...unmatched.notes, ...removedDealers(memory.publishedIds, config)];
  results.notes.push(...notes);
  for (const text of notes) notify({ kind: 'warn', text });
  const firstBuild = latestFirst(results.chunks.map((chunk) => chunk.first));
  const isFirst = !first && firstBuild === new Date(now).toISOString();
  // If the site could not be read, each dealer needs attention.
  if (isFirst && outcomes.every(({ published }) => published === 'absent')) {
    results.notes.push(
      `Nothing is published at ${config.site.url}, so this is a first build: it could neither detect missing vehicles nor keep pages of withdrawn ones. If a site should be there, find out why its address shows none before you deploy.`,
    );
  }
}

/** The steps `pages` and `verify` for the site-wide pages. */
async function makeSiteWide(
  build: MainBuild,
  { chunks, outputs }: Dealers,
  local: LocalChunk,
  feeds: readonly FeedFile[],
  steps: Steps,
): Promise<MadePages> {
  const { options, userFiles, run, pages, published, signal } = build;
  const { config } = options;
  const plan = chunks.length === 1 ? local.plan : siteWidePlan(config, userFiles);
  // In another Eleventy site, custom pages are not published.
  const customPages = run.onSite ? undefined : userFiles.customPages;
  const { theme } = userFiles;
  const custom = await makeCustomPages(customPages, { config, plan, theme, signal });
  const summaries = new Map(chunks.flatMap(({ madePages }) => [...(madePages?.summaries ?? [])]));
  const listed = config.dealers.flatMap(({ id }) => summaries.get(id) ?? []);
  const diff = new SiteDiff(published, ['site']);
  const rendered = await timed(steps, 'pages', () =>
    pages.siteWide(plan, plan.siteWide(listed, custom, publicFeeds(feeds)), diff),
  );
  const mentionsFields = chunks.some((chunk) => chunk.mentionsFields);
  return timed(steps, 'verify', () =>
    verifyPages(rendered, diff, { outputs, mentionsFields, isSiteWide: true }, build),
  );
}

/**
 * The step `publish`: replaces the published site if the next one differs.
 *
 * @returns with `removedRecord`: whether the record of a dealer was removed from the cache.
 */
async function publishSite(
  { options, records: folder, published, signal, notify }: MainBuild,
  { chunks, outputs, unpublished }: Dealers,
  local: LocalChunk,
  siteWide: MadePages,
) {
  notify({ kind: 'publish' });
  const { config, output, marks } = options;
  const pages = [...chunks.flatMap((chunk) => chunk.madePages ?? []), siteWide];
  const records = pages.flatMap((set) => set.records);
  const times = timesOf(records, config, marks.site);
  // With --first, nothing is published, so a build cannot have missed it.
  const firstBuild = options.first ? undefined : latestFirst(chunks.map((chunk) => chunk.first));
  const first = firstBuild ?? undefined;
  const media = { outputs, unpublished, folder: local.media.folder };
  const next = { output, pages, media, times: writeTimes(times, { first }) };
  const form =
    published instanceof FilesInFolder ? siteForm(next, published) : changesForm(next, config);
  let removedRecord = false;
  // Records are saved before publishing. If the build is killed in between, the snapshot is newer than the
  // published pages, and losses are still counted against those pages. In the other order, a failing service
  // could remove the pages of new vehicles.
  const beforePublish = async (from: readonly string[]) => {
    signal.throwIfAborted();
    const configured = new Set(config.dealers.map(({ id }) => id));
    removedRecord = await saveRecords(folder, records, {
      from,
      times,
      configured,
      searched: marks.output,
      first,
    });
  };
  const outcome = await finish(next, form, beforePublish);
  return { outcome, removedRecord };
}

/** Removes unneeded files from the cache after publishing. */
function cleanCache(
  { records }: MainBuild,
  { chunks, outputs }: Dealers,
  { media }: LocalChunk,
  removedRecord: boolean,
): Promise<void> {
  const newRecords = chunks.flatMap((chunk) => chunk.madePages?.records ?? []);
  const ids = newRecords.map(({ id }) => id);
  removeJournals(records, ids);
  const mayLeave = removedRecord || chunks.some(({ mayLeaveOutputs }) => mayLeaveOutputs);
  return media.removeUnplanned(mayLeave, outputs);
}
