import type { DatabaseSync } from 'node:sqlite';
import { HASH_KEY_VARIABLE } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';
import { AppError, ConfigError } from '../errors.ts';
import { discardUnfinished } from './export/ledger.ts';
import { removeLeftovers } from './export/output.ts';
import { type Identifier, identifiersIn, normaliseEmail, phoneTail } from './model/persons.ts';
import { recordErased } from './store/erased-persons.ts';
import { lockExports } from './store/locks.ts';
import { type HistoryStore, transaction } from './store/open.ts';
import { scrubBatch } from './store/scrub.ts';

/** Whom to erase. At least one list must have an entry. */
export interface ForgetTarget {
  emails: readonly string[];
  mobiles: readonly string[];
  batchIds: readonly number[];
  /** Restricts `batchIds` to one account; without it, the id is erased in every account. */
  account?: string | undefined;
}

/** A value of a target by its position, from 1: the value itself may be personal data. */
export interface Unmatched {
  option: 'email' | 'mobile' | 'batch';
  position: number;
}

export interface ForgetResult {
  /** What was erased, as the CRM knows it: these may have been exported before. */
  batches: { account: string; batchId: number }[];
  versions: number;
  quarantined: number;
  /** Values that nothing in the history contains. */
  unmatched: Unmatched[];
  /** Whether later pulls recognise the person. */
  remembered: boolean;
  /** When the last export was made that may hold the person; undefined where there was none. */
  lastExport: string | undefined;
}

function identifiersOf({ emails, mobiles }: ForgetTarget): Identifier[] {
  const fromMobiles = mobiles.map((mobile) => {
    const value = phoneTail(mobile);
    if (value !== undefined) return { kind: 'phone', value } as const;
    throw new ConfigError({
      code: 'forget-mobile-short',
      what: 'A telephone number to forget has fewer than seven digits.',
      why: 'So short a number would erase people whose number only contains it.',
      fix: 'Give the whole number, such as +447700900123.',
    });
  });
  const fromEmails = emails.map((email) => {
    const value = normaliseEmail(email);
    if (/^[^\s@]+@[^\s@]+$/.test(value)) return { kind: 'email', value } as const;
    throw new ConfigError({
      code: 'forget-email-form',
      what: 'An e-mail address to forget is no e-mail address.',
      fix: 'Give one address for each --email, or - to read them from standard input.',
    });
  });
  return [...fromEmails, ...fromMobiles];
}

function neededKey(identifiers: readonly Identifier[], key: Secret | undefined): void {
  if (identifiers.length === 0 || key) return;
  throw new ConfigError({
    code: 'hash-key-missing',
    what: 'A person cannot be erased by address or number without a key.',
    why: `The service still knows the person; the next pull recognises them by a keyed hash. ${HASH_KEY_VARIABLE} is not set.`,
    fix: `Set ${HASH_KEY_VARIABLE} (the same for every forget and pull), or erase single batches with --batch.`,
  });
}

const keyOf = ({ kind, value }: Identifier): string => `${kind}:${value}`;

/** Tests whether a raw record names one of the persons. @param found receives each that was named. */
const naming = (identifiers: readonly Identifier[], found: Set<string>) => {
  const wanted = new Set(identifiers.map(keyOf));
  return (raw: unknown): boolean => {
    if (wanted.size === 0) return false;
    const named = identifiersIn(JSON.parse(String(raw)))
      .map(keyOf)
      .filter((key) => wanted.has(key));
    for (const key of named) found.add(key);
    return named.length > 0;
  };
};

/** Values whose person or batch is nowhere in the history. */
function unmatchedIn(
  identifiers: readonly Identifier[],
  { emails, batchIds }: ForgetTarget,
  found: { persons: ReadonlySet<string>; batchIds: ReadonlySet<number> },
): Unmatched[] {
  const persons = identifiers.flatMap((identifier, index): Unmatched[] => {
    if (found.persons.has(keyOf(identifier))) return [];
    return index < emails.length
      ? [{ option: 'email', position: index + 1 }]
      : [{ option: 'mobile', position: index - emails.length + 1 }];
  });
  const batches = batchIds.flatMap((id, index): Unmatched[] =>
    found.batchIds.has(id) ? [] : [{ option: 'batch', position: index + 1 }],
  );
  return [...persons, ...batches];
}

