import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Job, Queue, Worker } from 'bullmq';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { printable } from '../../errors.ts';
import { temporaryFolder } from '../../lib/files/temporary-folder.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { Console } from '../../lib/terminal/progress.ts';
import { OutputNames } from '../output-names.ts';
import { openTools, pictureProcessor } from '../process/process-picture.ts';
import { thumbnailsIn } from '../stores/folder.ts';
import { outputsIn } from '../stores/intact-outputs.ts';
import type { ThumbnailStore } from '../stores/thumbnail-store.ts';
import { type QueueAddress, reportErrors, withTimeout } from './connection.ts';
import { type JobData, type JobResult, jobSchema, toTasks } from './jobs.ts';

/**
 * Milliseconds after which the lock of a dead worker expires. Another worker takes its job after at most twice
 * this time. If a machine pauses for longer, the job is done twice.
 */
const LOCK = 5000;
/** Vehicles at the same time: the next one is downloaded while the last pictures are encoded. */
const VEHICLES = 2;
/** Milliseconds to wait for Redis at the end and for metrics: less than the 10 s of a container's health check. */
const TIMEOUT = 5000;

export interface WorkerOptions {
  queue: QueueAddress;
  /** The shared store. Without it, workers and build share the cache folder. */
  store: ThumbnailStore | undefined;
  cacheDir: string;
  media: MediaConfig;
  baseUrl: string;
  /** Called for each finished vehicle (`line`) and each problem (`warn`). */
  console: Pick<Console, 'line' | 'warn'>;
}

/**
 * Takes vehicles from the queue and makes their thumbnails. Its disposal finishes the vehicles in progress.
 * Connections to an unreachable Redis may stay open.
 */
export async function startWorker(options: WorkerOptions) {
  const { queue, store, media, baseUrl, cacheDir, console } = options;
  const scratch = store && (await temporaryFolder('media-worker-'));
  const folder = scratch?.path ?? thumbnailsIn(cacheDir);
  const tools = openTools({ baseUrl, media, folder });

  /** Makes the pictures of one vehicle. @param isRetry a worker died with it. */
  const makeOutputs = (data: JobData, job: Pick<Job, 'updateProgress'>, isRetry: boolean) => {
    const { items, skip } = data;
    // Workers that died, or a job that the queue lost, may have made some of the thumbnails.
    const again = isRetry || data.again;
    const processPicture = pictureProcessor(tools, {
      existing: new OutputNames(items.flatMap(({ have }) => have)),
      contents: new Map(
        items.flatMap(({ entry, content }) => (entry && content ? [[entry.hash, content]] : [])),
      ),
      folder,
      store,
      findOutputs: async (hash, { step }) => {
        // In a folder, the check is cheap.
        if (!store) return outputsIn(folder, hash);
        return again || step.because !== 'new' ? store.outputsOf(hash) : {};
      },
    });
    const { downloads, encoders } = tools.bounds;
    const remaining = [...toTasks(data).entries()].filter(([at]) => !skip.includes(at));
    return pMap(
      remaining,
      async ([at, task]) => {
        // After the death of a worker, the next one reports each picture before it processes it.
        if (isRetry) await job.updateProgress({ at });
        const outcome = await processPicture(task);
        for (const { name } of store && outcome.ok ? outcome.newOutputs : []) {
          await rm(path.join(folder, name), { force: true });
        }
        return { ...outcome, key: task.source.key };
      },
      { concurrency: isRetry ? 1 : downloads + encoders },
    );
  };
  const turns = new VehicleTurns();
  const work = async (job: Job): Promise<JobResult | undefined> => {
    const data = jobSchema.safeParse(job.data).data;
    // The job is of another version. The build reports that its vehicles come back undone.
    if (!data) return undefined;
    const start = performance.now();
    const isRetry = job.stalledCounter > 0 || job.attemptsMade > 0;
    const outcomes = await turns.take(isRetry, () => makeOutputs(data, job, isRetry));
    const thumbnails = outcomes.flatMap((outcome) => (outcome.ok ? outcome.newOutputs : []));
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.line(
      `${data.dealer}/${data.vehicle}: ${countText(outcomes.length, 'picture')}, ${countText(thumbnails.length, 'thumbnail')}, ${seconds} s`,
    );
    return { version: 1, outcomes };
  };

  const worker = new Worker(queue.name, work, {
    ...queue.options,
    concurrency: VEHICLES,
    lockDuration: LOCK,
    stalledInterval: LOCK / 2,
    // A job fails at the second death of a worker. The build then finds the picture that caused it.
    maxStalledCount: 1,
    runRetryDelay: 1000,
    metrics: { maxDataPoints: 60 * 24 },
  });
  reportErrors(worker, console.warn);
  worker.on('failed', (job, { message }) => {
    console.warn(`${printable(job?.id ?? 'a job')} failed: ${printable(message)}`);
  });
  let metricsQueue: Queue | undefined;
  return {
    /** Metrics in Prometheus format. @throws {UnreachableError} Redis does not respond within five seconds. */
    metrics: () => {
      // The worker's own connection reports the same errors.
      metricsQueue ??= new Queue(queue.name, queue.options).on('error', () => {});
      return withTimeout(metricsQueue.exportPrometheusMetrics(), TIMEOUT);
    },
    [Symbol.asyncDispose]: async () => {
      const closing = Promise.allSettled([worker.close(), metricsQueue?.close()]);
      // No vehicle starts after this. Vehicles in progress are finished, and another worker finds their outputs.
      await turns.settled();
      await withTimeout(closing, TIMEOUT).catch(() => {});
      await tools[Symbol.asyncDispose]();
      await scratch?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Schedules the vehicles that one worker processes at the same time. If a worker died, the next one processes
 * its vehicle without others. If that worker also dies, the vehicle is the cause.
 */
class VehicleTurns {
  /** Vehicles that were not tried before. */
  readonly #first = new Set<Promise<unknown>>();
  /** Resolves once all vehicles that are tried again are done. */
  #retries: Promise<unknown> = Promise.resolve();

  take<T>(isRetry: boolean, work: () => Promise<T>): Promise<T> {
    if (isRetry) {
      const turn = this.settled().then(work);
      this.#retries = turn.catch(() => {});
      return turn;
    }
    const turn = this.#retries.then(work);
    this.#first.add(turn);
    return turn.finally(() => this.#first.delete(turn));
  }

  /** Resolves once all vehicles so far are done. */
  settled(): Promise<unknown> {
    return Promise.allSettled([this.#retries, ...this.#first]);
  }
}
