import { unlink } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import pMap from 'p-map';
import type { MediaConfig } from '../config/schema.ts';
import { decideBounds, machine } from './bounds.ts';
import type { Download } from './download/download.ts';
import { Maker } from './make.ts';
import { nextStep, type Source, unplannedOutputs } from './plan.ts';
import { contentHash } from './recipes.ts';
import { StandIns } from './stand-ins.ts';
import { listOutputs, putIncoming, removeOutputs } from './store/folder.ts';
import { type ContentEntry, Manifest } from './store/manifest.ts';
import { sweep } from './sweep.ts';

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
  /** Which outputs the pages may use: planned ones that exist. */
  outputs: Pick<ReadonlySet<string>, 'has'>;
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

async function openWorkers(baseUrl: string, media: MediaConfig, folder: string) {
  const { Downloader } = await import('./download/download.ts');
  const { Encoder } = await import('./encode/pool.ts');
  const downloader = new Downloader(baseUrl, media);
  const encoder = new Encoder({ concurrency: media.encoders, timeout: media.timeout, folder });
  const close = async () => {
    await encoder.close();
    await downloader.close();
  };
  return { downloader, encoder, close };
}

/**
 * Puts downloaded bytes into a file for the encoder and lets go of them, so that what waits for the
 * encoder takes no memory.
 */
function land(download: Download, folder: string) {
  if (download.kind !== 'bytes') return download;
  const { bytes, etag, lastModified } = download;
  const hash = contentHash(bytes);
  const file = putIncoming(folder, hash, bytes);
  const size = bytes.length;
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
  sweep();
  return { kind: 'landed' as const, hash, file, size, etag, lastModified };
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

  let found = 0;
  const work = sources.flatMap((source) => {
    const entry = manifest.sources.get(source.key);
    const step = nextStep(source, {
      entry,
      content: entry && manifest.contents.get(entry.hash),
      exists: (name) => {
        const there = existing.has(name);
        if (there) found++;
        return there;
      },
      now,
      revalidateAfter: media.revalidateAfter,
    });
    return step.kind === 'nothing' ? [] : [{ source, entry, step }];
  });

  // Each output was found once, and nothing else is there: then nothing need be looked for to remove.
  const exact = work.length === 0 && found === existing.size && manifest.isExactly(sources);

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
  const standIns = new StandIns(manifest, existing);
  let done = 0;
  const tellProgress = () =>
    options.onProgress?.({
      total: work.length,
      done,
      failed: counts.failed,
      downloadedBytes: counts.downloadedBytes,
      outputsMade: counts.outputsMade,
    });

  const bounds = decideBounds(media, machine());
  const downloads = pLimit(bounds.downloads);
  const { maxPixels } = media;
  // Loading what downloads and encodes takes longer than comparing 20,000 pictures needing nothing.
  let workers: ReturnType<typeof openWorkers> | undefined;
  const open = () => {
    workers ??= openWorkers(baseUrl, { ...media, ...bounds }, folder);
    return workers;
  };
  const maker = new Maker({
    encoder: async () => (await open()).encoder,
    existing,
    contents: manifest.contents,
    maxPixels,
  });

  const fail = (source: Source, code: string, message: string) => {
    counts.failed++;
    const standIn = standIns.choose(source) || source.optional === true;
    failures.push({ key: source.key, code, message, standIn });
  };

  const settle = async ({ source, entry, step }: (typeof work)[number]): Promise<void> => {
    const validators = step.kind === 'revalidate' && entry ? entry : {};
    const result = await downloads(async () => {
      const { downloader } = await open();
      return land(await downloader.get(source.url, validators, signal), folder);
    });
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
    counts.downloadedBytes += result.size;
    const made = await maker.make(result, source.recipes);
    await unlink(result.file);
    if (!made.ok) return fail(source, made.code, made.message);
    if (entry?.hash === made.hash && step.kind === 'revalidate') counts.revalidated++;
    for (const { bytes } of made.made) {
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
        hash: made.hash,
      },
      made.content,
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
      // Downloads under way, pictures in the encoder, and no more waiting than that.
      { concurrency: bounds.downloads + bounds.encoders },
    );
  } finally {
    await (await workers)?.close();
  }

  const contentOf = (key: string) => {
    const hash = manifest.sources.get(standIns.of(key))?.hash;
    const entry = hash === undefined ? undefined : manifest.contents.get(hash);
    return hash !== undefined && entry ? { hash, ...entry } : undefined;
  };
  const unplanned = exact ? new Set<string>() : unplannedOutputs(existing, sources, contentOf);
  counts.outputsReused = Math.max(0, existing.size - unplanned.size - counts.outputsMade);
  failures.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    counts,
    failures,
    problems: manifest.problems,
    contentOf,
    outputs: { has: (name) => existing.has(name) && !unplanned.has(name) },
    folder,
    removeUnplanned: async () => {
      await removeOutputs(folder, [...unplanned, ...listing.leftovers]);
      if (!exact) {
        manifest.keepOnly(new Set([...sources.map(({ key }) => key), ...standIns.keys()]));
      }
      await manifest.save();
      counts.outputsRemoved = unplanned.size;
      return unplanned.size;
    },
  };
}
