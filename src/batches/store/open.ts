import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, ConfigError } from '../../errors.ts';
import { renameDurably } from '../../lib/files/write.ts';
import { addChecksumFunction, addChecksums, checkHistory } from './check.ts';
import { BUSY_TIMEOUT, busyError, lockExports } from './locks.ts';
import { ensurePrivateFile, ensurePrivateFolder, refuseSiteFolder } from './places.ts';
import { FORM, TABLES } from './schema.ts';
import { transaction } from './sql.ts';
import { VIEWS } from './views.ts';

/** Identifies a history in the header of its database, so that the databases of other programs are never changed. */
const APPLICATION_ID = 0x4d56_6873;

/** The header of a database file (sqlite.org/fileformat.html#the_database_header). */
const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;

/** Suffixes of the files that SQLite writes next to a database: two logs of changes, and an index. */
const LOGS = ['-wal', '-journal'] as const;
const COMPANIONS = [...LOGS, '-shm'] as const;

export interface HistoryStore extends Disposable {
  readonly db: DatabaseSync;
  /** Absolute path, or `:memory:`. */
  readonly file: string;
  /** Base folders of the site's relative paths: no file with personal data is written to the site. */
  readonly bases: readonly string[];
  /** Whether this call created the history. */
  readonly begun: boolean;
  /** Messages for the user about changed file permissions. */
  readonly notes: readonly string[];
}

const notOurHistory = (file: string, why: string): ConfigError =>
  new ConfigError({
    code: 'store-foreign',
    what: `${file} is not a history of batches.`,
    why,
    fix: 'Name another file with --store. This one was not changed.',
  });

export const damaged = (file: string, why: string): AppError =>
  new AppError({
    code: 'store-corrupt',
    what: `The history ${file} is damaged.`,
    why,
    fix: `Delete ${file}-wal if it exists, restore the last backup, and pull again. The pull requests the missing days.`,
  });

const diskFull = (file: string): AppError =>
  new AppError({
    code: 'store-disk-full',
    what: `The history ${file} could not be written.`,
    why: 'The disk is full.',
    fix: 'Free some space and run the command again. The history is not damaged.',
  });

/** Errors by SQLite's primary result code (sqlite.org/rescode.html), or 4874: the index of the log does not fit. */
const SQLITE_ERRORS: Readonly<Record<number, (file: string) => AppError>> = {
  5: (file) => busyError(file, BUSY_TIMEOUT),
  11: (file) => damaged(file, 'SQLite reports that its structure is broken.'),
  13: diskFull,
  26: (file) => notOurHistory(file, 'It is not a SQLite database.'),
  4874: diskFull,
};

/** Explains an error of SQLite. Undefined for other errors. Omits SQLite's own messages. */
export function explainSqlite(error: unknown, file: string): AppError | undefined {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return (SQLITE_ERRORS[code] ?? SQLITE_ERRORS[code & 0xff])?.(file);
}

/**
 * Refuses a file that is not a history before anything is changed, including its permissions. An empty file is
 * never a new history: a history gets its name only when it is complete.
 *
 * @throws {ConfigError} `store-foreign`, `store-empty`, or `store-torn` if only the log is left.
 */
function refuseOtherDatabase(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) {
    const log = LOGS.map((suffix) => file + suffix).find((logFile) => {
      const stats = lstatSync(logFile, { throwIfNoEntry: false });
      return stats?.isFile() && stats.size > 0;
    });
    if (log === undefined) return;
    throw new ConfigError({
      code: 'store-torn',
      what: `The history ${file} is missing, but its log ${log} still exists.`,
      why: 'A new history would delete the log, which contains the rest of the old history.',
      fix: 'Restore the last backup of the history. To begin a new history, move the log away first.',
    });
  }
  if (stats.isDirectory()) throw notOurHistory(file, 'It is a folder. --store needs a file.');
  // Links and special files are refused elsewhere.
  if (!stats.isFile()) return;
  if (stats.size === 0) {
    throw new ConfigError({
      code: 'store-empty',
      what: `${file} is empty (0 bytes), so it is not a history of batches.`,
      why: 'A history is never empty. It was truncated, or another program created the file.',
      fix: 'Restore the last backup of the history. If there was never a history here, delete the file and pull again.',
    });
  }
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openSync(file, 'r');
  readSync(fd, header);
  closeSync(fd);
  if (header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID) return;
  throw notOurHistory(file, 'It is a file of another program.');
}

