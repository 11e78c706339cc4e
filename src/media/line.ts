import path from 'node:path';
import type { MediaConfig } from '../config/schema.ts';
import { type MediaCounts, noCounts } from './counts.ts';
import { inlineRunner } from './inline.ts';
import { nextStep, type Source, unplannedOutputs } from './plan.ts';
import type { Outcome, Runner, Store, Work } from './ports.ts';
import type { ListFile } from './published/make-lists.ts';
import type { PublishedSite, Restored, RestoreOptions } from './published/restore.ts';
import { StandIns } from './stand-ins.ts';
import { removeOutputs } from './store/folder.ts';
import { listOutputs } from './store/listing.ts';
import { type ContentEntry, Manifest } from './store/manifest.ts';
import type { OutputNames } from './store/output-names.ts';
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
  contentOf: (key: string) => ({ hash: string } & ContentEntry) | undefined;
  /** Which outputs the pages may use, and are to be published: planned ones that exist. */
  outputs: OutputNames;
  /** Folder that the outputs lie in. */
  folder: string;
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
  let { sources } = options;
  const stateFolder = path.join(cacheDir, 'media');
  const folder = path.join(stateFolder, 'files');
  const manifest = Manifest.open(stateFolder);
  const listing = listOutputs(folder, path.join(stateFolder, 'listing'));
  const local = listing.outputs;
  const shared = engines && (await openShared(engines.store, { manifest, local, folder, sources }));
  const existing = shared?.known ?? local;
  const restoring = { ...options, manifest, local, folder };
  const restored = shared ? undefined : await restore(restoring);

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
  const contentOf = (key: string) => {
    const known = shown(key);
    return known && { hash: known.entry.hash, ...known.content };
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
    if (!(await shared?.exchange(sources, contentOf)) || round === MOST_ROUNDS) break;
    works = compare().filter(({ source }) => !failed.has(source.key));
  }

  const unplanned = exact ? new Set<string>() : unplannedOutputs(local, sources, contentOf);
  for (const name of unplanned) local.delete(name);
  const { outputsMade, outputsRestored } = counts;
  counts.outputsReused = Math.max(0, local.size - outputsMade - outputsRestored);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  const toForget = (): string[] =>
    exact ? [] : manifest.others(new Set([...sources.map(({ key }) => key), ...standIns.keys()]));
  let forgotten: string[] | undefined;
  return {
    counts,
    failures,
    problems: [...manifest.problems, ...(restored?.problems ?? [])],
    contentOf,
    outputs: local,
    folder,
    lists: async () => {
      const { makeLists } = await import('./published/make-lists.ts');
      const memory = path.join(stateFolder, 'published');
      const hashes = restored?.hashes ?? new Map();
      const { revalidateAfter } = media;
      const files = folder;
      return makeLists({ sources, shown, failed, revalidateAfter, files, memory, hashes, signal });
    },
    release: async () => {
      // What others share is compared with all of it in the end.
      if (shared) return;
      forgotten = toForget();
      sources = [];
      await manifest.release();
    },
    removeUnplanned: async () => {
      await removeOutputs(folder, [...unplanned, ...listing.leftovers]);
      await manifest.forget(forgotten ?? toForget());
      await shared?.clean(sources, contentOf);
      await manifest.save();
      await listing.remember();
      counts.outputsRemoved = unplanned.size;
      return unplanned.size;
    },
  };
}

type Restoring = MediaLineOptions & Pick<RestoreOptions, 'manifest' | 'local' | 'folder'>;

async function restore({
  published,
  onRestore,
  ...options
}: Restoring): Promise<Restored | undefined> {
  if (!published) return undefined;
  const { restorePublished } = await import('./published/restore.ts');
  return restorePublished({ ...options, site: published, onProgress: onRestore });
}

/**
 * Takes what the cache knew and lost from the folder that was published on this disk: the host of the
 * pictures need not be asked for it, and may be down.
 */
async function restoreLost(
  { published, ...options }: Restoring,
  lost: readonly Work[],
  restored: Restored | undefined,
): Promise<boolean> {
  const folder = published?.folder;
  if (folder === undefined || !restored) return false;
  const { restorePublished } = await import('./published/restore.ts');
  const sources = lost.map(({ source }) => source);
  const site = { folder, use: 'always' as const };
  const more = await restorePublished({ ...options, sources, site, onProgress: undefined });
  restored.outputs += more.outputs;
  for (const [name, hash] of more.hashes) restored.hashes.set(name, hash);
  return more.outputs > 0;
}

async function openShared(
  store: Store,
  {
    sources,
    ...options
  }: { manifest: Manifest; local: OutputNames; folder: string; sources: readonly Source[] },
): Promise<SharedStore> {
  const { SharedStore } = await import('./store/shared.ts');
  return SharedStore.open(store, sources, options);
}
