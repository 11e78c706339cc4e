import type { ContentEntry } from '../record/pictures.ts';
import { hashIn, outputName, suffixIn } from './fingerprint.ts';

/**
 * A set of the names of many outputs, stored by picture as `HASH → suffixes of its names`. A picture has
 * a few suffixes, and most pictures have the same ones, so each combination of suffixes is stored once:
 * 82,000 names take a quarter of the entries and a fifth of the memory. Checking whether all planned
 * outputs of a picture exist creates no name.
 */
export class OutputNames implements Iterable<string> {
  readonly #byHash = new Map<string, readonly string[]>();

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  get size(): number {
    let size = 0;
    for (const suffixes of this.#byHash.values()) size += suffixes.length;
    return size;
  }

  has(name: string): boolean {
    return this.suffixesOf(hashIn(name)).includes(suffixIn(name));
  }

  /** Whether there is an output of a picture with each of these suffixes, see `outputSuffixes`. */
  hasAll(hash: string, suffixes: readonly string[]): boolean {
    const existing = this.suffixesOf(hash);
    return suffixes.every((suffix) => existing.includes(suffix));
  }

  /** The suffixes of a picture's outputs. Pictures with the same suffixes share one array. */
  suffixesOf(hash: string): readonly string[] {
    return this.#byHash.get(hash) ?? NONE;
  }

  /** Names that are not in the excluded set. */
  *without(excluded: OutputNames): Generator<string, void> {
    for (const [hash, suffixes] of this.#byHash) {
      const existing = excluded.suffixesOf(hash);
      if (existing === suffixes) continue;
      for (const suffix of suffixes) if (!existing.includes(suffix)) yield outputName(hash, suffix);
    }
  }

  /** The names by picture: its hash, and the suffixes of its outputs. */
  pictures(): Iterable<[hash: string, suffixes: readonly string[]]> {
    return this.#byHash;
  }

  add(name: string): void {
    this.addPictures([suffixIn(name)], [hashIn(name)]);
  }

  /** Adds each of these suffixes to each of these pictures. */
  addPictures(suffixes: readonly string[], hashes: Iterable<string>): void {
    for (const hash of hashes) {
      const existing = this.#byHash.get(hash);
      if (!existing && suffixes.length > 0) this.#byHash.set(hash, combination(suffixes));
      else if (existing && !this.hasAll(hash, suffixes)) {
        this.#byHash.set(hash, combination([...existing, ...suffixes]));
      }
    }
  }

  /** Adds the outputs of known pictures, by the hash of their bytes. */
  addRecorded(contents: Iterable<readonly [hash: string, Pick<ContentEntry, 'outputs'>]>): void {
    for (const [hash, { outputs }] of contents) this.addPictures(Object.keys(outputs), [hash]);
  }

  delete(name: string): void {
    const hash = hashIn(name);
    const suffix = suffixIn(name);
    const remaining = this.suffixesOf(hash).filter((one) => one !== suffix);
    if (remaining.length > 0) this.#byHash.set(hash, combination(remaining));
    else this.#byHash.delete(hash);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const [hash, suffixes] of this.#byHash)
      for (const suffix of suffixes) yield outputName(hash, suffix);
  }
}

const NONE: readonly string[] = [];

/** Combinations of suffixes, by each order in which they were requested. */
const combinations = new Map<string, readonly string[]>();

/**
 * The shared array of a combination of suffixes, so that combinations are compared by identity. It never
 * changes, because many pictures and sets of names use it.
 */
function combination(suffixes: readonly string[]): readonly string[] {
  const key = suffixes.join();
  let list = combinations.get(key);
  if (!list) {
    const sorted = [...new Set(suffixes)].sort();
    list = combinations.get(sorted.join()) ?? sorted;
    combinations.set(key, list).set(list.join(), list);
  }
  return list;
}
