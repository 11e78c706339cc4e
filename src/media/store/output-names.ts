import { hash as hashOf } from 'node:crypto';

/**
 * The names of many outputs, as a set. They are kept by picture, `HASH → what follows it in its
 * names`: a picture has a handful, their ends are nearly always the same few texts, and whether all
 * that is planned of it is there is asked without making a name. 82,000 names take a quarter of the
 * entries and of the memory, and comparing them with a plan an eighth of the time.
 */
export class OutputNames implements Iterable<string> {
  readonly #byHash = new Map<string, string[]>();
  /** Each end once, however many names have it. */
  readonly #ends = new Map<string, string>();
  #size = 0;

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    return this.#byHash.get(hashIn(name))?.includes(endIn(name)) ?? false;
  }

  /** Whether there is an output of a picture with each of these ends, see `outputEnds`. */
  hasAll(hash: string, ends: readonly string[]): boolean {
    const known = this.endsOf(hash);
    return ends.every((end) => known.includes(end));
  }

  /** What follows the hash in the names of a picture's outputs. */
  endsOf(hash: string): readonly string[] {
    return this.#byHash.get(hash) ?? NONE;
  }

  /** Those names that are not among others. */
  *without(others: OutputNames): Generator<string, void> {
    for (const [hash, ends] of this.#byHash) {
      const known = others.endsOf(hash);
      for (const end of ends) if (!known.includes(end)) yield nameOf(hash, end);
    }
  }

  /** SHA-256 of all names, in whatever order they came. */
  digest(): string {
    const lines: string[] = [];
    for (const [hash, ends] of this.#byHash) {
      lines.push(`${hash} ${ends.length < 2 ? ends[0] : ends.toSorted().join()}`);
    }
    return hashOf('sha256', lines.sort().join('\n'), 'base64url');
  }

  add(name: string): void {
    this.addEnd(hashIn(name), endIn(name));
  }

  /** Adds the name that these are the parts of. */
  addEnd(hash: string, text: string): void {
    let end = this.#ends.get(text);
    if (end === undefined) {
      end = text;
      this.#ends.set(end, end);
    }
    const known = this.#byHash.get(hash);
    if (known?.includes(end)) return;
    this.#size++;
    if (known) known.push(end);
    else this.#byHash.set(hash, [end]);
  }

  delete(name: string): void {
    const hash = hashIn(name);
    const known = this.#byHash.get(hash);
    const place = known?.indexOf(endIn(name)) ?? -1;
    if (!known || place < 0) return;
    this.#size--;
    known.splice(place, 1);
    if (known.length === 0) this.#byHash.delete(hash);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const [hash, ends] of this.#byHash) {
      for (const end of ends) yield nameOf(hash, end);
    }
  }
}

const NONE: readonly string[] = [];

/** `aa/` and the other 18 digits of the hash. */
const hashIn = (name: string): string => name.slice(0, 2) + name.slice(3, 21);
const endIn = (name: string): string => name.slice(21);
const nameOf = (hash: string, end: string): string => `${hash.slice(0, 2)}/${hash.slice(2)}${end}`;
