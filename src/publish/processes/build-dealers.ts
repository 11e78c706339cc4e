import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { decideBounds, machine } from '../../images/bounds.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { pieceName } from '../../record/file.ts';
import { recordsFolder } from '../../record/published-records.ts';
import type { ChunkContext, LocalResult } from '../build/build-chunk.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import type { BuildProgress } from '../report/build-progress.ts';
import { buildChunks, VEHICLES } from './chunks.ts';
import type { Start } from './messages.ts';
import { WorkerPool } from './pool.ts';
import { packConfig } from './worker-config.ts';

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
  /** Receives a chunk: one of this process before it is filled, one of a worker when it is built. */
  onChunk: (chunk: BuiltChunk) => void;
  onLocalResult: (result: LocalResult) => void;
  /** Receives every chunk when it is built. */
  onBuilt: (chunk: BuiltChunk) => void;
  /** Stops what runs in this process; part of the signal of the context. */
  stop: AbortController;
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
 * gets no more requests at a time than from one process.
 */
export async function buildDealers(
  context: ChunkContext,
  options: BuildDealersOptions,
): Promise<void> {
  const {
    start,
    progress,
    singleChunk,
    vehicles = VEHICLES,
    onChunk,
    onLocalResult,
    onBuilt,
    stop,
  } = options;
  const { config } = context;
  const { signal } = context.options;
  const { concurrency } = config.service;
  const queue = [...config.dealers];
  const failures: Error[] = [];
  let processes = 1;
  const next = () => {
    if (singleChunk) return queue.splice(0);
    // The last dealers are dealt out one by one, so that all processes end at about the same time.
    const fair = processes === 1 ? FIRST_DEALERS : Math.ceil(queue.length / (2 * processes));
    return queue.splice(0, Math.max(1, Math.min(fair, Math.floor(concurrency / processes))));
  };
  await using pool = new WorkerPool({
    start: () => ({ ...start, config: packConfig(context.config) }),
    take: () => next().map(({ id }) => id),
    onBuilt: (chunk) => {
      onChunk(chunk);
      onBuilt(chunk);
    },
    onProgress: (event, from) => progress.notify(event, from),
    onFailed: (error) => {
      if (signal?.aborted) return;
      failures.push(error);
      // Without the error as its reason: it would be recorded as the problem of the dealer being fetched.
      stop.abort();
    },
    signal,
  });
  const begin = (remaining: number) => {
    const { cores, memory } = machine();
    const most = Math.min(cores, concurrency, Math.floor(memory / PER_PROCESS));
    const more = Math.min(most - 1, Math.floor(remaining), queue.length);
    if (singleChunk || processes > 1 || more < 1) return;
    processes = more + 1;
    context.config = shared(config, processes);
    pool.start(more);
  };
  // Starting processes takes half a second. Where nothing is published here, all pages are made.
  const enough = context.lists.dealers ? 3 : 1;
  const expected = expectedVehicles(context) / vehicles;
  // Else it is known when a chunk is full and dealers are left.
  if (expected >= enough) begin(expected);
  try {
    await buildChunks(context, {
      take: next,
      vehicles,
      onChunk,
      onLoaded: () => begin(queue.length),
      onBuilt: (chunk, result) => {
        onLocalResult(result);
        onBuilt(chunk);
        if (queue.length > 0) collectAllGarbage();
      },
    });
    await pool.done();
  } catch (error) {
    throw failures[0] ?? error;
  }
}
