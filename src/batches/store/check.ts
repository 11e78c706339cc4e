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

/** Gathers what is damaged, table by table. */
class Findings {
  rows = 0;
  private readonly byTable = new Map<string, Damage>();

  add(table: string, name: string): void {
    const damage = this.byTable.get(table) ?? { table, rows: 0, first: [] };
    damage.rows++;
    if (damage.first.length < MOST_NAMED) damage.first.push(name);
    this.byTable.set(table, damage);
  }

  get damage(): Damage[] {
    return [...this.byTable.values()];
  }
}

/** SQLite's own check: pages, indexes, types. Its messages hold only names of tables. */
function checkStructure(db: DatabaseSync, found: Findings): void {
  for (const row of selectAll<{ integrity_check: string }>(db, 'PRAGMA integrity_check')) {
    if (row.integrity_check !== 'ok') found.add('the file', row.integrity_check);
  }
  for (const { table } of selectAll<{ table: string }>(db, 'PRAGMA foreign_key_check')) {
    found.add(table, 'a row that belongs to nothing');
  }
}

function checkRows(db: DatabaseSync, found: Findings): void {
  for (const checked of checkedTables(db)) {
    const { table, keys } = checked;
    const count = selectOne<{ rows: number }>(db, `SELECT count(*) AS rows FROM ${table}`);
    found.rows += count?.rows ?? 0;
    const number = keys[0] === 'id' ? 'id' : 'NULL';
    const wrong = selectAll<{ id: string | null }>(
      db,
      `SELECT CAST(${number} AS TEXT) AS id FROM ${table}
       WHERE checksum IS NOT ${checksumOf(checked, table)}`,
    );
    for (const { id } of wrong) found.add(table, id === null ? 'a row' : `row ${id}`);
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
function checkVersions(db: DatabaseSync, found: Findings): void {
  const versions = db.prepare(
    `SELECT a.name, CAST(v.change_seq AS TEXT), EXISTS (SELECT 1 FROM pull p
         WHERE p.account_id = b.account_id AND p.started_at = v.seen_at),
       CAST(v.number AS TEXT), CAST(b.versions AS TEXT), CAST(b.batch_id AS TEXT), v.hash, v.raw,
       ${STORED.join(', ')}
     FROM version v LEFT JOIN batch b ON b.id = v.batch_row LEFT JOIN account a ON a.id = b.account_id`,
  );
  versions.setReturnArrays(true);
  for (const row of versions.iterate() as Iterable<unknown> as Iterable<readonly unknown[]>) {
    found.rows++;
    const [account, seq, timed, number, count, batchId] = row;
    if (timed === 1 && Number(number) <= Number(count) && isWhole(row)) continue;
    found.add('version', account === null ? `row ${seq}` : `${account} ${batchId}`);
  }
}

/** What no single row shows: how many versions a batch has, and that a pull saw it last. */
function checkBatches(db: DatabaseSync, found: Findings): void {
  const wrong = db.prepare(
    `SELECT a.name AS account, CAST(b.batch_id AS TEXT) AS batchId
     FROM batch b LEFT JOIN account a ON a.id = b.account_id
     WHERE b.versions <> (SELECT count(*) FROM version v WHERE v.batch_row = b.id)
       OR b.current_seq IS NOT (SELECT max(change_seq) FROM version v WHERE v.batch_row = b.id)
       OR NOT EXISTS (SELECT 1 FROM pull p
            WHERE p.account_id = b.account_id AND p.started_at = b.last_seen_at)`,
  );
  for (const { account, batchId } of wrong.iterate()) found.add('batch', `${account} ${batchId}`);
}

/**
 * Reads every row of the history and compares it with what was written: SQLite has no checksums of
 * its pages, so a text that a disk altered would be read as it is. Takes about 30 seconds for a
 * million versions.
 */
export function checkHistory(db: DatabaseSync): CheckResult {
  const found = new Findings();
  checkStructure(db, found);
  checkRows(db, found);
  checkVersions(db, found);
  checkBatches(db, found);
  return { rows: found.rows, damage: found.damage };
}
