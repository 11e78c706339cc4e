import { createHash } from 'node:crypto';
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
 * The queue of a store. Its name is derived from the store, so that sites can share a Redis. A folder has
 * different paths on different machines, so there `?queue=NAME` names the queue.
 *
 * @param url `redis://`, `rediss://` with user name and password if needed, or `unix:///path`; its
 *   form was checked where the environment was read.
 * @param storeUrl address of the store; undefined for a folder.
 */
export function queueAddress(url: Secret, storeUrl: string | undefined): QueueAddress {
  const address = new URL(url.reveal());
  const { protocol, hostname, port, username, password, pathname } = address;
  const common = {
    // Commands wait for Redis without limit: it comes back, or the run's own timeout ends the wait.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt: number) => Math.min(LONGEST_PAUSE, attempt * 100),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  const store = createHash('sha256')
    .update(storeUrl ?? '')
    .digest('hex')
    .slice(0, 8);
  return {
    name: `pictures-${address.searchParams.get('queue') ?? (storeUrl ? store : 'folder')}`,
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
  removeOnComplete: true,
  // The coordinator removes a failed job; without a coordinator it stays for a day.
  removeOnFail: { age: 24 * 3600 },
});