/** Rows of the store whose person is to go; every version counts, former ones too. */
function batchesToErase(
  db: DatabaseSync,
  names: (raw: unknown) => boolean,
  { batchIds, account }: ForgetTarget,
): number[] {
  const rows = new Set<number>();
  const versions = db.prepare('SELECT batch_row, raw FROM version').iterate();
  for (const { batch_row, raw } of versions) {
    if (names(raw)) rows.add(Number(batch_row));
  }
  const byId = db.prepare(
    `SELECT b.id FROM batch b JOIN account a ON a.id = b.account_id
     WHERE b.batch_id = ?1 AND (?2 IS NULL OR a.name = ?2)`,
  );
  for (const batchId of batchIds) {
    for (const { id } of byId.all(batchId, account ?? null)) rows.add(Number(id));
  }
  return [...rows];
}

/** @returns the BatchId of each record that was removed. */
function eraseQuarantined(
  db: DatabaseSync,
  names: (raw: unknown) => boolean,
  { batchIds }: ForgetTarget,
): number[] {
  const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
  const ids = new Set(batchIds);
  const removed: number[] = [];
  for (const { id, raw } of db.prepare('SELECT id, raw FROM quarantine').all()) {
    const record: unknown = JSON.parse(String(raw));
    const batchId = (record as { BatchId?: unknown } | null)?.BatchId;
    if (!names(raw) && !ids.has(Number(batchId))) continue;
    remove.run(Number(id));
    removed.push(Number(batchId));
  }
  return removed;
}

/** Nothing readable stays in the file: freed pages are zeroed, the log is emptied, the file rebuilt. */
function removeRemains({ db, file }: HistoryStore): void {
  if (file === ':memory:') return;
  const emptied = () => Number(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy) === 0;
  db.exec('VACUUM');
  if (emptied()) return;
  throw new AppError({
    code: 'forget-remains',
    what: 'The person was erased, but remains may still stand in the file beside the history.',
    why: 'Another process is reading the history, so its log could not be emptied.',
    fix: 'Let the other command end and run the same forget again. It then ends with 8, because nothing is left to erase.',
  });
}

/**
 * Erases persons: contact fields, free text and fields outside the interface go from every version
 * and every raw record of each batch that names them, anywhere. Counts and times stay, so that
 * totals remain true; later pulls store only those. A person erased by address or number is also
 * recorded as a keyed hash, so that no batch, old or new, brings them back.
 *
 * @throws {ConfigError} no usable target, or no key.
 * @throws {AppError} `forget-remains`: erased, but another process kept the log from being emptied.
 */
export function forget(
  store: HistoryStore,
  target: ForgetTarget,
  { hashKey, now = Date.now }: { hashKey: Secret | undefined; now?: () => number },
): ForgetResult {
  const { db } = store;
  const identifiers = identifiersOf(target);
  neededKey(identifiers, hashKey);
  const at = new Date(now()).toISOString();
  using _lock = lockExports(store);
  discardUnfinished(store);
  removeLeftovers(store);
  const persons = new Set<string>();
  const names = naming(identifiers, persons);
  const result = transaction(db, () => {
    const rows = batchesToErase(db, names, target);
    let versions = 0;
    for (const row of rows) versions += scrubBatch(db, row, at);
    const ids = eraseQuarantined(db, names, target);
    const quarantined = ids.length;
    if (hashKey) recordErased(db, hashKey, identifiers, at);
    db.prepare('INSERT INTO erasure (at, batches, versions, quarantined) VALUES (?, ?, ?, ?)').run(
      at,
      rows.length,
      versions,
      quarantined,
    );
    const find = db.prepare(
      `SELECT a.name AS account, b.batch_id AS batchId FROM batch b
       JOIN account a ON a.id = b.account_id WHERE b.id = ?`,
    );
    const batches = rows.map((row) => {
      const found = find.get(row);
      return { account: String(found?.account), batchId: Number(found?.batchId) };
    });
    const exported = db
      .prepare("SELECT max(at) AS at FROM export_run WHERE state = 'committed'")
      .get();
    const batchIds = new Set([...batches.map(({ batchId }) => batchId), ...ids]);
    return {
      batches,
      versions,
      quarantined,
      unmatched: unmatchedIn(identifiers, target, { persons, batchIds }),
      remembered: identifiers.length > 0,
      lastExport: typeof exported?.at === 'string' ? exported.at : undefined,
    };
  });
  removeRemains(store);
  return result;
}
