import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { printable } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { Fingerprints } from '../../record/pictures.ts';
import { fingerprintOf, outputName, withOutputs } from '../fingerprint.ts';
import type { Outcome, Store } from '../ports.ts';
import { openTools, pictureProcessor, type Tools } from '../process/process-picture.ts';
import { isOutputName } from '../recipes.ts';
import { outputsIn } from '../stores/intact-outputs.ts';
import { putOutputOnce } from '../stores/put-output-once.ts';
import {
  fromBytes,
  type JobData,
  jobSchema,
  type PlanFile,
  planFileSchema,
  planName,
  type ResultFile,
  resultName,
  toBytes,
  toResult,
  toWork,
} from '../stores/work-files.ts';
import type { QueueAddress } from './connection.ts';
import { withTimeout } from './timeouts.ts';
import { VehicleTurns } from './turns.ts';

/**
 * Milliseconds after which the lock of a dead worker expires, so that its job goes to another one, after
 * at most twice this time. If a machine pauses for longer than that, a job is done twice.
 */
const LOCK = 5000;
/** Vehicles at the same time: the next one is downloaded while the last pictures are encoded. */
const VEHICLES = 2;
/** Milliseconds that a closing worker waits for Redis once its vehicles are done. */
const CLOSE_TIMEOUT = 5000;
/** Milliseconds that figures may take: less than the ten seconds of a container's health check. */
const METRICS_PATIENCE = 5000;
/** Plans that are cached, each for all vehicles of its dealer. */
const CACHED_PLANS = 8;

export interface WorkerOptions {
  queue: QueueAddress;
  store: Store;
  media: MediaConfig;
  baseUrl: string;
  /** Called with a line for each finished vehicle and each problem. */
  notify?: (line: string) => void;
}

export interface RunningWorker {
  /**
   * Figures of the queue, as Prometheus reads them.
   * @throws {UnreachableError} Redis does not answer within five seconds.
   */
  metrics: () => Promise<string>;
  /** Finishes the vehicles in progress. Connections to an unreachable Redis may stay open. */
  close: () => Promise<void>;
}

/** Takes vehicles from the queue and makes their thumbnails, until it is closed. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { queue, store, media, baseUrl, notify = () => {} } = options;
  const scratch = store.folder ?? (await mkdtemp(path.join(tmpdir(), 'media-worker-')));
  const folder = path.join(scratch, 'files');
  const tools = openTools({ baseUrl, media, folder });
  const plans = new Map<string, Promise<PlanFile | undefined>>();
  const readPlan = (data: JobData) => {
    const name = planName(data);
    let plan = plans.get(name);
    if (!plan) {
      plan = store.get(name).then((bytes) => bytes && fromBytes(planFileSchema, bytes));
      // A failed read is not cached: the store may be reachable for the next vehicle.
      plan.catch(() => plans.delete(name));
      plans.set(name, plan);
      const [oldest] = plans.keys();
      if (plans.size > CACHED_PLANS && oldest !== undefined) plans.delete(oldest);
    }
    return plan;
  };

  const turns = new VehicleTurns();
  const underWay = new Set<Promise<string>>();
  const work = (job: Job): Promise<string> => {
    const done = workOn(job);
    underWay.add(done);
    const forget = () => underWay.delete(done);
    done.then(forget, forget);
    return done;
  };
  const workOn = async (job: Job): Promise<string> => {
    const data = jobSchema.safeParse(job.data).data;
    if (!data) throw new UnrecoverableError('the job is of another version of this program');
    // A former worker may have died after it stored the result.
    if (await store.has(resultName(data))) return 'there';
    const plan = await readPlan(data);
    const items = plan?.vehicles[data.vehicle];
    // The plan was removed: its run has ended.
    if (!plan || !items) return 'gone';
    const started = performance.now();
    const again = job.stalledCounter > 0 || job.attemptsMade > 0;
    const options = { store, tools, folder, plan, again };
    const outcomes = await turns.take(again, () => workOnVehicle(data, job, options));
    const result: ResultFile = {
      version: 4,
      worker: `${hostname()}/${process.pid}`.slice(0, 200),
      outcomes,
    };
    await store.put(resultName(data), toBytes(result), { once: true });
    const made = outcomes.reduce((sum, one) => sum + (one.ok ? one.made.length : 0), 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    notify(
      `${data.dealer}/${data.vehicle}: ${countText(outcomes.length, 'picture')}, ${countText(made, 'thumbnail')}, ${seconds} s`,
    );
    return 'done';
  };

  const worker = new Worker(queue.name, work, {
    connection: queue.connection,
    prefix: queue.prefix,
    concurrency: VEHICLES,
    lockDuration: LOCK,
    stalledInterval: LOCK / 2,
    // A job fails at its second death; the coordinator finds the picture that caused it.
    maxStalledCount: 1,
    runRetryDelay: 1000,
    removeOnComplete: { count: 0 },
    metrics: { maxDataPoints: 60 * 24 },
  });
  let lastSaid = '';
  worker.on('error', ({ message }) => {
    // While Redis is away the same error comes again and again.
    if (message !== lastSaid) notify(`Queue: ${printable(message)}`);
    lastSaid = message;
  });
  worker.on('failed', (job, { message }) => {
    notify(`${printable(job?.id ?? 'a job')} failed: ${printable(message)}`);
  });
  let figures: Queue | undefined;
  return {
    metrics: () => {
      if (!figures) {
        figures = new Queue(queue.name, { connection: queue.connection, prefix: queue.prefix });
        // The worker's own connection has the same errors, and tells them once.
        figures.on('error', () => {});
      }
      return withTimeout(figures.exportPrometheusMetrics(), METRICS_PATIENCE, undefined);
    },
    close: async () => {
      const closing = Promise.allSettled([worker.close(), figures?.close()]);
      // No vehicle starts after this. Those in progress store their results, which needs no Redis.
      await Promise.allSettled(underWay);
      await Promise.race([closing, sleep(CLOSE_TIMEOUT, undefined, { ref: false })]);
      await tools[Symbol.asyncDispose]();
      if (store.folder === undefined) await rm(scratch, { recursive: true, force: true });
    },
  };
}

interface VehicleOptions {
  store: Store;
  tools: Tools;
  folder: string;
  plan: PlanFile;
  /** An earlier try was interrupted. */
  again: boolean;
}

