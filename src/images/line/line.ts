import path from 'node:path';
import { dealerOf, KnownPictures, type PictureContent } from '../../record/known-pictures.ts';
import type { ContentEntry } from '../../record/pictures.ts';
import { noCounts } from '../counts.ts';
import { Fallbacks } from '../fallbacks.ts';
import { hashIn, suffixIn } from '../fingerprint.ts';
import { OutputNames } from '../output-names.ts';
import { nextStep, type Source } from '../plan.ts';
import type { Outcome, PictureTask, Store } from '../ports.ts';
import { inlineRunner } from '../process/inline-runner.ts';
import { restoreMissing } from '../published/restore.ts';
import { outputSuffixes } from '../recipes.ts';
import { intactOutputs } from '../stores/intact-outputs.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { removeGarbage } from '../stores/unused-outputs.ts';
import type { MediaLineOptions, MediaResult, PictureFailure } from './types.ts';

/** Most rounds in which outputs that the store lost are made again. */
const MOST_ROUNDS = 3;

/**
 * Runs the media line: compares plan and store, and processes the difference. Every finished picture is
 * recorded at once. A picture that cannot be downloaded or decoded falls back to its last good
 * thumbnails, or fails alone.
 */
export async function runMediaLine(options: MediaLineOptions): Promise<MediaResult> {
  const { sources, media, baseUrl, cacheDir, now, signal, engines, onProgress } = options;
  const {
    known = new KnownPictures(),
    asks = () => true,
    lastConfirmed = () => undefined,
    usedByOthers = async () => new OutputNames(),
  } = options;
  const folder = path.join(cacheDir, 'media', 'files');
  const started = Date.now();
  const dealers = new Set(sources.map(({ key }) => dealerOf(key)));
  for (const dealer of dealers) if (!known.dealers.has(dealer)) known.adopt(dealer);
  const { folder: siteFolder, names } = options.published ?? {};
  const site = siteFolder && path.join(siteFolder, 'media');
  const list = () => intactOutputs({ folder, published: names ?? site, known, signal });
  const shared =
    engines && (await openShared(engines.store, options, { known, folder, site, list }));
  const intact = shared?.intact ?? (await list());
  const local = intact.outputs;
  const existing = shared?.known ?? local;
  const fallbacks = new Fallbacks(known, existing);
  const restored =
    shared || !intact.lacks
      ? undefined
      : await restoreMissing(options, { known, fallbacks, local, folder });

  const counts = noCounts();
  const failures: PictureFailure[] = [];
  const failed = new Set<string>();
  let total = 0;
  let done = 0;
  const reportProgress = () =>
    onProgress?.({
      total,
      done,
      failed: counts.failed,
      downloadedBytes: counts.downloadedBytes,
      outputsMade: counts.outputsMade,
      outputsMadeBytes: counts.outputsMadeBytes,
    });

  const fails = (source: Source, { code, message }: { code: string; message: string }) => {
    const { key, url, optional } = source;
    counts.failed++;
    failed.add(key);
    const standIn = fallbacks.choose(source) || optional === true;
    failures.push({ key, url, code, message, standIn });
  };
  const processed = ({ source, step }: PictureTask, outcome: Outcome) => {
    done++;
    if (outcome.downloadedBytes !== undefined) {
      counts.downloaded++;
      counts.downloadedBytes += outcome.downloadedBytes;
    }
    if (outcome.ok) {
      if (outcome.revalidated) counts.revalidated++;
      for (const { bytes } of outcome.made) {
        counts.outputsMade++;
        counts.outputsMadeBytes += bytes;
      }
      shared?.arrived(source.recipes, outcome, engines?.runner !== undefined);
      known.record(source.key, outcome.entry, outcome.content, now);
    } else {
      fails(source, outcome);
      if (step.kind === 'revalidate') known.missed(source.key);
    }
    reportProgress();
  };

  let shown: (readonly [key: string, suffixes: readonly string[]])[] = [];
  let planned = new OutputNames();
  const show = ({ key, recipes }: Source, hash: string, content: PictureContent) => {
    const suffixes = outputSuffixes(content, recipes);
    shown.push([fallbacks.of(key), suffixes]);
    planned.addPictures(suffixes, [hash]);
  };
  /** Sources that were incomplete at the last comparison. */
  let others: Source[] = [];
  const compare = (): PictureTask[] => {
    shown = [];
    planned = new OutputNames();
    others = [];
    return sources.flatMap((source): PictureTask[] => {
      const { key } = source;
      const dealer = dealerOf(key);
      const { entry, content } = known.known(key) ?? {};
      const step = nextStep(source, {
        entry,
        content,
        hasAll: (hash, suffixes) => existing.hasAll(hash, suffixes),
        lastConfirmed: later(known.askedAt(key), lastConfirmed(dealer)),
        now,
        revalidateAfter: media.revalidateAfter,
      });
      if (entry && content && step.kind === 'nothing' && !failed.has(key)) {
        show(source, entry.hash, content);
        return [];
      }
      others.push(source);
      if (step.kind === 'nothing' || failed.has(key)) return [];
      const why = notAsked(source, step.because, asks(dealer));
      if (why === undefined) return [{ source, entry, content, step }];
      if (step.kind === 'download') fails(source, why);
      return [];
    });
  };

  const contentOf = (key: string): ({ hash: string } & ContentEntry) | undefined => {
    const its = known.known(fallbacks.of(key));
    if (!its) return undefined;
    const { width, height, colour, outputs } = its.content;
    return { hash: its.entry.hash, width, height, colour, outputs };
  };

  let works = compare();
  counts.outputsRestored = restored?.outputs ?? 0;
  counts.restoredBytes = restored?.bytes ?? 0;
  counts.sources = sources.length;
  counts.unchanged = sources.length - works.length - counts.failed;
  for (let round = 1; ; round++) {
    total += works.length;
    reportProgress();
    const { contents } = known;
    const plan = { works, media, baseUrl, existing, contents, folder, signal };
    await (engines?.runner ?? inlineRunner).run(plan, processed);
    if (!(await shared?.exchange(sources, contentOf)) || round === MOST_ROUNDS) break;
    works = compare();
  }

  for (const source of others) {
    const content = contentOf(source.key);
    if (content) show(source, content.hash, content);
  }
  // If nothing had to be done, all planned outputs exist; with equal counts, no others exist.
  const isAll = !shared && others.length === 0 && planned.size === local.size;
  const unplanned = isAll ? [] : [...local.without(planned)];
  // In that case everything is as in the records.
  const asRecorded = isAll && !intact.lacks;
  known.show(shown, { asRecorded });
  for (const name of unplanned) local.delete(name);
  const { outputsMade, outputsRestored } = counts;
  counts.outputsReused = Math.max(0, local.size - outputsMade - outputsRestored);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    counts,
    failures,
    problems: restored?.problems ?? [],
    contentOf,
    outputs: local,
    unpublished: new OutputNames(
      isAll && local.size === intact.published.size ? [] : local.without(intact.published),
    ),
    folder,
    fingerprints: () =>
      Array.from(local, (name): [string, string] => {
        const content = known.contents.get(hashIn(name));
        return [name, content?.outputs[suffixIn(name)] ?? ''];
      }).sort(([a], [b]) => (a < b ? -1 : 1)),
    mayLeaveOutputs: total > 0 || unplanned.length > 0,
    removeUnplanned: async (look = false, stays = local) => {
      // If nothing was done and all outputs are planned, there is nothing to clean up. With workers there
      // may be: they can have died in any run, or still be writing for this one.
      const workers = engines?.runner !== undefined;
      if (look || total > 0 || unplanned.length > 0 || workers) {
        const before = workers ? started : Number.POSITIVE_INFINITY;
        const garbage = { planned: stays, usedByOthers, before };
        counts.outputsRemoved = await removeGarbage(folder, garbage);
      }
      await shared?.clean(sources, contentOf);
      return counts.outputsRemoved;
    },
  };
}

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

/** The reason why a source is not requested; undefined where it is. */
function notAsked({ url }: Source, because: PictureTask['step']['because'], asks: boolean) {
  if (url === undefined) {
    return { code: 'picture-no-address', message: 'its address is not remembered' };
  }
  if (asks || because === 'outputs-missing') return undefined;
  return { code: 'picture-not-asked', message: 'its dealer gave no usable answer' };
}

async function openShared(
  store: Store,
  {
    sources,
    configuration = 'site',
    now,
  }: Pick<MediaLineOptions, 'sources' | 'configuration' | 'now'>,
  options: Pick<Parameters<typeof SharedStore.open>[2], 'known' | 'folder' | 'site' | 'list'>,
): Promise<SharedStore> {
  const { SharedStore } = await import('../stores/shared-store.ts');
  return SharedStore.open(store, sources, { ...options, configuration, now });
}
