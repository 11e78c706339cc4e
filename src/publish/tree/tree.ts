import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SecretSearch } from '../../config/secret-search.ts';
import type { OutputNames } from '../../media/store/output-names.ts';
import { stampOf, stampOfLinked, TICKS_MS } from '../../media/store/stamp.ts';
import type { Planned } from '../../site/plan/planned.ts';
import { PUBLISHED_TIMES } from '../records.ts';
import { keyIn, refuseKey } from '../secrets.ts';
import { listSite, MEDIA } from './listing.ts';
import { bytesHash, type PageManifest, type PageRow } from './page-manifest.ts';
import { place } from './place.ts';
import { knownFolders, Thumbnails } from './thumbnails.ts';

export interface TreeOptions {
  /** The published folder, and what is known of it. */
  output: string;
  published: PageManifest;
  /**
   * The folder that becomes the next site, and what is known of it: the site before the published
   * one, or what a killed run left. What may have changed since is compared byte for byte.
   */
  staging: string;
  former: PageManifest;
  /** Finds what must not be published in the bytes of a file that stays. */
  search: SecretSearch;
}

/** What became of a planned file that stays. */
interface Place {
  row: PageRow;
  from: 'published' | 'staging';
}

const bare = ({ file }: Planned): string => file.slice(1);

/**
 * Puts the next site together beside the published one. A file whose key the published site has is
 * not made again; the folder that was published before last becomes the next site by the difference
 * alone. Files of two folders may be one file with two names, so none is ever written in place.
 */
