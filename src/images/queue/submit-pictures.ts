import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue } from 'bullmq';
import pMap from 'p-map';
import { printable } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import { suffixIn } from '../fingerprint.ts';
import type { Outcome, PictureTask, PictureTaskPlan, ProcessPictures } from '../process/tasks.ts';
import { outputNames } from '../recipes.ts';
import { copyOutput } from '../stores/folder.ts';
import { isIntact } from '../stores/intact-outputs.ts';
import {
  jobOptions,
  noProgress,
  type QueueAddress,
  reportErrors,
  waitReason,
  withTimeout,
} from './connection.ts';
import {
  type JobData,
  type JobResult,
  jobName,
  progressSchema,
  resultSchema,
  toJob,
} from './jobs.ts';

interface SubmitOptions {
  queue: QueueAddress;
  /** Milliseconds without Redis, or without progress and any worker, until the run gives up. */
  timeout?: number;
  /** Called once when a run begins to wait. */
  notify?: (line: string) => void;
}

/** One vehicle that is not done. */
interface Pending {
  data: JobData;
  tasks: readonly PictureTask[];
  /** How often two workers died while this vehicle only waited for its turn. */
  waited: number;
}

/** Number of results that are read at the same time, and of outputs that are copied at the same time. */
const AT_ONCE = 16;
const CHUNK = 500;
/** After this many deaths of workers, a waiting vehicle also counts as a possible cause. */
const MAX_WAITS = 5;
/** States of a job that a worker has taken or will take. */
const HELD_STATES = ['waiting', 'active', 'delayed', 'prioritized'] as const;
/** BullMQ's message for a job whose workers died too often. */
const STALLED = /stalled more than/;
/** Milliseconds between two reads of finished vehicles. */
const POLL_INTERVAL = 500;
/** Milliseconds between two checks for vehicles that the queue has lost. */
const CHECK_INTERVAL = 5000;

/** Outcome of a picture that killed two workers. */
const WORKER_CRASHED: Outcome = {
  ok: false,
  code: 'picture-killed-worker',
  message: 'two workers crashed on it',
};

/**
 * Submits vehicles to workers and collects their results. Vehicles without a result are submitted again, which
 * has no effect while the queue still has their job. So the run survives the loss of the queue.
 */
export const submitPictures =
  (options: SubmitOptions): ProcessPictures =>
  async (plan, notify) => {
    if (plan.tasks.length === 0) return;
    await using run = new QueueRun(options, plan, notify);
    await run.start();
    await run.untilDone();
  };

class QueueRun implements AsyncDisposable {
  readonly #timeout: number;
  readonly #sendLine: (line: string) => void;
  readonly #plan: PictureTaskPlan;
  readonly #notify: (task: PictureTask, outcome: Outcome) => void;
  /** Vehicles that are not done, by the name of their job. */
  readonly #pending = new Map<string, Pending>();
  readonly #queue: Queue;
  readonly #lastError: () => string;
  #lastProgress = performance.now();
  /** Time of the last progress when waiting was last reported. */
  #reportedAt = 0;
  /** Whether the time limit is over. Then the queue has no more unstarted vehicles. */
  #isTimeOver = false;
  /** Whether jobs ended without a usable result since the last progress. */
  #undone = false;

  constructor(
    { queue, timeout = 300_000, notify: sendLine = () => {} }: SubmitOptions,
    plan: PictureTaskPlan,
    notify: (task: PictureTask, outcome: Outcome) => void,
  ) {
    this.#timeout = timeout;
    this.#sendLine = sendLine;
    this.#plan = plan;
    this.#notify = notify;
    this.#queue = new Queue(queue.name, queue.options);
    // Permanent errors end the run at its timeout.
    this.#lastError = reportErrors(this.#queue, sendLine);
  }

