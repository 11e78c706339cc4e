import { randomBytes } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { renameDurably } from '../../lib/files/write.ts';
import { refuseSiteFolder } from '../store/location.ts';
import type { HistoryStore } from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { hashOfFile } from './ledger.ts';

const ENDING = '.batches-tmp';

/** Names of unnamed files; nothing else is ever removed, whatever a history says. */
const UNNAMED = /^\..+\.[0-9a-f]{12}\.batches-tmp$/s;

/** Where an export is put, and the unnamed file it is written to first, in the same folder. */
export interface OutputFile {
  readonly file: string;
  readonly temporary: string;
}

const refused = (file: string, why: string, fix: string, code = 'export-output-refused') =>
  new ConfigError({ code, what: `The export cannot be written to ${file}.`, why, fix });

function stat(file: string) {
  return lstatSync(file, { throwIfNoEntry: false });
}

/**
 * Removes the unnamed files that killed exports left, in whatever folder: they hold personal data.
 * Those that are needed to finish an interrupted run stay. Needs the export lock.
 */
export function removeLeftovers({ db }: HistoryStore): void {
  const left = db
    .prepare(
      `SELECT path FROM unnamed_file
       WHERE path NOT IN (SELECT temporary FROM export_run WHERE state = 'pending')`,
    )
    .all();
  const done = db.prepare('DELETE FROM unnamed_file WHERE path = ?');
  for (const { path: file } of left) {
    if (UNNAMED.test(path.basename(String(file)))) rmSync(String(file), { force: true });
    done.run(String(file));
  }
}

/** Whether a file is one that this history's exports or reports wrote, and nobody changed since. */
function isOurs({ db }: HistoryStore, file: string): boolean {
  const written = db.prepare('SELECT sha256 FROM written_file WHERE path = ?').all(file);
  return written.length > 0 && written.some(({ sha256 }) => sha256 === hashOfFile(file));
}

export interface OutputOptions {
  store: HistoryStore;
  bases: readonly string[];
  /**
   * The file may not exist yet: an export of changes that stands there has not been taken, and the
   * next would destroy it.
   */
  once: boolean;
  /** Replace a file even where this program did not write it. */
  force?: boolean | undefined;
}

/**
 * Checks where an export is to go and names its unnamed file. Needs the export lock.
 *
 * @throws {ConfigError} the place is the site's, a link, a folder, the history itself, or taken.
 */
export function planOutput(
  target: string,
  { store, bases, once, force = false }: OutputOptions,
): OutputFile {
  const file = path.resolve(target);
  refuseSiteFolder(file, 'The export', bases);
  const before = stat(file);
  if (file === store.file || file.startsWith(`${store.file}-`)) {
    throw refused(target, 'That is the history itself.', 'Name another file.');
  }
  if (before?.isSymbolicLink()) {
    throw refused(target, 'It is a symbolic link.', 'Take it away, or name another file.');
  }
  if (before?.isDirectory()) {
    throw refused(target, 'It is a folder.', 'Name a file in it.');
  }
  if (before && !before.isFile()) {
    throw refused(target, 'It is not a plain file.', 'Name another file.');
  }
  if (before && once) {
    throw refused(
      target,
      'The file of an earlier export of changes still stands there; overwriting it would lose them.',
      'Load that file and take it away, or give each export a name of its own (a date, for example).',
      'export-output-exists',
    );
  }
  if (before && before.size > 0 && !force && !isOurs(store, file)) {
    throw refused(
      target,
      'A file stands there that this program did not write, or that was changed since.',
      'Name another file, take that one away, or add --force to replace it.',
      'export-output-foreign',
    );
  }
  makePrivateFolder(path.dirname(file));
  removeLeftovers(store);
  const unique = randomBytes(6).toString('hex');
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${unique}${ENDING}`);
  store.db.prepare('INSERT INTO unnamed_file VALUES (?)').run(temporary);
  return { file, temporary };
}

/**
 * Renames the file into place; a former file there, with its permissions, is replaced. What it
 * is, is written down before, so that a later export knows it as its own, whenever this one ends.
 *
 * @param sha256 of the unnamed file
 */
export function putInPlace(
  { db }: HistoryStore,
  { file, temporary }: OutputFile,
  sha256: string,
): void {
  db.prepare('INSERT OR IGNORE INTO written_file (path, sha256) VALUES (?, ?)').run(file, sha256);
  renameDurably(temporary, file);
  db.prepare('DELETE FROM written_file WHERE path = ? AND sha256 <> ?').run(file, sha256);
}
