import type { DatabaseSync } from 'node:sqlite';
import { HASH_KEY_VARIABLE } from '../config/environment.ts';
import type { Secret } from '../config/secret.ts';
import { ConfigError } from '../errors.ts';
import { type ErasedBatch, eraseInHistory, lastExportAt } from './erase.ts';
import { type Identifier, identifiersIn, normaliseEmail, phoneTail } from './model/persons.ts';
import { recordErased } from './store/erased-persons.ts';
import type { HistoryStore } from './store/open.ts';
import { scrubBatches } from './store/scrub.ts';
import { selectAll } from './store/sql.ts';

/** Whom to erase. At least one list must have an entry. */
export interface ForgetTarget {
  emails: readonly string[];
  mobiles: readonly string[];
  batchIds: readonly number[];
  /** Restricts `batchIds` to one account. Without it, the id is erased in every account. */
  account?: string | undefined;
}

/** A value of a target by its position, from 1: the value itself may be personal data. */
export interface Unmatched {
  option: 'email' | 'mobile' | 'batch';
  position: number;
}

export interface ForgetResult {
  /** The erased batches, as the CRM knows them: they may have been exported before. */
  batches: ErasedBatch[];
  versions: number;
  quarantined: number;
  /** Values that nothing in the history contains. */
  unmatched: Unmatched[];
  /** Whether later pulls recognise the person. */
  remembered: boolean;
  /** Time of the last export that may contain the person. Undefined without exports. */
  lastExport: string | undefined;
}

/** A person to erase, and the value that named them. */
interface NamedPerson extends Identifier {
  named: Unmatched;
}

function personsOf({ emails, mobiles }: ForgetTarget): NamedPerson[] {
  const byEmail = emails.map((email, index): NamedPerson => {
    const value = normaliseEmail(email);
    const named = { option: 'email', position: index + 1 } as const;
    if (/^[^\s@]+@[^\s@]+$/.test(value)) return { kind: 'email', value, named };
    throw new ConfigError({
      code: 'forget-email-form',
      what: 'An e-mail address to forget is no e-mail address.',
      fix: 'Give one address for each --email, or - to read them from standard input.',
    });
  });
  const byMobile = mobiles.map((mobile, index): NamedPerson => {
    const value = phoneTail(mobile);
    const named = { option: 'mobile', position: index + 1 } as const;
    if (value !== undefined) return { kind: 'phone', value, named };
    throw new ConfigError({
      code: 'forget-mobile-short',
      what: 'A telephone number to forget has fewer than seven digits.',
      why: 'So short a number would erase people whose number only contains it.',
      fix: 'Give the whole number, such as +447700900123.',
    });
  });
  return [...byEmail, ...byMobile];
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
  return (raw: string): boolean => {
    if (wanted.size === 0) return false;
    const named = identifiersIn(JSON.parse(raw))
      .map(keyOf)
      .filter((key) => wanted.has(key));
    for (const key of named) found.add(key);
    return named.length > 0;
  };
};

interface StoredBatch {
  id: number;
  account: string;
  batchId: number;
}

/** Batches whose person is to be erased: a batch with the person in any version, or a named batch. */
function batchesToErase(
  db: DatabaseSync,
  names: (raw: string) => boolean,
  { batchIds, account }: ForgetTarget,
): StoredBatch[] {
  const rows = new Set<number>();
  const versions = db.prepare('SELECT batch_row AS id, raw FROM version').iterate();
  for (const { id, raw } of versions) if (names(String(raw))) rows.add(Number(id));
  const wanted = new Set(batchIds);
  return selectAll<StoredBatch>(
    db,
    `SELECT b.id, a.name AS account, b.batch_id AS batchId FROM batch b
     JOIN account a ON a.id = b.account_id ORDER BY b.id`,
  ).filter(
    (batch) =>
      rows.has(batch.id) ||
      (wanted.has(batch.batchId) && (account === undefined || account === batch.account)),
  );
}

/** @returns the BatchId of each record that was removed. */
function eraseQuarantined(
  db: DatabaseSync,
  names: (raw: string) => boolean,
  { batchIds }: ForgetTarget,
): number[] {
  const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
  const kept = selectAll<{ id: number; raw: string }>(db, 'SELECT id, raw FROM quarantine');
  return kept.flatMap(({ id, raw }) => {
    const record = JSON.parse(raw) as { BatchId?: unknown } | null;
    const batchId = Number(record?.BatchId);
    if (!names(raw) && !batchIds.includes(batchId)) return [];
    remove.run(id);
    return [batchId];
  });
}

/**
 * Erases persons: contact fields, free text and fields outside the interface go from every version
 * and every raw record of each batch that names them, anywhere. Counts and times stay, so that
 * totals remain true. Later pulls store only counts and times. A person erased by address or number is also
 * recorded as a keyed hash, so that no batch, old or new, brings them back.
 *
 * @throws {ConfigError} no usable target, or no key.
 * @throws {AppError} `forget-remains`: erased, but another process kept the log from being emptied.
 */
export function forget(
  store: HistoryStore,
  target: ForgetTarget,
  { hashKey }: { hashKey: Secret | undefined },
): ForgetResult {
  const { db } = store;
  const identifiers = personsOf(target);
  neededKey(identifiers, hashKey);
  const persons = new Set<string>();
  const names = naming(identifiers, persons);
  return eraseInHistory(store, (at) => {
    const erased = batchesToErase(db, names, target);
    const ids = erased.map(({ id }) => id);
    const versions = scrubBatches(db, ids, at);
    const unread = eraseQuarantined(db, names, target);
    if (hashKey) recordErased(db, hashKey, identifiers, at);
    const matched = new Set([...erased.map(({ batchId }) => batchId), ...unread]);
    return {
      batches: erased.map(({ account, batchId }) => ({ account, batchId })),
      versions,
      quarantined: unread.length,
      unmatched: [
        ...identifiers.filter((person) => !persons.has(keyOf(person))).map(({ named }) => named),
        ...target.batchIds.flatMap((id, index): Unmatched[] =>
          matched.has(id) ? [] : [{ option: 'batch', position: index + 1 }],
        ),
      ],
      remembered: identifiers.length > 0,
      lastExport: lastExportAt(db),
    };
  });
}
