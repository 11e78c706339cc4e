import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/**
 * Tables whose rows have a checksum, with their keys and what it is made of. The versions need
 * none: their raw record has a SHA-256, and all their columns are made from it. Of a batch,
 * `last_seen_at` is left out: each pull writes it for every batch, and it is the time of a pull.
 *
 * A released migration is made from this list: never change an entry, add others.
 */
export const CHECKED: Readonly<Record<string, { key: string; rest: string }>> = {
  account: { key: 'id', rest: 'name, customer_id, path_id' },
  pull: {
    key: 'id',
    rest: 'account_id, started_at, finished_at, days_asked, covered_from, covered_until, received, accepted, quarantined, inserted, changed, unchanged',
  },
  batch: {
    key: 'id',
    rest: 'account_id, batch_id, current_seq, versions, date_created, first_seen_at, erased_at',
  },
  quarantine: {
    key: 'id',
    rest: 'account_id, hash, first_seen_at, last_seen_at, code, path, raw',
  },
  field_type: { key: 'account_id, field, type', rest: 'first_seen_at' },
  drift: { key: 'id', rest: 'account_id, at, code, field, detail' },
  hole: { key: 'id', rest: 'account_id, from_at, until_at, reason, recorded_at, filled_at' },
  export_stream: { key: 'name', rest: 'committed_seq' },
  export_run: {
    key: 'id',
    rest: 'stream, from_seq, to_seq, rows, state, output, temporary, folder, sha256, at',
  },
  erased_person: { key: 'mark', rest: 'key_check, erased_at' },
  erasure: { key: 'id', rest: 'at, batches, versions, quarantined' },
  attempt: { key: 'id', rest: 'account, at, outcome' },
};

const listOf = (names: string): string[] => names.split(', ');

/** The checksum of a row as SQL; `quote` writes any value so that no two are written the same. */
export function checksumOf(table: string, row: string): string {
  const { key, rest } = CHECKED[table] ?? { key: '', rest: '' };
  const values = listOf(`${key}, ${rest}`).map((column) => `quote(${row}.${column})`);
  return `row_checksum(${values.join(" || ',' || ")})`;
}

/** Adds checksums to tables that have none. From then on, triggers update them. */
export function checksumMigration(tables: readonly string[]): string {
  const steps = tables.map((table) => {
    const { key, rest } = CHECKED[table] ?? { key: '', rest: '' };
    const same = listOf(key).map((column) => `${column} = NEW.${column}`);
    const keep = `BEGIN UPDATE ${table} SET checksum = ${checksumOf(table, 'NEW')}
  WHERE ${same.join(' AND ')}; END`;
    return `
ALTER TABLE ${table} ADD COLUMN checksum INTEGER;
UPDATE ${table} SET checksum = ${checksumOf(table, table)};
CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} ${keep};
CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${key}, ${rest} ON ${table} ${keep};`;
  });
  return steps.join('\n');
}

/** What the triggers call. CRC-32 finds what a disk alters; it is no seal against people. */
export function addChecksumFunction(db: DatabaseSync): void {
  db.function('row_checksum', { deterministic: true }, (text) => crc32(String(text)));
}
