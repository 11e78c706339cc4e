import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { GateError } from '../../errors.ts';

/** Folders of the cache that are written to. Thumbnails are one level deeper; see images/stores/folder.ts. */
const FOLDERS = ['', 'service', 'media', 'media/files', 'records'];

/**
 * Refuses a cache with symbolic links in it. This program makes none there; a cache that came from another machine
 * (CI restores it between runs) could otherwise make a build overwrite or publish any file of this machine.
 *
 * @throws {GateError} there is a symbolic link.
 */
export async function refuseLinks(cacheDir: string): Promise<void> {
  for (const folder of FOLDERS) {
    const entries = await readdir(path.join(cacheDir, folder), {
      withFileTypes: true,
      recursive: folder === 'records',
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    });
    const link = entries.find((entry) => entry.isSymbolicLink());
    if (!link) continue;
    throw new GateError({
      code: 'cache-holds-link',
      what: `The cache holds a symbolic link: ${path.join(link.parentPath, link.name)}.`,
      why: 'Builds make none, and writing through it could reach any file of this machine.',
      fix: 'Find out who put it there; then remove the cache folder. It is made anew.',
    });
  }
}
