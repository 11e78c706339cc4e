import { copyFileSync, linkSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The time that a copy of a file bears, in seconds since 1970: that of the file, as coarse as the
 * coarsest file system has it (FAT), so that a copy can be told from what was written later.
 */
export const copiedTime = ({ mtimeMs }: { mtimeMs: number }): number =>
  Math.floor(mtimeMs / 2000) * 2;

/**
 * Gives a file a second name. That costs no bytes; where the file system has no hard links (or the
 * two lie on different ones), it is copied.
 *
 * @returns whether it is the same file; a copy is one of its own.
 */
export function place(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    // Nearly always the folder that is missing.
    mkdirSync(path.dirname(to), { recursive: true });
  }
  try {
    linkSync(from, to);
    return true;
  } catch {
    copyFileSync(from, to);
    const time = copiedTime(statSync(from));
    utimesSync(to, time, time);
    return false;
  }
}

/** Gives files of one folder a second name in another, see {@link place}. */
export function placeAll(
  files: Iterable<string>,
  from: string,
  to: string,
  before: () => void = () => {},
): void {
  for (const file of files) {
    before();
    place(path.join(from, file), path.join(to, file));
  }
}

/**
 * A way to write many files below a folder, with the folders above them. Never in the place of a file
 * that is there: it may be a published one under another name.
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
    writeFileSync(target, content, { flag: 'wx' });
  };
}
