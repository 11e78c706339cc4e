import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, ConfigError, UnreachableError } from '../../errors.ts';
import { refuseForeignPlace } from './location.ts';
import { MIGRATIONS } from './migrations.ts';
import { ensurePrivateFile, ensurePrivateFolder } from './private-files.ts';

/** Says in the file's header whose it is, so that another program's database is never touched. */
const APPLICATION_ID = 0x4d56_6873;

/** How long one process waits for another's transaction, in milliseconds. */
export const BUSY_TIMEOUT = 30_000;

/** SQLite's primary result codes that this module tells apart (sqlite.org/rescode.html). */
const SQLITE = { busy: 5, locked: 6, corrupt: 11, full: 13, notADatabase: 26 } as const;

export interface Store extends Disposable {
  readonly db: DatabaseSync;
  /** Absolute path, or `:memory:`. */
  readonly file: string;
  /** What had to be narrowed while opening, for the reader. */
  readonly notes: readonly string[];
  close(): void;
}

export interface OpenOptions {
  file: string;
  /** Folders that the site's own folders are relative to. */
  bases: readonly string[];
  /** Opens nothing on disk; for a dry run without a history. */
  inMemory?: boolean;
}

/** Runs `work` in one transaction that has the write lock from its start; all of it or nothing. */
export function transaction<T>(
  db: DatabaseSync,
  work: () => T,
  { mode = 'IMMEDIATE', keep = true }: { mode?: 'IMMEDIATE' | 'DEFERRED'; keep?: boolean } = {},
): T {
  db.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    db.exec(keep ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

const foreign = (file: string, why: string) =>
  new ConfigError({
    code: 'store-foreign',
    what: `${file} is not a history of batches.`,
    why,
    fix: 'Name another file with --store; nothing was changed in this one.',
  });

function migrate(db: DatabaseSync, file: string): void {
  const version = pragma(db, 'user_version');
  const owner = pragma(db, 'application_id');
  if (owner === APPLICATION_ID && version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length && owner === APPLICATION_ID) {
    throw new ConfigError({
      code: 'store-newer',
      what: `The history ${file} was written by a newer version of this program.`,
      why: `Its form is ${version}; this program knows up to ${MIGRATIONS.length}.`,
      fix: 'Update the project, or use the store that belongs to this version.',
    });
  }
  const tables = pragma(db, 'schema_version');
  if (owner !== APPLICATION_ID && (tables !== 0 || version !== 0)) {
    throw foreign(file, 'It is a database of another program.');
  }
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index >= version) db.exec(step);
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
}

function prepare(db: DatabaseSync, file: string): void {
  // Deleted text is overwritten with zeros; sorting and VACUUM leave nothing in a temporary folder.
  db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON');
  const owner = pragma(db, 'application_id');
  if (owner !== APPLICATION_ID && pragma(db, 'schema_version') !== 0) {
    throw foreign(file, 'It is a database of another program.');
  }
  if (file !== ':memory:') db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  transaction(db, () => migrate(db, file));
}

/** SQLite's own words hold no data of a row, so they may be told. */
export function tellSqlite(error: unknown, file: string): AppError | undefined {
  if (error instanceof AppError || !(error instanceof Error) || !('errcode' in error)) {
    return undefined;
  }
  const code = Number(error.errcode) & 0xff;
  if (code === SQLITE.busy || code === SQLITE.locked) {
    return new UnreachableError({
      code: 'store-busy',
      what: `The history ${file} is in use by another process.`,
      why: `It did not become free within ${BUSY_TIMEOUT / 1000} seconds.`,
      fix: 'Wait for the other command to end, and run this one again; nothing was changed.',
    });
  }
  if (code === SQLITE.notADatabase) return foreign(file, 'It is no SQLite database.');
  if (code === SQLITE.corrupt) {
    return new AppError({
      code: 'store-corrupt',
      what: `The history ${file} is damaged.`,
      why: 'SQLite found its inner structure broken.',
      fix: 'Put back the last copy of it, and pull again: the window fills what is missing.',
    });
  }
  if (code === SQLITE.full) {
    return new AppError({
      code: 'store-disk-full',
      what: `The history ${file} could not be written.`,
      why: 'The disk is full.',
      fix: 'Make room and run the command again; nothing was changed.',
    });
  }
  return undefined;
}

function connect(file: string): DatabaseSync {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 1; ; tries++) {
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
    try {
      prepare(db, file);
      return db;
    } catch (error) {
      db.close();
      // Turning WAL on does not wait for a lock, so two first openings may meet here.
      const busy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE.busy;
      if (!busy || tries >= 100) throw tellSqlite(error, file) ?? error;
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}

/**
 * Opens the history, makes it where it is missing, and brings it to the present form. The file is
 * 0600 in a folder 0700, and so are the two files that SQLite keeps beside it.
 *
 * @throws {ConfigError} the place is published, cached, a link, open to others, or of another
 *   program.
 * @throws {UnreachableError} another process holds it.
 */
export function openStore({ file, bases, inMemory = false }: OpenOptions): Store {
  const where = inMemory ? ':memory:' : path.resolve(file);
  const notes: (string | undefined)[] = [];
  if (!inMemory) {
    refuseForeignPlace(where, 'The history', bases);
    notes.push(ensurePrivateFolder(path.dirname(where), path.basename(where)));
    notes.push(ensurePrivateFile(where, { create: true }));
    for (const suffix of ['-wal', '-shm', '-journal'])
      notes.push(ensurePrivateFile(where + suffix));
  }
  const db = connect(where);
  const close = () => {
    if (db.isOpen) db.close();
  };
  return {
    db,
    file: where,
    notes: notes.filter((note) => note !== undefined),
    close,
    [Symbol.dispose]: close,
  };
}

/** Whether a history has been begun at this place. */
export const storeExists = (file: string): boolean => existsSync(path.resolve(file));