/** Whether there is a history at this path, or at least its log. */
export const storeExists = (file: string): boolean =>
  ['', ...LOGS].some((suffix) => existsSync(file + suffix));

/** Explains an unexpected error by damaged rows. Undefined if a check finds none. */
export function explainDamage(file: string): AppError | undefined {
  if (!storeExists(file)) return undefined;
  try {
    using db = connect(file);
    if (checkHistory(db).damage.length === 0) return undefined;
  } catch (error) {
    return explainSqlite(error, file);
  }
  return damaged(file, 'Some rows do not match their checksums. "status --check" lists them.');
}

/** @param create creates the tables of a new history. */
function connect(file: string, { create = false } = {}): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  try {
    addChecksumFunction(db);
    // Deleted text is overwritten with zeros. Sorting writes no temporary files.
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON');
    if (create) {
      transaction(db, () => {
        db.exec(TABLES);
        db.exec(VIEWS);
        addChecksums(db);
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORM}`);
      });
      // The file keeps this mode for every later connection. Before the transaction, it would move the tables from the
      // log to the file at the end of the connection, where SQLite reports no full disk.
      db.exec('PRAGMA journal_mode = WAL');
    }
    db.exec('PRAGMA synchronous = FULL');
    const version = db.prepare('PRAGMA user_version').get()?.user_version;
    if (version === FORM) return db;
    throw new ConfigError({
      code: 'store-newer',
      what: `The history ${file} was written by a newer version of this program.`,
      why: `Its format is ${version}. This program supports formats up to ${FORM}.`,
      fix: 'Update the program, or use a history of this version.',
    });
  } catch (error) {
    db.close();
    throw explainSqlite(error, file) ?? error;
  }
}

/**
 * Creates a history under a temporary name and renames it when it is complete, so that a killed process leaves no
 * empty file under the final name.
 *
 * @returns false if another process has created it.
 */
function begin(file: string): boolean {
  using _lock = lockExports({ file });
  if (existsSync(file)) return false;
  const unnamed = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    ensurePrivateFile(unnamed, { create: true });
    connect(unnamed, { create: true }).close();
    renameDurably(unnamed, file);
  } catch (error) {
    for (const suffix of ['', ...COMPANIONS]) rmSync(unnamed + suffix, { force: true });
    throw error;
  }
  return true;
}

/**
 * Opens the history, and creates it if there is none. The folder has mode 0700. The file and the files that SQLite
 * writes next to it have mode 0600.
 *
 * @param inMemory uses no file. For a dry run without a history.
 * @throws {ConfigError} the path is published, cached, a link, open to others or of another program, or the file is
 *   empty.
 * @throws {UnreachableError} another process uses it.
 */
export function openStore({
  file,
  bases,
  inMemory = false,
}: Pick<HistoryStore, 'file' | 'bases'> & { inMemory?: boolean }): HistoryStore {
  const place = inMemory ? ':memory:' : path.resolve(file);
  const notes: (string | undefined)[] = [];
  let begun = false;
  if (!inMemory) {
    refuseSiteFolder(place, 'The history', bases);
    refuseOtherDatabase(place);
    notes.push(ensurePrivateFolder(path.dirname(place), path.basename(place)));
    for (const suffix of ['', ...COMPANIONS]) notes.push(ensurePrivateFile(place + suffix));
    if (!existsSync(place)) begun = begin(place);
  }
  const db = connect(place, { create: inMemory });
  return {
    db,
    file: place,
    bases,
    begun,
    notes: notes.filter((note) => note !== undefined),
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}