  /** Puts the vehicles into the queue. */
  async start(): Promise<void> {
    const { tasks, existing } = this.#plan;
    for (const [dealer, dealerTasks] of Map.groupBy(tasks, ({ source }) => dealerOf(source.key))) {
      const byVehicle = Map.groupBy(dealerTasks, ({ source }) => source.vehicle);
      for (const [vehicle, vehicleTasks] of byVehicle) {
        const data = toJob(dealer, vehicle, vehicleTasks, existing);
        this.#pending.set(jobName(data), { data, tasks: vehicleTasks, waited: 0 });
      }
    }
    await this.#wait(this.#queue.waitUntilReady());
    // Failed jobs of an earlier build are tried again. Its results are used.
    for (const id of await this.#pendingIn('failed')) await this.#wait(this.#queue.remove(id));
    await this.#submit([...this.#pending.keys()]);
    await this.#gather(await this.#pendingIn('completed'));
  }

  async untilDone(): Promise<void> {
    const { signal } = this.#plan;
    let lastCheck = performance.now();
    while (this.#pending.size > 0) {
      await this.#removeUnstarted();
      const pause = Math.min(POLL_INTERVAL, this.#timeout / 2);
      await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
      await this.#gather(await this.#pendingIn('completed'));
      await this.#gather(await this.#pendingIn('failed'));
      if (performance.now() - lastCheck < Math.min(CHECK_INTERVAL, this.#timeout / 2)) continue;
      lastCheck = performance.now();
      if (this.#pending.size > 0) await this.#check();
    }
  }

  /** Once the time is over, removes the vehicles that no worker has started. */
  async #removeUnstarted(): Promise<void> {
    const { limit } = this.#plan;
    if (!limit?.time.isOver || this.#isTimeOver) return;
    this.#isTimeOver = true;
    await this.#gather(await this.#pendingIn('completed'));
    for (const [id, { tasks }] of this.#pending) {
      if (tasks.some((task) => limit.time.mayBegin(task, limit.urgent))) continue;
      if (await this.#wait(this.#queue.remove(id))) this.#pending.delete(id);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An unreachable Redis must not delay a run that has all results.
    const closed = withTimeout(this.#queue.close(), 2000);
    await closed.catch(() => void this.#queue.disconnect().catch(() => {}));
  }

  async #pendingIn(state: 'completed' | 'failed'): Promise<string[]> {
    const ids = await this.#wait(this.#queue.getRanges([state], 0, -1));
    return ids.filter((id) => this.#pending.has(id));
  }

  /** Submits vehicles that the queue lost, and checks that the run may go on waiting. */
  async #check(): Promise<void> {
    const idle = performance.now() - this.#lastProgress;
    const heldJobs = await this.#wait(this.#queue.getJobCountByTypes(...HELD_STATES));
    // Adding thousands of existing jobs again would only load Redis.
    if (heldJobs < this.#pending.size || idle > CHECK_INTERVAL) {
      for (const pending of this.#pending.values()) {
        pending.data = { ...pending.data, again: true };
      }
      await this.#submit([...this.#pending.keys()]);
    }
    await this.#mayWait(idle);
  }

  /** Checks that the run may go on waiting, and reports the wait. */
  async #mayWait(idle: number): Promise<void> {
    const timeout = this.#timeout;
    const isReported = this.#reportedAt === this.#lastProgress;
    if (idle < timeout && (isReported || idle < timeout / 10)) return;
    const workers = await this.#wait(this.#queue.getWorkersCount());
    const state = { vehicles: this.#pending.size, workers, idle, undone: this.#undone };
    if (idle < timeout) {
      this.#reportedAt = this.#lastProgress;
      const limit = `Gives up after ${Math.round(timeout / 1000)} s.`;
      const vehicles = countText(state.vehicles, 'vehicle');
      this.#sendLine(`Waiting for thumbnails of ${vehicles}. ${waitReason(state)} ${limit}`);
      return;
    }
    // A vehicle in progress may take any time.
    const active = await this.#wait(this.#queue.getActiveCount());
    if (workers > 0 && active > 0 && !this.#undone && idle < timeout * 6) return;
    throw noProgress(state);
  }

  /** Takes the results of finished vehicles, and handles failed ones. */
  async #gather(ids: readonly string[]): Promise<void> {
    await pMap(ids, (id) => this.#take(id), { concurrency: AT_ONCE });
  }

  async #take(id: string): Promise<void> {
    const pending = this.#pending.get(id);
    const job = pending && (await this.#wait(this.#queue.getJob(id)));
    if (!job) return;
    const state = await this.#wait(job.getState());
    if (state !== 'completed' && state !== 'failed') return;
    const result = resultSchema.safeParse(job.returnvalue).data;
    const isUsable = state === 'completed' && result && (await this.#fetch(pending.tasks, result));
    // Reported before the job is removed, so that a run that is stopped here loses no result.
    if (isUsable)
      this.#finish(id, pending, new Map(result.outcomes.map((outcome) => [outcome.key, outcome])));
    await this.#wait(job.remove());
    if (isUsable) return;
    if (state === 'failed') return this.#failed(id, pending, job);
    // A worker returned the job undone, or its outputs are missing. The next check submits it again.
    this.#undone = true;
  }

  /** Reports the outcomes of a finished vehicle. */
  #finish(id: string, { tasks }: Pending, outcomes: ReadonlyMap<string, Outcome>): void {
    this.#pending.delete(id);
    this.#lastProgress = performance.now();
    this.#undone = false;
    // Only skipped pictures have no outcome.
    for (const task of tasks) this.#notify(task, outcomes.get(task.source.key) ?? WORKER_CRASHED);
  }

  async #failed(id: string, pending: Pending, job: Job): Promise<void> {
    const at = progressSchema.safeParse(job.progress).data?.at;
    const { skip } = pending.data;
    const isStalled = STALLED.test(job.failedReason);
    // Two workers died while this vehicle waited for another one: it is not the cause.
    const isBystander = isStalled && at === undefined && pending.waited++ < MAX_WAITS;
    // Two workers died, the second one with only this picture: it is skipped, and the others are tried again.
    const isCulprit = isStalled && at !== undefined && !skip.includes(at);
    if (isCulprit) pending.data = { ...pending.data, skip: [...skip, at] };
    if (isBystander || isCulprit) {
      this.#lastProgress = performance.now();
      return this.#submit([id]);
    }
    const message = printable(job.failedReason).slice(0, 300);
    const failure: Outcome = { ok: false, code: 'worker-failed', message };
    const outcomes = new Map(pending.tasks.map(({ source }) => [source.key, failure]));
    return this.#finish(id, pending, outcomes);
  }

  /** Adds jobs. Existing jobs remain unchanged. */
  async #submit(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += CHUNK) {
      const jobs = ids.slice(start, start + CHUNK).flatMap((id) => {
        const pending = this.#pending.get(id);
        return pending ? [{ name: 'vehicle', data: pending.data, opts: jobOptions(id) }] : [];
      });
      await this.#wait(this.#queue.addBulk(jobs));
    }
  }

  /**
   * Copies the outputs of a vehicle from the store, or finds them in the shared folder.
   *
   * @returns whether all of them match the worker's report.
   */
  async #fetch(tasks: readonly PictureTask[], { outcomes }: JobResult): Promise<boolean> {
    const { folder, existing, store } = this.#plan;
    const recipes = new Map(tasks.map(({ source }) => [source.key, source.recipes]));
    const missing = outcomes.flatMap((outcome) => {
      if (!outcome.ok) return [];
      const { key, entry, content } = outcome;
      return outputNames({ hash: entry.hash, ...content }, recipes.get(key) ?? [])
        .filter((name) => !existing.has(name))
        .map((name) => ({ name, fingerprint: content.outputs[suffixIn(name)] ?? '' }));
    });
    const copy = async ({ name, fingerprint }: (typeof missing)[number]): Promise<boolean> => {
      const isHere = store
        ? 'bytes' in (await copyOutput(store, folder, name, fingerprint))
        : isIntact(path.join(folder, name), fingerprint);
      if (isHere) existing.add(name);
      return isHere;
    };
    return (await pMap(missing, copy, { concurrency: AT_ONCE })).every(Boolean);
  }

  #wait<T>(response: Promise<T>): Promise<T> {
    return withTimeout(response, this.#timeout, this.#plan.signal, this.#lastError);
  }
}
