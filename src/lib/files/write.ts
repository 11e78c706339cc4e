import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
} from 'node:fs';
import { chmod, chown, open, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder that somebody named, and those above it. One by one: below `/proc`, where a folder is
 * refused as if the one above it were missing, Node's own way of making several never ends.
 *
 * @param mode rights of those that are made.
 * @returns those that were made, the outermost first.
 * @throws the system's error, with `code` and `path`.
 */
export function makeFolder(folder: string, mode?: number): string[] {
  const made: string[] = [];
  const missing: string[] = [];
  let above = path.resolve(folder);
  while (!existsSync(above)) {
    missing.push(above);
    above = path.dirname(above);
  }
  // A file that has the name says so.
  for (const one of [...missing.reverse(), path.resolve(folder)]) {
    try {
      mkdirSync(one, { mode });
      made.push(one);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && existsSync(path.join(one, path.sep))) continue;
      // The one above it is there, so that is not what is missing.
      throw code === 'ENOENT' ? Object.assign(error as Error, { code: 'EPERM' }) : error;
    }
  }
  return made;
}

export interface WriteOptions {
  /** Rights; without them those of what was there. */
  mode?: number | undefined;
  /** `false` for what may be lost with the power. */
  fsync?: boolean;
  /** Time of last modification, in seconds since 1970. */
  time?: number | undefined;
  /**
   * A place of the program's own: its folder is made where it is missing, and what lies there is
   * replaced without a look at it, be it a link.
   */
  own?: boolean;
}

/**
 * A name beside a file for what is not whole yet. It is nobody else's: machines that share a folder may
 * have processes of the same number.
 */
export const temporaryName = (file: string): string =>
  `${file}.${randomBytes(6).toString('hex')}.tmp`;

/**
 * Writes a file whole or not at all, also where the process is killed or the power fails: it is on the
 * disk before it has its name. A link is followed; rights and owner of what was there stay.
 *
 * @throws the system's error; that of a full disk has the `path`, too.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  { mode, fsync = true, time, own = false }: WriteOptions = {},
): Promise<void> {
  const whole = path.resolve(file);
  const target = own ? whole : await realpath(file).catch(() => whole);
  const temporary = temporaryName(target);
  const former = own ? undefined : await stat(target).catch(() => undefined);
  const rights = mode ?? former?.mode;
  try {
    const handle = await openNew(temporary, rights, own);
    try {
      // Goes on until all is written: one call may write a part, and say nothing.
      await handle.writeFile(content);
      // Whoever reads it needs its bytes and size, and not yet the time.
      if (fsync && !CONFINED) await handle.datasync();
    } finally {
      await handle.close();
    }
    // Only root can give a file away; for anybody else it is theirs already.
    if (former) await chown(temporary, former.uid, former.gid).catch(() => {});
    if (rights !== undefined) await chmod(temporary, rights & 0o7777);
    // By its name: a process under Node's permissions is not allowed the other way.
    if (time !== undefined) await utimes(temporary, time, time);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path: target });
    throw error;
  }
}

/** Node's permissions let nobody sync an open file: each write is on the disk when it returns. */
const CONFINED = process.permission !== undefined;
// Windows has no such flag.
const { O_CREAT, O_DSYNC = 0, O_EXCL, O_WRONLY } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | (CONFINED ? O_DSYNC : 0);

async function openNew(file: string, mode: number | undefined, own: boolean) {
  try {
    return await open(file, NEW, mode);
  } catch (error) {
    if (!own || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(path.dirname(file));
    return open(file, NEW, mode);
  }
}

/** Gives a whole file its name in one step; what stood there is gone, and the power may fail. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = openSync(path.dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
