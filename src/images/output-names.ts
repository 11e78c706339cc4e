import { hashIn, outputName, suffixIn } from './fingerprint.ts';

/**
 * The names of many outputs, as a set. They are kept by picture, `HASH → what follows it in its
 * names`: a picture has a handful, and most pictures have the same few. So each combination of ends
 * exists once, however many pictures have it: 82,000 names take a quarter of the entries and a
 * fifth of the memory, and whether all that is planned of a picture is there is asked without
 * making a name.
 */
export class OutputNames implements Iterable<string> {
  readonly #byHash: Map<string, readonly string[]>;

  constructor(names: Iterable<string> = []) {
    const isCopy = names instanceof OutputNames;
    this.#byHash = new Map(isCopy ? names.#byHash : []);
    if (!isCopy) for (const name of names) this.add(name);
  }

  get size(): number {
    let size = 0;
    for (const ends of this.#byHash.values()) size += ends.length;
    return size;
  }

  has(name: string): boolean {
    return this.endsOf(hashIn(name)).includes(suffixIn(name));
  }

  /** Whether there is an output of a picture with each of these ends, see `outputSuffixes`. */
  hasAll(hash: string, ends: readonly string[]): boolean {
    const known = this.endsOf(hash);
    return ends.every((end) => known.includes(end));
  }

  /** What follows the hash in the names of a picture's outputs: one array for all with the same. */
  endsOf(hash: string): readonly string[] {
    return this.#byHash.get(hash) ?? NONE;
  }

  /** Those names that are not among others. */
  *without(others: OutputNames): Generator<string, void> {
    for (const [hash, ends] of this.#byHash) {
      const known = others.endsOf(hash);
      if (known === ends) continue;
      for (const end of ends) if (!known.includes(end)) yield outputName(hash, end);
    }
  }

  /** The names by picture: its hash, and what follows it in the names of its outputs. */
  pictures(): Iterable<[hash: string, ends: readonly string[]]> {
    return this.#byHash;
  }

  add(name: string): void {
    this.addPictures([suffixIn(name)], [hashIn(name)]);
  }

  /** Adds each of these ends to each of these pictures. */
  addPictures(ends: readonly string[], hashes: Iterable<string>): void {
    for (const hash of hashes) {
      const known = this.#byHash.get(hash);
      if (!known && ends.length > 0) this.#byHash.set(hash, combination(ends));
      else if (known && !this.hasAll(hash, ends)) {
        this.#byHash.set(hash, combination([...known, ...ends]));
      }
    }
  }

  delete(name: string): void {
    const [hash, end] = [hashIn(name), suffixIn(name)];
    const left = this.endsOf(hash).filter((one) => one !== end);
    if (left.length > 0) this.#byHash.set(hash, combination(left));
    else this.#byHash.delete(hash);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const [hash, ends] of this.#byHash) for (const end of ends) yield outputName(hash, end);
  }
}

const NONE: readonly string[] = [];

/** Combinations of ends, in whatever order they were asked for. */
const combinations = new Map<string, readonly string[]>();

/**
 * The one list of a combination of ends, so two are the same if they are one object; none is ever
 * changed, because many pictures, and many sets of names, share it.
 */
function combination(ends: readonly string[]): readonly string[] {
  const key = ends.join();
  let list = combinations.get(key);
  if (!list) {
    const sorted = [...new Set(ends)].sort();
    list = combinations.get(sorted.join()) ?? sorted;
    combinations.set(key, list).set(list.join(), list);
  }
  return list;
}
