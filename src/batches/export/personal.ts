import { HASH_KEY_VARIABLE } from '../../config/environment.ts';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { isImpersonal, keyedHash, normaliseEmail, normalisePhone } from '../model/persons.ts';
import type { Cell } from './format.ts';
import type { Source } from './sources.ts';

export const PII_MODES = ['full', 'hash', 'none'] as const;

/**
 * Treatment of personal data. `full`: unchanged. `hash`: contacts and senders as keyed hashes,
 * free text left out. `none`: all of it left out.
 */
export type PiiMode = (typeof PII_MODES)[number];

export interface PersonalOptions {
  mode: PiiMode;
  hashKey: Secret | undefined;
  /** Country calling code by which national numbers become international before hashing. */
  callingCode?: string | undefined;
}

/** How the cells of one field are changed. */
export interface Treatment {
  hashed: boolean;
  apply(value: Cell): Cell;
}

const UNCHANGED: Treatment = { hashed: false, apply: (value) => value };

const PURPOSES: Readonly<Record<string, string>> = {
  RecipientEmail: 'email',
  RecipientMobile: 'phone',
  MarketingContactId: 'contact',
  SendingUserName: 'user',
};

/**
 * HMAC-SHA256 under `BATCH_HASH_KEY` of `purpose:value`, hexadecimal; the value is normalised, so
 * that two spellings of one address or number are equal. Plain hashes of telephone numbers are
 * guessed in minutes, so there is no mode without a key.
 *
 * @returns undefined if the field is left out.
 * @throws {ConfigError} the mode is `hash` and no key is set.
 */
export function treatmentOf(
  { name, personal, kind }: Source,
  { mode, hashKey, callingCode }: PersonalOptions,
): Treatment | undefined {
  if (mode === 'full') return UNCHANGED;
  if (personal === 'none') {
    // A field whose type the interface does not show may hold anything.
    const plain = (value: Cell) => (value === null || isImpersonal(value) ? value : null);
    return kind === 'json' ? { hashed: false, apply: plain } : UNCHANGED;
  }
  if (mode === 'none' || personal === 'free') return undefined;
  if (!hashKey) {
    throw new ConfigError({
      code: 'hash-key-missing',
      what: 'Personal data cannot be hashed: no key is set.',
      why: `--pii hash needs the environment variable ${HASH_KEY_VARIABLE}.`,
      fix: "Make a key with: node -p \"crypto.randomBytes(32).toString('hex')\" and put it into .env or the CI's secrets.",
    });
  }
  const purpose = PURPOSES[name] ?? name;
  const normalise = (text: string): string => {
    if (purpose === 'email') return normaliseEmail(text);
    if (purpose === 'phone') return normalisePhone(text, callingCode);
    return text.normalize('NFKC').trim();
  };
  return {
    hashed: true,
    apply: (value) => {
      const text = value === null || value === 0 ? '' : normalise(String(value));
      return text === '' ? null : keyedHash(hashKey, purpose, text);
    },
  };
}
