import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import pMap from 'p-map';
import { printable } from '../../errors.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { Outcome, PictureTask, PictureTaskPlan, Runner, Store } from '../ports.ts';
import {
  fromBytes,
  isResult,
  type JobData,
  KILLER,
  planName,
  progressSchema,
  resultFileSchema,
  resultName,
  toBytes,
  toPlanFile,
  UNANSWERED,
  WORK,
} from '../stores/work-files.ts';
import { jobOptions, type QueueAddress } from './connection.ts';
import { noProgress, waiting, withTimeout } from './timeouts.ts';

export interface QueueRunnerOptions {
  queue: QueueAddress;
  store: Store;
  /** Milliseconds without Redis, or without progress and any worker, until the run gives up. */
  patience?: number;
  /** Called once when a run begins to wait. */
  say?: (line: string) => void;
}

/** One vehicle that is not done. */
interface Pending {
  data: JobData;
  works: readonly PictureTask[];
  /** Indexes of the pictures that killed their workers. */
  killers: Set<number>;
  /** How often two workers died while it only waited for its turn. */
  waited: number;
}

/** Jobs that are added, and results that are read, at the same time. */
const AT_ONCE = 16;
const CHUNK = 500;
/** A vehicle that waited during this many deaths of workers is itself taken for a possible cause. */
const MOST_WAITS = 5;
/** States of a job that a worker has taken or will take. */
const HELD = ['waiting', 'active', 'delayed', 'prioritized'] as const;
/** BullMQ's message for a job whose workers died too often. */
const STALLED = /stalled more than/;

/**
 * Submits vehicles to workers and collects their results from the store. A vehicle is done once its
 * result is in the store; events of the queue only tell which to read first. Vehicles without a result
 * are submitted again, which has no effect while the queue still has their job, so the queue may lose
 * everything.
 */
export function queueRunner(options: QueueRunnerOptions): Runner {
  return {
    async run(plan, notify) {
      if (plan.works.length === 0) return;
      const run = new QueueRun(options, plan, notify);
      await run.start();
      try {
        await run.untilDone();
      } finally {
        await run.close();
      }
    },
  };
}

class QueueRun {
  readonly #options: Required<QueueRunnerOptions>;
  readonly #plan: PictureTaskPlan;
  readonly #notify: (work: PictureTask, outcome: Outcome) => void;
  /** Milliseconds between two checks of store and queue, besides those after events. */
  readonly #lookEvery: number;
  readonly #id = randomBytes(8).toString('hex');
  /** Vehicles that are not done, by the name of their job. */
  readonly #pending = new Map<string, Pending>();
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  /** Jobs with an event since the last check. */
  readonly #woken = new Set<string>();
  #wake = () => {};
  #lastProgress = performance.now();
  /** Time of the last progress when waiting was last reported. */
  #spokenOf = 0;
  /** Whether jobs ended without a result since the last progress. */
  #undone = false;

