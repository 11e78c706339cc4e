import { readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Symbolic links that are followed in a row, the same number as on Linux. */
const MOST_LINKS = 40;

/**
 * The path with its symbolic links resolved, even if nothing exists there yet. Writers use it to
 * replace the folder itself and leave a link to it in place.
 */
export function resolveLinks(file: string, linksLeft = MOST_LINKS): string {
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
const folded = (file: string): string => file.normalize('NFC').toLowerCase();

/**
 * Whether a path is a folder or inside it, even if the two are written in different letter case, lead
 * through symbolic links, or belong to a folder that is mounted twice.
 */
export function holds(folder: string, file: string): boolean {
  const [outer, inner] = [resolveLinks(folder), resolveLinks(file)];
  const below = path.relative(folded(outer), folded(inner));
  if (below !== '..' && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below)) return true;
  const wanted = identity(outer);
  for (let at = inner; wanted !== undefined; at = path.dirname(at)) {
    if (identity(at) === wanted) return true;
    if (path.dirname(at) === at) break;
  }
  return false;
}

/** Device and inode of a file as text. Undefined if it does not exist or the system gives none. */
function identity(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return ino === 0n ? undefined : `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Whether either of two folders is or holds the other. */
export const overlap = (one: string, other: string): boolean =>
  holds(one, other) || holds(other, one);
