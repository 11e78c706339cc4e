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
import { chmod, chown, open, realpath, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder that a user named, and its missing parents, one by one. Node's recursive `mkdir` never ends
 * below `/proc`, where refused folders have the error of a missing parent.
 *
 * @param mode permissions of the created folders.
 * @returns the created folders, the outermost first.
 * @throws the system's error, with `code` and `path`.
 */
export function makeFolder(folder: string, mode?: number): string[] {
  const created: string[] = [];
  const missing: string[] = [];
  let above = path.resolve(folder);
  while (!existsSync(above)) {
    missing.push(above);
    above = path.dirname(above);
  }
  // If a file has this name, mkdir's error reports it.
  for (const name of [...missing.reverse(), path.resolve(folder)]) {
    try {
      mkdirSync(name, { mode });
      created.push(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && existsSync(path.join(name, path.sep))) continue;
      // The parent exists, so "not found" means that creating folders here is not permitted.
      throw code === 'ENOENT' ? Object.assign(error as Error, { code: 'EPERM' }) : error;
    }
  }
  return created;
}

interface WriteOptions {
  /** Permissions. By default the permissions of the replaced file. */
  mode?: number;
  /** `false` for files that may be lost in a power failure. */
  fsync?: boolean;
  /** Time of last modification, in seconds since 1970. */
  time?: number;
  /**
   * The file belongs to this program: a missing folder is created, and a file or link of this name is
   * replaced.
   */
  isProgramFile?: boolean;
}

/**
 * A unique name next to a file, for incomplete content. It is random, because machines that share a folder may
 * have processes with the same number.
 */
export const temporaryName = (file: string): string =>
  `${file}.${randomBytes(6).toString('hex')}.tmp`;

/**
 * Writes a file completely or not at all, even if the process is killed or the power fails: the content
 * is on the disk before it gets its name. Follows links. Keeps the permissions and owner of a replaced file.
 *
 * @throws the system's error. The error of a full disk also has the `path`.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  { mode, fsync = true, time, isProgramFile = false }: WriteOptions = {},
): Promise<void> {
  const absolute = path.resolve(file);
  const target = isProgramFile ? absolute : await realpath(file).catch(() => absolute);
  const temporary = temporaryName(target);
  const replaced = isProgramFile ? undefined : await stat(target).catch(() => undefined);
  const rights = mode ?? replaced?.mode;
  try {
    {
      await using handle = await openNew(temporary, rights, isProgramFile);
      // A single write() may write only a part without an error. writeFile repeats it until all is written.
      await handle.writeFile(content);
      // Readers need its bytes and size on the disk. The time may follow.
      if (fsync && !CONFINED) await handle.datasync();
    }
    // Only root can change the owner. Other users already own the file.
    if (replaced) await chown(temporary, replaced.uid, replaced.gid).catch(() => {});
    if (rights !== undefined) await chmod(temporary, rights & 0o7777);
    // By name, because Node's permission model refuses `futimes`.
    if (time !== undefined) await utimes(temporary, time, time);
    renamePatiently(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path: target });
    throw error;
  }
}

/** Node's permission model refuses to sync an open file. With it, O_DSYNC writes to the disk at once. */
const CONFINED = process.permission !== undefined;
// Windows has no O_DSYNC.
const { O_CREAT, O_DSYNC = 0, O_EXCL, O_WRONLY } = constants;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | (CONFINED ? O_DSYNC : 0);

async function openNew(file: string, mode: number | undefined, isProgramFile: boolean) {
  try {
    return await open(file, NEW_FILE, mode);
  } catch (error) {
    if (!isProgramFile || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(path.dirname(file));
    return open(file, NEW_FILE, mode);
  }
}

/** Error codes for files that another program has open. On Windows, virus scanners open new files. */
const RETRYABLE = new Set(['EPERM', 'EBUSY', 'EACCES']);

const NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

/**
 * Renames, and retries temporary errors.
 *
 * @param timeout milliseconds. A virus scanner may need longer for a folder of new files.
 */
export function renamePatiently(from: string, to: string, timeout = 2000): void {
  const end = performance.now() + timeout;
  for (let pause = 10; ; pause = Math.min(pause * 2, 500)) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!RETRYABLE.has(code) || performance.now() + pause > end) throw error;
    }
    // Synchronous, so that no other code of this process runs between the renames of a swap.
    Atomics.wait(NOTIFIED, 0, 0, pause);
  }
}

/** Replaces a file with a complete one, in one step that survives a power failure. */
export function renameDurably(from: string, to: string): void {
  renamePatiently(from, to);
  // Windows cannot open a folder to sync it.
  if (process.platform === 'win32') return;
  const folder = openSync(path.dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
