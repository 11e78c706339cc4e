import { DatabaseSync } from 'node:sqlite';

/** SQLite's primary result codes for a lock held by another connection (sqlite.org/rescode.html). */
const HELD = [5, 6];

/**
 * Locks a file. SQLite takes the lock from the kernel, so it ends with the process, however that ends, and is
 * never stale.
 *
 * @param timeout milliseconds for which it is waited for; 0 tries once.
 * @returns undefined if another process holds it.
 * @throws SQLite's error if the file cannot be a lock.
 */
export function lockFile(file: string, timeout = 0): Disposable | undefined {
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const { errcode } = error as { errcode?: number };
    if (HELD.includes(Number(errcode) & 0xff)) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}
