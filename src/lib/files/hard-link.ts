import { copyFileSync, linkSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Gives a file a second name by a hard link, which takes no disk space. If the file system has none,
 * or the two names are on different ones, the file is copied with its time of modification, which
 * shows that it is unchanged.
 */
export function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
    return;
  } catch {
    // The usual reason is a missing folder.
    mkdirSync(path.dirname(to), { recursive: true });
  }
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    // Rounded down to the two seconds of FAT, the coarsest file system, which may round up.
    const time = Math.floor(statSync(from).mtimeMs / 2000) * 2;
    utimesSync(to, time, time);
  }
}

/** Gives files of one folder a second name in another, see {@link linkFile}. */
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
 * Returns a function that writes files below a folder and creates the folders above them. It never
 * overwrites a file, since that may be a hard link to a published one.
 */
export function openFolder(root: string): (file: string, content: string | Uint8Array) => void {
  const made = new Set<string>();
  const makeFolder = (folder: string): void => {
    // Try the usual case first: a new folder below an existing one.
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
