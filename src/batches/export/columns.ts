import { HASH_KEY_VARIABLE } from '../../config/environment.ts';
import type { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { streamSafe } from '../../lib/latin.ts';
import { FIELDS, type Field, type Kind, type Personal } from '../model/fields.ts';
import {
  isImpersonal,
  keyCheck,
  keyedHash,
  normaliseEmail,
  normalisePhone,
} from '../model/persons.ts';
import type { Cell } from './format.ts';

/** Source of a column: a field of the interface, of the store, or of a contact. */
export interface Source {
  readonly name: string;
  /**
   * SQL expression with the tables `account` a, `batch` b, `version` v and, for erasures, `erased_batch` e. Empty for
   * a sum over the batches of a contact.
   */
  readonly sql: string;
  /** SQL expression that is null if the interface's value means "unknown" (section 2.3). */
  readonly knownSql?: string;
  readonly kind: Kind;
  readonly personal: Personal;
}

const KNOWN_SQL: Readonly<Record<string, string>> = {
  MarketingContactId: 'nullif(v.marketing_contact_id, 0)',
  CustomerActionPrice:
    'iif(v.customer_action_state_json IS NULL, nullif(v.customer_action_price, 0), v.customer_action_price)',
};

const source = (name: string, kind: Kind, sql = '', options: Partial<Source> = {}): Source => ({
  name,
  kind,
  sql,
  personal: 'none',
  ...options,
});

const fieldSource = ({ name, column, kind, personal }: Field): Source =>
  source(name, kind, `v.${column}`, { knownSql: KNOWN_SQL[name], personal });

/** A key that every CRM accepts. Dataverse refuses `/ # < > * % & : \ ? +`, and Salesforce ignores the case of letters. */
const key = (name: string): Source => source(name, 'text', "a.name || '-' || b.batch_id");

/** The columns of a contact, in order. Its key is the key of its first batch. */
export const CONTACT_SOURCES: readonly Source[] = [
  key('ContactKey'),
  source('Email', 'text', 'v.recipient_email', { personal: 'contact' }),
  source('Mobile', 'phone', 'v.recipient_mobile', { personal: 'contact' }),
  source('Batches', 'integer'),
  source('LastSent', 'time'),
  source('FirstWatched', 'time'),
  source('LastWatched', 'time'),
  source('Watches', 'integer'),
  source('Plays', 'integer'),
  source('Clicks', 'integer'),
  source('Action', 'json'),
  source('ActionDate', 'json'),
  source('Rating', 'json'),
];

/** The columns of a batch, in order. */
export const BATCH_SOURCES: readonly Source[] = [
  source('Account', 'text', 'a.name'),
  source('BatchId', 'integer', 'b.batch_id'),
  ...FIELDS.map(fieldSource),
  source('ExtraFields', 'json', 'v.extra_json', { personal: 'free' }),
  source('Version', 'integer', 'v.number'),
  source('ChangeSeq', 'integer', 'v.change_seq'),
  source('FirstSeen', 'time', 'b.first_seen_at'),
  source('ChangeSeen', 'time', 'v.seen_at'),
  source('LastSeen', 'time', 'b.last_seen_at'),
];

/** All sources of columns. */
export const SOURCES: readonly Source[] = [
  key('BatchKey'),
  ...BATCH_SOURCES,
  source('_erased', 'time', 'e.at'),
  ...CONTACT_SOURCES,
];

export const PII_MODES = ['full', 'hash', 'none'] as const;

/**
 * Treatment of personal data. `full`: unchanged. `hash`: contacts and senders as keyed hashes, no free text. `none`: no
 * personal data.
 */
export type PiiMode = (typeof PII_MODES)[number];

export interface PersonalOptions {
  mode: PiiMode;
  hashKey: Secret | undefined;
  /** Country calling code that makes national numbers international, in hashes and contacts. */
  callingCode?: string;
}

/** Identifies a treatment whose rows fit together. Another key or calling code gives other hashes or contacts. */
export const treatmentName = ({ mode, hashKey, callingCode }: PersonalOptions): string =>
  [mode, hashKey && keyCheck(hashKey), callingCode].filter(Boolean).join(' ');

/** Changes the cells of one field. */
interface Treatment {
  hashed: boolean;
  apply(value: Cell): Cell;
}

const UNCHANGED: Treatment = { hashed: false, apply: (value) => value };

const PURPOSES: Readonly<Record<string, string>> = {
  RecipientEmail: 'email',
  RecipientMobile: 'phone',
  Email: 'email',
  Mobile: 'phone',
  MarketingContactId: 'contact',
  SendingUserName: 'user',
};

/** Whether a field may contain anything, because the interface states neither its type nor its values (section 2.3). */
export const isOpen = ({ name, kind }: Pick<Source, 'name' | 'kind'>): boolean =>
  kind === 'json' || name === 'ProductType';

/**
 * How a field is exported. Hashes are HMAC-SHA256 of `purpose:value` with `BATCH_HASH_KEY`, hexadecimal. Values are
 * normalised, so all spellings of an address or number have the same hash. Hashes without a key are not offered:
 * telephone numbers could be guessed from them in minutes.
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
    const plain = (value: Cell) => (value === null || isImpersonal(value) ? value : null);
    return isOpen({ name, kind }) ? { hashed: false, apply: plain } : UNCHANGED;
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
    return streamSafe(text).normalize('NFKC').trim();
  };
  return {
    hashed: true,
    apply: (value) => {
      const text = value === null || value === 0 ? '' : normalise(String(value));
      return text === '' ? null : keyedHash(hashKey, purpose, text);
    },
  };
}
