import path from 'node:path';
import pLimit from 'p-limit';
import pMap from 'p-map';
import type { MediaConfig } from '../config/schema.ts';
import { Downloader } from './download/download.ts';
import { Encoder } from './encode/pool.ts';
import { nextStep, plannedOutputs, type Source } from './plan.ts';
import { listOutputs, removeOutputs } from './store/folder.ts';
import { type ContentEntry, Manifest } from './store/manifest.ts';

export interface PictureFailure {
  key: string;
  /** Stable code: a download or picture fault. */
  code: string;
  message: string;
  /** Whether something stands in: thumbnails of an earlier run, or a picture for a video's still. */
  standIn: boolean;
}

export interface MediaCounts {
  sources: number;
  /** Needed nothing. */
  unchanged: number;
  /** Asked again and found unchanged (304 or equal bytes). */
  revalidated: number;
  downloaded: number;
  downloadedBytes: number;
  outputsMade: number;
  outputsMadeBytes: number;
  outputsReused: number;
  outputsRemoved: number;
  failed: number;
}

export interface MediaProgress {
  /** Sources that need work, and those of them that are done. */
  total: number;
  done: number;
  failed: number;
  downloadedBytes: number;
  outputsMade: number;
}

export interface MediaResult {
  counts: MediaCounts;
  failures: PictureFailure[];
  problems: string[];
  /** What is known of the bytes of a source; undefined where it could never be had. */
  contentOf: (key: string) => ({ hash: string } & ContentEntry) | undefined;
  /** Names of all outputs that the pages may use. */
  outputs: Set<string>;
  /** Folder that the outputs lie in. */
  folder: string;
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
  signal?: AbortSignal;
  onProgress?: (progress: MediaProgress) => void;
}

/** The id part of a source key: what stays when a picture moves to another address. */
const identity = (key: string): string => key.slice(0, key.indexOf(' '));

/** Finds the entry of a picture under a former address. */
function formerKey(manifest: Manifest, key: string): string | undefined {
  const id = identity(key);
  let former: { key: string; checkedAt: number } | undefined;
  for (const [otherKey, { checkedAt }] of manifest.sources) {
    if (identity(otherKey) !== id) continue;
    if (!former || checkedAt > former.checkedAt) former = { key: otherKey, checkedAt };
  }
  return former?.key;
}

/**
 * Runs the media line: compares plan and store, and does the difference. Downloads and encodings
 * have bounds of their own; every finished picture is noted at once. A picture that cannot be had
 * or decoded keeps its last good thumbnails, or fails alone.
 */
export async function runMediaLine(options: MediaLineOptions): Promise<MediaResult> {
  const { sources, media, baseUrl, cacheDir, now, signal } = options;
  const stateFolder = path.join(cacheDir, 'media');
  const folder = path.join(stateFolder, 'files');
  const manifest = Manifest.open(stateFolder);
  const listing = listOutputs(folder);
  const existing = listing.outputs;
  await removeOutputs(folder, listing.leftovers);

  const work = sources.flatMap((source) => {
    const entry = manifest.sources.get(source.key);
    const step = nextStep(source, {
      entry,
      content: entry && manifest.contents.get(entry.hash),
      exists: (name) => existing.has(name),
      now,
      revalidateAfter: media.revalidateAfter,
    });
    return step.kind === 'nothing' ? [] : [{ source, entry, step }];
  });

  const counts: MediaCounts = {
    sources: sources.length,
    unchanged: sources.length - work.length,
    revalidated: 0,
    downloaded: 0,
    downloadedBytes: 0,
    outputsMade: 0,
    outputsMadeBytes: 0,
    outputsReused: 0,
    outputsRemoved: 0,
    failed: 0,
  };
  const failures: PictureFailure[] = [];
  /** Source → the entry whose thumbnails stand in for it. */
  const standIns = new Map<string, string>();
  let done = 0;
  const tellProgress = () =>
    options.onProgress?.({
      total: work.length,
      done,
      failed: counts.failed,
      downloadedBytes: counts.downloadedBytes,
      outputsMade: counts.outputsMade,
    });

  const downloader = new Downloader(baseUrl, media);
  const encoder = new Encoder({ concurrency: media.encoders, timeout: media.timeout });
  const downloads = pLimit(media.downloads);

  const fail = (source: Source, code: string, message: string) => {
    const known = manifest.sources.has(source.key) ? source.key : formerKey(manifest, source.key);
    if (known !== undefined) standIns.set(source.key, known);
    counts.failed++;
    failures.push({
      key: source.key,
      code,
      message,
      standIn: known !== undefined || source.optional === true,
    });
  };

  const settle = async ({ source, entry, step }: (typeof work)[number]): Promise<void> => {
    const validators = step.kind === 'revalidate' && entry ? entry : {};
    const result = await downloads(() => downloader.get(source.url, validators, signal));
    signal?.throwIfAborted();
    if (result.kind === 'failed') return fail(source, result.code, result.message);
    if (result.kind === 'unchanged') {
      const content = entry && manifest.contents.get(entry.hash);
      if (!entry || !content) return fail(source, 'download-status', 'it answered 304 unasked');
      counts.revalidated++;
      manifest.record(
        source.key,
        { ...entry, vehicleDate: source.vehicleDate, checkedAt: now },
        content,
      );
      return;
    }
    counts.downloaded++;
    counts.downloadedBytes += result.bytes.length;
    const encoded = await encoder.encode({
      bytes: result.bytes,
      recipes: source.recipes,
      maxPixels: media.maxPixels,
      folder,
    });
    if (!encoded.ok) return fail(source, encoded.code, encoded.message);
    const { content, colour, made } = encoded;
    if (entry?.hash === content.hash && step.kind === 'revalidate') counts.revalidated++;
    for (const { name, bytes } of made) {
      existing.add(name);
      counts.outputsMade++;
      counts.outputsMadeBytes += bytes;
    }
    manifest.record(
      source.key,
      {
        etag: result.etag,
        lastModified: result.lastModified,
        vehicleDate: source.vehicleDate,
        checkedAt: now,
        hash: content.hash,
      },
      { width: content.width, height: content.height, colour },
    );
  };

  try {
    tellProgress();
    await pMap(
      work,
      async (item) => {
        signal?.throwIfAborted();
        await settle(item);
        done++;
        tellProgress();
      },
      // What is in memory at once: bytes on their way, and bytes waiting for the encoder.
      { concurrency: media.downloads + encoder.concurrency },
    );
  } finally {
    encoder.close();
    await downloader.close();
  }

  const contentOf = (key: string) => {
    const hash = manifest.sources.get(standIns.get(key) ?? key)?.hash;
    const entry = hash === undefined ? undefined : manifest.contents.get(hash);
    return hash !== undefined && entry ? { hash, ...entry } : undefined;
  };
  const planned = plannedOutputs(sources, contentOf);
  const outputs = new Set([...planned].filter((name) => existing.has(name)));
  counts.outputsReused = Math.max(0, outputs.size - counts.outputsMade);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  const keep = new Set([...sources.map(({ key }) => key), ...standIns.values()]);
  return {
    counts,
    failures,
    problems: manifest.problems,
    contentOf,
    outputs,
    folder,
    removeUnplanned: async () => {
      const unplanned = [...existing].filter((name) => !planned.has(name));
      await removeOutputs(folder, unplanned);
      manifest.keepOnly(keep);
      await manifest.save();
      counts.outputsRemoved = unplanned.length;
      return unplanned.length;
    },
  };
}
