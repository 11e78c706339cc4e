import { hash } from 'node:crypto';
import type { ConnectionOptions } from 'bullmq';
import type { Secret } from '../../config/secret.ts';

/** Address of the queue, in BullMQ's form. */
export interface QueueAddress {
  name: string;
  prefix: string;
  connection: ConnectionOptions;
}

/** Longest pause between two attempts to reach Redis again. */
const LONGEST_PAUSE = 2000;

/**
 * The queue of a store or a shared folder. Its name is derived from that, so sites can share a Redis, and
 * workers with another store or folder take no job.
 *
 * @param url `redis://`, `rediss://` with user name and password if needed, or `unix:///path`; its
 *   form was checked where the environment was read.
 * @param store address of the store, or id of the folder.
 */
export function queueAddress(url: Secret, store: string): QueueAddress {
  const address = new URL(url.reveal());
  const { protocol, hostname, port, username, password, pathname } = address;
  const common = {
    // Commands wait for Redis without limit: it comes back, or the run's own timeout ends the wait.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt: number) => Math.min(LONGEST_PAUSE, attempt * 100),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  return {
    name: `pictures-${hash('sha256', store, 'hex').slice(0, 8)}`,
    prefix: 'vehicle-media',
    connection:
      protocol === 'unix:'
        ? { ...common, path: decodeURIComponent(pathname) }
        : {
            ...common,
            host: hostname.replace(/^\[|\]$/g, ''),
            port: Number(port || 6379),
            db: Number(pathname.slice(1) || 0),
            ...(protocol === 'rediss:' && { tls: {} }),
          },
  };
}

/** Options of a vehicle's job. */
export const jobOptions = (jobId: string) => ({
  jobId,
  // For transient faults, such as an unreachable store or a full disk of one machine.
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000 },
  // The build removes a job when it has its result; without a build it stays for a day.
  removeOnComplete: { age: 24 * 3600 },
  removeOnFail: { age: 24 * 3600 },
});
