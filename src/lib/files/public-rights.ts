import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Permissions of files and folders that a web server of another user reads. */
export const PUBLIC_FILE = 0o644;
export const PUBLIC_FOLDER = 0o755;

const RIGHTS = 0o777;

/**
 * Sets the permissions of public files for a new folder and everything below it, independent of the umask. If the
 * folder already has them, it was created with the usual umask, like everything below it.
 */
export function makePublic(folder: string): void {
  if (process.platform === 'win32') return;
  if ((statSync(folder).mode & RIGHTS) === PUBLIC_FOLDER) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) setRights(place, PUBLIC_FOLDER);
    else if (entry.isFile()) setRights(place, PUBLIC_FILE);
  }
  setRights(folder, PUBLIC_FOLDER);
}

/** Sets the permissions of a file or folder that this program made. */
export function setRights(place: string, rights: number): void {
  const { mode } = statSync(place);
  if ((mode & RIGHTS) !== rights) chmodSync(place, (mode & 0o7000) | rights);
}
