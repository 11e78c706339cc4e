import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { makeFolder } from '../../lib/files/write.ts';

const WIDER = 0o077;

const IGNORE_FILE = '.gitignore';

/** Windows has no such modes; its folders inherit the rights of the user's own. */
const hasModes = process.platform !== 'win32';

function statOf(target: string): Stats | undefined {
  return lstatSync(target, { throwIfNoEntry: false });
}

function refused(code: string, target: string, why: string, fix: string): ConfigError {
  return new ConfigError({ code, what: `${target} cannot hold personal data.`, why, fix });
}

const isOthersFile = (stats: Stats): boolean => hasModes && stats.uid !== process.getuid?.();

/**
 * Creates a folder for personal data and its missing parents: only its owner can enter it (0700), and
 * git ignores it in every project.
 */
export function makePrivateFolder(folder: string): void {
  const [outermost] = makeFolder(folder, 0o700);
  if (outermost === undefined) return;
  writeFileSync(path.join(outermost, IGNORE_FILE), '*\n', { flag: 'wx' });
}

/**
 * Makes sure that a folder exists and only its owner can enter it (0700). A wider folder is
 * narrowed where it is our own: it is called `.batches`, or holds nothing but `ours…` files.
 *
 * @returns what was changed, as a sentence to report; undefined where nothing was.
 * @throws {ConfigError} it is a link, of another owner, or wider and shared with other files.
 */
export function ensurePrivateFolder(folder: string, ours: string): string | undefined {
  const before = statOf(folder);
  if (!before) {
    makePrivateFolder(folder);
    return undefined;
  }
  if (before.isSymbolicLink()) {
    throw refused(
      'folder-is-link',
      folder,
      'It is a symbolic link, and what it points to may be anywhere.',
      'Name the folder itself.',
    );
  }
  if (!before.isDirectory()) {
    throw refused('folder-is-file', folder, 'It is not a folder.', 'Name another folder.');
  }
  if (isOthersFile(before)) {
    throw refused(
      'folder-of-another',
      folder,
      'It belongs to another user.',
      'Use a folder of your own.',
    );
  }
  if (!hasModes || (before.mode & WIDER) === 0) return undefined;
  const own =
    path.basename(folder) === '.batches' ||
    readdirSync(folder).every((name) => name.startsWith(ours) || name === IGNORE_FILE);
  if (!own) {
    throw refused(
      'folder-too-wide',
      folder,
      'Others may enter it, and it holds other files, so its rights are not changed here.',
      'Give the history a folder of its own.',
    );
  }
  chmodSync(folder, 0o700);
  return `The folder ${folder} was open to others; it is private now (0700).`;
}

/**
 * Opens a file that must be a plain one of our own, and narrows it to 0600.
 *
 * @returns what was changed, as a sentence to report; undefined where nothing was.
 * @throws {ConfigError} it is a link (also a hard one), no plain file, or of another owner.
 */
export function ensurePrivateFile(file: string, { create = false } = {}): string | undefined {
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const before = statOf(file);
  if (!before && !create) return undefined;
  if (before && !before.isFile()) {
    throw refused(
      'file-is-link',
      file,
      before.isSymbolicLink() ? 'It is a symbolic link.' : 'It is not a plain file.',
      'Take it away, or name another file.',
    );
  }
  const fd = openSync(file, before ? flags : flags | constants.O_CREAT, 0o600);
  try {
    const stats = fstatSync(fd);
    if (stats.nlink > 1) {
      throw refused(
        'file-has-links',
        file,
        'Another name points to the same file.',
        'Take the other name away, or copy the file.',
      );
    }
    if (isOthersFile(stats)) {
      throw refused(
        'file-of-another',
        file,
        'It belongs to another user.',
        'Name a file of your own.',
      );
    }
    if (!hasModes || (stats.mode & WIDER) === 0) return undefined;
    fchmodSync(fd, 0o600);
    return `The file ${file} was readable by others; it is private now (0600).`;
  } finally {
    closeSync(fd);
  }
}
