import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { selectAll, selectValue } from './sql.ts';

interface CheckedTable {
  table: string;
  /** Names of the columns that identify a row. */
  keys: string[];
  columns: string[];
}

/**
 * Every table, with the columns that its checksums are made of. Of a batch, `last_seen_at` is left out:
 * each pull writes it for every batch, and it is the time of a pull.
 */
function checkedTables(db: DatabaseSync): CheckedTable[] {
  const rows = selectAll<{ table: string; column: string; pk: number }>(
    db,
    `SELECT m.name AS "table", c.name AS "column", c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
       AND c.name <> 'checksum' AND NOT (m.name = 'batch' AND c.name = 'last_seen_at')
     ORDER BY m.name, c.cid`,
  );
  return [...Map.groupBy(rows, ({ table }) => table)].map(([table, columns]) => ({
    table,
    keys: columns.filter(({ pk }) => pk > 0).map(({ column }) => column),
    columns: columns.map(({ column }) => column),
  }));
}

/** The checksum of a row as SQL; `quote` writes no two values alike. */
const checksumOf = ({ columns }: CheckedTable, row: string): string =>
  `row_checksum(${columns.map((column) => `quote(${row}.${column})`).join(" || ',' || ")})`;

/** Adds a checksum to every row that is inserted or updated, by triggers. */
export function addChecksums(db: DatabaseSync): void {
  for (const checked of checkedTables(db)) {
    const { table, keys, columns } = checked;
    const same = keys.map((column) => `${column} = NEW.${column}`).join(' AND ');
    const keep = `BEGIN UPDATE ${table} SET checksum = ${checksumOf(checked, 'NEW')} WHERE ${same}; END`;
    db.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER;
      CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} ${keep};
      CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${columns.join(', ')} ON ${table} ${keep};`);
  }
}

/** The function that the triggers call. CRC-32 finds damage by a disk, not changes by people. */
export function addChecksumFunction(db: DatabaseSync): void {
  db.function('row_checksum', { deterministic: true }, (text) => crc32(String(text)));
}

/** Damaged rows of one table. Names batches, never a value of a record. */
export interface Damage {
  table: string;
  rows: number;
  /** The first of them: a batch as `account BatchId`, any other row by its number. */
  first: string[];
}

export interface CheckResult {
  /** Rows that were read. */
  rows: number;
  damage: Damage[];
}

const MOST_NAMED = 5;

/** A damaged row: its table, and the name by which it is reported. */
interface Found {
  table: string;
  name: string;
}

/** How rows are named that are not named by their number, as SQL. */
const NAMES: Readonly<Record<string, string>> = {
  version: `(SELECT a.name || ' ' || b.batch_id FROM batch b JOIN account a ON a.id = b.account_id
    WHERE b.id = t.batch_row)`,
  batch: "(SELECT a.name || ' ' || t.batch_id FROM account a WHERE a.id = t.account_id)",
};

/** SQLite's own check: pages, indexes, types. Its messages hold only names of tables. */
const structureDamage = (db: DatabaseSync): Found[] => [
  ...selectAll<Found>(
    db,
    `SELECT 'the file' AS "table", integrity_check AS name FROM pragma_integrity_check
     WHERE integrity_check <> 'ok'`,
  ),
  ...selectAll<Found>(
    db,
    `SELECT "table", 'a row that belongs to nothing' AS name FROM pragma_foreign_key_check`,
  ),
];

function rowDamage(db: DatabaseSync, checked: CheckedTable): Found[] {
  const { table, keys } = checked;
  const name = NAMES[table] ?? (keys[0] === 'id' ? "'row ' || t.id" : 'NULL');
  // The column without a checksum must be the time of a pull.
  const unseen =
    table === 'batch'
      ? `OR NOT EXISTS (SELECT 1 FROM pull p
           WHERE p.account_id = t.account_id AND p.started_at = t.last_seen_at)`
      : '';
  return selectAll<Found>(
    db,
    `SELECT '${table}' AS "table", coalesce(${name}, 'a row') AS name FROM ${table} t
     WHERE t.checksum IS NOT ${checksumOf(checked, 't')} ${unseen}`,
  );
}

/**
 * Reads every row of the history and compares it with the checksum of what was written: SQLite has no
 * checksums of its pages, so a text that a disk altered would not be noticed.
 */
export function checkHistory(db: DatabaseSync): CheckResult {
  const tables = checkedTables(db);
  const found = [...structureDamage(db), ...tables.flatMap((checked) => rowDamage(db, checked))];
  const counts = tables.map(({ table }) => `(SELECT count(*) FROM ${table})`);
  return {
    rows: selectValue<number>(db, `SELECT ${counts.join(' + ')}`) ?? 0,
    damage: [...Map.groupBy(found, ({ table }) => table)].map(([table, rows]) => ({
      table,
      rows: rows.length,
      first: rows.slice(0, MOST_NAMED).map(({ name }) => name),
    })),
  };
}
