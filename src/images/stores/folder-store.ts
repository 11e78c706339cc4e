import { existsSync } from 'node:fs';
import { readdir, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../lib/files/write.ts';
import type { Store } from '../ports.ts';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** A folder as a store; several machines may share it over a network file system. */
export class FolderStore implements Store {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(path.join(this.folder, name));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async put(name: string, bytes: Uint8Array, { once = false } = {}): Promise<boolean> {
    const target = path.join(this.folder, name);
    if (once && existsSync(target)) return false;
    await writeFileAtomic(target, bytes, { own: true });
    return true;
  }

  async has(name: string): Promise<boolean> {
    return existsSync(path.join(this.folder, name));
  }

  async list(prefix: string): Promise<string[]> {
    const within = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    try {
      const entries = await readdir(path.join(this.folder, within), {
        recursive: true,
        withFileTypes: true,
      });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
        .map((entry) =>
          path.relative(this.folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'),
        )
        .filter((name) => name.startsWith(prefix));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async remove(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      await unlink(path.join(this.folder, name)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }
}
