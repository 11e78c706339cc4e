import { HASH_KEY_VARIABLE } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';
import type { BatchRecord } from '../contract/batch.ts';
import { ConfigError } from '../errors.ts';
import { BATCHES, type Erasable, erase, type StoredBatch } from './erase.ts';
import {
  type ErasedTest,
  erasedRoles,
  type Identifier,
  identifiersIn,
  normaliseEmail,
  normalisePhone,
  phoneTails,
  type Roles,
  senderOf,
} from './model/persons.ts';
import { recordErased } from './store/erased-persons.ts';
import type { HistoryStore } from './store/open.ts';
import { addUnreadBatch, batchIdIn } from './store/scrub.ts';
import { selectAll } from './store/sql.ts';

/** The persons and batches to erase. At least one list must have an entry. */
export interface ForgetTarget {
  emails?: readonly string[];
  mobiles?: readonly string[];
  /** Whole names of senders. */
  senders?: readonly string[];
  batchIds?: readonly number[];
  /** Restricts `batchIds` to one account. Without it, the id is erased in every account. */
  account?: string;
}

/** An address without a name or punctuation, such as the `<>` that mail programs add. */
const PLAIN_EMAIL = /^[^\s@<>()",:;]+@[^\s@<>()",:;]*[\p{L}\p{M}\p{N}]$/u;

function byEmail(text: string, position: number): Identifier[] {
  const email = normaliseEmail(text);
  if (PLAIN_EMAIL.test(email)) return [`email:${email}`];
  throw new ConfigError({
    code: 'forget-email-form',
    what: `--email number ${position} is not a plain e-mail address.`,
    fix: 'Give one address such as ann@example.com for each --email, or - to read them from standard input.',
  });
}

function byMobile(text: string, position: number): Identifier[] {
  // Only its last digits are compared, so the first of two numbers would not be erased.
  if (normalisePhone(text).replace('+', '').length > 15) {
    throw new ConfigError({
      code: 'forget-mobile-long',
      what: `--mobile number ${position} has more than 15 digits, so it may be two numbers.`,
      fix: 'Give one number such as +447700900123 for each --mobile, or - to read one per line from standard input.',
    });
  }
  const identifiers = phoneTails(text).map((tail): Identifier => `phone:${tail}`);
  if (identifiers.length > 0) return identifiers;
  throw new ConfigError({
    code: 'forget-mobile-short',
    what: `--mobile number ${position} has fewer than seven digits.`,
    why: 'Such a short number would also erase people whose longer number contains it.',
    fix: 'Give the full number, such as +447700900123.',
  });
}

/** The values of an option, by their positions from 1: a value itself may be personal data, so messages omit it. */
const valuesOf = <V, I>(
  option: string,
  values: readonly V[],
  identifiersOf: (value: V, position: number) => I[],
) =>
  values.map((value, index) => {
    const position = index + 1;
    return { option, position, identifiers: identifiersOf(value, position) };
  });

function requireKey(identifiers: ReadonlySet<Identifier>, key: Secret | undefined): void {
  if (identifiers.size === 0 || key) return;
  throw new ConfigError({
    code: 'hash-key-missing',
    what: 'A person cannot be erased by address, number or name without a key.',
    why: `The service still has the person, and later pulls recognise them by a keyed hash. ${HASH_KEY_VARIABLE} is not set.`,
    fix: `Set ${HASH_KEY_VARIABLE} (the same for every forget and pull), or erase single batches with --batch.`,
  });
}

const RECIPIENT: Roles = new Set(['recipient'] as const);

/**
 * Erases persons. In each batch that mentions them in any field, contact fields, free text and fields outside the
 * interface are removed from every version and every raw record. Counts and times remain, so totals stay correct.
 * Later pulls store only counts and times. Of a batch that mentions the person only as sender, only the sender is
 * removed, also from versions with the name but without the address. A person erased by address, number or name is also
 * recorded as a keyed hash, so that no later pull stores the person again.
 *
 * @throws {ConfigError} the target is invalid, or the key is missing.
 * @throws {AppError} `forget-remains`: erased, but another process kept the log from being emptied.
 */
export function forget(
  store: HistoryStore,
  { emails = [], mobiles = [], senders = [], batchIds = [], account }: ForgetTarget,
  { hashKey, dryRun = false }: { hashKey?: Secret; dryRun?: boolean } = {},
) {
  const { db } = store;
  const persons = [
    ...valuesOf('email', emails, byEmail),
    ...valuesOf('mobile', mobiles, byMobile),
    ...valuesOf('sender', senders, (name) => [senderOf(name)]),
  ];
  const identifiers = new Set(persons.flatMap((person) => person.identifiers));
  requireKey(identifiers, hashKey);
  /** Identifiers of persons, and BatchIds, that the history contains. */
  const matches = new Set<Identifier | number>();
  const mentionsPerson: ErasedTest = (fields) => {
    if (identifiers.size === 0) return false;
    const found = [...identifiersIn(fields)].filter((identifier) => identifiers.has(identifier));
    for (const identifier of found) matches.add(identifier);
    return found.length > 0;
  };
  const find = (at: string): Erasable => {
    const rolesByRow = new Map<number, Roles>();
    const quarantined: { id: number; roles: Roles }[] = [];
    const addRoles = (row: number, roles: Roles) => {
      if (roles.size > 0) rolesByRow.set(row, new Set([...roles, ...(rolesByRow.get(row) ?? [])]));
    };
    const isNamed = (name: string, batchId: number): boolean =>
      batchIds.includes(batchId) && (account ?? name) === name;
    for (const { id, raw } of db.prepare('SELECT batch_row AS id, raw FROM version').iterate()) {
      addRoles(Number(id), erasedRoles(JSON.parse(String(raw)), mentionsPerson));
    }
    type Quarantined = Record<'name' | 'raw' | 'seenAt', string> & Record<'id' | 'account', number>;
    const records = selectAll<Quarantined>(
      db,
      `SELECT q.id, a.id AS account, a.name, raw, q.last_seen_at AS seenAt
       FROM quarantine q JOIN account a ON a.id = q.account_id`,
    );
    for (const { id, name, raw, ...stored } of records) {
      const record: Partial<BatchRecord> | null = JSON.parse(raw);
      const batchId = batchIdIn(record);
      const found = erasedRoles(record, mentionsPerson);
      const roles = isNamed(name, batchId) ? RECIPIENT : found;
      if (roles.size === 0) continue;
      const row = addUnreadBatch(db, { ...stored, batchId });
      if (row !== undefined) addRoles(row, roles);
      quarantined.push({ id, roles });
    }
    const batches = selectAll<StoredBatch>(db, `${BATCHES} ORDER BY b.id`).flatMap((batch) => {
      if (isNamed(batch.account, batch.batchId)) addRoles(batch.id, RECIPIENT);
      const roles = rolesByRow.get(batch.id);
      if (roles?.has('recipient')) matches.add(batch.batchId);
      return roles ? [{ ...batch, roles }] : [];
    });
    if (hashKey && identifiers.size > 0) recordErased(db, hashKey, identifiers, at);
    return { batches, quarantined, isErased: mentionsPerson };
  };
  const erasure = erase(store, find, { dryRun });
  const values = [...persons, ...valuesOf('batch', batchIds, (id) => [id])];
  return {
    ...erasure,
    /** Values that match nothing in the history. */
    unmatched: values.filter(({ identifiers }) => identifiers.every((one) => !matches.has(one))),
    /** Whether later pulls will recognise the person. */
    remembered: persons.length > 0 && !dryRun,
  };
}

export type ForgetResult = ReturnType<typeof forget>;
