import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SiteFile, SiteSource } from './site-files.ts';

/** Files of the published site from the folder that was published on this disk. */
export class FolderFiles implements SiteSource {
  readonly gone = false;
  readonly received = 0;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(name: string): Promise<SiteFile> {
    return this.#read(name);
  }

  async picture(name: string): Promise<SiteFile> {
    return this.#read(`media/${name}`);
  }

  async close(): Promise<void> {}

  #read(name: string): SiteFile {
    try {
      return { bytes: readFileSync(path.join(this.#folder, name)) };
    } catch (error) {
      return { why: String((error as NodeJS.ErrnoException).code), missing: true };
    }
  }
}
