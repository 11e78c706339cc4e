import type { FileRows, PublishedFile } from '../../record/files.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';
import type { Planned } from '../../site/plan/planned.ts';
import type { Part, PublishedSiteFiles } from './published-files.ts';

/** Difference between the next site and the published one. Files with an unchanged key stay. All others are made. */
export class SiteDiff {
  readonly #published: PublishedSiteFiles;
  /** The listed files. */
  readonly rows: FileRows;
  /** The stored results of each dealer. */
  readonly heads = new Map<Part, DealerHead | undefined>();
  readonly unchangedRows = new Map<string, PublishedFile>();
  readonly unchangedRecords = new Set<string>();
  /** Keys of the files to make, by file. */
  readonly keysToMake = new Map<string, string>();
  readonly recordsToWrite = new Set<string>();

  constructor(published: PublishedSiteFiles, parts: Iterable<Part>) {
    this.#published = published;
    const rows = new Map<string, PublishedFile>();
    for (const part of parts) {
      const list = published.list(part);
      this.heads.set(part, list?.plan);
      for (const [file, row] of list?.rows ?? []) rows.set(file, row);
    }
    this.rows = rows;
  }

  /** Whether a planned file must be made. Otherwise the published file stays. */
  mustMake({ file: address, key }: Planned): boolean {
    const file = address.slice(1);
    const row = this.rows.get(file);
    const stays = row?.key === key && this.#published.isIntact(file, row);
    if (row && stays) this.unchangedRows.set(file, row);
    else this.keysToMake.set(file, key);
    return !stays;
  }

  /** Makes a file again in the next build, because it could not be completed. */
  makeAgain({ file, key }: Planned): void {
    this.keysToMake.set(file.slice(1), `${key}-incomplete`);
  }

  /** Whether a record file must be written. It stays if its checksum is the same. */
  mustMakeRecord(file: string, sum: string): boolean {
    const stays = this.#published.hasRecord(file, sum);
    (stays ? this.unchangedRecords : this.recordsToWrite).add(file);
    return !stays;
  }

  /** Unchanged files, records included. */
  get unchanged(): string[] {
    return [...this.unchangedRows.keys(), ...this.unchangedRecords];
  }

  /** Listed files that are no longer planned. */
  get removed(): string[] {
    return [...this.rows.keys()].filter(
      (file) => !this.unchangedRows.has(file) && !this.keysToMake.has(file),
    );
  }

  /** Whether any file must be made or removed. */
  get isChanged(): boolean {
    return (
      this.keysToMake.size > 0 ||
      this.recordsToWrite.size > 0 ||
      this.rows.size !== this.unchangedRows.size
    );
  }
}
