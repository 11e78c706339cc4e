import type { Source } from './plan.ts';
import type { Names } from './ports.ts';
import { outputsFor } from './recipes.ts';
import type { Manifest } from './store/manifest.ts';

/** The id part of a source key: what stays when a picture moves to another address. */
const identity = (key: string): string => key.slice(0, key.indexOf(' '));

/**
 * Which earlier pictures stand in for those that cannot be had now: the same address before, or
 * the same media item under its former address.
 */
export class StandIns {
  readonly #manifest: Manifest;
  readonly #existing: Pick<Names, 'has'>;
  /** Source → the entry whose thumbnails stand in for it. */
  readonly #chosen = new Map<string, string>();
  /** Media item → its entry that was asked for last; made when first needed. */
  #latest: Map<string, string> | undefined;

  constructor(manifest: Manifest, existing: Pick<Names, 'has'>) {
    this.#manifest = manifest;
    this.#existing = existing;
  }

  /** Looks for a stand-in; says whether there is one with at least one thumbnail to show. */
  choose({ key, recipes }: Source): boolean {
    const { sources, contents } = this.#manifest;
    const former = sources.has(key) ? key : this.#formerKey(key);
    const hash = former === undefined ? undefined : sources.get(former)?.hash;
    const content = hash === undefined ? undefined : contents.get(hash);
    if (former === undefined || hash === undefined || !content) return false;
    this.#chosen.set(key, former);
    return outputsFor({ hash, ...content }, recipes).some(({ name }) => this.#existing.has(name));
  }

  /** The key whose thumbnails a source shows: its own, or that of its stand-in. */
  of(key: string): string {
    return this.#chosen.get(key) ?? key;
  }

  /** Keys that must not be forgotten. */
  keys(): Iterable<string> {
    return this.#chosen.values();
  }

  #formerKey(key: string): string | undefined {
    if (!this.#latest) {
      this.#latest = new Map();
      const { sources } = this.#manifest;
      for (const [other, { checkedAt }] of sources) {
        const known = sources.get(this.#latest.get(identity(other)) ?? '');
        if (!known || checkedAt > known.checkedAt) this.#latest.set(identity(other), other);
      }
    }
    return this.#latest.get(identity(key));
  }
}
