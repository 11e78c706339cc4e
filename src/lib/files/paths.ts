import { readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** As many links in a row as Linux follows. */
const MOST_LINKS = 40;

/**
 * Where a path leads once its symbolic links are followed, also where nothing is there yet: so what
 * is written and replaced is the folder itself, and a link to it stays a link.
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

/** Where letter case counts, two names that differ in it alone are still one mistake away. */
const folded = (file: string): string => file.normalize('NFC').toLowerCase();

/**
 * Whether a path is a folder or lies in it, however the two are written: by other letter case, by
 * symbolic links, or because one folder was mounted in two places.
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

/** What the system knows a file by; undefined where there is none. */
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
