import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { toUtc } from '../../contract/media.ts';
import { canonicalJson, canonicalRecord, sha256, storableText } from '../model/canonical.ts';
import { extraFields, FIELDS, type Field } from '../model/fields.ts';
import { contactOf, type Roles } from '../model/persons.ts';
import { selectValue } from './sql.ts';

/** The stored state of a batch. */
interface KnownBatch {
  id: number;
  current_seq: number;
  versions: number;
  last_seen_at: string;
  erased_at: string | null;
  sender_erased_at: string | null;
}

function columnValue(record: BatchRecord, { name, kind }: Field): SQLInputValue {
  const value = record[name];
  if (value === undefined || value === null) return null;
  if (kind === 'json') return canonicalJson(value);
  if (kind === 'time') return toUtc(String(value));
  return typeof value === 'string' ? storableText(value) : (value as number);
}

export const COLUMNS = [...FIELDS.map(({ column }) => column), 'extra_json', 'contact'];

/** The values of a version's columns, in the order of {@link COLUMNS}. */
export const columnValues = (record: BatchRecord): SQLInputValue[] => {
  const extra = extraFields(record);
  const extraText = Object.keys(extra).length === 0 ? null : canonicalJson(extra);
  const contact = storableText(contactOf(record));
  return [...FIELDS.map((field) => columnValue(record, field)), extraText, contact];
};

/** When the person in a role was erased, as a column of `batch`. */
export const ERASED_AT = { recipient: 'erased_at', sender: 'sender_erased_at' } as const;

export const erasedFrom = (batch: KnownBatch): Roles =>
  new Set((['recipient', 'sender'] as const).filter((role) => batch[ERASED_AT[role]] !== null));

/**
 * Writes batches of one account. Its statements are prepared once for each transaction. The store assigns `id`, the
 * service `BatchId`.
 *
 * @param changedAt time of the pull, ISO 8601.
 */
export function versionWriter(db: DatabaseSync, account: number, changedAt: string) {
  const findBatch = db.prepare('SELECT * FROM batch WHERE account_id = ? AND batch_id = ?');
  const findRaw = db.prepare('SELECT raw FROM version WHERE change_seq = ?');
  const addVersion = db.prepare(
    `INSERT INTO version (batch_row, number, seen_at, ${COLUMNS.join(', ')}, raw)
     VALUES (?, ?, ?, ${COLUMNS.map(() => '?').join(', ')}, ?)`,
  );
  const addBatch = db.prepare(
    `INSERT INTO batch (id, account_id, batch_id, current_seq, versions, hash, date_created,
       first_seen_at, last_seen_at)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?7, ?7)`,
  );
  const setCurrent = db.prepare(
    `UPDATE batch SET current_seq = ?, versions = ?, hash = ?, date_created = ?, last_seen_at = ?
     WHERE id = ?`,
  );
  const setUnchanged = db.prepare(
    `UPDATE batch SET last_seen_at = ?1 WHERE account_id = ?2 AND batch_id = ?3 AND hash = ?4
       AND last_seen_at <= ?1`,
  );
  let nextId = (selectValue<number>(db, 'SELECT max(id) FROM batch') ?? 0) + 1;
  const insertVersion = (batch: number, number: number, record: BatchRecord) => {
    const values = [...columnValues(record), canonicalRecord(record)];
    return addVersion.run(batch, number, changedAt, ...values).lastInsertRowid;
  };
  return {
    find: (batchId: number) => findBatch.get(account, batchId) as KnownBatch | undefined,
    /** The raw record of the current version. Undefined if the batch was never readable. */
    rawOf: ({ current_seq }: KnownBatch) => findRaw.get(current_seq)?.raw as string | undefined,
    /** Updates an unchanged batch. @returns false if the batch is new, changed or from a later pull. */
    isUnchanged: ({ record, hash }: PreparedRecord, seenAt: string): boolean =>
      setUnchanged.run(seenAt, account, record.BatchId, hash).changes > 0,
    /** @returns the store's number of the batch. */
    insert({ record, hash, created }: PreparedRecord, seenAt: string): number {
      const id = nextId++;
      const seq = insertVersion(id, 1, record);
      addBatch.run(id, account, record.BatchId, seq, hash, created, seenAt);
      return id;
    },
    change({ id, versions }: KnownBatch, prepared: PreparedRecord, seenAt: string): void {
      const { record, hash, created } = prepared;
      const seq = insertVersion(id, versions + 1, record);
      setCurrent.run(seq, versions + 1, hash, created, seenAt, id);
    },
  };
}

/** A record with the hash of its canonical text. The text is not kept, because most records are unchanged. */
export const prepare = (record: BatchRecord) => ({
  record,
  hash: sha256(canonicalRecord(record)),
  /** Time of its creation, in UTC. */
  created: toUtc(record.DateCreated),
});

export type PreparedRecord = ReturnType<typeof prepare>;
