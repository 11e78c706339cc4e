import { ConfigError } from '../errors.ts';
import { Secret } from './secret.ts';

/** Name of the variable with the key for hashes of personal data. */
export const HASH_KEY_VARIABLE = 'BATCH_HASH_KEY';

/** Shorter keys could be tried out; 32 characters of hexadecimal are 128 bits. */
const SHORTEST_HASH_KEY = 32;

/**
 * The key for keyed hashes of personal data, from `BATCH_HASH_KEY`; undefined where it is not set.
 *
 * @throws {ConfigError} it is shorter than 32 characters.
 */
export function readHashKey(env: NodeJS.ProcessEnv = process.env): Secret | undefined {
  const value = env[HASH_KEY_VARIABLE]?.trim() ?? '';
  if (value === '') return undefined;
  if (value.length >= SHORTEST_HASH_KEY) return new Secret(value);
  throw new ConfigError({
    code: 'hash-key-short',
    what: `The environment variable ${HASH_KEY_VARIABLE} is too short to be a key.`,
    why: `Telephone numbers are few enough to be tried out; the key needs at least ${SHORTEST_HASH_KEY} characters.`,
    fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'hex\')" and keep it with the other secrets.',
  });
}

/** Whether this runs in continuous integration, where standard output is usually kept as a log. */
export function runsInCi(env: NodeJS.ProcessEnv = process.env): boolean {
  return !['', '0', 'false'].includes((env.CI ?? '').trim().toLowerCase());
}
