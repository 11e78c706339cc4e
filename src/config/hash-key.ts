import { ConfigError } from '../errors.ts';
import { Secret } from './secret.ts';

/** Name of the variable with the key for hashes of personal data. */
export const HASH_KEY_VARIABLE = 'BATCH_HASH_KEY';

/** Shorter keys could be found by trying; 32 hexadecimal characters are 128 bits. */
const SHORTEST = 32;

/**
 * The value of that variable as a key; undefined where it is not set.
 *
 * @throws {ConfigError} it is shorter than 32 characters.
 */
export function hashKeyOf(variable: string | undefined): Secret | undefined {
  const value = variable?.trim() ?? '';
  if (value === '') return undefined;
  if (value.length >= SHORTEST) return new Secret(value);
  throw new ConfigError({
    code: 'hash-key-short',
    what: `The environment variable ${HASH_KEY_VARIABLE} is too short to be a key.`,
    why: `Telephone numbers are few enough to be tried out; the key needs at least ${SHORTEST} characters.`,
    fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'hex\')" and keep it with the other secrets.',
  });
}
