import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, UnreachableError } from '../../errors.ts';
import { lockFile } from '../../lib/files/kernel-lock.ts';
import { ensurePrivateFile } from './places.ts';

/** How long a process waits for the transaction or export of another process, in milliseconds. */
export const BUSY_TIMEOUT = 30_000;

/** How long a pull waits for another pull, in milliseconds: enough for a large response over a slow connection. */
const PULL_TIMEOUT = 600_000;
const PULL_PAUSE = 200;

interface Lockable {
  readonly file: string;
}

export const busyError = (file: string, waited: number): UnreachableError =>
  new UnreachableError({
    code: 'store-busy',
    what: `The history ${file} is in use by another process.`,
    why: `It did not become free within ${waited / 1000} seconds.`,
    fix: 'Wait for the other command to end, and run this one again. Nothing was changed.',
  });

/**
 * Locks a history with {@link lockFile}. A history in memory needs no lock.
 *
 * @returns undefined if another process holds the lock.
 */
function lock(store: Lockable, kind: 'export' | 'pull', timeout: number): Disposable | undefined {
  if (store.file === ':memory:') return { [Symbol.dispose]: () => {} };
  const file = `${store.file}-${kind}-lock`;
  ensurePrivateFile(file, { create: true });
  if (statSync(file).size > 0) {
    throw new ConfigError({
      code: 'lock-foreign',
      what: `${file} is not a lock of this program.`,
      why: 'It is not empty. The lock of a history always is.',
      fix: 'Move the file away, or choose another history with --store.',
    });
  }
  return lockFile(file, timeout);
}

/**
 * Allows one export of a history at a time.
 *
 * @throws {UnreachableError} another export holds the lock for too long.
 * @throws {ConfigError} an unrelated file has the name of the lock.
 */
export function lockExports(store: Lockable): Disposable {
  const exportLock = lock(store, 'export', BUSY_TIMEOUT);
  if (!exportLock) throw busyError(store.file, BUSY_TIMEOUT);
  return exportLock;
}

/**
 * Allows one pull of a history at a time, from its request until its response is stored. Responses have no time, so
 * the order of two simultaneous responses would be unknown.
 *
 * @param waiting called once if the pull has to wait for another pull.
 * @throws {UnreachableError} another pull holds the lock for too long.
 * @throws {ConfigError} an unrelated file has the name of the lock.
 */
export async function lockPulls(
  store: Lockable,
  { waiting, signal }: { waiting?: () => void; signal?: AbortSignal },
): Promise<Disposable> {
  const until = performance.now() + PULL_TIMEOUT;
  for (let tries = 1; ; tries++) {
    const pullLock = lock(store, 'pull', 0);
    if (pullLock) return pullLock;
    if (performance.now() > until) throw busyError(store.file, PULL_TIMEOUT);
    if (tries === 1) waiting?.();
    await pause(PULL_PAUSE, undefined, { signal });
  }
}
