import { scryptSync } from 'node:crypto';
import { SecretFoundError } from '../errors.ts';
import { engineSecrets, type QueueAndStoreConfig } from './engines.ts';
import type { LoadedConfig } from './load.ts';
import type { Secret } from './secret.ts';

/** Bytes of a block. Its hash determines how far the search can jump. */
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
 * Searches for all spellings of all keys at once (Wu and Manber, 1994). An agency has a hundred keys with ten
 * spellings each. To search every file for one after the other would take longer than the rest of a build.
 */
export class SecretSearch {
  /** All spellings, sorted and without duplicates. They are as secret as the keys. */
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
      const others = this.#ending.get(end);
      if (others) others.push(pattern);
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
   * Hash of the keys, to check later whether the same keys were searched for. It does not expose them: an attacker
   * has to guess all keys at once, and each guess takes 10 ms (scrypt).
   *
   * @param salt random, stored with the hash.
   */
  mark(salt: string): string {
    return scryptSync(this.forms.join('\n'), salt, 24, { N: 4096 }).toString('base64url');
  }
}

/** The part of a configuration that holds secrets. */
type WithSecrets = Pick<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'>;

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

/** A text without any key. Messages of the service can contain keys, also of other dealers. */
export const withoutSecrets = (text: string, secrets: readonly Secret[]): string =>
  secrets.reduce((safe, secret) => secret.redact(safe), text);

/** The part of a file that contains a key. */
type KeyPlace = 'name' | 'bytes';

/** The part of a file that contains any of the keys. Undefined if none does. */
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
