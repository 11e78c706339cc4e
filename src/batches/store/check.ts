import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { selectAll, selectArrays, selectValue } from './sql.ts';

/**
 * Every table, with the columns that its checksums cover. They do not cover `last_seen_at` of a batch: each pull
 * updates it for every batch, and it must equal the time of a pull.
 */
function checkedTables(db: DatabaseSync) {
  const rows = selectAll<{ table: string; column: string; pk: number }>(
    db,
    `SELECT m.name AS "table", c.name AS "column", c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
       AND c.name <> 'checksum' AND NOT (m.name = 'batch' AND c.name = 'last_seen_at')
     ORDER BY m.name, c.cid`,
  );
  return [...Map.groupBy(rows, ({ table }) => table)].map(([table, columns]) => ({
    table,
    /** Names of the columns that identify a row. */
    keys: columns.filter(({ pk }) => pk > 0).map(({ column }) => column),
    columns: columns.map(({ column }) => column),
  }));
}

type CheckedTable = ReturnType<typeof checkedTables>[number];

/** The text of a row's checksum as SQL. `quote` gives different values different texts. */
const textOf = ({ columns }: CheckedTable, row: string): string =>
  columns.map((column) => `quote(${row}.${column})`).join(" || ',' || ");

/** Adds a checksum to every row that is inserted or updated, by triggers. */
export function addChecksums(db: DatabaseSync): void {
  for (const checked of checkedTables(db)) {
    const { table, keys, columns } = checked;
    const sameRow = keys.map((column) => `${column} = NEW.${column}`).join(' AND ');
    const trigger = `BEGIN UPDATE ${table} SET checksum = row_checksum(${textOf(checked, 'NEW')}) WHERE ${sameRow}; END`;
    db.exec(`ALTER TABLE ${table} ADD COLUMN checksum INTEGER;
      CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} ${trigger};
      CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${columns.join(', ')} ON ${table} ${trigger};`);
  }
}

/** Adds the function that the triggers call. CRC-32 detects damage by a disk, not manipulation. */
export function addChecksumFunction(db: DatabaseSync): void {
  db.function('row_checksum', { deterministic: true }, (text) => crc32(String(text)));
}

const MOST_NAMED = 5;

/** A damaged row: its table, and its name in reports. */
interface DamagedRow {
  table: string;
  name: string;
}

/** Names of the rows that have more than a number, as SQL. */
const NAMES: Readonly<Record<string, string>> = {
  version: `(SELECT a.name || ' ' || b.batch_id FROM batch b JOIN account a ON a.id = b.account_id
    WHERE b.id = t.batch_row)`,
  batch: "(SELECT a.name || ' ' || t.batch_id FROM account a WHERE a.id = t.account_id)",
};

/** Whether the column without a checksum is the time of a pull, as SQL. */
const SEEN = `EXISTS (SELECT 1 FROM account a JOIN pull p ON p.account = a.name
  WHERE p.at = t.last_seen_at AND a.id = t.account_id)`;

/**
 * SQLite's own check of pages, indexes and types, whose messages contain only names of tables. Also batches of which a
 * version is missing: a deleted row leaves no wrong checksum.
 */
const structureDamage = (db: DatabaseSync): DamagedRow[] =>
  selectAll(
    db,
    `SELECT 'the file' AS "table", integrity_check AS name FROM pragma_integrity_check
     WHERE integrity_check <> 'ok'
     UNION ALL SELECT "table", 'a row that belongs to nothing' FROM pragma_foreign_key_check
     UNION ALL SELECT 'version', ${NAMES.batch} FROM batch t
     WHERE versions <> (SELECT count(*) FROM version WHERE batch_row = t.id)`,
  );

function* rowDamage(db: DatabaseSync, checked: CheckedTable): Generator<DamagedRow> {
  const { table, keys } = checked;
  const nameSql = NAMES[table] ?? (keys[0] === 'id' ? "'row ' || t.id" : "'a row'");
  // Not in SQL: node:sqlite would keep the texts of all rows until the end of the query.
  const rows = selectArrays<[name: string | null, text: string, checksum: string, seen: 0 | 1]>(
    db,
    `SELECT ${nameSql}, ${textOf(checked, 't')}, CAST(t.checksum AS TEXT), ${table === 'batch' ? SEEN : 1} FROM ${table} t`,
  );
  for (const [name, text, checksum, seen] of rows) {
    if (!seen || checksum !== String(crc32(text))) yield { table, name: name ?? 'a row' };
  }
}

/**
 * Reads every row of the history and compares it with its checksum. SQLite has no checksums of its pages, so it
 * would not notice a text that a disk altered.
 */
export function checkHistory(db: DatabaseSync) {
  const tables = checkedTables(db);
  const rows = tables.flatMap((checked) => [...rowDamage(db, checked)]);
  const damagedRows = [...structureDamage(db), ...rows];
  const counts = tables.map(({ table }) => `(SELECT count(*) FROM ${table})`);
  return {
    /** Number of rows read. */
    rows: selectValue<number>(db, `SELECT ${counts.join(' + ')}`) ?? 0,
    /** Damaged rows by table. Names batches as `account BatchId`, any other row by its number. No value of a record. */
    damage: [...Map.groupBy(damagedRows, ({ table }) => table)].map(([table, rows]) => ({
      table,
      rows: rows.length,
      first: rows.slice(0, MOST_NAMED).map(({ name }) => name),
    })),
  };
}

export type CheckResult = ReturnType<typeof checkHistory>;
