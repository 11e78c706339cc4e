import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { isOutputName } from '../../media/recipes.ts';
import { entriesOf } from '../../media/store/entries-of.ts';
import { OutputNames } from '../../media/store/output-names.ts';
import { stampOf } from '../../media/store/stamp.ts';
import { MEDIA } from './listing.ts';
import { copiedTime } from './place.ts';

/**
 * What vouches for the thumbnails in each folder of a site: how the folder looks, how that of the
 * store does, and which names it holds. While neither folder changes, each name in both stands for
 * the file that it stood for then; and the files of the store are looked at before.
 */
export type ThumbnailMemory = Readonly<Record<string, string>>;

/** What is wrong with a name in a site: no file of the store is there, or it is not planned. */
export type Difference = readonly [what: 'missing' | 'unplanned', name: string];

/** The folders of thumbnails in a site that look as they did when they were remembered. */
export function knownFolders(site: string, memory: ThumbnailMemory | undefined): Set<string> {
  const known = Object.entries(memory ?? {}).filter(([name, text]) => {
    const stamp = stampOf(path.join(site, MEDIA, name));
    return stamp !== undefined && text.startsWith(`${stamp} `);
  });
  return new Set(known.map(([name]) => name));
}

/** Compares the thumbnails of a site with those that are planned, and with the files of the store. */
export class Thumbnails {
  readonly #media: string;
  readonly #store: string;
  readonly #planned: Map<string, OutputNames>;
  readonly #digests: Map<string, string>;
  readonly #memory: ThumbnailMemory;
  /** Folders with files of their own in place of second names of the store's. */
  readonly #copied = new Set<string>();

  constructor(
    site: string,
    store: string,
    outputs: OutputNames,
    memory: ThumbnailMemory | undefined,
  ) {
    this.#media = path.join(site, MEDIA);
    this.#store = store;
    this.#planned = outputs.byFolder();
    this.#digests = new Map(
      Array.from(this.#planned, ([folder, names]) => [folder, names.digest().slice(0, 22)]),
    );
    this.#memory = memory ?? {};
  }

  /** What is to be done in the folders that nothing vouches for. */
  *differences(): Generator<Difference, void> {
    const there = entriesOf(this.#media).filter((entry) => entry.isDirectory());
    for (const folder of new Set([...this.#planned.keys(), ...there.map(({ name }) => name)])) {
      const planned = this.#planned.get(folder) ?? new OutputNames();
      const vouched = this.#vouch(folder);
      if (vouched !== undefined && vouched === this.#memory[folder]) continue;
      for (const name of planned) if (!this.#isSame(name)) yield ['missing', name];
      for (const entry of entriesOf(path.join(this.#media, folder))) {
        const name = `${folder}/${entry.name}`;
        const isOne = entry.isFile() && isOutputName(name);
        if (isOne && !planned.has(name)) yield ['unplanned', name];
      }
    }
  }

  /** Notes that a name was given a file of its own. */
  copied(name: string): void {
    this.#copied.add(name.slice(0, 2));
  }

  /** What is to be remembered, once there is no difference; without folders that are too new. */
  memory(): ThumbnailMemory {
    const folders = [...this.#planned.keys()].filter((folder) => !this.#copied.has(folder));
    const rows = folders.map((folder) => [folder, this.#vouch(folder)]);
    return Object.fromEntries(rows.filter(([, text]) => text !== undefined));
  }

  #vouch(folder: string): string | undefined {
    const site = stampOf(path.join(this.#media, folder));
    const store = stampOf(path.join(this.#store, folder));
    return site && store && `${site} ${store} ${this.#digests.get(folder)}`;
  }

  /** Whether a site has the store's own file, or a copy of it where there can be no second name. */
  #isSame(name: string): boolean {
    const site = statSync(`${this.#media}/${name}`, { throwIfNoEntry: false });
    if (!site) return false;
    const store = statSync(`${this.#store}/${name}`, { throwIfNoEntry: false });
    if (!store) return false;
    if (site.ino === store.ino && site.dev === store.dev) return true;
    this.copied(name);
    return isCopy(site, store);
  }
}

/** A file that has a second name elsewhere is on a disk that knows such names: then nothing is copied. */
const isCopy = (site: Stats, store: Stats): boolean =>
  (site.dev !== store.dev || store.nlink === 1) &&
  site.size === store.size &&
  site.mtimeMs === copiedTime(store) * 1000;
