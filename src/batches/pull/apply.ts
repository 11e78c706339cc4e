import type { DatabaseSync } from 'node:sqlite';
import { sum } from 'd3-array';
import type { BatchRecord } from '../../contract/batch.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { parseBatches, type Quarantined } from '../../contract/parse.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { sha256 } from '../model/canonical.ts';
import type { DriftFinding } from '../model/drift.ts';
import { COUNT_FIELDS } from '../model/fields.ts';
import { type ErasedTest, erasedRoles, redacted, withoutSender } from '../model/persons.ts';
import {
  addUnreadBatch,
  batchIdIn,
  type Losses,
  recordLosses,
  scrubBatch,
} from '../store/scrub.ts';
import { selectAll } from '../store/sql.ts';
import { erasedFrom, type PreparedRecord, prepare, versionWriter } from '../store/versions.ts';

interface ApplyOptions {
  db: DatabaseSync;
  account: number;
  /** Time of the request that returned the records, ISO 8601. */
  seenAt: string;
  /** Time of the pull that stores them, if they are quarantined records of an earlier request. */
  storedAt?: string;
  isErased: ErasedTest;
}

const totalOf = ({ record }: PreparedRecord): number =>
  sum(COUNT_FIELDS, (name) => Number(record[name]));

/** Whether the record `b` of the same batch is later than `a`: counts only grow. With equal counts, any fixed order. */
const isLater = (a: PreparedRecord, b: PreparedRecord): boolean =>
  totalOf(a) === totalOf(b) ? a.hash < b.hash : totalOf(a) < totalOf(b);

/**
 * Keeps the latest record for each BatchId, ordered by creation. The choice does not depend on the order of duplicates.
 */
export function distinct(records: readonly BatchRecord[]): PreparedRecord[] {
  const byId = new Map<number, PreparedRecord>();
  for (const record of records) {
    const prepared = prepare(record);
    const chosen = byId.get(record.BatchId);
    if (!chosen || isLater(chosen, prepared)) byId.set(record.BatchId, prepared);
  }
  return [...byId.values()].sort((a, b) => {
    if (a.created === b.created) return a.record.BatchId - b.record.BatchId;
    return a.created < b.created ? -1 : 1;
  });
}

/** Suspicious fields of a changed record: smaller counts, another creation time. */
const oddFields = (before: BatchRecord, after: BatchRecord): string[] => [
  ...COUNT_FIELDS.filter((name) => Number(after[name]) < Number(before[name])),
  ...(Date.parse(after.DateCreated) === Date.parse(before.DateCreated) ? [] : ['DateCreated']),
];

/** One finding for each odd field, with the number of batches. */
const oddities = (fields: readonly string[]): DriftFinding[] =>
  [...Map.groupBy(fields, (field) => field)].map(([field, { length }]) => {
    const [code, oddity] =
      field === 'DateCreated'
        ? ['creation-changed', 'another creation time: a BatchId may have been reused']
        : ['count-fell', 'smaller counts than before'];
    return { code, field, detail: `${countText(length, 'batch has', 'batches have')} ${oddity}` };
  });

/**
 * Writes records as new batches or new versions. Must run inside a transaction. Never deletes anything: a batch that
 * is missing from the response keeps its row and the time of its last pull.
 */
