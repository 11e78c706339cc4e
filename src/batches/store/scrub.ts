import type { DatabaseSync } from 'node:sqlite';
import { canonicalRecord } from '../model/canonical.ts';
import { type ErasedTest, withoutPerson } from '../model/persons.ts';
import { insert, selectAll, selectOne, selectValue } from './sql.ts';
import { COLUMNS, columnValues, prepare } from './versions.ts';
import { CONTACT } from './views.ts';

/** Accounts of erased batches, by contact. */
export type Losses = Map<string, Set<number>>;

export interface ScrubOptions {
  /** Time of the erasure, ISO 8601. */
  at: string;
  /** Receives the contact of the batch, for {@link recordLosses}. */
  losses: Losses;
  isErased: ErasedTest;
}

/** Lists a batch for exports of erasures. If it was listed before, consumers get it again. */
function listErasure(db: DatabaseSync, batchRow: number, at: string): void {
  db.prepare('DELETE FROM erased_batch WHERE batch_row = ?').run(batchRow);
  insert(db, 'erased_batch', { batch_row: batchRow, at });
}

/**
 * Removes the person from every version of a batch, including raw records. Later pulls store only the impersonal
 * part. Versions keep their numbers and their order, so exports are not repeated. Exports of erasures list the batch.
 */
export function scrubBatch(
  db: DatabaseSync,
  batchRow: number,
  { at, losses, isErased }: ScrubOptions,
): void {
  const { account, contact, erased, hash } = selectOne(
    db,
    `SELECT b.account_id AS account, ${CONTACT} AS contact, b.erased_at AS erased, b.hash
     FROM batch b JOIN version v ON v.change_seq = b.current_seq WHERE b.id = ?`,
    batchRow,
  ) as { account: number; contact: string; erased: string | null; hash: string };
  if (contact !== '') losses.set(contact, (losses.get(contact) ?? new Set()).add(account));
  const rewrite = db.prepare(
    `UPDATE version SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')}, raw = ?
     WHERE change_seq = ?`,
  );
  const versions = selectAll<{ seq: number; raw: string }>(
    db,
    'SELECT change_seq AS seq, raw FROM version WHERE batch_row = ? ORDER BY number',
    batchRow,
  );
  let currentHash = '';
  for (const { seq, raw } of versions) {
    const prepared = prepare(withoutPerson(JSON.parse(raw), isErased));
    const { record } = prepared;
    rewrite.run(...columnValues(record), canonicalRecord(record), seq);
    currentHash = prepared.hash;
  }
  db.prepare('UPDATE batch SET hash = ?, erased_at = coalesce(erased_at, ?) WHERE id = ?').run(
    currentHash,
    at,
    batchRow,
  );
  if (erased === null || currentHash !== hash) listErasure(db, batchRow, at);
}

/**
 * Records contacts that lost batches but have other batches: their sums and keys changed, although none of their
 * other batches did. The record gets the next number in the order of changes.
 */
export function recordLosses(db: DatabaseSync, losses: Losses, at: string): void {
  if (losses.size === 0) return;
  const remaining = selectAll<{ id: number; contact: string }>(
    db,
    `SELECT b.id, ${CONTACT} AS contact FROM batch b JOIN version v ON v.change_seq = b.current_seq`,
  ).filter(({ contact }) => losses.has(contact));
  if (remaining.length === 0) return;
  const next = 'UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ? RETURNING seq';
  const change = selectValue<number>(db, next, 'version') ?? 0;
  const record = db.prepare(
    `INSERT INTO contact_change (batch_row, account_id, change_seq, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET change_seq = excluded.change_seq, at = excluded.at`,
  );
  for (const { id, contact } of remaining) {
    for (const account of losses.get(contact) ?? []) record.run(id, account, change, at);
  }
}
