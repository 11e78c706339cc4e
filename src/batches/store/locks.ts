import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, UnreachableError } from '../../errors.ts';
import { lockFile } from '../../lib/files/kernel-lock.ts';
import { ensurePrivateFile } from './places.ts';

/** How long one process waits for another's transaction or export, in milliseconds. */
export const BUSY_TIMEOUT = 30_000;

/** How long a pull waits for another: as long as a large answer over a slow line may take. */
const PULL_TIMEOUT = 600_000;
const PULL_PAUSE = 200;

/** SQLite's primary result code for "held by another connection" (sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5;

interface Lockable {
  readonly file: string;
}

export const busyError = (file: string, waited: number): UnreachableError =>
  new UnreachableError({
    code: 'store-busy',
    what: `The history ${file} is in use by another process.`,
    why: `It did not become free within ${waited / 1000} seconds.`,
    fix: 'Wait for the other command to end, and run this one again; nothing was changed.',
  });

/**
 * Locks a history, see {@link lockFile}. A history in memory needs no lock.
 *
 * @returns undefined if another process holds it.
 */
function lock(store: Lockable, kind: 'export' | 'pull', timeout: number): Disposable | undefined {
  if (store.file === ':memory:') return { [Symbol.dispose]: () => {} };
  const file = `${store.file}-${kind}-lock`;
  ensurePrivateFile(file, { create: true });
  if (statSync(file).size > 0) {
    throw new ConfigError({
      code: 'lock-foreign',
      what: `${file} is not a lock of this program.`,
      why: 'It holds something; a lock beside the history is always empty.',
      fix: 'Take the file away, or give the history another place with --store.',
    });
  }
  return lockFile(file, timeout);
}

/**
 * Lets one export of a history run at a time.
 *
 * @throws {UnreachableError} another export holds it for too long.
 * @throws {ConfigError} an unrelated file has the name of the lock.
 */
export function lockExports(store: Lockable): Disposable {
  const held = lock(store, 'export', BUSY_TIMEOUT);
  if (!held) throw busyError(store.file, BUSY_TIMEOUT);
  return held;
}

/**
 * Lets one pull of a history run at a time, from before its question until its response is stored.
 * Of two responses that were asked for at once it is unknown which is the newer one: the service
 * states no time. One after the other, the later is.
 *
 * @param waiting called once, if another pull is waited for.
 * @throws {UnreachableError} another pull holds it for too long.
 * @throws {ConfigError} an unrelated file has the name of the lock.
 */
export async function lockPulls(store: Lockable, waiting?: () => void): Promise<Disposable> {
  const until = performance.now() + PULL_TIMEOUT;
  for (let tries = 1; ; tries++) {
    const held = lock(store, 'pull', 0);
    if (held) return held;
    if (performance.now() > until) throw busyError(store.file, PULL_TIMEOUT);
    if (tries === 1) waiting?.();
    await pause(PULL_PAUSE);
  }
}
