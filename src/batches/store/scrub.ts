import type { DatabaseSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { canonicalRecord, sha256 } from '../model/canonical.ts';
import {
  type ErasedTest,
  erasedRoles,
  type Roles,
  redacted,
  sharedBy,
  withoutSender,
} from '../model/persons.ts';
import { change, insert, selectAll, selectValue } from './sql.ts';
import { COLUMNS, columnValues, ERASED_AT } from './versions.ts';

/** Accounts of erased batches, by a text that all spellings of a contact share. */
export type Losses = Map<string, Set<number>>;

interface ScrubOptions {
  /** Time of the erasure, ISO 8601. */
  at: string;
  /** Receives the contacts of batches that lose their recipient, for {@link recordLosses}. */
  losses: Losses;
  isErased: ErasedTest;
}

/** Adds the current version of a batch again, so that exports of changes contain it. */
function repeatVersion(db: DatabaseSync, batchRow: number, at: string): void {
  const columns = [...COLUMNS, 'raw'].join(', ');
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO version (batch_row, number, seen_at, ${columns})
       SELECT batch_row, number + 1, ?, ${columns} FROM version
       WHERE change_seq = (SELECT current_seq FROM batch WHERE id = ?)`,
    )
    .run(at, batchRow);
  const update = 'UPDATE batch SET current_seq = ?, versions = versions + 1 WHERE id = ?';
  change(db, update, lastInsertRowid, batchRow);
}

/**
 * Removes persons from every version of a batch, its raw records and its records that broke the contract. Later pulls
 * leave them out. If a version has an erased sender, all versions lose the sender, because others can have the name
 * without the address.
 *
 * If a version changes, exports of erasures list the batch, again if they listed it before. Versions keep their numbers
 * and their order, so exports are not repeated. If only the sender is removed, the batch gets a new version, so that
 * exports of changes have it with its recipient.
 *
 * @returns the number of changed or removed records that broke the contract.
 */
export function scrubBatch(
  db: DatabaseSync,
  batchRow: number,
  named: Roles,
  { at, losses, isErased }: ScrubOptions,
): number {
  const versions = selectAll<{ seq: number; raw: string; account: number; contact: string }>(
    db,
    `SELECT change_seq AS seq, raw, account_id AS account, contact
     FROM version JOIN batch b ON b.id = batch_row WHERE batch_row = ? ORDER BY number`,
    batchRow,
  ).map((version) => ({ ...version, stored: JSON.parse(version.raw) as BatchRecord }));
  const roles = new Set(named);
  for (const { stored } of versions) {
    if (erasedRoles(stored, isErased).has('sender')) roles.add('sender');
  }
  const rewrite = db.prepare(
    `UPDATE version SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')}, raw = ?
     WHERE change_seq = ?`,
  );
  const setHash = db.prepare('UPDATE batch SET hash = ? WHERE id = ?');
  let isChanged = false;
  for (const { seq, raw, stored, account, contact } of versions) {
    const record = redacted(stored, roles, isErased);
    const text = canonicalRecord(record);
    rewrite.run(...columnValues(record), text, seq);
    // The last version is the current one.
    setHash.run(sha256(text), batchRow);
    isChanged ||= text !== raw;
    // A contact that lost the batch by a correction may not have been exported since.
    if (!roles.has('recipient')) continue;
    for (const shared of sharedBy(contact)) {
      losses.set(shared, (losses.get(shared) ?? new Set()).add(account));
    }
  }
  for (const role of roles) {
    const column = ERASED_AT[role];
    change(db, `UPDATE batch SET ${column} = ? WHERE id = ? AND ${column} IS NULL`, at, batchRow);
  }
  if (isChanged) {
    change(db, 'DELETE FROM erased_batch WHERE batch_row = ?', batchRow);
    insert(db, 'erased_batch', { batch_row: batchRow, at });
    if (!roles.has('recipient')) repeatVersion(db, batchRow, at);
  }
  const quarantined = selectAll<{ id: number }>(
    db,
    `SELECT q.id FROM quarantine q JOIN batch b
       ON b.account_id = q.account_id AND b.batch_id = json_extract(q.raw, '$.BatchId') WHERE b.id = ?`,
    batchRow,
  );
  return quarantined.reduce((count, { id }) => count + scrubQuarantined(db, id, roles), 0);
}

/**
 * Removes persons from a record that broke the contract. A record with a recipient is removed: only a readable record
 * can be stored without the person.
 *
 * @returns the number of changed or removed records.
 */
export function scrubQuarantined(db: DatabaseSync, id: number, roles: Roles): number {
  if (roles.has('recipient')) return change(db, 'DELETE FROM quarantine WHERE id = ?', id);
  const stored = selectValue<string>(db, 'SELECT raw FROM quarantine WHERE id = ?', id);
  const record: Partial<BatchRecord> | null = JSON.parse(stored ?? 'null');
  if (!record?.SendingUserName) return 0;
  const raw = JSON.stringify(withoutSender(record));
  // Two records can be equal without their senders.
  const update = 'UPDATE OR REPLACE quarantine SET raw = ?, hash = ? WHERE id = ?';
  return change(db, update, raw, sha256(raw), id);
}

/** The BatchId of a record that broke the contract. NaN if it is not a whole number. */
export function batchIdIn(record: Partial<BatchRecord> | null): number {
  const [, id] = /^"?(-?\d+)"?$/.exec(JSON.stringify(record?.BatchId ?? null)) ?? [];
  return Number(id);
}

/**
 * Stores the batch of a quarantined record without a version, so that exports and reports do not contain it, but later
 * pulls recognise it. A known batch stays unchanged.
 *
 * @returns its number in the store. Undefined if the record has no valid BatchId.
 */
export function addUnreadBatch(
  db: DatabaseSync,
  { account, batchId, seenAt }: { account: number; batchId: number; seenAt: string },
): number | undefined {
  if (!Number.isSafeInteger(batchId)) return undefined;
  return selectValue<number>(
    db,
    `INSERT INTO batch (account_id, batch_id, current_seq, versions, hash, date_created, first_seen_at, last_seen_at)
     VALUES (?1, ?2, 0, 0, '', '', ?3, ?3)
     ON CONFLICT (account_id, batch_id) DO UPDATE SET batch_id = batch_id RETURNING id`,
    account,
    batchId,
    seenAt,
  );
}

/**
 * Records contacts that lost batches but have other batches: their sums and keys changed, although none of their
 * other batches did. The record gets the next number in the order of changes.
 */
export function recordLosses(db: DatabaseSync, losses: Losses, at: string): void {
  if (losses.size === 0) return;
  const remaining = selectAll<{ id: number; contact: string }>(
    db,
    'SELECT b.id, contact FROM batch b JOIN version v ON v.change_seq = b.current_seq',
  ).filter(({ contact }) => sharedBy(contact).some((shared) => losses.has(shared)));
  if (remaining.length === 0) return;
  const next = 'UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = ? RETURNING seq';
  const change = selectValue<number>(db, next, 'version') ?? 0;
  const record = db.prepare(
    `INSERT INTO contact_change (batch_row, account_id, change_seq, at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET change_seq = excluded.change_seq, at = excluded.at`,
  );
  for (const { id, contact } of remaining) {
    for (const shared of sharedBy(contact))
      for (const account of losses.get(shared) ?? []) record.run(id, account, change, at);
  }
}
