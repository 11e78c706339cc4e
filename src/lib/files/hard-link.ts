import { copyFileSync, linkSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a hard link to a file, which takes no disk space. If the file system has no hard links, or the two names
 * are on different file systems, it copies the file. The copy has the same modification time, as proof that it is
 * unchanged.
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
    // Rounded down to two seconds: FAT stores no finer times, and may round up.
    const time = Math.floor(statSync(from).mtimeMs / 2000) * 2;
    utimesSync(to, time, time);
  }
}

/** Links files of one folder to another folder, see {@link linkFile}. */
export function linkFiles(
  files: Iterable<string>,
  from: string,
  to: string,
  beforeEach: () => void = () => {},
): void {
  for (const file of files) {
    beforeEach();
    linkFile(path.join(from, file), path.join(to, file));
  }
}

/**
 * Returns a function that writes files below a folder and creates the folders above them. It never
 * overwrites a file, because that may be a hard link to a published file.
 */
export function openFolder(root: string): (file: string, content: string | Uint8Array) => void {
  const knownFolders = new Set<string>();
  const makeFolder = (folder: string): void => {
    // Try the usual case first: a new folder below an existing one.
    try {
      mkdirSync(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') mkdirSync(folder, { recursive: true });
      else if (code !== 'EEXIST') throw error;
    }
    knownFolders.add(folder);
  };
  return (file, content) => {
    const target = path.join(root, file);
    const folder = path.dirname(target);
    if (!knownFolders.has(folder)) makeFolder(folder);
    writeFileSync(target, content, { flag: 'wx' });
  };
}
