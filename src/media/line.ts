import path from 'node:path';
import type { MediaConfig } from '../config/schema.ts';
import { type MediaCounts, noCounts } from './counts.ts';
import { inlineRunner } from './inline.ts';
import { nextStep, type Source, unplannedOutputs } from './plan.ts';
import type { Outcome, Runner, Store, Work } from './ports.ts';
import { restoreLost, restoreMissing } from './published/from-site.ts';
import type { ListFile } from './published/make-lists.ts';
import type { PublishedSite, RestoreOptions } from './published/restore.ts';
import { StandIns } from './stand-ins.ts';
import { adoptFromOthers, configurationName, openOthers, usedBy } from './store/configurations.ts';
import { type ContentEntry, dealerOf, type Picture } from './store/dealer-file.ts';
import { endIn, hashIn, outputName } from './store/fingerprint.ts';
import { removeOutputs } from './store/folder.ts';
import { dropAltered, readCheckedTimes, writeCheckedTimes } from './store/intact.ts';
import { listOutputs } from './store/listing.ts';
import { Manifest } from './store/manifest.ts';
import { OutputNames } from './store/output-names.ts';
import type { SharedStore } from './store/shared.ts';

export type { MediaCounts };

export interface PictureFailure {
  key: string;
  /** Stable code: a download or picture fault. */
  code: string;
  message: string;
  /** Whether something stands in: thumbnails of an earlier run, or a picture for a video's still. */
  standIn: boolean;
}

export interface MediaProgress {
  /** Sources that need work, and those of them that are done. */
  total: number;
  done: number;
  failed: number;
  downloadedBytes: number;
  outputsMade: number;
  outputsMadeBytes: number;
}

export interface MediaResult {
  counts: MediaCounts;
  failures: PictureFailure[];
  problems: string[];
  /** What is known of the bytes of a source; undefined where it could never be had. */
  contentOf: (key: string) => ({ hash: string } & Picture) | undefined;
  /** Which outputs the pages may use, and are to be published: planned ones that exist. */
  outputs: OutputNames;
  /** Folder that the outputs lie in. */
  folder: string;
  /** Their names and fingerprints, by name. Before `release`. */
  fingerprints: () => [name: string, fingerprint: string][];
  /** Files for the site, from which a later build on an empty disk takes its thumbnails. */
  lists: () => Promise<ListFile[]>;
  /**
   * Lets go of what is known of pictures; `contentOf` reads it again, dealer by dealer. After
   * `lists`, and where there are so many pictures that it is worth it.
   */
  release: () => Promise<void>;
  /** Removes what nothing plans any more. To be called once the new site is published. */
  removeUnplanned: () => Promise<number>;
}

export interface MediaLineOptions {
  sources: readonly Source[];
  media: MediaConfig;
  baseUrl: string;
  cacheDir: string;
  /** Names the configuration that the run is for: what others use of the same cache stays. */
  configuration?: string;
  /** Dealers of the configuration that this run is not about: what is known of them stays. */
  otherDealers?: ReadonlySet<string> | undefined;
  /** Milliseconds since 1970; decides only when unchanged addresses are asked again. */
  now: number;
  /** Who does the work and where it lies, where that is not this process and its cache folder. */
  engines?: MediaEngines | undefined;
  /** Where thumbnails may be taken from; a store that is shared is that by itself. */
  published?: PublishedSite | undefined;
  signal?: AbortSignal;
  onProgress?: (progress: MediaProgress) => void;
  /** Called while thumbnails are taken from the published site. */
  onRestore?: RestoreOptions['onProgress'];
}

/** What runs the line for several machines. */
export interface MediaEngines {
  /** Workers elsewhere; without them the work is done here. */
  runner?: Runner | undefined;
  /** What they share, or what outlives this machine's disk. */
  store: Store;
}

/** An output that the store lost is made again; one that it loses again and again is not for ever. */
const MOST_ROUNDS = 3;

/**
 * Runs the media line: compares plan and store, and has the difference done. Every finished picture
 * is noted at once. A picture that cannot be had or decoded keeps its last good thumbnails, or fails
 * alone.
 */
