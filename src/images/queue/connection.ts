import { hash } from 'node:crypto';
import type { Secret } from '../../config/secret.ts';
import { UnreachableError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';

/** Address of the queue, in BullMQ's form. */
export type QueueAddress = ReturnType<typeof queueAddress>;

/** Longest pause between two attempts to reach Redis again. */
const LONGEST_PAUSE = 2000;

/**
 * The queue of a store or a shared folder. Its name is derived from the store or folder, so sites can share a
 * Redis, and workers with another store or folder take no jobs.
 *
 * @param url `redis://`, `rediss://` with user name and password if needed, or `unix:///path`. Its
 *   form was checked when the environment was read.
 * @param store address of the store, or id of the folder.
 */
export function queueAddress(url: Secret, store: string) {
  const { protocol, pathname } = new URL(url.reveal());
  return {
    name: `pictures-${hash('sha256', store, 'hex').slice(0, 8)}`,
    options: {
      prefix: 'vehicle-media',
      connection: {
        url: protocol === 'unix:' ? decodeURIComponent(pathname) : url.reveal(),
        // Commands wait for Redis without limit. The timeout of the run ends the wait.
        maxRetriesPerRequest: null,
        retryStrategy: (attempt: number) => Math.min(LONGEST_PAUSE, attempt * 100),
      },
    },
  };
}

/** Options of a vehicle's job. */
export const jobOptions = (jobId: string) => ({
  jobId,
  // For transient faults, such as an unreachable store or a full disk of one machine.
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000 },
  // The build removes a job when it has the result. Without a build, the job expires after a day.
  removeOnComplete: { age: 24 * 3600 },
  removeOnFail: { age: 24 * 3600 },
});

/**
 * Waits for a response of Redis, even during a short outage.
 *
 * @param timeout milliseconds.
 * @throws {UnreachableError} there is no response within `timeout`.
 */
export async function withTimeout<T>(
  response: Promise<T>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const interruption = Promise.withResolvers<never>();
  const interrupt = () => interruption.reject(signal?.reason);
  const timer = setTimeout(() => interruption.reject(unreachable(timeout)), timeout);
  signal?.addEventListener('abort', interrupt, { once: true });
  // After the timeout, no caller handles a rejection of the response.
  response.catch(() => {});
  try {
    return await Promise.race([response, interruption.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}

const unreachable = (timeout: number): UnreachableError =>
  new UnreachableError({
    code: 'queue-unreachable',
    what: 'The queue could not be reached.',
    why: `Redis did not respond for ${Math.round(timeout / 1000)} s.`,
    fix: 'Check QUEUE_URL and that Redis is running, and build again. Finished work is kept. Without QUEUE_URL the build makes the thumbnails.',
  });

/** State of a run that waits. */
export interface QueueState {
  /** Vehicles that are not done. */
  vehicles: number;
  /** Workers that are connected. */
  workers: number;
  /** Milliseconds without a finished vehicle. */
  idle: number;
  /** Whether jobs ended without a result. */
  undone: boolean;
}

export function waitReason({ workers, idle, undone }: QueueState): string {
  const seconds = Math.round(idle / 1000);
  if (workers === 0) return `No worker was connected to the queue for ${seconds} s.`;
  if (!undone)
    return `${countText(workers, 'worker is', 'workers are')} connected, but none finished a vehicle for ${seconds} s.`;
  return `${countText(workers, 'worker is', 'workers are')} connected, but returned vehicles undone for ${seconds} s: they have another version of this program or another store.`;
}

/** Error of a run that waited too long for workers. */
export function noProgress(state: QueueState): UnreachableError {
  return new UnreachableError({
    code: state.workers > 0 ? 'queue-stuck' : 'queue-no-worker',
    what: `Thumbnails of ${countText(state.vehicles, 'vehicle')} were not made.`,
    why: waitReason(state),
    fix: 'Start workers (npm run worker) of the same version with the same QUEUE_URL and STORE_URL, and build again. Finished work is kept.',
  });
}
