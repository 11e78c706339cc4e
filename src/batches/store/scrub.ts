import type { DatabaseSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { canonicalRecord, sha256 } from '../model/canonical.ts';
import { type ErasedTest, withoutErasedSender, withoutPerson } from '../model/persons.ts';
import { insert, selectAll, selectOne, selectValue } from './sql.ts';
import { COLUMNS, columnValues, type KnownBatch, prepare } from './versions.ts';
import { CONTACT } from './views.ts';

const ANYONE: ErasedTest = () => true;

/** Accounts of erased batches, by contact. */
export type Losses = Map<string, Set<number>>;

export interface ScrubOptions {
  /** Time of the erasure, ISO 8601. */
  at: string;
  /** Receives the contacts of the batch, for {@link recordLosses}. */
  losses: Losses;
  isErased: ErasedTest;
}

/** Lists a batch for exports of erasures. If it was listed before, consumers get it again. */
export function listErasure(db: DatabaseSync, batchRow: number, at: string): void {
  db.prepare('DELETE FROM erased_batch WHERE batch_row = ?').run(batchRow);
  insert(db, 'erased_batch', { batch_row: batchRow, at });
}

/**
 * Rewrites every version of a batch with its raw record. If a version has an erased sender, all versions lose the
 * sender, because others can have the name without the address.
 *
 * @returns whether a version changed.
 */
function rewriteVersions(
  db: DatabaseSync,
  batchRow: number,
  isErased: ErasedTest,
  change: (record: BatchRecord, isErased: ErasedTest) => BatchRecord,
): boolean {
  const rewrite = db.prepare(
    `UPDATE version SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')}, raw = ?
     WHERE change_seq = ?`,
  );
  const setHash = db.prepare('UPDATE batch SET hash = ? WHERE id = ?');
  const versions = selectAll<{ seq: number; raw: string }>(
    db,
    'SELECT change_seq AS seq, raw FROM version WHERE batch_row = ? ORDER BY number',
    batchRow,
  ).map(({ seq, raw }) => ({ seq, raw, stored: JSON.parse(raw) as BatchRecord }));
  const isOfErasedSender = versions.some(
    ({ stored }) => withoutErasedSender(stored, isErased) !== stored,
  );
  let isChanged = false;
  for (const { seq, raw, stored } of versions) {
    const changed = change(stored, isErased);
    const { record, hash } = prepare(
      isOfErasedSender ? withoutErasedSender(changed, ANYONE) : changed,
    );
    const text = canonicalRecord(record);
    rewrite.run(...columnValues(record), text, seq);
    // The last version is the current one.
    setHash.run(hash, batchRow);
    isChanged ||= text !== raw;
  }
  return isChanged;
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
  const { account, erased } = selectOne(
    db,
    'SELECT account_id AS account, erased_at AS erased FROM batch WHERE id = ?',
    batchRow,
  ) as { account: number; erased: string | null };
  // A contact that lost the batch by a correction may not have been exported since.
  const contacts = `SELECT DISTINCT ${CONTACT} AS contact FROM version WHERE batch_row = ?`;
  for (const { contact } of selectAll<{ contact: string }>(db, contacts, batchRow)) {
    if (contact) losses.set(contact, (losses.get(contact) ?? new Set()).add(account));
  }
  removeQuarantined(db, batchRow);
  const isChanged = rewriteVersions(db, batchRow, isErased, withoutPerson);
  db.prepare('UPDATE batch SET erased_at = coalesce(erased_at, ?) WHERE id = ?').run(at, batchRow);
  if (erased === null || isChanged) listErasure(db, batchRow, at);
}

/**
 * Removes the sender from every version of a batch. The recipient stays. The batch gets a new version, so that
 * exports of changes contain it. Exports of erasures also list it, because a CRM keeps fields that a change omits.
 */
export function clearSender(db: DatabaseSync, batchRow: number, at: string): void {
  rewriteVersions(db, batchRow, ANYONE, withoutErasedSender);
  listErasure(db, batchRow, at);
  const columns = [...COLUMNS, 'raw'].join(', ');
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO version (batch_row, number, seen_at, ${columns})
       SELECT batch_row, number + 1, ?, ${columns} FROM version
       WHERE change_seq = (SELECT current_seq FROM batch WHERE id = ?)`,
    )
    .run(at, batchRow);
  db.prepare('UPDATE batch SET current_seq = ?, versions = versions + 1 WHERE id = ?').run(
    lastInsertRowid,
    batchRow,
  );
}

/**
 * Stores the batch of a quarantined record without a version, so that exports and reports do not contain it, but later
 * pulls recognise it. If it was erased, they store only its counts and times, otherwise all but its sender.
 *
 * @param erasedAt null if only the sender was erased.
 */
export function addUnreadBatch(
  db: DatabaseSync,
  batch: { account: number; batchId: number; seenAt: string; erasedAt: string | null },
): void {
  const { account, batchId, seenAt, erasedAt } = batch;
  if (!Number.isSafeInteger(batchId)) return;
  const id = selectValue<number>(
    db,
    `INSERT INTO batch (account_id, batch_id, current_seq, versions, hash, date_created,
       first_seen_at, last_seen_at, erased_at)
     VALUES (?1, ?2, 0, 0, '', '', ?3, ?3, ?4)
     ON CONFLICT (account_id, batch_id) DO NOTHING RETURNING id`,
    account,
    batchId,
    seenAt,
    erasedAt,
  );
  if (id !== undefined && erasedAt === null) listErasure(db, id, seenAt);
}

/** The records of a batch that broke the contract. */
const QUARANTINED_OF = `SELECT q.id FROM quarantine q JOIN batch b
  ON b.account_id = q.account_id AND b.batch_id = json_extract(q.raw, '$.BatchId') WHERE b.id = ?`;

/** Removes the records of a batch that broke the contract, because its person was erased. */
export function removeQuarantined(db: DatabaseSync, batchRow: number): void {
  db.prepare(`DELETE FROM quarantine WHERE id IN (${QUARANTINED_OF})`).run(batchRow);
}

/** Removes the sender that a pull identified. Later pulls then recognise the name without the address. */
export function eraseSender(
  db: DatabaseSync,
  { id, has_sender, sender_erased }: Pick<KnownBatch, 'id' | 'has_sender' | 'sender_erased'>,
  at: string,
): void {
  if (sender_erased) return;
  if (has_sender) clearSender(db, id, at);
  else listErasure(db, id, at);
  for (const record of selectAll<{ id: number }>(db, QUARANTINED_OF, id)) {
    clearQuarantinedSender(db, record.id);
  }
}

/** Removes the sender from a record that broke the contract. */
export function clearQuarantinedSender(db: DatabaseSync, id: number): void {
  const stored = selectValue<string>(db, 'SELECT raw FROM quarantine WHERE id = ?', id);
  const raw = JSON.stringify(withoutErasedSender(JSON.parse(stored ?? 'null'), ANYONE));
  // Two records can be equal without their senders.
  db.prepare('UPDATE OR REPLACE quarantine SET raw = ?, hash = ? WHERE id = ?').run(
    raw,
    sha256(raw),
    id,
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
