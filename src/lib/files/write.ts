import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { chmod, chown, open, realpath, rename, rm, stat } from 'node:fs/promises';
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

/**
 * Writes a file whole or not at all, on the disk before it has its name. A link is followed; rights
 * and owner of what was there stay.
 *
 * @param options `fsync: false` for what may be lost with the power.
 * @throws the system's error; that of a full disk has the `path`, too.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  { mode, fsync = true }: { mode?: number | undefined; fsync?: boolean } = {},
): Promise<void> {
  const target = await realpath(file).catch(() => path.resolve(file));
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  const former = await stat(target).catch(() => undefined);
  const rights = mode ?? former?.mode;
  try {
    const handle = await open(temporary, 'wx', rights);
    try {
      // Goes on until all is written: one call may write a part, and say nothing.
      await handle.writeFile(content);
      if (fsync) await handle.sync();
    } finally {
      await handle.close();
    }
    // Only root can give a file away; for anybody else it is theirs already.
    if (former) await chown(temporary, former.uid, former.gid).catch(() => {});
    if (rights !== undefined) await chmod(temporary, rights & 0o7777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path: target });
    throw error;
  }
}
