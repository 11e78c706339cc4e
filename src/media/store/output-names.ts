import { hash as hashOf } from 'node:crypto';
import { endIn, hashIn, outputName } from './fingerprint.ts';

/**
 * The names of many outputs, as a set. They are kept by picture, `HASH → what follows it in its
 * names`: a picture has a handful, and most pictures have the same few. So each combination of ends
 * exists once, however many pictures have it: 82,000 names take a quarter of the entries and a
 * fifth of the memory, and whether all that is planned of a picture is there is asked without
 * making a name.
 */
export class OutputNames implements Iterable<string> {
  readonly #byHash = new Map<string, Ends>();
  #size = 0;

  constructor(names: Iterable<string> = []) {
    if (names instanceof OutputNames) {
      for (const [hash, ends] of names.#byHash) this.#byHash.set(hash, ends);
      this.#size = names.size;
      return;
    }
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    return this.endsOf(hashIn(name)).includes(endIn(name));
  }

  /** Whether there is an output of a picture with each of these ends, see `outputEnds`. */
  hasAll(hash: string, ends: readonly string[]): boolean {
    const known = this.endsOf(hash);
    return ends.every((end) => known.includes(end));
  }

  /** What follows the hash in the names of a picture's outputs. */
  endsOf(hash: string): readonly string[] {
    return this.#byHash.get(hash)?.list ?? NONE.list;
  }

  /** Those names that are not among others. */
  *without(others: OutputNames): Generator<string, void> {
    for (const [hash, ends] of this.#byHash) {
      const known = others.#byHash.get(hash) ?? NONE;
      if (known === ends) continue;
      for (const end of ends.list) if (!known.list.includes(end)) yield outputName(hash, end);
    }
  }

  /** The names by picture: its hash, and what follows it in the names of its outputs. */
  *pictures(): Generator<[hash: string, ends: readonly string[]], void> {
    for (const [hash, { list }] of this.#byHash) yield [hash, list];
  }

  /** SHA-256 of all names, in whatever order they came. */
  digest(): string {
    const lines = Array.from(this.#byHash, ([hash, { list }]) => `${hash} ${list.join()}`);
    return hashOf('sha256', lines.sort().join('\n'), 'base64url');
  }

  /** Adds all names of another set. */
  addAll(others: OutputNames): void {
    for (const [hash, { list }] of others.#byHash) this.addPictures(list, [hash]);
  }

  add(name: string): void {
    this.addEnd(hashIn(name), endIn(name));
  }

  /** Adds the name that these are the parts of. */
  addEnd(hash: string, end: string): void {
    const known = this.#byHash.get(hash) ?? NONE;
    const ends = known.with(end);
    if (ends === known) return;
    this.#size++;
    this.#byHash.set(hash, ends);
  }

  /** Adds each of these ends to each of these pictures. */
  addPictures(ends: readonly string[], hashes: Iterable<string>): void {
    const all = Ends.all(ends);
    if (all === NONE) return;
    for (const hash of hashes) {
      const known = this.#byHash.get(hash);
      const both = known ? ends.reduce((some, end) => some.with(end), known) : all;
      this.#size += both.list.length - (known?.list.length ?? 0);
      this.#byHash.set(hash, both);
    }
  }

  delete(name: string): void {
    this.deleteEnd(hashIn(name), endIn(name));
  }

  /** Removes the name that these are the parts of. */
  deleteEnd(hash: string, end: string): void {
    const known = this.#byHash.get(hash);
    const ends = known?.without(end);
    if (!ends || ends === known) return;
    this.#size--;
    if (ends === NONE) this.#byHash.delete(hash);
    else this.#byHash.set(hash, ends);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const [hash, { list }] of this.#byHash) {
      for (const end of list) yield outputName(hash, end);
    }
  }
}

/**
 * A combination of ends. Each exists once, so two are the same if they are one object; none is ever
 * changed, because many pictures, and many sets of names, share it.
 */
class Ends {
  /** All that exist, by their ends. */
  static readonly #all = new Map<string, Ends>();
  readonly list: readonly string[];
  /** The last that was put together: of one picture after another it is the same. */
  static #last: { ends: readonly string[]; all: Ends } | undefined;
  /** What becomes of it with one end more. */
  readonly #more = new Map<string, Ends>();

  private constructor(list: readonly string[]) {
    this.list = list;
  }

  static of(sorted: readonly string[]): Ends {
    const key = JSON.stringify(sorted);
    let ends = Ends.#all.get(key);
    if (!ends) {
      ends = new Ends(sorted);
      Ends.#all.set(key, ends);
    }
    return ends;
  }

  /** Those with all of these ends. */
  static all(ends: readonly string[]): Ends {
    const last = Ends.#last;
    const isLast =
      last?.ends.length === ends.length && ends.every((end, at) => end === last.ends[at]);
    if (last && isLast) return last.all;
    const all = ends.reduce((some, end) => some.with(end), NONE);
    Ends.#last = { ends: [...ends], all };
    return all;
  }

  with(end: string): Ends {
    let more = this.#more.get(end);
    if (!more) {
      more = this.list.includes(end) ? this : Ends.of([...this.list, end].sort());
      this.#more.set(end, more);
    }
    return more;
  }

  without(end: string): Ends {
    return this.list.includes(end) ? Ends.of(this.list.filter((one) => one !== end)) : this;
  }
}

const NONE = Ends.of([]);
