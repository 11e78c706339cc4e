import { copyFileSync, linkSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Gives a file a second name. That costs no bytes; where the file system has no hard links (or the
 * two lie on different ones), it is copied, with its time, by which it is known not to have changed.
 */
export function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
    return;
  } catch {
    // Nearly always the folder that is missing.
    mkdirSync(path.dirname(to), { recursive: true });
  }
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    // As coarse as the coarsest file system has it (FAT), which may make it later than it was.
    const time = Math.floor(statSync(from).mtimeMs / 2000) * 2;
    utimesSync(to, time, time);
  }
}

/** Gives files of one folder a second name in another, see {@link place}. */
export function linkFiles(
  files: Iterable<string>,
  from: string,
  to: string,
  before: () => void = () => {},
): void {
  for (const file of files) {
    before();
    linkFile(path.join(from, file), path.join(to, file));
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
