import { DatabaseSync } from 'node:sqlite';

/** SQLite's primary result codes for a lock held by another connection (sqlite.org/rescode.html). */
const LOCKED = [5, 6];

/**
 * Locks a file. SQLite uses a lock of the kernel, which ends with the process and is never stale.
 *
 * @param timeout milliseconds to wait for the lock. 0 tries once.
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
    if (LOCKED.includes(Number(errcode) & 0xff)) return undefined;
    throw error;
  }
  return database;
}
