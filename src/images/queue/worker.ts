import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { printable } from '../../errors.ts';
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
import { VehicleTurns } from './turns.ts';

/**
 * A worker that is gone is noticed by its lock, and its job goes to another. Twice this is the
 * longest wait; a machine that stands still for longer than the lock costs a job done twice.
 */
const LOCK = 5000;
/** Vehicles at the same time: the next one is downloaded while the last pictures are encoded. */
const VEHICLES = 2;
/** Milliseconds that a worker which is told to end tries to reach Redis, once its vehicles are done. */
const LAST_WORDS = 5000;
/** A plan is read once for all vehicles of its dealer. */
const PLANS_KEPT = 8;

export interface WorkerOptions {
  queue: QueueAddress;
  store: Store;
  media: MediaConfig;
  baseUrl: string;
  /** Told of each vehicle that is done, and of what goes wrong. */
  notify?: (line: string) => void;
}

export interface RunningWorker {
  /** Figures of the queue, as Prometheus reads them. */
  metrics: () => Promise<string>;
  /** Finishes the vehicles under way; connections to a Redis that is away may outlive it. */
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
      // A store that could not be reached may be back for the next vehicle.
      plan.catch(() => plans.delete(name));
      plans.set(name, plan);
      const [oldest] = plans.keys();
      if (plans.size > PLANS_KEPT && oldest !== undefined) plans.delete(oldest);
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
    // The one before it may have died between its result and its good-bye.
    if (await store.has(resultName(data))) return 'there';
    const plan = await readPlan(data);
    const items = plan?.vehicles[data.vehicle];
    // Its run is over: there is nobody to do it for.
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
      `${data.dealer}/${data.vehicle}: ${outcomes.length} pictures, ${made} thumbnails, ${seconds} s`,
    );
    return 'done';
  };

  const worker = new Worker(queue.name, work, {
    connection: queue.connection,
    prefix: queue.prefix,
    concurrency: VEHICLES,
    lockDuration: LOCK,
    stalledInterval: LOCK / 2,
    // The second death of a job is its last; the coordinator finds out which picture it was.
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
      figures ??= new Queue(queue.name, { connection: queue.connection, prefix: queue.prefix });
      return figures.exportPrometheusMetrics();
    },
    close: async () => {
      const closing = Promise.allSettled([worker.close(), figures?.close()]);
      // No vehicle begins after this; the results of those under way go to the store, not to Redis.
      await Promise.allSettled(underWay);
      await Promise.race([closing, sleep(LAST_WORDS, undefined, { ref: false })]);
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
  /** An earlier try did not come to its end. */
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
  // An earlier try may have put them there; in a folder it costs next to nothing to ask.
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
      // Where a worker died, the next one says first what it is going to touch.
      if (again) await job.updateProgress({ at });
      const work = toWork(item, plan.recipes[item.recipes] ?? [], vehicle);
      return toResult(work, await deliver(await processPicture(work), store, folder));
    },
    { concurrency: again ? 1 : downloads + encoders },
  );
}

/** What lies in the store, where an earlier try may have put it. */
async function storedOutputs(store: Store, hash: string): Promise<Fingerprints> {
  if (store.folder !== undefined) return outputsIn(path.join(store.folder, 'files'), hash);
  const names = await store.list(`files/${outputName(hash, '-')}`);
  // They are put whole or not at all, so what was put just now is what was made.
  const found = names.map(async (file) => {
    const name = file.slice('files/'.length);
    const bytes = isOutputName(name) ? await store.get(file) : undefined;
    return bytes ? [{ name, fingerprint: fingerprintOf(bytes) }] : [];
  });
  return withOutputs({}, (await Promise.all(found)).flat());
}

/** Puts what was made into a store that is no folder; says what that has then. */
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
