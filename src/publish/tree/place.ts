import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Gives a file a second name. That costs no bytes; where the file system has no hard links (or the
 * two lie on different ones), it is copied, whole or not at all.
 */
export function place(from: string, to: string): void {
  try {
    linkSync(from, to);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      mkdirSync(path.dirname(to), { recursive: true });
      try {
        linkSync(from, to);
        return;
      } catch {
        // Copied below.
      }
    }
  }
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
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
