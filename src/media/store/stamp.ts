import { statSync } from 'node:fs';

/**
 * File systems count time in ticks of up to 10 ms, so a change that follows another at once may
 * bear the same time. After as many milliseconds as this it cannot.
 */
export const TICKS_MS = 60;
/** Some know whole seconds alone, or every other one (FAT, ext3, older shares). */
const COARSE_TICKS_MS = 2500;

const tickAt = (time: number): number => (time % 1000 === 0 ? COARSE_TICKS_MS : TICKS_MS);

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
  if (!stats) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  if (ctimeMs > Date.now() - tickAt(ctimeMs)) return undefined;
  return [ino, size, mtimeMs, ctimeMs].map((value) => value.toString(36)).join('-');
}

/**
 * The stamp of a file that was given another name since it had a stamp: that changes the time of the
 * last change, and nothing else may have changed.
 */
export function stampOfLinked(path: string, before: string): string | undefined {
  const now = stampOf(path);
  const withoutChange = (stamp: string) => stamp.slice(0, stamp.lastIndexOf('-'));
  return now !== undefined && withoutChange(now) === withoutChange(before) ? now : undefined;
}
