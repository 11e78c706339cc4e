import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../lib/own-package.ts';

/** Files that say which packages a project has. */
const LOCK_FILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];

/** The program's own files, which the keys of pages cover anyway. */
const OURS = path.join(PACKAGE_ROOT, 'src');

/** Names of files that a script may load: quoted, and relative to it. */
const RELATIVE = /(['"`])(\.\.?\/[^'"`\n]+)\1/g;

/** The lock file of the project that a folder lies in. */
function lockFileAbove(folder: string): string | undefined {
  const found = LOCK_FILES.map((name) => path.join(folder, name)).find((file) => existsSync(file));
  const parent = path.dirname(folder);
  return found ?? (parent === folder ? undefined : lockFileAbove(parent));
}

const isOurs = (file: string): boolean =>
  file.startsWith(OURS + path.sep) || file.split(path.sep).includes('node_modules');

/**
 * The files that the functions of an extension follow from: those that it has watched, and what they and
 * their imports name by relative paths. Which packages they import, the
 * lock file says. A name that is in a comment only does no harm.
 *
 * @param watched absolute, the extension's own file first; what is no file is left out.
 * @returns absolute files, by their paths from the folder of the first.
 */
export function sourceFiles(watched: readonly [string, ...string[]]): Map<string, string> {
  const [first] = watched;
  const found = new Map<string, string>();
  const visit = (file: string): void => {
    const name = path.relative(path.dirname(first), file).split(path.sep).join('/');
    if (found.has(name) || (file !== first && isOurs(file))) return;
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return;
    found.set(name, file);
    if (!/\.[cm]?[jt]s$/.test(file)) return;
    for (const [, , relative = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE)) {
      visit(path.resolve(path.dirname(file), relative));
    }
  };
  for (const file of watched) visit(file);
  const lockFile = lockFileAbove(path.dirname(first));
  if (lockFile !== undefined) found.set('lock file', lockFile);
  return new Map(Array.from(found, ([name, file]) => [`extension/${name}`, file]));
}
