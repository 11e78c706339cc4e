import type { FileRows, PublishedFile } from '../../record/files.ts';
import type { Planned } from '../../site/plan/planned.ts';
import type { Part, PublishedSiteFiles } from './published-files.ts';

/** Difference between the next site and the published one: a file whose key is unchanged stays, any other is made. */
export class SiteDiff {
  readonly #published: PublishedSiteFiles;
  /** The listed files. */
  readonly rows: FileRows;
  /** Rows of the unchanged files. */
  readonly kept = new Map<string, PublishedFile>();
  /** Unchanged record files. */
  readonly keptRecords = new Set<string>();
  /** Keys of the files to make, by file. */
  readonly made = new Map<string, string>();
  /** Record files to write. */
  readonly madeRecords = new Set<string>();

  constructor(published: PublishedSiteFiles, parts: Iterable<Part>) {
    this.#published = published;
    const rows = new Map<string, PublishedFile>();
    for (const part of parts) {
      for (const [file, row] of published.list(part)?.rows ?? []) rows.set(file, row);
    }
    this.rows = rows;
  }

  /** Whether a planned file must be made. Otherwise it stays as an earlier build made it. */
  mustMake({ file: address, key }: Planned): boolean {
    const file = address.slice(1);
    const row = this.rows.get(file);
    const stays = row?.key === key && this.#published.isIntact(file, row);
    if (row && stays) this.kept.set(file, row);
    else this.made.set(file, key);
    return !stays;
  }

  /** The same for a record file, which stays if its checksum is this one. */
  mustMakeRecord(file: string, sum: string): boolean {
    const stays = this.#published.hasRecord(file, sum);
    (stays ? this.keptRecords : this.madeRecords).add(file);
    return !stays;
  }

  /** Unchanged files, records included. */
  get unchanged(): string[] {
    return [...this.kept.keys(), ...this.keptRecords];
  }

  /** Listed files that are no longer planned. */
  get removed(): string[] {
    return [...this.rows.keys()].filter((file) => !this.kept.has(file) && !this.made.has(file));
  }

  /** Whether anything must be made, or is no longer planned. */
  get isChanged(): boolean {
    return this.made.size > 0 || this.madeRecords.size > 0 || this.rows.size !== this.kept.size;
  }
}
