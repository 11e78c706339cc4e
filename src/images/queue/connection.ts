import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'bullmq';
import type { Secret } from '../../config/secret.ts';

/** Where the queue is, as BullMQ takes it. */
export interface QueueAddress {
  name: string;
  prefix: string;
  connection: ConnectionOptions;
}

/** Longest pause between two attempts to reach Redis again. */
const LONGEST_PAUSE = 2000;

/**
 * The queue of a store. Its name comes from the store, so that sites that share a Redis never meet;
 * a folder has other paths on other machines, so there `?queue=NAME` tells sites apart.
 *
 * @param url `redis://`, `rediss://` with user name and password if needed, or `unix:///path`; its
 *   form was checked where the environment was read.
 * @param storeUrl what tells stores apart; undefined for a folder.
 */
export function queueAddress(url: Secret, storeUrl: string | undefined): QueueAddress {
  const address = new URL(url.reveal());
  const { protocol, hostname, port, username, password, pathname } = address;
  const common = {
    // What waits for Redis goes on waiting: it comes back, or the run's own patience ends.
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

/** How a vehicle lies in the queue. */
export const jobOptions = (jobId: string) => ({
  jobId,
  // Against what passes: a store that is away, a full disk of one machine.
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000 },
  removeOnComplete: true,
  // The coordinator takes a failed job away; one whose coordinator is gone stays for a day.
  removeOnFail: { age: 24 * 3600 },
});
