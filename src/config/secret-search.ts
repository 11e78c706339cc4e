import { scryptSync } from 'node:crypto';
import { SecretFoundError } from '../errors.ts';
import { engineSecrets, type QueueAndStoreConfig } from './engines.ts';
import type { LoadedConfig } from './load.ts';
import type { Secret } from './secret.ts';

/** Bytes of a block, whose hash decides how far the search may jump. */
const BLOCK = 3;
const HASH_BITS = 14;

const blockHash = (bytes: Uint8Array, last: number): number =>
  Math.imul(
    ((bytes[last - 2] as number) << 16) |
      ((bytes[last - 1] as number) << 8) |
      (bytes[last] as number),
    0x9e3779b1,
  ) >>>
  (32 - HASH_BITS);

/**
 * Looks for all spellings of all keys at once (Wu and Manber, 1994): an agency has a hundred keys
 * with ten spellings each, and looking for one after the other in every file would take longer than
 * the rest of a build. Dealers often share a key: each spelling counts once.
 */
export class SecretSearch {
  /** All spellings, sorted. They are as secret as the keys. */
  readonly forms: readonly string[];
  /** Length of the shortest spelling. The jumps are computed from this many bytes of each. */
  readonly #window: number;
  /** By hash of a block: how far the window may move when it ends with that block. */
  readonly #jumps: Uint8Array;
  /** By hash of a block with jump 0: spellings whose first `window` bytes end with that block. */
  readonly #ending = new Map<number, Buffer[]>();

  static of(secrets: Iterable<Secret>): SecretSearch {
    return new SecretSearch(Array.from(secrets, (secret) => secret.forms()).flat());
  }

  /** @param forms spellings, such as the `forms` of a search in another process. */
  constructor(forms: readonly string[]) {
    this.forms = [...new Set(forms)].sort();
    const patterns = this.forms.map((form) => Buffer.from(form));
    this.#window = Math.min(255, ...patterns.map(({ length }) => length));
    const furthest = this.#window - BLOCK + 1;
    this.#jumps = new Uint8Array(1 << HASH_BITS).fill(furthest);
    for (const pattern of patterns) {
      for (let last = BLOCK - 1; last < this.#window; last++) {
        const hash = blockHash(pattern, last);
        const jump = this.#window - 1 - last;
        if (jump < (this.#jumps[hash] as number)) this.#jumps[hash] = jump;
      }
      const end = blockHash(pattern, this.#window - 1);
      const same = this.#ending.get(end);
      if (same) same.push(pattern);
      else this.#ending.set(end, [pattern]);
    }
  }

  /** Whether bytes, of text in UTF-8 or of any other file, contain any spelling of any key. */
  isIn(bytes: Buffer): boolean {
    if (this.forms.length === 0) return false;
    const window = this.#window;
    for (let last = window - 1; last < bytes.length; ) {
      const hash = blockHash(bytes, last);
      const jump = this.#jumps[hash] as number;
      if (jump > 0) {
        last += jump;
        continue;
      }
      const start = last - window + 1;
      for (const form of this.#ending.get(hash) ?? []) {
        if (form.compare(bytes, start, Math.min(bytes.length, start + form.length)) === 0) {
          return true;
        }
      }
      last++;
    }
    return false;
  }

  /**
   * Hash of the keys, to check later whether the same keys were searched for. It does not expose them:
   * it is scrypt over all of them, so all keys have to be guessed at once, at 10 ms a guess.
   *
   * @param salt random, stored beside the mark.
   */
  mark(salt: string): string {
    return scryptSync(this.forms.join('\n'), salt, 24, { N: 4096 }).toString('base64url');
  }
}

/** The part of a configuration that holds secrets. */
export type WithSecrets = Pick<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'>;

/** All secrets of a build. */
export const secretsOf = (
  { dealers, accounts, siteSecret }: WithSecrets,
  engines: QueueAndStoreConfig = {},
): Secret[] => [
  ...[...dealers, ...accounts].flatMap(({ apiKey, listKey }) =>
    listKey ? [apiKey, listKey] : [apiKey],
  ),
  ...(siteSecret ? [siteSecret] : []),
  ...engineSecrets(engines),
];

/** Where a key was found: in a file's name, or in its bytes. */
export type KeyPlace = 'name' | 'bytes';

/** Where a file contains any of the keys. Undefined if it contains none. */
export function keyIn(search: SecretSearch, file: string, bytes: Buffer): KeyPlace | undefined {
  if (search.isIn(Buffer.from(file))) return 'name';
  return search.isIn(bytes) ? 'bytes' : undefined;
}

/** @throws {SecretFoundError} a key was found. The error names the file, unless the key is in the name. */
export function refuseKey(file: string, where: KeyPlace | undefined): void {
  if (!where) return;
  throw new SecretFoundError({
    code: 'secret-in-site',
    what: `An API key was found in ${where === 'name' ? 'a file name' : `the file ${file}`} of the new site.`,
    why: 'Everything in that folder becomes public, so nothing was published.',
    fix: 'Find its source, such as an address of the service or the configuration, and have the key replaced.',
  });
}
