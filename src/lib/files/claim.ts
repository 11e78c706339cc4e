import { lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { firstOf } from '../terminal/count-text.ts';
import { entriesOf } from './entries-of.ts';
import { makeFolder } from './write.ts';

/** File that marks a folder as made by this program. It contains the folder's kind. */
const MARKER = '.vehicle-media-site';

type FolderKind = 'cache' | 'work' | 'demo' | 'releases' | 'feeds';

const markerText = (kind: FolderKind): string =>
  `vehicle-media-site ${kind}\nThis program replaces and removes files in this folder. Keep none of your files here.\n`;

/** Files that operating systems create, and files that keep an empty folder in a repository. */
export const SYSTEM_FILES = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);
const EMPTY_FOLDER = new Set([...SYSTEM_FILES, '.gitkeep', 'lost+found']);

/** The file that SQLite locks. Its content is never changed. */
const LOCK = 'lock';

/** Whether a folder is marked. */
export function isMarked(folder: string, kind: FolderKind): boolean {
  const file = path.join(folder, MARKER);
  try {
    return lstatSync(file).isFile() && readFileSync(file, 'utf8') === markerText(kind);
  } catch {
    return false;
  }
}

/**
 * Whether a folder has no user files. Folders without files count as empty, and so do marked folders:
 * `.cache/parts/1` below `.cache`.
 */
function isEmpty(folder: string, kind: FolderKind): boolean {
  const visit = (below: string): boolean =>
    entriesOf(path.join(folder, below)).every((entry) => {
      const file = path.join(below, entry.name);
      if (below === '' && EMPTY_FOLDER.has(entry.name)) return true;
      if (below === '' && entry.name === LOCK && entry.isFile()) return true;
      // An empty marker: the process was killed while writing it.
      if (file === MARKER && lstatSync(path.join(folder, file)).size === 0) return true;
      return entry.isDirectory() && (isMarked(path.join(folder, file), kind) || visit(file));
    });
  return visit('');
}

/** The first names of files, for messages. */
export const someFiles = (names: readonly string[]): string =>
  firstOf(
    names.map((name) => printable(name).slice(0, 100)),
    5,
  );

/** Texts of the error for a refused folder. */
export interface Refusal {
  code: string;
  /** Subject of the message, such as `The cache`. */
  name: string;
  fix: string;
}

/** @throws {ConfigError} always: the folder has user files. */
export function refuseFolder(folder: string, { code, name, fix }: Refusal, why: string): never {
  throw new ConfigError({
    code,
    what: `${name} ${folder} cannot be used: it is used for another purpose.`,
    why,
    fix,
  });
}

/**
 * Checks whether this program may use a folder, which must be marked or empty.
 *
 * @returns a function that marks the folder.
 * @throws {ConfigError} it may have user files. Nothing was changed.
 */
export function claimFolder(
  folder: string,
  { kind, ...refusal }: Refusal & { kind: FolderKind },
): () => void {
  if (isMarked(folder, kind)) return () => mark(folder, kind, refusal);
  if (kind === 'work' && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    refuseFolder(folder, refusal, 'It is a symbolic link, which builds never create.');
  }
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status && !status.isDirectory()) refuseFolder(folder, refusal, 'It is a file.');
  // Another build may have marked it since the first check.
  if (status && !isEmpty(folder, kind) && !isMarked(folder, kind)) {
    const names = entriesOf(folder).map(({ name }) => name);
    refuseFolder(folder, refusal, `There are other files in it: ${someFiles(names)}.`);
  }
  return () => mark(folder, kind, refusal);
}

function mark(folder: string, kind: FolderKind, refusal: Refusal): void {
  makeFolder(folder);
  const marker = path.join(folder, MARKER);
  if (lstatSync(marker, { throwIfNoEntry: false })?.size === 0) rmSync(marker);
  try {
    writeFileSync(marker, markerText(kind), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // A concurrent build created the marker first. While it is empty, that build is still writing it.
    if (!isMarked(folder, kind) && lstatSync(marker).size > 0) {
      refuseFolder(folder, refusal, `Its file ${MARKER} is from another program.`);
    }
  }
}
