import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { selectAll } from './sql.ts';

interface Checked {
  table: string;
  /** Names of the columns that identify a row. */
  keys: string[];
  columns: string[];
}

/**
 * The tables whose rows have a checksum, with the columns it is made of. The versions need none: their
 * raw record has a SHA-256, and all their columns are made from it. Of a batch, `last_seen_at` is left
 * out: each pull writes it for every batch, and it is the time of a pull.
 */
export function checkedTables(db: DatabaseSync): Checked[] {
  const rows = selectAll<{ table: string; column: string; pk: number }>(
    db,
    `SELECT m.name AS "table", c.name AS "column", c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'version'
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
export const checksumOf = ({ columns }: Checked, row: string): string =>
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

/** The function that the triggers call. CRC-32 finds damage by a disk; it is no seal against people. */
export function addChecksumFunction(db: DatabaseSync): void {
  db.function('row_checksum', { deterministic: true }, (text) => crc32(String(text)));
}
