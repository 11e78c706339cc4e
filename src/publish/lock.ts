import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GateError } from '../errors.ts';

/**
 * Holds a folder for one build. The lock is SQLite's, so it is the kernel's: it ends with the
 * process, however that ends, and nothing stale can stay behind.
 *
 * @throws {GateError} another build holds it.
 */
export function lockFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(path.join(folder, 'lock'));
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new GateError({
      code: 'build-already-running',
      what: 'Another build is running with the same output or cache folder.',
      why: `It holds ${path.join(folder, 'lock')}.`,
      fix: 'Wait until it has ended, or give this one folders of its own (--output, --cache).',
      cause,
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}
