import path from 'node:path';
import { dealerOf, KnownPictures, type PictureContent } from '../../record/known-pictures.ts';
import type { ContentEntry } from '../../record/pictures.ts';
import { noCounts } from '../counts.ts';
import { Fallbacks } from '../fallbacks.ts';
import { outputName } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import { nextStep, type Source } from '../plan.ts';
import { processHere } from '../process/process-here.ts';
import type { Outcome, PictureTask } from '../process/tasks.ts';
import { restoreMissing } from '../published/restore.ts';
import { outputSuffixes } from '../recipes.ts';
import { thumbnailsIn } from '../stores/folder.ts';
import { type GarbageOptions, intactOutputs, removeGarbage } from '../stores/intact-outputs.ts';
import type { ThumbnailStore } from '../stores/thumbnail-store.ts';
import type { MediaLineOptions, MediaResult, PictureFailure } from './types.ts';

/**
 * Runs the image pipeline: compares plan and store, and processes the difference. Every finished picture is
 * recorded at once. A picture that cannot be downloaded or decoded falls back to its last valid
 * thumbnails, or fails without affecting others.
 */
export async function runMediaLine(options: MediaLineOptions): Promise<MediaResult> {
  const { media, baseUrl, cacheDir, now, signal, engines, limit, onProgress } = options;
  let { sources } = options;
  const {
    known = new KnownPictures(),
    asks = () => true,
    lastConfirmed = () => undefined,
    usedByOthers = async () => new OutputNames(),
  } = options;
  const folder = thumbnailsIn(cacheDir);
  const startTime = Date.now();
  const dealers = new Set(sources.map(({ key }) => dealerOf(key)));
  for (const dealer of dealers) if (!known.dealers.has(dealer)) known.adopt(dealer);
  const { folder: siteFolder, names } = options.published ?? {};
  const site = siteFolder && path.join(siteFolder, 'media');
  const intact = await intactOutputs({ folder, published: names ?? site, known, signal });
  const local = intact.outputs;
  const fallbacks = new Fallbacks(known, local);
  const counts = noCounts();
  const problems: string[] = [];
  const restore = async (): Promise<void> => {
    if (!intact.isIncomplete) return;
    const localPictures = { known, fallbacks, local, folder };
    const restored = await restoreMissing({ ...options, sources }, localPictures);
    counts.outputsRestored += restored?.outputs ?? 0;
    counts.restoredBytes += restored?.bytes ?? 0;
    problems.push(...(restored?.problems ?? []));
  };
  await restore();
  let failures: PictureFailure[] = [];
  const failed = new Set<string>();
  const processed = new Set<string>();
  let total = 0;
  let done = 0;
  const reportProgress = () => {
    const { failed, downloadedBytes, outputsMade, outputsMadeBytes } = counts;
    onProgress?.({ total, done, failed, downloadedBytes, outputsMade, outputsMadeBytes });
  };

  const recordFailure = (source: Source, { code, message }: { code: string; message: string }) => {
    const { key, url, optional } = source;
    counts.failed++;
    failed.add(key);
    const standIn = fallbacks.choose(source) || optional === true;
    failures.push({ key, url, code, message, standIn });
  };
  const recordOutcome = ({ source, step }: PictureTask, outcome: Outcome) => {
    done++;
    processed.add(source.key);
    if (outcome.downloadedBytes !== undefined) {
      counts.downloaded++;
      counts.downloadedBytes += outcome.downloadedBytes;
    }
    if (outcome.ok) {
      if (outcome.revalidated) counts.revalidated++;
      for (const { bytes } of outcome.newOutputs) {
        counts.outputsMade++;
        counts.outputsMadeBytes += bytes;
      }
      known.record(source.key, outcome.entry, outcome.content, now);
    } else {
      recordFailure(source, outcome);
      if (step.kind === 'revalidate') known.missed(source.key);
    }
    reportProgress();
  };

  let shownOutputs: (readonly [key: string, suffixes: readonly string[]])[] = [];
  let planned = new OutputNames();
  const show = ({ key, recipes }: Source, hash: string, content: PictureContent) => {
    const suffixes = outputSuffixes(content, recipes);
    shownOutputs.push([fallbacks.of(key), suffixes]);
    planned.addPictures(suffixes, [hash]);
  };
  /** Sources that are incomplete. */
  let incomplete: Source[] = [];
  const compare = (source: Source): PictureTask[] => {
    const { key } = source;
    const dealer = dealerOf(key);
    const { entry, content } = known.known(key) ?? {};
    const step = nextStep(source, {
      entry,
      content,
      hasAll: (hash, suffixes) => local.hasAll(hash, suffixes),
      lastConfirmed: later(known.askedAt(key), lastConfirmed(dealer)),
      now,
      revalidateAfter: media.revalidateAfter,
    });
    const isWithdrawn = source.withdrawn && entry && content;
    if (source.withdrawn && !isWithdrawn) return [];
    if (entry && content && (isWithdrawn || step.kind === 'nothing')) {
      show(source, entry.hash, content);
      return [];
    }
    incomplete.push(source);
    if (step.kind === 'nothing') return [];
    const why = reasonNotRequested(source, step.because, asks(dealer));
    if (why === undefined) return [{ source, entry, content, step }];
    if (step.kind === 'download' && !failed.has(key)) recordFailure(source, why);
    return [];
  };
  const tasks = sources.flatMap(compare);
  total = tasks.length;

  const contentOf = (key: string): ({ hash: string } & ContentEntry) | undefined => {
    const picture = known.known(fallbacks.of(key));
    if (!picture) return undefined;
    const { width, height, colour, outputs } = picture.content;
    return { hash: picture.entry.hash, width, height, colour, outputs };
  };

  reportProgress();
  const { submit = processHere, store } = engines ?? {};
  const { contents } = known;
  const plan = {
    tasks,
    media,
    baseUrl,
    existing: local,
    contents,
    folder,
    store,
    signal,
    limit: limit && {
      time: limit.time,
      mayWait: ({ source: { key }, step }: PictureTask) =>
        step.because !== 'outputs-missing' && !limit.urgent.has(key),
    },
  };
  await submit(plan, recordOutcome);

  const missing = new Set<string>();
  for (const { source, step } of tasks) {
    if (processed.has(source.key)) continue;
    // The site shows its existing thumbnails, and the next run checks whether it has changed.
    if (step.because === 'due') known.missed(source.key);
    else missing.add(source.key);
  }
  if (limit && missing.size > 0) {
    sources = limit.without(missing);
    await restore();
    [shownOutputs, planned, incomplete] = [[], new OutputNames(), []];
    for (const source of sources) compare(source);
    const keys = new Set(sources.map(({ key }) => key));
    failures = failures.filter(({ key }) => keys.has(key));
  }
  const needsNothing = ({ key }: Source) => !processed.has(key) && !failed.has(key);
  const stockSources = sources.filter(({ withdrawn }) => !withdrawn);
  counts.sources = stockSources.length;
  counts.unchanged = stockSources.filter(needsNothing).length;
  counts.failed = failures.length;
  for (const source of incomplete) {
    const content = contentOf(source.key);
    if (content) show(source, content.hash, content);
  }
  // If nothing had to be done, all planned outputs exist. With equal counts, no others exist.
  const isComplete = incomplete.length === 0 && planned.size === local.size;
  const unplanned = isComplete ? [] : [...local.without(planned)];
  // In that case the records need no change.
  const asRecorded = isComplete && !intact.isIncomplete;
  known.show(shownOutputs, { asRecorded });
  for (const name of unplanned) local.delete(name);
  const { outputsMade, outputsRestored } = counts;
  counts.outputsReused = Math.max(0, local.size - outputsMade - outputsRestored);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  // If nothing was downloaded and all outputs are planned, there is nothing to clean up.
  const mayLeaveOutputs = counts.downloaded > 0 || unplanned.length > 0;
  return {
    counts,
    failures,
    problems,
    contentOf,
    outputs: local,
    unpublished: new OutputNames(
      isComplete && local.size === intact.published.size ? [] : local.without(intact.published),
    ),
    folder,
    *fingerprints() {
      for (const [hash, suffixes] of local.pictures()) {
        const outputs = known.contents.get(hash)?.outputs;
        for (const suffix of suffixes) yield [outputName(hash, suffix), outputs?.[suffix] ?? ''];
      }
    },
    mayLeaveOutputs,
    removeUnplanned: async (force = false, outputsToKeep = local) => {
      // Workers are an exception: they may have died in any run, or may still be writing for this run.
      const workers = engines?.submit !== undefined;
      if (force || mayLeaveOutputs || workers) {
        const before = workers ? startTime : Number.POSITIVE_INFINITY;
        const garbage = { planned: outputsToKeep, usedByOthers, before };
        counts.outputsRemoved = await removeGarbage(folder, garbage);
      }
      if (store) await removeStored(store, { known, outputsToKeep, usedByOthers });
      return counts.outputsRemoved;
    },
  };
}

/**
 * Removes outputs that are in the previous records, but no longer in any record of this cache. An output that a
 * worker is putting for a later build is in no record, so it is not removed.
 */
async function removeStored(
  store: ThumbnailStore,
  {
    known,
    outputsToKeep,
    usedByOthers,
  }: { known: KnownPictures; outputsToKeep: OutputNames } & Pick<GarbageOptions, 'usedByOthers'>,
): Promise<void> {
  const recorded = new OutputNames();
  for (const [hash, { outputs }] of known.contents) {
    recorded.addPictures(Object.keys(outputs), [hash]);
  }
  const unplanned = [...recorded.without(outputsToKeep)];
  const used = unplanned.length > 0 ? await usedByOthers() : undefined;
  if (used) await store.remove(unplanned.filter((name) => !used.has(name)));
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The reason why a source is not requested. Undefined if it is requested. */
function reasonNotRequested(
  { url }: Source,
  because: PictureTask['step']['because'],
  asks: boolean,
) {
  if (url === undefined) {
    return { code: 'picture-no-address', message: 'its URL is unknown' };
  }
  if (asks || because === 'outputs-missing') return undefined;
  return { code: 'picture-not-asked', message: 'its dealer gave no usable answer' };
}
