import type { DatabaseSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { sha256 } from '../model/canonical.ts';
import { FIELDS } from '../model/fields.ts';
import { checkedTables, checksumOf } from './checksums.ts';
import { selectAll, selectOne } from './sql.ts';
import { columnValues } from './versions.ts';

/** Rows of one table that do not hold what was written. Names batches, never a value of a record. */
export interface Damage {
  table: string;
  rows: number;
  /** The first of them: a batch as `account BatchId`, any other row by its number. */
  first: string[];
}

export interface CheckResult {
  /** Rows that were looked at. */
  rows: number;
  damage: Damage[];
}

const MOST_NAMED = 5;

/** A damaged row: its table, and the name by which it is reported. */
type Found = readonly [table: string, name: string];

/** SQLite's own check: pages, indexes, types. Its messages hold only names of tables. */
function* checkStructure(db: DatabaseSync): Generator<Found> {
  for (const row of selectAll<{ integrity_check: string }>(db, 'PRAGMA integrity_check')) {
    if (row.integrity_check !== 'ok') yield ['the file', row.integrity_check];
  }
  for (const { table } of selectAll<{ table: string }>(db, 'PRAGMA foreign_key_check')) {
    yield [table, 'a row that belongs to nothing'];
  }
}

function* checkRows(db: DatabaseSync): Generator<Found> {
  for (const checked of checkedTables(db)) {
    const { table, keys } = checked;
    const number = keys[0] === 'id' ? 'id' : 'NULL';
    const wrong = selectAll<{ id: string | null }>(
      db,
      `SELECT CAST(${number} AS TEXT) AS id FROM ${table}
       WHERE checksum IS NOT ${checksumOf(checked, table)}`,
    );
    for (const { id } of wrong) yield [table, id === null ? 'a row' : `row ${id}`];
  }
}

/** Whole numbers as text: one that was altered may be too large for a number of JavaScript. */
const STORED = FIELDS.map(({ column, kind }) =>
  kind === 'integer' ? `CAST(v.${column} AS TEXT)` : `v.${column}`,
);

function isWhole([, , , , , batchId, hash, raw, ...columns]: readonly unknown[]): boolean {
  if (typeof raw !== 'string' || sha256(raw) !== hash) return false;
  const record: BatchRecord = JSON.parse(raw);
  if (String(record.BatchId) !== batchId) return false;
  return columnValues(record).every((value, index) =>
    FIELDS[index]?.kind === 'integer' ? String(value) === columns[index] : value === columns[index],
  );
}

/** The raw record of a version has a SHA-256, and its typed columns are made from the record. */
function* checkVersions(db: DatabaseSync): Generator<Found> {
  const versions = db.prepare(
    `SELECT a.name, CAST(v.change_seq AS TEXT), EXISTS (SELECT 1 FROM pull p
         WHERE p.account_id = b.account_id AND p.started_at = v.seen_at),
       CAST(v.number AS TEXT), CAST(b.versions AS TEXT), CAST(b.batch_id AS TEXT), v.hash, v.raw,
       ${STORED.join(', ')}
     FROM version v LEFT JOIN batch b ON b.id = v.batch_row LEFT JOIN account a ON a.id = b.account_id`,
  );
  versions.setReturnArrays(true);
  for (const row of versions.iterate() as Iterable<unknown> as Iterable<readonly unknown[]>) {
    const [account, seq, timed, number, count, batchId] = row;
    if (timed === 1 && Number(number) <= Number(count) && isWhole(row)) continue;
    yield ['version', account === null ? `row ${seq}` : `${account} ${batchId}`];
  }
}

/** Facts of several rows: how many versions a batch has, and that a pull saw it last. */
function* checkBatches(db: DatabaseSync): Generator<Found> {
  const wrong = selectAll<{ account: string; batchId: string }>(
    db,
    `SELECT a.name AS account, CAST(b.batch_id AS TEXT) AS batchId
     FROM batch b LEFT JOIN account a ON a.id = b.account_id
     WHERE b.versions <> (SELECT count(*) FROM version v WHERE v.batch_row = b.id)
       OR b.current_seq IS NOT (SELECT max(change_seq) FROM version v WHERE v.batch_row = b.id)
       OR NOT EXISTS (SELECT 1 FROM pull p
            WHERE p.account_id = b.account_id AND p.started_at = b.last_seen_at)`,
  );
  for (const { account, batchId } of wrong) yield ['batch', `${account} ${batchId}`];
}

/**
 * Reads every row of the history and compares it with the checksum of what was written: SQLite has no
 * checksums of its pages, so a text that a disk altered would be read unchanged. Takes about 30 seconds
 * for a million versions.
 */
export function checkHistory(db: DatabaseSync): CheckResult {
  const found = [checkStructure, checkRows, checkVersions, checkBatches].flatMap((check) => [
    ...check(db),
  ]);
  const tables = ['version', ...checkedTables(db).map(({ table }) => table)];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`);
  return {
    rows: selectOne<{ rows: number }>(db, `SELECT ${counts.join(' + ')} AS rows`)?.rows ?? 0,
    damage: [...Map.groupBy(found, ([table]) => table)].map(([table, rows]) => ({
      table,
      rows: rows.length,
      first: rows.slice(0, MOST_NAMED).map(([, name]) => name),
    })),
  };
}
