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

const statOf = (target: string) => lstatSync(target, { throwIfNoEntry: false });

const REFUSALS = {
  'folder-is-link': ['It is a symbolic link to an unknown place.', 'Name the folder itself.'],
  'folder-is-file': ['It is not a folder.', 'Name another folder.'],
  'folder-of-another': ['It belongs to another user.', 'Use your own folder.'],
  'folder-too-wide': [
    'Others may enter it, and it holds other files, so its rights are not changed here.',
    'Use a separate folder for the history.',
  ],
  'file-is-link': [
    'It is a symbolic link, or not a plain file.',
    'Take it away, or name another file.',
  ],
  'file-has-links': [
    'Another name points to the same file.',
    'Take the other name away, or copy the file.',
  ],
  'file-of-another': ['It belongs to another user.', 'Name your own file.'],
} as const;

function refused(code: keyof typeof REFUSALS, target: string): ConfigError {
  const [why, fix] = REFUSALS[code];
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
 * @returns the change, as a sentence to report, if there was one.
 * @throws {ConfigError} it is a link, of another owner, or wider and shared with other files.
 */
export function ensurePrivateFolder(folder: string, ours: string): string | undefined {
  const before = statOf(folder);
  if (!before) {
    makePrivateFolder(folder);
    return undefined;
  }
  if (before.isSymbolicLink()) throw refused('folder-is-link', folder);
  if (!before.isDirectory()) throw refused('folder-is-file', folder);
  if (isOthersFile(before)) throw refused('folder-of-another', folder);
  if (!hasModes || (before.mode & WIDER) === 0) return undefined;
  const own =
    path.basename(folder) === '.batches' ||
    readdirSync(folder).every((name) => name.startsWith(ours) || name === IGNORE_FILE);
  if (!own) throw refused('folder-too-wide', folder);
  chmodSync(folder, 0o700);
  return `The folder ${folder} was open to others; it is private now (0700).`;
}

/**
 * Opens a file that must be a plain one of our own, and narrows it to 0600.
 *
 * @returns the change, as a sentence to report, if there was one.
 * @throws {ConfigError} it is a link (also a hard one), no plain file, or of another owner.
 */
export function ensurePrivateFile(file: string, { create = false } = {}): string | undefined {
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const before = statOf(file);
  if (!before && !create) return undefined;
  if (before && !before.isFile()) throw refused('file-is-link', file);
  const fd = openSync(file, before ? flags : flags | constants.O_CREAT, 0o600);
  try {
    const stats = fstatSync(fd);
    if (stats.nlink > 1) throw refused('file-has-links', file);
    if (isOthersFile(stats)) throw refused('file-of-another', file);
    if (!hasModes || (stats.mode & WIDER) === 0) return undefined;
    fchmodSync(fd, 0o600);
    return `The file ${file} was readable by others; it is private now (0600).`;
  } finally {
    closeSync(fd);
  }
}