export async function runMediaLine(options: MediaLineOptions): Promise<MediaResult> {
  const { media, baseUrl, cacheDir, now, signal, engines, onProgress } = options;
  const { configuration = 'site', otherDealers = new Set() } = options;
  let { sources } = options;
  const stateFolder = path.join(cacheDir, 'media');
  const folder = path.join(stateFolder, 'files');
  const ownFolder = path.join(stateFolder, configurationName(configuration));
  const manifest = Manifest.open(ownFolder);
  const dealers = new Set(sources.map(({ key }) => dealerOf(key)));
  adoptFromOthers(manifest, stateFolder, configuration, dealers);
  const listing = listOutputs(folder);
  const local = listing.outputs;
  const checkedFile = path.join(ownFolder, 'checked');
  const checked = readCheckedTimes(checkedFile);
  const others = openOthers(stateFolder, configuration);
  const check = () => dropAltered({ sources, manifest, others, folder, local, checked, signal });
  const shared =
    engines &&
    (await openShared(engines.store, { manifest, local, folder, sources, configuration, check }));
  if (!shared) await check();
  const existing = shared?.known ?? local;
  const restoring = { ...options, manifest, local, folder };
  const restored = shared ? undefined : await restoreMissing(restoring);

  let found = 0;
  const hasAll = (hash: string, ends: readonly string[]): boolean => {
    const there = existing.hasAll(hash, ends);
    if (there) found += ends.length;
    return there;
  };
  const compare = (): Work[] =>
    sources.flatMap((source) => {
      const { entry, content } = manifest.known(source.key) ?? {};
      const { revalidateAfter } = media;
      const step = nextStep(source, { entry, content, hasAll, now, revalidateAfter });
      return step.kind === 'nothing' ? [] : [{ source, entry, content, step }];
    });

  const counts = noCounts();
  const failures: PictureFailure[] = [];
  const standIns = new StandIns(manifest, existing);
  const failed = new Set<string>();
  let total = 0;
  let done = 0;
  const tellProgress = () =>
    onProgress?.({
      total,
      done,
      failed: counts.failed,
      downloadedBytes: counts.downloadedBytes,
      outputsMade: counts.outputsMade,
      outputsMadeBytes: counts.outputsMadeBytes,
    });

  const settled = ({ source }: Work, outcome: Outcome) => {
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
      manifest.record(source.key, outcome.entry, outcome.content);
    } else {
      counts.failed++;
      failed.add(source.key);
      const standIn = standIns.choose(source) || source.optional === true;
      const { code, message } = outcome;
      failures.push({ key: source.key, code, message, standIn });
    }
    tellProgress();
  };

  const shown = (source: string) => {
    const key = standIns.of(source);
    const known = manifest.known(key);
    return known && { key, ...known };
  };
  const knownContent = (key: string): ({ hash: string } & ContentEntry) | undefined => {
    const known = shown(key);
    return known && { hash: known.entry.hash, ...known.content };
  };
  const contentOf = (key: string) => {
    const known = shown(key);
    if (!known) return undefined;
    const { width, height, colour } = known.content;
    return { hash: known.entry.hash, width, height, colour };
  };

  let works = compare();
  const lost = works.filter(({ step }) => step.because === 'outputs-missing');
  if (lost.length > 0 && !shared && (await restoreLost(restoring, lost, restored))) {
    found = 0;
    works = compare();
  }
  // Each output was found once, and nothing else is there: then nothing need be looked for to remove.
  const exact = works.length === 0 && found === existing.size && manifest.isExactly(sources);
  counts.outputsRestored = restored?.outputs ?? 0;
  counts.restoredBytes = restored?.bytes ?? 0;
  counts.sources = sources.length;
  counts.unchanged = sources.length - works.length;
  for (let round = 1; ; round++) {
    total += works.length;
    tellProgress();
    const { contents } = manifest;
    const plan = { works, media, baseUrl, now, existing, contents, folder, signal };
    await (engines?.runner ?? inlineRunner).run(plan, settled);
    if (!(await shared?.exchange(sources, knownContent)) || round === MOST_ROUNDS) break;
    works = compare().filter(({ source }) => !failed.has(source.key));
  }

  const unplanned = exact ? new Set<string>() : unplannedOutputs(local, sources, contentOf);
  for (const name of unplanned) local.delete(name);
  const { outputsMade, outputsRestored } = counts;
  counts.outputsReused = Math.max(0, local.size - outputsMade - outputsRestored);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  /** Sources that nothing plans any more, and outputs that nobody uses. */
  const findGarbage = (): { sources: string[]; outputs: Set<string> } => {
    if (exact) return { sources: [], outputs: new Set() };
    const planned = new Set([...sources.map(({ key }) => key), ...standIns.keys()]);
    const unused = manifest.others(planned);
    const used = unplanned.size > 0 ? usedBy(others()) : undefined;
    const outputs = withoutUsed(unplanned, used);
    for (const key of unused) {
      const its = otherDealers.has(dealerOf(key)) ? manifest.known(key) : undefined;
      if (!its) continue;
      const { entry, content } = its;
      for (const end of Object.keys(content.outputs)) outputs.delete(outputName(entry.hash, end));
    }
    manifest.forgetOutputs(local, otherDealers);
    return { sources: unused.filter((key) => !otherDealers.has(dealerOf(key))), outputs };
  };
  let garbage: ReturnType<typeof findGarbage> | undefined;
  return {
    counts,
    failures,
    problems: [...manifest.problems, ...(restored?.problems ?? [])],
    contentOf,
    outputs: local,
    folder,
    lists: async () => {
      const { makeLists } = await import('./published/make-lists.ts');
      const memory = path.join(ownFolder, 'published');
      const hashes = restored?.hashes ?? new Map();
      const { revalidateAfter } = media;
      const files = folder;
      const about = { sources, shown, failed, revalidateAfter, otherDealers };
      return makeLists({ ...about, files, memory, hashes, signal });
    },
    fingerprints: () =>
      Array.from(local, (name): [string, string] => {
        const content = manifest.contents.get(hashIn(name));
        return [name, content?.outputs[endIn(name)] ?? ''];
      }).sort(([a], [b]) => (a < b ? -1 : 1)),
    release: async () => {
      // What others share is compared with all of it in the end.
      if (shared) return;
      garbage = findGarbage();
      sources = [];
      await manifest.release();
    },
    removeUnplanned: async () => {
      garbage ??= findGarbage();
      await removeOutputs(folder, [...garbage.outputs, ...listing.leftovers]);
      await manifest.forget(garbage.sources);
      await shared?.clean(sources, knownContent);
      await manifest.save();
      await writeCheckedTimes(checkedFile, checked, dealers);
      counts.outputsRemoved = garbage.outputs.size;
      return garbage.outputs.size;
    },
  };
}

/** Names without those that others use; none where it is not known what they use. */
function withoutUsed(names: ReadonlySet<string>, used: OutputNames | undefined): Set<string> {
  return new Set(used ? new OutputNames(names).without(used) : []);
}

async function openShared(
  store: Store,
  { sources, ...options }: Parameters<typeof SharedStore.open>[2] & { sources: readonly Source[] },
): Promise<SharedStore> {
  const { SharedStore } = await import('./store/shared.ts');
  return SharedStore.open(store, sources, options);
}
