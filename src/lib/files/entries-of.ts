import { type Dirent, readdirSync } from 'node:fs';

/** The entries of a folder. An empty list if it does not exist. */
export function entriesOf(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}
