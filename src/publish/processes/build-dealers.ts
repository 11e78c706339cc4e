import { statSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { fromPlainError } from '../../errors.ts';
import { decideBounds, machine } from '../../images/bounds.ts';
import { OutputNames } from '../../images/output-names.ts';
import { collectAllGarbage } from '../../lib/garbage-collection.ts';
import { pieceName } from '../../record/file.ts';
import { buildChunk, fetchChunks, type LocalChunk, VEHICLES } from '../build/build-chunk.ts';
import type { MainBuild } from '../build/context.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import { packConfig } from './messages.ts';
import { runWorker } from './worker.ts';

/** Dealers that the first process takes at a time before others have started. */
const FIRST_DEALERS = 4;
/** Estimated bytes of a vehicle with its pictures in a record. */
const RECORDED = 6000;
/** Bytes of memory that a process takes. */
const PER_PROCESS = 450 * 2 ** 20;

/** The results of all dealers, complete or not. */
export interface BuiltDealers {
  /** Chunks of dealers, unfinished ones included. In any order. */
  chunks: BuiltChunk[];
  /** Their thumbnails. Picture names take most of a chunk's memory, so all chunks share one set. */
  outputs: OutputNames;
  unpublished: OutputNames;
  /** Result of the last chunk in this process. */
  local?: LocalChunk;
  /** Why the build failed. */
  error?: unknown;
}

/** Estimated number of vehicles, from the size of the cached records. */
function expectedVehicles(dealers: LoadedConfig['dealers'], records: string): number {
  const sizes = dealers.map(
    ({ id }) => statSync(path.join(records, pieceName(id)), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / RECORDED;
}

/** The configuration with one process's share of the image pipeline. */
function withShare(config: LoadedConfig, processes: number): LoadedConfig {
  const { downloads, encoders } = decideBounds(config.media, machine());
  const part = (all: number) => Math.max(1, Math.floor(all / processes));
  const media = { ...config.media, downloads: part(downloads), encoders: part(encoders) };
  return { ...config, media };
}

/**
 * Builds all dealers, on several cores if there are enough. All processes together send no more requests at a
 * time than one process would. Never throws.
 */
export async function buildDealers(build: MainBuild): Promise<BuiltDealers> {
  const processes = new Processes(build);
  await processes.run();
  return processes.built;
}

/** Distributes the dealers of a build among processes, and collects the results. */
class Processes {
  readonly built: BuiltDealers = {
    chunks: [],
    outputs: new OutputNames(),
    unpublished: new OutputNames(),
  };
  readonly #build: MainBuild;
  /** Dealers that no process has taken. */
  readonly #queue: LoadedConfig['dealers'][number][];
  readonly #workers: Promise<void>[] = [];
  /** Minimum vehicles in a chunk. */
  readonly #vehicles: number;
  /** Whether all dealers are one chunk: custom pages need all vehicles. */
  readonly #isSingle: boolean;

  constructor(build: MainBuild) {
    const { userFiles, engines, run, options } = build;
    this.#build = build;
    this.#queue = [...options.config.dealers];
    this.#vehicles = run.chunkVehicles ?? VEHICLES;
    this.#isSingle = Boolean(userFiles.customPages ?? engines ?? run.onSite);
  }

  async run(): Promise<void> {
    const { records, published } = this.#build;
    // Starting processes takes half a second. It pays off sooner if no site is published, because all pages are made.
    const minChunks = published.dealers ? 3 : 1;
    const expected = expectedVehicles(this.#queue, records) / this.#vehicles;
    if (expected >= minChunks) this.#startWorkers(expected);
    try {
      for await (const fetched of fetchChunks(this.#build, () => this.#take(), this.#vehicles)) {
        // If the estimate was too low, workers start when dealers are left after a full chunk.
        this.#startWorkers(this.#queue.length);
        const { chunk, local, error } = await buildChunk(fetched, this.#build);
        if (local) this.built.local = local;
        this.#collect(chunk, error);
        if (error) break;
        if (this.#queue.length > 0) collectAllGarbage();
      }
    } catch (error) {
      this.#fail(error);
    }
    await Promise.all(this.#workers);
  }

  /** The next dealers for a process. */
  #take(): LoadedConfig['dealers'] {
    if (this.#isSingle) return this.#queue.splice(0);
    const { concurrency } = this.#build.options.config.service;
    // The last dealers are assigned one at a time, so that all processes end together.
    const processes = this.#workers.length + 1;
    const share = processes === 1 ? FIRST_DEALERS : Math.ceil(this.#queue.length / (2 * processes));
    return this.#queue.splice(0, Math.max(1, Math.min(share, Math.floor(concurrency / processes))));
  }

  #startWorkers(chunks: number): void {
    const { options, search, signal, notify } = this.#build;
    const { cores, memory } = machine();
    const maxProcesses = Math.min(cores, options.config.service.concurrency, memory / PER_PROCESS);
    const count = Math.floor(Math.min(maxProcesses - 1, chunks, this.#queue.length));
    if (this.#isSingle || this.#workers.length > 0 || count < 1) return;
    options.config = withShare(options.config, count + 1);
    const start = { ...options, config: packConfig(options.config), forms: search.forms };
    for (let number = 1; number <= count; number++) {
      const worker = runWorker({
        start,
        signal,
        take: () => this.#take().map(({ id }) => id),
        onMessage: (message) => {
          if ('progress' in message) return notify(message.progress, number);
          const { built, error } = message;
          this.#collect({ ...built, process: number }, error && fromPlainError(error));
        },
      });
      this.#workers.push(worker.catch((error: unknown) => this.#fail(error)));
    }
  }

  #collect(chunk: BuiltChunk, error: unknown): void {
    const { chunks, outputs, unpublished } = this.built;
    chunks.push(chunk);
    for (const [hash, ends] of chunk.outputs.splice(0)) outputs.addPictures(ends, [hash]);
    for (const [hash, ends] of chunk.unpublished.splice(0)) unpublished.addPictures(ends, [hash]);
    if (error) this.#fail(error);
  }

  #fail(error: unknown): void {
    this.built.error ??= error;
    // Aborts without a reason: the error would be recorded as a problem of the dealer being fetched.
    this.#build.stop.abort();
  }
}
