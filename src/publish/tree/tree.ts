import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SecretSearch } from '../../config/secret-search.ts';
import type { OutputNames } from '../../media/store/output-names.ts';
import type { Planned } from '../../site/plan/planned.ts';
import { PUBLISHED_TIMES } from '../records.ts';
import { keyIn, refuseKey } from '../secrets.ts';
import { listFiles, MEDIA } from './listing.ts';
import {
  bytesHash,
  indexOf,
  type PageManifest,
  type PageRow,
  type ReadPageManifest,
} from './page-manifest.ts';
import { copiedTime, place } from './place.ts';

export interface TreeOptions {
  /** The published folder, and what is known of it. */
  output: string;
  published: ReadPageManifest;
  /** The folder that becomes the next site; nothing is there. */
  staging: string;
  /** Finds what must not be published in the bytes of a file that stays. */
  search: SecretSearch;
}

const bare = ({ file }: Planned): string => file.slice(1);

/**
 * Puts the next site together beside the published one. A file whose key the published site has is
 * not made again. Files of two folders may be one file with two names, so none is ever written in
 * place.
 */
export class Tree {
  readonly #options: TreeOptions;
  /** Files that stay as they are. */
  readonly #kept = new Map<string, PageRow>();
  /** Keys of files that are made anew. */
  readonly #made = new Map<string, string>();
  readonly #searched: NonNullable<PageManifest['searched']>;
  /** Whether the same keys were looked for in the published files. */
  readonly #wasSearched: boolean;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { published, search } = options;
    const salt = published.searched?.salt ?? randomBytes(12).toString('base64url');
    this.#searched = { salt, mark: search.mark(salt) };
    this.#wasSearched = published.searched?.mark === this.#searched.mark;
  }

  /** Whether a planned file must be made; if not, it stays as an earlier build made it. */
  needs(planned: Planned): boolean {
    const file = bare(planned);
    const row = this.#options.published.rows.get(file);
    const kept = row?.key === planned.key ? this.#intact(file, row) : undefined;
    if (kept) this.#kept.set(file, kept);
    else this.#made.set(file, planned.key);
    return !kept;
  }

  /** Every planned file. */
  *files(): Iterable<string> {
    yield* this.#kept.keys();
    yield* this.#made.keys();
  }

  /** Keys of the files that are made anew, by file. */
  get made(): ReadonlyMap<string, string> {
    return this.#made;
  }

  /** Whether the published folder holds exactly what is planned, and these files of the store. */
  isPublished(outputs: OutputNames, store: string): boolean {
    if (this.#made.size > 0) return false;
    const { output } = this.#options;
    let planned = 0;
    let others = 0;
    const { files, odd } = listFiles(output, (name) => {
      if (outputs.has(name) && isSame(`${output}/${MEDIA}${name}`, `${store}/${name}`)) planned++;
      else others++;
    });
    if (planned !== outputs.size || others > 0) return false;
    // Each night writes the times, in whatever is published.
    const pages = files.filter((file) => file !== PUBLISHED_TIMES);
    return pages.length === this.#kept.size && odd.length === 0;
  }

  /**
   * Completes the staging folder with what stays and with the files of the store.
   *
   * @returns what is then known of it; the rows of files that were made are missing.
   */
  complete(outputs: OutputNames, store: string): PageManifest & { rows: Map<string, PageRow> } {
    const { staging, output } = this.#options;
    const rows = new Map<string, PageRow>();
    for (const [file, row] of this.#kept) {
      const isOne = place(path.join(output, file), path.join(staging, file));
      rows.set(file, isOne ? row : { ...row, index: undefined });
    }
    const media = path.join(staging, MEDIA);
    for (const name of outputs) place(`${store}/${name}`, media + name);
    return { rows, searched: this.#searched };
  }

  /** The row of a published file that has the bytes that it should have. */
  #intact(file: string, row: PageRow): PageRow | undefined {
    const { output, published, search } = this.#options;
    const target = path.join(output, file);
    const index = indexOf(target);
    const { size, mtime } = row.index ?? {};
    const looksSame = index?.size === size && index?.mtime === mtime;
    if (index && looksSame && index.mtime < published.writtenAt && this.#wasSearched) return row;
    const bytes = index && readIfThere(target);
    if (bytes === undefined || bytesHash(bytes) !== row.hash) return undefined;
    // Keys can be new where a page is not.
    refuseKey(file, keyIn(search, file, bytes));
    return { ...row, index };
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    // Synchronous: one at a time, a promise costs five times the reading (measured at 4,000 files).
    return readFileSync(file);
  } catch {
    // Whatever keeps it from being read, it is made again.
    return undefined;
  }
}

/** Whether a site has the store's own file, or a copy of it where there can be no second name. */
function isSame(inSite: string, inStore: string): boolean {
  const site = statSync(inSite, { throwIfNoEntry: false });
  const store = site && statSync(inStore, { throwIfNoEntry: false });
  if (!site || !store) return false;
  if (site.ino === store.ino && site.dev === store.dev) return true;
  // A file that has a second name elsewhere is on a disk that knows such names: nothing is copied there.
  const mayBeCopy = site.dev !== store.dev || store.nlink === 1;
  return mayBeCopy && site.size === store.size && site.mtimeMs === copiedTime(store) * 1000;
}