export class Tree {
  readonly #options: TreeOptions;
  /** Files that stay as they are. */
  readonly #kept = new Map<string, Place>();
  /** Those that were given a name in the staging folder. */
  readonly #linked = new Map<string, PageRow>();
  /** Keys of files that are made anew. */
  readonly #made = new Map<string, string>();
  /** The published folder, and how much there is of anything but files and thumbnails. */
  readonly #there: { files: Set<string>; odd: number };
  readonly #searched: NonNullable<PageManifest['searched']>;
  /** Whether files may be taken by their stamps alone: the same keys were looked for in them. */
  readonly #trusted: Record<Place['from'], boolean>;
  /** Of the published folder. */
  #thumbnails: Thumbnails | undefined;
  /** Files of the staging folder. */
  #staged: ReadonlySet<string> | undefined;
  /** Whether anything was found to be as it was although it looked otherwise. */
  #lookedInto = false;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { output, published, former, search } = options;
    const { files, odd } = listSite(output, knownFolders(output, published.thumbnails));
    this.#there = { files: new Set(files), odd: odd.length };
    // Each night writes it, in whatever is published.
    this.#there.files.delete(PUBLISHED_TIMES);
    const salt = published.searched?.salt ?? randomBytes(12).toString('base64url');
    this.#searched = { salt, mark: search.mark(salt) };
    const trusted = ({ searched }: PageManifest): boolean =>
      searched?.salt === salt && searched.mark === this.#searched.mark;
    this.#trusted = { published: trusted(published), staging: trusted(former) };
  }

  /** Whether a planned file must be made; if not, it stays as an earlier build made it. */
  needs(planned: Planned): boolean {
    const file = bare(planned);
    const { published, former } = this.#options;
    const row = published.rows.get(file);
    if (row?.key === planned.key && this.#there.files.has(file)) {
      if (this.#keep(file, row, 'published')) return false;
    }
    const other = former.rows.get(file);
    if (other?.key === planned.key && this.#listed().has(file)) {
      if (this.#keep(file, other, 'staging')) return false;
    }
    this.#made.set(file, planned.key);
    return true;
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

  /** What is known of the files that stay. */
  kept(): Map<string, PageRow> {
    return new Map(Array.from(this.#kept, ([file, { row }]) => [file, row]));
  }

  /** Whether the published folder holds exactly what is planned, and these files of the store. */
  isPublished(outputs: OutputNames, store: string): boolean {
    const { files, odd } = this.#there;
    if (this.#made.size > 0 || odd > 0 || files.size !== this.#kept.size) return false;
    for (const { from } of this.#kept.values()) if (from !== 'published') return false;
    const { output, published } = this.#options;
    this.#thumbnails = new Thumbnails(output, store, outputs, published.thumbnails);
    return this.#thumbnails.differences().next().done === true;
  }

  /**
   * What is to be written down of the published folder, once it was found that it
   * {@link isPublished}, so that the next build has to look into less; undefined where that is known.
   */
  news(): PageManifest | undefined {
    const thumbnails = this.#thumbnails?.memory();
    const isKnown = isDeepStrictEqual(thumbnails, this.#options.published.thumbnails);
    if (!this.#lookedInto && this.#trusted.published && isKnown) return undefined;
    return { rows: this.kept(), searched: this.#searched, thumbnails };
  }

  /**
   * Completes the staging folder, once everything that must be made is in it.
   *
   * @returns what is then known of it; the rows of files that were made are missing.
   */
  async complete(
    outputs: OutputNames,
    store: string,
  ): Promise<PageManifest & { rows: Map<string, PageRow>; thumbnailsChanged: boolean }> {
    const { staging, former } = this.#options;
    const staged = this.#listed();
    const rows = new Map<string, PageRow>();
    for (const [file, { row, from }] of this.#kept) {
      rows.set(file, from === 'staging' ? row : this.#takeOver(file, row));
    }
    const emptied = new Set<string>();
    const remove = (file: string) => {
      rmSync(path.join(staging, file), { force: true });
      emptied.add(path.posix.dirname(file));
    };
    const thumbnails = new Thumbnails(staging, store, outputs, former.thumbnails);
    let thumbnailsChanged = false;
    for (const [what, name] of thumbnails.differences()) {
      thumbnailsChanged = true;
      if (what === 'unplanned') remove(MEDIA + name);
      else if (!place(path.join(store, name), path.join(staging, MEDIA, name))) {
        thumbnails.copied(name);
      }
    }
    for (const file of staged) if (!this.#kept.has(file) && !this.#made.has(file)) remove(file);
    for (const folder of emptied) removeEmpty(staging, folder);
    // So that the folders' stamps can be told from those of a change that follows.
    if (thumbnailsChanged) await setTimeout(TICKS_MS);
    const memory = thumbnails.memory();
    return { rows, searched: this.#searched, thumbnails: memory, thumbnailsChanged };
  }

  /** Stamps of files that had another name until {@link complete} gave them one of the next site. */
  stampLinked(rows: Map<string, PageRow>): void {
    for (const [file, row] of this.#linked) {
      const stamp = row.stamp && stampOfLinked(path.join(this.#options.staging, file), row.stamp);
      if (stamp) rows.set(file, { ...row, stamp });
    }
  }

  /** Has a file of the published folder in the staging folder, too. */
  #takeOver(file: string, row: PageRow): PageRow {
    const { staging, output, former } = this.#options;
    if (this.#listed().has(file)) {
      // The very same file under two names: what is known of one is known of the other.
      if (row.stamp && stampOf(path.join(staging, file)) === row.stamp) return row;
      const other = former.rows.get(file);
      if (other?.hash === row.hash) {
        const stamp = this.#intact(file, other, 'staging');
        if (stamp !== undefined) return { ...row, stamp };
      }
      rmSync(path.join(staging, file));
    }
    place(path.join(output, file), path.join(staging, file));
    this.#linked.set(file, row);
    // Another name is a change of the file, and too new to be told from others.
    return { ...row, stamp: undefined };
  }

  /** Files of the staging folder; one that holds anything but files and folders is begun anew. */
  #listed(): ReadonlySet<string> {
    if (this.#staged) return this.#staged;
    const { staging, former } = this.#options;
    let listing = listSite(staging, knownFolders(staging, former.thumbnails));
    if (listing.odd.length > 0) {
      rmSync(staging, { recursive: true, force: true });
      listing = listSite(staging);
    }
    mkdirSync(staging, { recursive: true });
    this.#staged = new Set(listing.files);
    return this.#staged;
  }

  #keep(file: string, row: PageRow, from: Place['from']): boolean {
    const stamp = this.#intact(file, row, from);
    if (stamp === undefined) return false;
    this.#kept.set(file, { row: stamp === row.stamp ? row : { ...row, stamp }, from });
    return true;
  }

  /**
   * The stamp of a file that has the bytes that it should have; empty where it is too new, and
   * undefined where the bytes are others.
   */
  #intact(file: string, row: PageRow, from: Place['from']): string | undefined {
    const { output, staging, search } = this.#options;
    const target = path.join(from === 'published' ? output : staging, file);
    const stamp = stampOf(target) ?? '';
    if (stamp !== '' && stamp === row.stamp && this.#trusted[from]) return stamp;
    const bytes = readIfThere(target);
    if (bytes === undefined || bytesHash(bytes) !== row.hash) return undefined;
    // Keys can be new where a page is not.
    refuseKey(file, keyIn(search, file, bytes));
    this.#lookedInto = true;
    return stamp;
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

function removeEmpty(root: string, folder: string): void {
  for (let at = folder; at !== '.' && at !== ''; at = path.posix.dirname(at)) {
    try {
      rmdirSync(path.join(root, at));
    } catch {
      // Not empty.
      return;
    }
  }
}
