import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, ConfigError } from '../../errors.ts';
import { renameDurably } from '../../lib/files/write.ts';
import { addChecksumFunction, addChecksums } from './checksums.ts';
import { clockNote } from './clock.ts';
import { APPLICATION_ID, notOurHistory, refuseOtherDatabase } from './identity.ts';
import { refuseSiteFolder } from './location.ts';
import { BUSY_TIMEOUT, busyError, lockExports } from './locks.ts';
import { ensurePrivateFile, ensurePrivateFolder } from './private-files.ts';
import { FORM, TABLES } from './schema.ts';
import { transaction } from './sql.ts';

/** SQLite's primary result codes that this module distinguishes (sqlite.org/rescode.html). */
const SQLITE = { busy: 5, locked: 6, corrupt: 11, full: 13, notADatabase: 26 } as const;

export interface HistoryStore extends Disposable {
  readonly db: DatabaseSync;
  /** Absolute path, or `:memory:`. */
  readonly file: string;
  /** Whether it was begun by this opening: there was none at this place. */
  readonly begun: boolean;
  /** What had to be narrowed while opening, and what is odd about its times, for the reader. */
  readonly notes: readonly string[];
  close(): void;
}

export interface OpenHistoryOptions {
  file: string;
  /** Folders that the site's own folders are relative to. */
  bases: readonly string[];
  /** Opens nothing on disk; for a dry run without a history. */
  inMemory?: boolean;
  now?: () => number;
}

/** Suffixes of the files that SQLite writes beside a database. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Creates the tables in a new file. */
function createTables(db: DatabaseSync, file: string): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') === APPLICATION_ID) {
    if (version === FORM) return;
    throw new ConfigError({
      code: 'store-newer',
      what: `The history ${file} was written by a newer version of this program.`,
      why: `Its form is ${version}; this program knows up to ${FORM}.`,
      fix: 'Update the project, or use the store that belongs to this version.',
    });
  }
  db.exec(TABLES);
  addChecksums(db);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORM}`);
}

function prepare(db: DatabaseSync, file: string): void {
  // Deleted text is overwritten with zeros; sorting and VACUUM leave nothing in a temporary folder.
  db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON');
  if (file !== ':memory:') db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  transaction(db, () => createTables(db, file));
}

export const damaged = (file: string, why: string): AppError =>
  new AppError({
    code: 'store-corrupt',
    what: `The history ${file} is damaged.`,
    why,
    fix: 'Put back the last copy of it, and pull again: the window fills what is missing.',
  });

/** SQLite's own messages hold no data of a row, so they may be shown. */
export function explainSqlite(error: unknown, file: string): AppError | undefined {
  if (error instanceof AppError || !(error instanceof Error) || !('errcode' in error)) {
    return undefined;
  }
  const code = Number(error.errcode) & 0xff;
  if (code === SQLITE.busy || code === SQLITE.locked) return busyError(file, BUSY_TIMEOUT);
  if (code === SQLITE.notADatabase) return notOurHistory(file, 'It is no SQLite database.');
  if (code === SQLITE.corrupt) return damaged(file, 'SQLite found its inner structure broken.');
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
      addChecksumFunction(db);
      prepare(db, file);
      return db;
    } catch (error) {
      db.close();
      // Turning WAL on does not wait for a lock, so two first openings may meet here.
      const busy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE.busy;
      if (!busy || tries >= 100) throw explainSqlite(error, file) ?? error;
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}

/**
 * Makes a history under another name and gives it its own when it is whole, so that a kill leaves
 * no empty file where a history is expected.
 *
 * @returns whether it was made here, and not by another process meanwhile.
 */
function begin(file: string): boolean {
  using _lock = lockExports({ file });
  if (existsSync(file)) return false;
  const unnamed = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    ensurePrivateFile(unnamed, { create: true });
    connect(unnamed).close();
    renameDurably(unnamed, file);
  } catch (error) {
    for (const suffix of ['', ...COMPANIONS]) rmSync(unnamed + suffix, { force: true });
    throw error;
  }
  return true;
}

/**
 * Opens the history, makes it where there is none, and brings it to the present form. The file is
 * 0600 in a folder 0700, and so are the two files that SQLite writes beside it.
 *
 * @throws {ConfigError} the place is published, cached, a link, open to others, or of another
 *   program; or what stands there is empty.
 * @throws {UnreachableError} another process holds it.
 */
export function openStore({
  file,
  bases,
  inMemory = false,
  now = Date.now,
}: OpenHistoryOptions): HistoryStore {
  const where = inMemory ? ':memory:' : path.resolve(file);
  const notes: (string | undefined)[] = [];
  let begun = false;
  if (!inMemory) {
    refuseSiteFolder(where, 'The history', bases);
    refuseOtherDatabase(where);
    notes.push(ensurePrivateFolder(path.dirname(where), path.basename(where)));
    for (const suffix of ['', ...COMPANIONS]) notes.push(ensurePrivateFile(where + suffix));
    if (!existsSync(where)) begun = begin(where);
  }
  const db = connect(where);
  notes.push(clockNote(db, now()));
  const close = () => {
    if (db.isOpen) db.close();
  };
  return {
    db,
    file: where,
    begun,
    notes: notes.filter((note) => note !== undefined),
    close,
    [Symbol.dispose]: close,
  };
}
