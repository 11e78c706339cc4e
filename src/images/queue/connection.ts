import { hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../../config/secret.ts';
import { printable, UnreachableError } from '../../errors.ts';
import { firstOfSignals } from '../../lib/abort.ts';
import { countText } from '../../lib/terminal/count-text.ts';

/** Address of the queue, in BullMQ's form. */
export type QueueAddress = ReturnType<typeof queueAddress>;

/**
 * The queue of a store or a shared folder. Its name is derived from the store or folder, so sites can share a
 * Redis, and workers with another store or folder take no jobs.
 *
 * @param url its form was checked when the environment was read. @param store its URL, or the id of the folder.
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
        retryStrategy: (attempt: number) => Math.min(2000, attempt * 100),
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

/** Reports the errors of a connection, each at most once a minute. @returns reads the last one. */
export function reportErrors(connection: Pick<EventEmitter, 'on'>, notify: (line: string) => void) {
  let last = '';
  const reported = new Map<string, number>();
  connection.on('error', ({ message }: Error) => {
    last = ` Last error: ${printable(message)}`;
    if (Date.now() - (reported.get(message) ?? 0) < 60_000) return;
    reported.set(message, Date.now());
    notify(`Queue: ${printable(message)}`);
  });
  return () => last;
}

/**
 * Waits for a response of Redis, even during a short outage.
 *
 * @param timeout milliseconds.
 * @throws {UnreachableError} Redis refuses, or there is no response within `timeout`.
 */
export function withTimeout<T>(
  response: Promise<T>,
  timeout: number,
  signal?: AbortSignal,
  lastError = () => '',
): Promise<T> {
  const ended = new AbortController();
  const late = async () => {
    await sleep(timeout, undefined, { signal: firstOfSignals(ended.signal, signal) });
    throw unusable(`Redis did not respond for ${Math.round(timeout / 1000)} s.${lastError()}`);
  };
  // Such as OOM, READONLY and MISCONF.
  const refused = ({ message }: Error) =>
    Promise.reject(unusable(`Redis refused a command: ${printable(message)}`));
  return Promise.race([response.catch(refused), late()]).finally(() => ended.abort());
}

const unusable = (why: string): UnreachableError =>
  new UnreachableError({
    code: 'queue-unreachable',
    what: 'The queue could not be used.',
    why,
    fix: 'Check QUEUE_URL and that Redis is running, and build again. Finished work is kept. Without QUEUE_URL the build makes the thumbnails.',
  });

/** State of a run that waits. */
interface QueueState {
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
