import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
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
import { resolveLinks } from '../../lib/files/paths.ts';
import { makeFolder } from '../../lib/files/write.ts';

/** Default of `--store`. It is outside every folder of the site. */
export const DEFAULT_STORE = '.batches/history.sqlite';

/** Folders of the project that are published or cached, also with a suffix as in `_site-feeds`. */
const OUTPUTS = /^\.?(_site|_changes)([.-]|$)|^\.(cache|demo)$/;
/** Folders of the project that are committed or read by the site's build. */
const INPUTS = /^(templates|theme|assets|public|src|scripts|test|docs|node_modules|\.git)$/;

/** Whether a folder with any name has the top-level files of a built site. */
const looksPublished = (folder: string): boolean =>
  existsSync(path.join(folder, 'index.html')) &&
  ['sitemap.xml', 'robots.txt', '404.html'].some((name) => existsSync(path.join(folder, name)));

function publicPlace(real: string, bases: readonly string[]): string | undefined {
  for (const base of bases) {
    const [first = ''] = path.relative(resolveLinks(path.resolve(base)), real).split(path.sep);
    if (OUTPUTS.test(first) || INPUTS.test(first)) return `the project's folder ${first}`;
  }
  for (let folder = path.dirname(real); ; folder = path.dirname(folder)) {
    if (looksPublished(folder)) return 'a published site';
    if (path.basename(folder) === '.git') return 'a .git folder';
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Refuses a path for personal data that is published, cached or read by the site's build. Links are resolved first.
 *
 * @param bases base folders of the site's relative paths: the working folder and the folder of the configuration.
 * @throws {ConfigError} `place-not-private`
 */
export function refuseSiteFolder(target: string, what: string, bases: readonly string[]): void {
  const place = publicPlace(resolveLinks(path.resolve(target)), bases);
  if (place === undefined) return;
  throw new ConfigError({
    code: 'place-not-private',
    what: `${what} cannot be written to ${target}.`,
    why: `It is inside ${place}, whose files are published, cached or committed.`,
    fix: 'Choose a separate folder outside the site, such as .batches/.',
  });
}

const IGNORE_FILE = '.gitignore';

/** Windows has no such modes. Its folders inherit the permissions of the user's folder. */
const hasModes = process.platform !== 'win32';

const isWide = ({ mode }: Stats): boolean => hasModes && (mode & 0o077) !== 0;
const isForeign = ({ uid }: Stats): boolean => hasModes && uid !== process.getuid?.();

const REFUSALS = {
  'folder-is-link': ['It is a symbolic link.', 'Name the folder itself.'],
  'folder-is-file': ['It is not a folder.', 'Name another folder.'],
  'folder-of-another': ['It belongs to another user.', 'Use your own folder.'],
  'folder-too-wide': [
    'Other users can open it, and it contains other files, so its permissions are not changed.',
    'Use a separate folder for the history.',
  ],
  'file-is-link': [
    'It is a symbolic link, or not a plain file.',
    'Move it away, or name another file.',
  ],
  'file-has-links': [
    'Another name points to the same file.',
    'Remove the other name, or copy the file.',
  ],
  'file-of-another': ['It belongs to another user.', 'Name your own file.'],
} as const;

function refusal(code: keyof typeof REFUSALS, target: string): ConfigError {
  const [why, fix] = REFUSALS[code];
  return new ConfigError({ code, what: `${target} cannot hold personal data.`, why, fix });
}

/**
 * Creates a folder for personal data, and its missing parents. Only its owner can enter it (0700), and git ignores
 * it in any project.
 */
export function makePrivateFolder(folder: string): void {
  const [outermost] = makeFolder(folder, 0o700);
  if (outermost === undefined) return;
  writeFileSync(path.join(outermost, IGNORE_FILE), '*\n', { flag: 'wx' });
}

/**
 * Ensures that a folder exists and only its owner can enter it (0700). The mode of an existing folder is changed only
 * if the folder belongs to the history: it is called `.batches`, or all names of its files begin with `history`.
 *
 * @returns a sentence about the change. Undefined if nothing changed.
 * @throws {ConfigError} it is a link, belongs to another user, or is open to others and has other files.
 */
export function ensurePrivateFolder(folder: string, history: string): string | undefined {
  const before = lstatSync(folder, { throwIfNoEntry: false });
  if (!before) {
    makePrivateFolder(folder);
    return undefined;
  }
  if (before.isSymbolicLink()) throw refusal('folder-is-link', folder);
  if (!before.isDirectory()) throw refusal('folder-is-file', folder);
  if (isForeign(before)) throw refusal('folder-of-another', folder);
  if (!isWide(before)) return undefined;
  const isHistory =
    path.basename(folder) === '.batches' ||
    readdirSync(folder).every((name) => name.startsWith(history) || name === IGNORE_FILE);
  if (!isHistory) throw refusal('folder-too-wide', folder);
  chmodSync(folder, 0o700);
  return `Other users could open the folder ${folder}. It is now private (0700).`;
}

/**
 * Ensures that a file is a plain file of this user with mode 0600.
 *
 * @returns a sentence about the change. Undefined if nothing changed.
 * @throws {ConfigError} it is a symbolic or hard link, not a plain file, or belongs to another user.
 */
export function ensurePrivateFile(file: string, { create = false } = {}): string | undefined {
  const before = lstatSync(file, { throwIfNoEntry: false });
  if (!before && !create) return undefined;
  if (before && !before.isFile()) throw refusal('file-is-link', file);
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const fd = openSync(file, before ? flags : flags | constants.O_CREAT, 0o600);
  try {
    const stats = fstatSync(fd);
    if (stats.nlink > 1) throw refusal('file-has-links', file);
    if (isForeign(stats)) throw refusal('file-of-another', file);
    if (!isWide(stats)) return undefined;
    fchmodSync(fd, 0o600);
    return `Other users could read the file ${file}. It is now private (0600).`;
  } finally {
    closeSync(fd);
  }
}
