import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, ConfigError, GateError } from '../../errors.ts';
import { lockFile } from './kernel-lock.ts';
import { reasonOf, refuseOpenFiles } from './system-errors.ts';
import { makeFolder } from './write.ts';

const NOT_A_DATABASE = 26;

/** Longest path of a folder in bytes. SQLite cannot open a lock in a deeper folder, and does not report why. */
const LONGEST_FOLDER = 499;

/** Milliseconds between two attempts to take a lock held by another process. */
const PAUSE = 250;

/** How errors name a folder: its path, its kind, and the option that chooses another folder. */
export interface Named {
  displayPath: string;
  what: string;
  option: string;
}

const naming =
  (what: string, option: string) =>
  (displayPath: string): Named => ({ displayPath, what, option });
export const outputNamed = naming('output', '--output');
export const cacheNamed = naming('cache', '--cache');
export const deployNamed = naming('deploy', 'DEPLOY_FOLDER');

/** @throws {ConfigError} the folder cannot be read, created or written to. */
export function usable<T>({ displayPath, what, option }: Named, take: () => T): T {
  try {
    return take();
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    refuseOpenFiles(cause);
    throw new ConfigError({
      code: 'folder-unusable',
      what: `The ${what} folder ${displayPath} cannot be used.`,
      why: reasonOf(cause),
      fix: `Fix it, or choose another folder with ${option}. The published site is unchanged.`,
      cause,
    });
  }
}

/**
 * Checks whether a folder can be created and written to, without changing anything.
 *
 * @throws {ConfigError} it cannot.
 */
export function checkUsable(folder: string, named: Named): void {
  usable(named, () => {
    let existing = path.resolve(folder);
    while (!existsSync(existing)) existing = path.dirname(existing);
    if (!statSync(existing).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(existing, constants.W_OK);
    refuseLong(folder);
  });
}

function refuseLong(folder: string): void {
  if (Buffer.byteLength(path.resolve(folder)) <= LONGEST_FOLDER) return;
  throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
}

function noLock(file: string, { option }: Named, cause: unknown): ConfigError {
  // SQLite does not report why it could not open the file.
  try {
    closeSync(openSync(file, 'r'));
  } catch (error) {
    refuseOpenFiles(error);
  }
  const isOther = (Number((cause as { errcode?: unknown }).errcode) & 0xff) === NOT_A_DATABASE;
  return new ConfigError({
    code: 'lock-unusable',
    what: `${file} cannot be used as a lock.`,
    why: isOther
      ? 'It is not a lock file of this program.'
      : `No process holds it, but the system refuses access: ${reasonOf(cause)}.`,
    fix: isOther
      ? 'Delete it if you do not need it. A build creates a new one.'
      : `Check the permissions of the file and its folder, and that the file system can lock files. Or use another folder (${option}).`,
    cause,
  });
}

/**
 * Locks a folder for one build, see {@link lockFile}. The folder is created if it is missing.
 *
 * @param named how an error names the folder.
 * @throws {GateError} another build holds it. @throws {ConfigError} the folder, or its lock file,
 *   cannot be used.
 */
export function lockFolder(folder: string, named = cacheNamed(folder)): Disposable {
  usable(named, () => {
    refuseLong(folder);
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  });
  const file = path.join(folder, 'lock');
  let lock: Disposable | undefined;
  try {
    lock = lockFile(file);
  } catch (cause) {
    throw noLock(file, named, cause);
  }
  if (lock) return lock;
  throw new GateError({
    code: 'build-already-running',
    what: 'Another build is running with the same output or cache folder.',
    why: `It, or "npm run dev" while it makes pictures, holds ${file}.`,
    fix: 'Wait until it has ended, or use other folders (--output, --cache).',
  });
}

/**
 * Like {@link lockFolder}, and waits until another build has ended.
 *
 * @param onWait called once if another process holds the folder.
 */
export async function lockFolderSoon(
  folder: string,
  { signal, onWait }: { signal?: AbortSignal; onWait: () => void },
): Promise<Disposable> {
  for (let tries = 0; ; tries++) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'build-already-running') throw error;
      if (tries === 0) onWait();
      await setTimeout(PAUSE, undefined, { signal });
    }
  }
}
