import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { decideBounds, machine } from '../../images/bounds.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { pieceName } from '../../record/file.ts';
import { recordsFolder } from '../../record/published-records.ts';
import { buildChunk, type ChunkContext, type ChunkInside } from '../build/build-chunk.ts';
import { type BuiltChunk, newChunk } from '../chunk/built-chunk.ts';
import { packConfig } from '../chunk/wire.ts';
import type { BuildProgress } from '../report/build-progress.ts';
import { buildChunkes, VEHICLES } from './chunks.ts';
import type { Start } from './messages.ts';
import { WorkerPool } from './pool.ts';

/** Bytes of a vehicle with its pictures in a record, about. */
const RECORDED = 6000;
/** Bytes of memory that a process takes. */
const PER_PROCESS = 450 * 2 ** 20;

export interface BuildDealersOptions {
  /** What workers are told besides the configuration. */
  start: Omit<Start, 'config'>;
  progress: BuildProgress;
  /** One chunk of all: an extension's pages and data are made of all vehicles, and workers elsewhere get one plan. */
  whole: boolean;
  /** Vehicles of a chunk, at least. */
  vehicles?: number | undefined;
  /** Takes a chunk of this process before anything is known of it, and one of another when it is built. */
  onChunk: (chunk: BuiltChunk) => void;
  onInside: (inside: ChunkInside) => void;
  /** Takes a chunk when it is built, whoever built it. */
  onBuilt: (chunk: BuiltChunk) => void;
  /** Stops what runs in this process; part of the signal of the context. */
  stop: AbortController;
}

/** How many vehicles the records of a cache know, about. */
function expectedVehicles({ config, options }: ChunkContext): number {
  const folder = recordsFolder(options.cacheDir, config);
  const sizes = config.dealers.map(
    ({ id }) => statSync(path.join(folder, pieceName(id)), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / RECORDED;
}

/** The same with as much of the media line as one of several processes is to have. */
function shared(config: LoadedConfig, processes: number): LoadedConfig {
  const { downloads, encoders } = decideBounds(config.media, machine());
  const part = (whole: number) => Math.max(1, Math.floor(whole / processes));
  const media = { ...config.media, downloads: part(downloads), encoders: part(encoders) };
  return { ...config, media };
}

/**
 * Builds all dealers: here, and where there are enough of them on the other cores as well. The service
 * is asked for no more at a time than with one process.
 */
export async function buildDealers(
  context: ChunkContext,
  options: BuildDealersOptions,
): Promise<void> {
  const { start, progress, whole, vehicles = VEHICLES, onChunk, onInside, onBuilt, stop } = options;
  const { config } = context;
  const { signal } = context.options;
  const { concurrency } = config.service;
  const queue = [...config.dealers];
  const failures: Error[] = [];
  let processes = 1;
  const next = () => {
    if (whole) return queue.splice(0);
    // The last dealers are dealt out one by one, so that nobody waits long for the last process.
    const fair = processes === 1 ? concurrency : Math.ceil(queue.length / (2 * processes));
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
      // Without the error as its reason: a dealer that is being asked would be told to have that problem.
      stop.abort();
    },
    signal,
  });
  const begin = (remaining: number) => {
    const { cores, memory } = machine();
    const most = Math.min(cores, concurrency, Math.floor(memory / PER_PROCESS));
    const more = Math.min(most - 1, Math.floor(remaining), queue.length);
    if (whole || processes > 1 || more < 1) return;
    processes = more + 1;
    context.config = shared(config, processes);
    pool.start(more);
  };
  // Starting processes takes half a second. Where nothing is published here, all pages are made.
  const enough = context.lists.dealers ? 3 : 1;
  const expected = expectedVehicles(context) / vehicles;
  // Else it is known when a chunk is full and dealers are left.
  if (expected >= enough) begin(expected);
  if (queue.length === 0) {
    // A shard may have no dealers.
    const chunk = newChunk();
    onChunk(chunk);
    onInside(await buildChunk([], context, chunk));
    onBuilt(chunk);
  }
  try {
    await buildChunkes(context, {
      take: next,
      vehicles,
      onChunk,
      onLoaded: () => begin(queue.length),
      onBuilt: (chunk, inside) => {
        onInside(inside);
        onBuilt(chunk);
        if (queue.length > 0) collectAllGarbage();
      },
    });
    await pool.done();
  } catch (error) {
    throw failures[0] ?? error;
  }
}
