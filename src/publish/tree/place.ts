import {
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/**
 * The time that a copy of a file bears, in seconds since 1970: that of the file, as coarse as the
 * coarsest file system has it (FAT), so that a copy can be told from what was written later.
 */
export const copiedTime = ({ mtimeMs }: { mtimeMs: number }): number =>
  Math.floor(mtimeMs / 2000) * 2;

/**
 * Gives a file a second name, in the place of what bore it before. That costs no bytes; where the file system has no hard links (or the
 * two lie on different ones), it is copied, whole or not at all.
 *
 * @returns whether it is the same file; a copy is one of its own.
 */
export function place(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') mkdirSync(path.dirname(to), { recursive: true });
    if (code === 'EEXIST') rmSync(to);
    try {
      linkSync(from, to);
      return true;
    } catch {
      // Copied below.
    }
  }
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, `${to}.part`);
  const time = copiedTime(statSync(from));
  utimesSync(`${to}.part`, time, time);
  renameSync(`${to}.part`, to);
  return false;
}

/**
 * A way to write many files below a folder, each in the place of whatever is there, with the folders
 * above it. Never in place: a published file may be the same one under another name.
 */
export function openFolder(root: string): (file: string, content: string | Uint8Array) => void {
  const made = new Set<string>();
  const makeFolder = (folder: string): void => {
    // Nearly always new, and nearly always below one that is there.
    try {
      mkdirSync(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') mkdirSync(folder, { recursive: true });
      else if (code !== 'EEXIST') throw error;
    }
    made.add(folder);
  };
  return (file, content) => {
    const target = path.join(root, file);
    const folder = path.dirname(target);
    if (!made.has(folder)) makeFolder(folder);
    try {
      writeFileSync(target, content, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      rmSync(target);
      writeFileSync(target, content, { flag: 'wx' });
    }
  };
}
