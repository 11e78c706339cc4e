import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FoundFile, RecordFiles } from './file.ts';

/** Records in a folder: of the cache, of a part, or of the published site on this disk. */
export class FolderRecords implements RecordFiles {
  readonly isOwn: boolean;
  readonly #folder: string;

  constructor(folder: string, { isOwn = false }: Pick<RecordFiles, 'isOwn'> = {}) {
    this.#folder = folder;
    this.isOwn = isOwn;
  }

  async read(name: string): Promise<FoundFile> {
    try {
      return { bytes: readFileSync(path.join(this.#folder, name)) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { why: 'there is none', missing: true };
      return { why: `it cannot be read (${code})` };
    }
  }
}