  constructor(
    options: QueueRunnerOptions,
    plan: PictureTaskPlan,
    notify: (work: PictureTask, outcome: Outcome) => void,
  ) {
    const { patience = 300_000, say = () => {} } = options;
    this.#options = { ...options, patience, say };
    this.#lookEvery = Math.min(5000, patience / 2);
    this.#plan = plan;
    this.#notify = notify;
    const { name, connection, prefix } = options.queue;
    this.#queue = new Queue(name, { connection, prefix });
    this.#events = new QueueEvents(name, { connection, prefix });
    const woken = ({ jobId }: { jobId: string }) => {
      // Other builds may share the queue.
      if (!this.#pending.has(jobId)) return;
      this.#woken.add(jobId);
      this.#wake();
    };
    this.#events.on('completed', woken).on('failed', woken);
    // Lasting errors end the run by its timeout; short ones need no report.
    this.#queue.on('error', () => {});
    this.#events.on('error', () => {});
  }

  /** Puts the plan into the store and the vehicles into the queue. */
  async start(): Promise<void> {
    const byDealer = Map.groupBy(this.#plan.works, ({ source }) => dealerOf(source.key));
    await pMap(
      byDealer,
      async ([dealer, works]) => {
        const data = { dealer, plan: this.#id, skip: [] };
        const file = toPlanFile(works, this.#plan.existing);
        await this.#options.store.put(planName(data), toBytes(file));
        for (const [vehicle, own] of Map.groupBy(works, ({ source }) => source.vehicle)) {
          this.#pending.set(`${this.#id}-${dealer}-${vehicle}`, {
            data: { ...data, vehicle },
            works: own,
            killers: new Set(),
            waited: 0,
          });
        }
      },
      { concurrency: AT_ONCE },
    );
    await this.#withTimeout(this.#queue.waitUntilReady());
    await this.#submit([...this.#pending.keys()]);
  }

  async untilDone(): Promise<void> {
    const lookEvery = this.#lookEvery;
    let looked = performance.now();
    while (this.#pending.size > 0) {
      this.#plan.signal?.throwIfAborted();
      if (this.#woken.size === 0) await this.#pause(lookEvery);
      const woken = [...this.#woken].filter((id) => this.#pending.has(id));
      this.#woken.clear();
      await this.#gather(woken);
      if (performance.now() - looked < lookEvery) continue;
      looked = performance.now();
      await this.#look();
    }
  }

  async close(): Promise<void> {
    const closing = Promise.all([this.#queue.close(), this.#events.close()]);
    // An unreachable Redis must not delay a run that has all results.
    await Promise.race([closing.catch(() => {}), sleep(2000, undefined, { ref: false })]);
    await Promise.race([
      Promise.all([this.#queue.disconnect(), this.#events.disconnect()]).catch(() => {}),
      sleep(1000, undefined, { ref: false }),
    ]);
  }

  /** Collects results of pending vehicles, and submits those that neither store nor queue has. */
  async #look(): Promise<void> {
    const { store } = this.#options;
    const names = new Set(
      (await store.list(WORK)).filter((name) => isResult(name) && name.includes(this.#id)),
    );
    const there = [...this.#pending].filter(([, { data }]) => names.has(resultName(data)));
    await this.#gather(there.map(([id]) => id));
    if (this.#pending.size === 0) return;
    for (const job of await this.#withTimeout(this.#queue.getFailed(0, -1))) {
      if (job.id !== undefined && this.#pending.has(job.id)) await this.#gather([job.id]);
    }
    const idle = performance.now() - this.#lastProgress;
    const held = await this.#withTimeout(this.#queue.getJobCountByTypes(...HELD));
    // Adding thousands of existing jobs again would load Redis for nothing.
    if (held < this.#pending.size || idle > this.#lookEvery) {
      await this.#submit([...this.#pending.keys()]);
    }
    await this.#mayWait(idle);
  }

  /** Checks that the run may go on waiting, and reports the wait. */
  async #mayWait(idle: number): Promise<void> {
    const { patience, say } = this.#options;
    const spoken = this.#spokenOf === this.#lastProgress;
    if (idle < patience && (spoken || idle < patience / 10)) return;
    const workers = await this.#withTimeout(this.#queue.getWorkersCount());
    const state = { vehicles: this.#pending.size, workers, idle, undone: this.#undone };
    if (idle < patience) {
      this.#spokenOf = this.#lastProgress;
      say(waiting({ ...state, patience }));
      return;
    }
    // A vehicle in progress may take any time.
    const active = await this.#withTimeout(this.#queue.getActiveCount());
    if (workers > 0 && active > 0 && !this.#undone && idle < patience * 6) return;
    throw noProgress(state);
  }

  /** Takes the results of finished vehicles, and handles those that failed. */
  async #gather(ids: readonly string[]): Promise<void> {
    await pMap(
      ids,
      async (id) => {
        const pending = this.#pending.get(id);
        if (!pending) return;
        const bytes = await this.#options.store.get(resultName(pending.data));
        const result = bytes && fromBytes(resultFileSchema, bytes);
        if (!result) return this.#failed(id, pending);
        // A concurrent check may have taken it already.
        if (!this.#pending.delete(id)) return;
        this.#lastProgress = performance.now();
        this.#undone = false;
        const outcomes = new Map(result.outcomes.map((row) => [row.key, row]));
        pending.works.forEach((work, place) => {
          const row = outcomes.get(work.source.key);
          if (row) this.#notify(work, row);
          else this.#notify(work, pending.killers.has(place) ? KILLER : UNANSWERED);
        });
      },
      { concurrency: AT_ONCE },
    );
  }

  async #failed(id: string, pending: Pending): Promise<void> {
    const job = await this.#withTimeout(this.#queue.getJob(id));
    // A worker stores the result before it completes the job, so a job that ended without one is undone.
    if (!job) this.#undone = true;
    if (!job || !(await this.#withTimeout(job.isFailed()))) return;
    await this.#withTimeout(job.remove());
    const at = progressSchema.safeParse(job.progress).data?.at;
    if (STALLED.test(job.failedReason) && at === undefined && pending.waited++ < MOST_WAITS) {
      // Two workers died while this vehicle waited for another one: it is not the cause.
      this.#lastProgress = performance.now();
      await this.#submit([id]);
      return;
    }
    if (STALLED.test(job.failedReason) && at !== undefined && !pending.killers.has(at)) {
      // Two workers died, the second one with this picture alone: it is skipped, and the others are tried again.
      pending.killers.add(at);
      pending.data = { ...pending.data, skip: [...pending.killers] };
      this.#lastProgress = performance.now();
      await this.#submit([id]);
      return;
    }
    if (!this.#pending.delete(id)) return;
    this.#lastProgress = performance.now();
    const message = printable(job.failedReason).slice(0, 300);
    for (const work of pending.works) {
      this.#notify(work, { ok: false, code: 'worker-failed', message });
    }
  }

  /** Adds jobs; existing ones stay as they are. */
  async #submit(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += CHUNK) {
      const jobs = ids.slice(start, start + CHUNK).flatMap((id) => {
        const pending = this.#pending.get(id);
        return pending ? [{ name: 'vehicle', data: pending.data, opts: jobOptions(id) }] : [];
      });
      await this.#withTimeout(this.#queue.addBulk(jobs));
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const controller = new AbortController();
    this.#wake = () => controller.abort();
    const { signal } = this.#plan;
    const stop = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    await sleep(milliseconds, undefined, { signal: stop }).catch(() => {});
    this.#wake = () => {};
  }

  #withTimeout<T>(answer: Promise<T>): Promise<T> {
    return withTimeout(answer, this.#options.patience, this.#plan.signal);
  }
}
