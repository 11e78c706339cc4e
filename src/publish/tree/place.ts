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

/** Writes a file in the place of whatever is there, and the folders above it. */
export function put(file: string, content: string | Uint8Array): void {
  // Never in place: a published file may be the same one under another name.
  rmSync(file, { force: true });
  try {
    writeFileSync(file, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
