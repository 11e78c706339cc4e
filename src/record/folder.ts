import { readFileSync } from 'node:fs';
import path from 'node:path';
import { refuseOpenFiles } from '../lib/files/system-errors.ts';
import type { FoundFile, RecordFiles } from './file.ts';

const NONE: FoundFile = { why: 'there is none', missing: true };

/** Records in a folder: of the cache, of a shard, or of the published site on this disk. */
export class FolderRecords implements RecordFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(name: string): Promise<FoundFile> {
    try {
      return { bytes: readFileSync(path.join(this.#folder, name)) };
    } catch (error) {
      refuseOpenFiles(error);
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return NONE;
      return { why: `it cannot be read (${code})` };
    }
  }
}
