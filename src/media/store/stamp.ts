import { statSync } from 'node:fs';

/**
 * File systems count time in ticks of up to 10 ms, so a change that follows another at once may
 * bear the same time.
 */
const TICKS_MS = 50;

/**
 * What a file or a folder looks like from outside: while it stays the same, so do the file's bytes,
 * or the names in the folder. The time of the last change (`ctime`) is the system's alone, no
 * program can set it back; copies, restored caches and other disks differ, and are looked into.
 *
 * @returns undefined where nothing is there, and where it is too new to be told from what may
 *   follow in the same tick of the clock.
 */
export function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || stats.ctimeMs > Date.now() - TICKS_MS) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return [ino, size, mtimeMs, ctimeMs].map((value) => value.toString(36)).join('-');
}
