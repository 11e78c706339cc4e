import { readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Symbolic links that are followed in succession, as on Linux. */
const MAX_LINKS = 40;

/**
 * Resolves the symbolic links in a path, even if it does not exist yet. Writers use it to replace the folder
 * itself and keep a link to it.
 */
export function resolveLinks(file: string, linksLeft = MAX_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    const parent = path.dirname(file);
    if (parent === file || linksLeft === 0) return file;
    const above = resolveLinks(parent, linksLeft - 1);
    const target = linkAt(file);
    if (target === undefined) return path.join(above, path.basename(file));
    return resolveLinks(path.resolve(above, target), linksLeft - 1);
  }
}

function linkAt(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** Paths are compared without letter case on every system: names that differ only in case are easily confused. */
const foldCase = (file: string): string => file.normalize('NFC').toLowerCase();

/**
 * Whether a path is a folder or inside it, even if the two differ in letter case, contain symbolic links, or are
 * in a folder that is mounted twice.
 */
export function holds(folder: string, file: string): boolean {
  const outer = resolveLinks(folder);
  const inner = resolveLinks(file);
  const below = path.relative(foldCase(outer), foldCase(inner));
  if (below !== '..' && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below)) return true;
  const folderId = identity(outer);
  for (let parent = inner; folderId !== undefined; parent = path.dirname(parent)) {
    if (identity(parent) === folderId) return true;
    if (path.dirname(parent) === parent) break;
  }
  return false;
}

/** Device and inode of a file as text. Undefined if the file does not exist or has no inode. */
function identity(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return ino === 0n ? undefined : `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Whether two folders are the same, or one contains the other. */
export const overlap = (a: string, b: string): boolean => holds(a, b) || holds(b, a);