export function applyRecords(records: readonly PreparedRecord[], options: ApplyOptions) {
  const { db, account, seenAt, storedAt = seenAt, isErased } = options;
  const writer = versionWriter(db, account, storedAt);
  const oddNames: string[] = [];
  const losses: Losses = new Map();
  // `scrubbed` records are stored without the person, who was erased.
  const result = { inserted: 0, changed: 0, unchanged: 0, scrubbed: 0 };
  for (const arrived of records) {
    const { record } = arrived;
    const named = erasedRoles(record, isErased);
    if (named.size === 0 && writer.isUnchanged(arrived, seenAt)) {
      result.unchanged++;
      continue;
    }
    let batch = writer.find(record.BatchId);
    // A quarantined record that is readable now, and older than the batch.
    if (batch && batch.last_seen_at > seenAt) continue;
    if (batch && named.size > 0) {
      scrubBatch(db, batch.id, named, { at: storedAt, losses, isErased });
      batch = writer.find(record.BatchId);
    }
    const erased = batch ? erasedFrom(batch) : named;
    const isRedacted = erased.has('recipient') || (erased.has('sender') && record.SendingUserName);
    if (isRedacted) result.scrubbed++;
    const prepared = isRedacted ? prepare(redacted(record, erased, isErased)) : arrived;
    if (!batch) {
      const id = writer.insert(prepared, seenAt);
      if (named.size > 0) scrubBatch(db, id, named, { at: storedAt, losses, isErased });
      result.inserted++;
      continue;
    }
    if (writer.isUnchanged(prepared, seenAt)) {
      result.unchanged++;
      continue;
    }
    const before = writer.rawOf(batch);
    if (before) oddNames.push(...oddFields(JSON.parse(before), prepared.record));
    writer.change(batch, prepared, seenAt);
    result.changed++;
  }
  recordLosses(db, losses, storedAt);
  return { ...result, findings: oddities(oddNames) };
}

/**
 * Stores records that broke the contract unchanged, until a later version can read them. Records of erased persons and
 * erased batches are not stored: only a readable record can be stored without the person.
 */
export function saveQuarantined(
  quarantined: readonly Quarantined[],
  body: readonly unknown[],
  { db, account, seenAt, isErased }: ApplyOptions,
): void {
  const { find } = versionWriter(db, account, seenAt);
  const losses: Losses = new Map();
  const upsert = db.prepare(
    `INSERT INTO quarantine (account_id, hash, last_seen_at, raw) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, hash) DO UPDATE SET last_seen_at = excluded.last_seen_at
       WHERE excluded.last_seen_at > last_seen_at`,
  );
  for (const { path } of quarantined) {
    const index = Number(/^\[(\d+)\]/.exec(path)?.[1]);
    const received = (body[index] ?? null) as Partial<BatchRecord> | null;
    const batchId = batchIdIn(received);
    const named = erasedRoles(received, isErased);
    if (named.size > 0) {
      const id = addUnreadBatch(db, { account, batchId, seenAt });
      if (id !== undefined) scrubBatch(db, id, named, { at: seenAt, losses, isErased });
    }
    const batch = find(batchId);
    const erased = batch ? erasedFrom(batch) : named;
    if (erased.has('recipient')) continue;
    const isRedacted = erased.has('sender') && received?.SendingUserName;
    const record = isRedacted ? withoutSender(received) : received;
    const raw = JSON.stringify(record);
    upsert.run(account, sha256(raw), seenAt, raw);
  }
  recordLosses(db, losses, seenAt);
}

/**
 * Tries the quarantined records again: a corrected `service.fieldNames` or a newer contract may make them readable.
 * Each is applied with the time of its request, so it never overwrites later data. Must run inside a transaction.
 *
 * @returns the number of records that could be read.
 */
export function readQuarantineAgain(
  options: Omit<ApplyOptions, 'seenAt'>,
  names: FieldNames,
): number {
  const { db, account } = options;
  const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
  const readable = selectAll<{ id: number; seenAt: string; raw: string }>(
    db,
    'SELECT id, last_seen_at AS seenAt, raw FROM quarantine WHERE account_id = ? ORDER BY last_seen_at',
    account,
  ).flatMap(({ id, seenAt, raw }) => {
    const { accepted } = parseBatches([JSON.parse(raw)], names);
    return accepted.length > 0 ? [{ id, seenAt, accepted }] : [];
  });
  for (const { id, seenAt, accepted } of readable) {
    applyRecords(distinct(accepted), { ...options, seenAt });
    remove.run(id);
  }
  return readable.length;
}
