import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { toUtc } from '../../contract/media.ts';
import { canonicalJson, canonicalRecord, sha256 } from '../model/canonical.ts';
import { FIELDS, type Field } from '../model/fields.ts';
import { withoutPerson } from '../model/persons.ts';
import { selectAll } from './sql.ts';

/** A stored batch, before a record of it is applied. */
export interface KnownBatch {
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

/** Prepared once for each transaction; `id` of a batch is the store's own, `BatchId` the service's. */
export class VersionWriter {
  private readonly findBatch: StatementSync;
  private readonly addVersion: StatementSync;
  private readonly addBatch: StatementSync;
  private readonly setCurrent: StatementSync;
  private readonly setSeen: StatementSync;
  private readonly account: number;
  private nextId: number;

  constructor(db: DatabaseSync, account: number) {
    this.account = account;
    this.findBatch = db.prepare(
      `SELECT b.id, b.current_seq, b.versions, b.last_seen_at, b.erased_at, v.hash
       FROM batch b JOIN version v ON v.change_seq = b.current_seq
       WHERE b.account_id = ? AND b.batch_id = ?`,
    );
    this.addVersion = db.prepare(
      `INSERT INTO version (batch_row, number, seen_at, hash, ${COLUMNS.join(', ')}, raw)
       VALUES (?, ?, ?, ?, ${COLUMNS.map(() => '?').join(', ')}, ?)`,
    );
    this.addBatch = db.prepare(
      `INSERT INTO batch (id, account_id, batch_id, current_seq, versions, date_created,
         first_seen_at, last_seen_at, erased_at)
       VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)`,
    );
    this.setCurrent = db.prepare(
      `UPDATE batch SET current_seq = ?, versions = ?, date_created = ?, last_seen_at = ?
       WHERE id = ?`,
    );
    this.setSeen = db.prepare('UPDATE batch SET last_seen_at = ? WHERE id = ?');
    const last = db.prepare('SELECT coalesce(max(id), 0) AS id FROM batch').get();
    this.nextId = Number(last?.id) + 1;
  }

  find(batchId: number): KnownBatch | undefined {
    return this.findBatch.get(this.account, batchId) as KnownBatch | undefined;
  }

  private insertVersion(
    batch: number,
    number: number,
    seenAt: string,
    { record, text, hash }: PreparedRecord,
  ): number {
    const values = columnValues(record);
    const { lastInsertRowid } = this.addVersion.run(batch, number, seenAt, hash, ...values, text);
    return Number(lastInsertRowid);
  }

  insert(prepared: PreparedRecord, seenAt: string, erasedAt: string | null): void {
    const { record } = prepared;
    const id = this.nextId++;
    const seq = this.insertVersion(id, 1, seenAt, prepared);
    const created = toUtc(record.DateCreated);
    this.addBatch.run(id, this.account, record.BatchId, seq, created, seenAt, seenAt, erasedAt);
  }

  change(known: KnownBatch, prepared: PreparedRecord, seenAt: string): void {
    const number = known.versions + 1;
    const seq = this.insertVersion(known.id, number, seenAt, prepared);
    this.setCurrent.run(seq, number, toUtc(prepared.record.DateCreated), seenAt, known.id);
  }

  seen(known: KnownBatch, seenAt: string): void {
    this.setSeen.run(seenAt, known.id);
  }
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
 * in the order of changes stay, so that exports are not repeated.
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
  db.prepare('UPDATE batch SET erased_at = coalesce(erased_at, ?) WHERE id = ?').run(at, batchRow);
  return versions.length;
}
