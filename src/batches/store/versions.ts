import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { toUtc } from '../../contract/media.ts';
import { canonicalJson, canonicalRecord, sha256 } from '../model/canonical.ts';
import { FIELDS, type Field } from '../model/fields.ts';
import { withoutPerson } from '../model/persons.ts';
import { insert, selectAll, selectOne } from './sql.ts';

/** A stored batch, before a record of it is applied. */
interface KnownBatch {
  id: number;
  current_seq: number;
  versions: number;
  last_seen_at: string;
  erased_at: string | null;
  hash: string;
}

function typed(record: BatchRecord, { name, kind }: Field): SQLInputValue {
  const value = record[name];
  if (value === undefined || value === null) return null;
  if (kind === 'unknown') return canonicalJson(value);
  if (kind === 'timestamp') return toUtc(String(value));
  return value as string | number;
}

const COLUMNS = FIELDS.map(({ column }) => column);

/** The values of the typed columns of a version, in the order of {@link FIELDS}. */
export const columnValues = (record: BatchRecord): SQLInputValue[] =>
  FIELDS.map((field) => typed(record, field));

/**
 * Writes batches of one account; its statements are prepared once for each transaction. `id` of a batch
 * is the store's own, `BatchId` the service's.
 */
export function versionWriter(db: DatabaseSync, account: number) {
  const findBatch = db.prepare(
    `SELECT b.id, b.current_seq, b.versions, b.last_seen_at, b.erased_at, v.hash
     FROM batch b JOIN version v ON v.change_seq = b.current_seq
     WHERE b.account_id = ? AND b.batch_id = ?`,
  );
  const addVersion = db.prepare(
    `INSERT INTO version (batch_row, number, seen_at, hash, ${COLUMNS.join(', ')}, raw)
     VALUES (?, ?, ?, ?, ${COLUMNS.map(() => '?').join(', ')}, ?)`,
  );
  const addBatch = db.prepare(
    `INSERT INTO batch (id, account_id, batch_id, current_seq, versions, date_created,
       first_seen_at, last_seen_at, erased_at)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)`,
  );
  const setCurrent = db.prepare(
    `UPDATE batch SET current_seq = ?, versions = ?, date_created = ?, last_seen_at = ?
     WHERE id = ?`,
  );
  const setSeen = db.prepare('UPDATE batch SET last_seen_at = ? WHERE id = ?');
  const last = selectOne<{ id: number | null }>(db, 'SELECT max(id) AS id FROM batch');
  let nextId = (last?.id ?? 0) + 1;
  const insertVersion = (
    batch: number,
    number: number,
    seenAt: string,
    { record, text, hash }: PreparedRecord,
  ) => addVersion.run(batch, number, seenAt, hash, ...columnValues(record), text).lastInsertRowid;
  return {
    find: (batchId: number) => findBatch.get(account, batchId) as KnownBatch | undefined,
    insert(prepared: PreparedRecord, seenAt: string, erasedAt: string | null): void {
      const { BatchId, DateCreated } = prepared.record;
      const id = nextId++;
      const seq = insertVersion(id, 1, seenAt, prepared);
      addBatch.run(id, account, BatchId, seq, toUtc(DateCreated), seenAt, seenAt, erasedAt);
    },
    change({ id, versions }: KnownBatch, prepared: PreparedRecord, seenAt: string): void {
      const seq = insertVersion(id, versions + 1, seenAt, prepared);
      setCurrent.run(seq, versions + 1, toUtc(prepared.record.DateCreated), seenAt, id);
    },
    seen: ({ id }: KnownBatch, seenAt: string) => setSeen.run(seenAt, id),
  };
}

/** A record with its canonical text and the hash of that. */
export interface PreparedRecord {
  record: BatchRecord;
  text: string;
  hash: string;
}

export function prepare(record: BatchRecord): PreparedRecord {
  const text = canonicalRecord(record);
  return { record, text, hash: sha256(text) };
}

/**
 * Takes the person out of every version of one batch, raw records included, for good: later pulls
 * store only the impersonal part. Must run inside a transaction. Numbers of versions and their place
 * in the order of changes stay, so that exports are not repeated; exports of erasures list the batch.
 *
 * @returns how many versions were rewritten.
 */
export function scrubBatch(db: DatabaseSync, batchRow: number, at: string): number {
  const rewrite = db.prepare(
    `UPDATE version SET hash = ?, ${COLUMNS.map((column) => `${column} = ?`).join(', ')}, raw = ?
     WHERE change_seq = ?`,
  );
  const versions = selectAll<{ seq: number; raw: string }>(
    db,
    'SELECT change_seq AS seq, raw FROM version WHERE batch_row = ?',
    batchRow,
  );
  for (const { seq, raw } of versions) {
    const { record, text, hash } = prepare(withoutPerson(JSON.parse(raw)));
    rewrite.run(hash, ...columnValues(record), text, seq);
  }
  const { changes } = db
    .prepare('UPDATE batch SET erased_at = ? WHERE id = ? AND erased_at IS NULL')
    .run(at, batchRow);
  if (changes > 0) insert(db, 'erased_batch', { batch_row: batchRow, at });
  return versions.length;
}
