import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SiteFile } from './site-files.ts';

/** Files of the published site from the folder that was published on this disk. */
export class FolderFiles {
  readonly received = 0;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async picture(name: string): Promise<SiteFile> {
    try {
      return { bytes: readFileSync(path.join(this.#folder, 'media', name)) };
    } catch (error) {
      return { why: String((error as NodeJS.ErrnoException).code), missing: true };
    }
  }
}