/** Makes the pictures of one vehicle. */
async function workOnVehicle(
  { vehicle, skip }: JobData,
  job: Pick<Job, 'updateProgress'>,
  { store, tools, folder, plan, again }: VehicleOptions,
) {
  const items = plan.vehicles[vehicle] ?? [];
  const looked = new Set(items.flatMap(({ key, look }) => (look ? [key] : [])));
  // An earlier try may have stored outputs; in a folder the check costs almost nothing.
  const isLookedFor = again || store.folder !== undefined;
  const processPicture = pictureProcessor(tools, {
    existing: new Set(items.flatMap(({ have = [] }) => have)),
    contents: new Map(
      items.flatMap(({ entry, content }) => (entry && content ? [[entry.hash, content]] : [])),
    ),
    look: async (hash, { source }) =>
      isLookedFor || looked.has(source.key) ? storedOutputs(store, hash) : {},
  });
  const { downloads, encoders } = tools.bounds;
  const left = items.flatMap((item, at) => (skip.includes(at) ? [] : [{ item, at }]));
  return pMap(
    left,
    async ({ item, at }) => {
      // After the death of a worker, the next one reports each picture before it processes it.
      if (again) await job.updateProgress({ at });
      const work = toWork(item, plan.recipes[item.recipes] ?? [], vehicle);
      return toResult(work, await deliver(await processPicture(work), store, folder));
    },
    { concurrency: again ? 1 : downloads + encoders },
  );
}

/** Outputs of a picture in the store, where an earlier try may have put them. */
async function storedOutputs(store: Store, hash: string): Promise<Fingerprints> {
  if (store.folder !== undefined) return outputsIn(path.join(store.folder, 'files'), hash);
  const names = await store.list(`files/${outputName(hash, '-')}`);
  // Objects are put completely or not at all, so an existing one is intact.
  const found = names.map(async (file) => {
    const name = file.slice('files/'.length);
    const bytes = isOutputName(name) ? await store.get(file) : undefined;
    return bytes ? [{ name, fingerprint: fingerprintOf(bytes) }] : [];
  });
  return withOutputs({}, (await Promise.all(found)).flat());
}

/** Puts new outputs into a store that is no folder; returns the outcome with what the store has. */
async function deliver(outcome: Outcome, store: Store, folder: string): Promise<Outcome> {
  if (store.folder !== undefined || !outcome.ok) return outcome;
  const there = await pMap(
    outcome.made,
    async ({ name }) => {
      const file = path.join(folder, name);
      const { fingerprint } = await putOutputOnce(store, name, await readFile(file));
      await rm(file, { force: true });
      return { name, fingerprint };
    },
    { concurrency: 4 },
  );
  const { content } = outcome;
  return { ...outcome, content: { ...content, outputs: withOutputs(content.outputs, there) } };
}
