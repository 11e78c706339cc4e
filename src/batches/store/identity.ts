import { closeSync, existsSync, lstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../errors.ts';

/** Marks a database as ours in its header, so that another program's database is never changed. */
export const APPLICATION_ID = 0x4d56_6873;

/** The header of a database file (sqlite.org/fileformat.html#the_database_header). */
const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;

/** Suffixes of the files in which SQLite logs changes that are not in the database yet. */
const LOGS = ['-wal', '-journal'] as const;

/** The error for a file that is not a history; the file was not changed. */
export const notOurHistory = (file: string, why: string): ConfigError =>
  new ConfigError({
    code: 'store-foreign',
    what: `${file} is not a history of batches.`,
    why,
    fix: 'Name another file with --store; nothing was changed in this one.',
  });

function headerOf(file: string): Buffer {
  const fd = openSync(file, 'r');
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(fd, header);
  closeSync(fd);
  return header;
}

/** The owner of a database according to its log; opened for reading, so the log stays unchanged. */
function ownerByLog(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const owner = db.prepare('PRAGMA application_id').get()?.application_id;
  db.close();
  return owner;
}

/** Size of a plain file; 0 where there is none. */
function sizeOf(file: string): number {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : 0;
}

/**
 * Refuses a file that is no history, before anything of it is touched: its rights too stay as they
 * are. An empty one is never a new history: this program gives a history its name when it is whole.
 *
 * @throws {ConfigError} `store-foreign`, `store-empty`, or `store-torn` where only the log is left.
 */
export function refuseOtherDatabase(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) {
    const log = LOGS.map((suffix) => file + suffix).find((one) => sizeOf(one) > 0);
    if (log === undefined) return;
    throw new ConfigError({
      code: 'store-torn',
      what: `The history ${file} is gone, but its log ${log} is still there.`,
      why: 'A new history would delete the log, and with it what is left of the old one.',
      fix: 'Put back the last copy of the history. If none is wanted, take the log away first.',
    });
  }
  if (stats.isDirectory()) throw notOurHistory(file, 'It is a folder; --store names a file.');
  // Links and the like are refused in words of their own.
  if (!stats.isFile()) return;
  if (stats.size === 0) {
    throw new ConfigError({
      code: 'store-empty',
      what: `${file} is empty (0 bytes), so it is no history of batches.`,
      why: 'A history is never empty: it was cut off, or another program made the file.',
      fix: 'Put back the last copy of the history. If there never was one here, take the file away and pull again.',
    });
  }
  const header = headerOf(file);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw notOurHistory(file, 'It is no SQLite database.');
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID) return;
  if (sizeOf(`${file}-wal`) > 0 && ownerByLog(file) === APPLICATION_ID) return;
  throw notOurHistory(file, 'It is a database of another program.');
}

/** Whether a history has been begun at this place, or at least its log is left there. */
export const storeExists = (file: string): boolean =>
  ['', ...LOGS].some((suffix) => existsSync(file + suffix));
