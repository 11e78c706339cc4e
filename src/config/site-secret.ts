import { randomBytes } from 'node:crypto';
import type { ConfigProblem } from './exposing.ts';
import { Secret } from './secret.ts';

/** Name of the variable with the secret that signs the records of a site. */
export const SITE_SECRET_VARIABLE = 'SITE_SECRET';

/**
 * Fewest letters and digits of a key that signs. A signature is public, so keys can be tried against
 * it: a key of 32 hexadecimal digits, the interface's form, has 128 bits, one of 24 digits 96. The
 * strength of words or names is not known.
 */
const SHORTEST_KEY = 24;
/** Fewest different characters among them. */
const FEWEST_KINDS = 8;

/** The rule that a key breaks, so that it could be found by trying. Undefined if it can sign. */
export function signingFault(key: Secret): string | undefined {
  const characters = key.reveal().replace(/[^A-Za-z0-9]/g, '');
  if (characters.length < SHORTEST_KEY) {
    return `is too short: it has fewer than ${SHORTEST_KEY} letters and digits`;
  }
  if (new Set(characters).size < FEWEST_KINDS) {
    return `has too few different characters: fewer than ${FEWEST_KINDS} different letters and digits`;
  }
  return undefined;
}

/** Whether a key can sign records. */
export const canSign = (key: Secret): boolean => signingFault(key) === undefined;

/** The command that prints a new `SITE_SECRET`. */
const MAKE_SITE_SECRET = `node -p "crypto.randomBytes(32).toString('base64url')"`;

/** A new random `SITE_SECRET` of 256 bits. */
export const newSiteSecret = (): Secret => new Secret(randomBytes(32).toString('base64url'));

/** The problem of `site.plates: "hide"` without the secret. */
export const SECRET_FOR_PLATES: ConfigProblem = {
  path: 'site.plates',
  message: `"hide" needs the environment variable ${SITE_SECRET_VARIABLE}, which hashes plates for URLs. Create one with: ${MAKE_SITE_SECRET}. Never change it afterwards`,
};

/** The problem of a `SITE_SECRET` that cannot sign. It repeats nothing of the value. */
export const weakSiteSecret = (secret: Secret | undefined): ConfigProblem[] =>
  secret === undefined || canSign(secret)
    ? []
    : [
        {
          path: `(environment) ${SITE_SECRET_VARIABLE}`,
          message: `is too easy to guess: it needs at least ${SHORTEST_KEY} letters and digits, ${FEWEST_KINDS} of them different. Create one with: ${MAKE_SITE_SECRET}`,
        },
      ];
