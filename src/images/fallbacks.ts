import type { KnownPictures } from '../record/known-pictures.ts';
import type { OutputNames } from './output-names.ts';
import { itemOf, type Source } from './plan.ts';
import { outputsFor } from './recipes.ts';

/**
 * Earlier pictures as fallbacks for pictures that cannot be downloaded now: the picture of the same URL, or of
 * the same media item under its previous URL.
 */
export class Fallbacks {
  readonly #known: KnownPictures;
  readonly #existing: Pick<OutputNames, 'has'>;
  /** Source → the entry whose thumbnails are its fallback. */
  readonly #chosen = new Map<string, string>();
  /** Media item → its last known key. Created on first use. */
  #latest: Map<string, string> | undefined;

  constructor(known: KnownPictures, existing: Pick<OutputNames, 'has'>) {
    this.#known = known;
    this.#existing = existing;
  }

  /** Chooses a fallback. Returns whether there is one with at least one thumbnail. */
  choose({ key, recipes }: Source): boolean {
    const formerKey = this.formerOf(key);
    const picture = this.#known.known(formerKey);
    if (!picture) return false;
    this.#chosen.set(key, formerKey);
    const content = { hash: picture.entry.hash, ...picture.content };
    return outputsFor(content, recipes).some(({ name }) => this.#existing.has(name));
  }

  /** The key whose thumbnails a source shows: the source's, or its fallback's. */
  of(key: string): string {
    return this.#chosen.get(key) ?? key;
  }

  /** The known key of the same URL, otherwise of the same media item. The same key if neither is known. */
  formerOf(key: string): string {
    const { sources } = this.#known;
    if (sources.has(key)) return key;
    if (!this.#latest) {
      this.#latest = new Map();
      for (const [candidate, { vehicleDate }] of sources) {
        const item = itemOf(candidate);
        const latest = this.#latest.get(item);
        const date = latest === undefined ? '' : (sources.get(latest)?.vehicleDate ?? '');
        // Independent of the order of entries, so that every disk chooses the same one.
        const isLater = date === vehicleDate ? candidate > (latest ?? '') : vehicleDate > date;
        if (latest === undefined || isLater) this.#latest.set(item, candidate);
      }
    }
    return this.#latest.get(itemOf(key)) ?? key;
  }
}
