import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { fromPlainError } from '../../errors.ts';
import { decideBounds, machine } from '../../images/bounds.ts';
import { OutputNames } from '../../images/output-names.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { pieceName } from '../../record/file.ts';
import { recordsFolder } from '../../record/published-records.ts';
import { buildChunk, type ChunkOutcome, fetchChunks, VEHICLES } from '../build/build-chunk.ts';
import type { ChunkContext } from '../build/context.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import type { BuildProgress } from '../report/build-progress.ts';
import { packConfig, type Start } from './messages.ts';
import { runWorker } from './worker.ts';

/** Dealers that one process takes at a time before others have started. */
const FIRST_DEALERS = 4;
/** Estimated bytes of a vehicle with its pictures in a record. */
const RECORDED = 6000;
/** Bytes of memory that a process takes. */
const PER_PROCESS = 450 * 2 ** 20;

export interface BuildDealersOptions {
  /** Data that workers receive besides the configuration. */
  start: Omit<Start, 'config'>;
  progress: BuildProgress;
  /** Build one chunk of all dealers, because custom pages need all vehicles. */
  singleChunk: boolean;
  /** Vehicles of a chunk, at least. */
  vehicles?: number | undefined;
  /** Stops this process and its workers; its signal is that of the context. */
  stop: AbortController;
}

/** All dealers, as far as their build came. */
export interface BuiltDealers {
  /** Chunks of dealers, unfinished ones included; in any order. */
  chunks: BuiltChunk[];
  /** Their thumbnails; names of pictures take most of a chunk's memory, so all chunks share one set. */
  outputs: OutputNames;
  unpublished: OutputNames;
  /** Of the last chunk of this process. */
  local?: ChunkOutcome['local'];
  /** Why the build failed. */
  error?: unknown;
}

/** Estimated number of vehicles, from the size of the cached records. */
function expectedVehicles({ config, options }: ChunkContext): number {
  const folder = recordsFolder(options.cacheDir, config);
  const sizes = config.dealers.map(
    ({ id }) => statSync(path.join(folder, pieceName(id)), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / RECORDED;
}

/** The configuration with one process's share of the media line. */
function shared(config: LoadedConfig, processes: number): LoadedConfig {
  const { downloads, encoders } = decideBounds(config.media, machine());
  const part = (all: number) => Math.max(1, Math.floor(all / processes));
  const media = { ...config.media, downloads: part(downloads), encoders: part(encoders) };
  return { ...config, media };
}

/**
 * Builds all dealers: in this process, and if there are enough of them on the other cores as well. The service
 * gets no more requests at a time than from one process. Never throws.
 */
export async function buildDealers(
  context: ChunkContext,
  { start, progress, singleChunk, vehicles = VEHICLES, stop }: BuildDealersOptions,
): Promise<BuiltDealers> {
  const { concurrency } = context.config.service;
  const queue = [...context.config.dealers];
  const built: BuiltDealers = {
    chunks: [],
    outputs: new OutputNames(),
    unpublished: new OutputNames(),
  };
  const workers: Promise<void>[] = [];
  const fail = (error: unknown): void => {
    built.error ??= error;
    // Without the error as its reason: it would be recorded as the problem of the dealer being fetched.
    stop.abort();
  };
  const collect = (chunk: BuiltChunk, error: unknown): void => {
    built.chunks.push(chunk);
    for (const [hash, ends] of chunk.outputs.splice(0)) built.outputs.addPictures(ends, [hash]);
    for (const [hash, ends] of chunk.unpublished.splice(0)) {
      built.unpublished.addPictures(ends, [hash]);
    }
    if (error) fail(error);
  };
  const next = () => {
    if (singleChunk) return queue.splice(0);
    // The last dealers are assigned one by one, so that all processes end at about the same time.
    const processes = workers.length + 1;
    const fair = processes === 1 ? FIRST_DEALERS : Math.ceil(queue.length / (2 * processes));
    return queue.splice(0, Math.max(1, Math.min(fair, Math.floor(concurrency / processes))));
  };
  const begin = (remaining: number) => {
    const { cores, memory } = machine();
    const most = Math.min(cores, concurrency, Math.floor(memory / PER_PROCESS));
    const more = Math.min(most - 1, Math.floor(remaining), queue.length);
    if (singleChunk || workers.length > 0 || more < 1) return;
    context.config = shared(context.config, more + 1);
    const input = { ...start, config: packConfig(context.config) };
    for (let number = 1; number <= more; number++) {
      const onMessage: Parameters<typeof runWorker>[0]['onMessage'] = (message) => {
        if ('progress' in message) progress.notify(message.progress, number);
        else {
          const { built: chunk, error } = message;
          collect({ ...chunk, process: number }, error && fromPlainError(error));
        }
      };
      const take = () => next().map(({ id }) => id);
      const { signal } = context;
      workers.push(runWorker({ start: input, take, onMessage, signal }).catch(fail));
    }
  };
  // Starting processes takes half a second. Where nothing is published here, all pages are made.
  const enough = context.published.dealers ? 3 : 1;
  const expected = expectedVehicles(context) / vehicles;
  if (expected >= enough) begin(expected);
  try {
    for await (const fetched of fetchChunks(context, next, vehicles)) {
      // Else it is known when a chunk is full and dealers are left.
      begin(queue.length);
      const { chunk, local, error } = await buildChunk(fetched, context);
      if (local) built.local = local;
      collect(chunk, error);
      if (error) break;
      if (queue.length > 0) collectAllGarbage();
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(workers);
  return built;
}
