import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { settleRuns } from './export/ledger.ts';
import type { ErasedTest } from './model/persons.ts';
import { lockExports } from './store/locks.ts';
import { explainSqlite, type HistoryStore } from './store/open.ts';
import {
  clearQuarantinedSender,
  clearSender,
  type Losses,
  recordLosses,
  scrubBatch,
} from './store/scrub.ts';
import { selectAll, selectValue, transaction } from './store/sql.ts';

/** A batch to erase the person from. The store assigns `id`, the service `batchId`. */
export interface StoredBatch {
  id: number;
  account: string;
  batchId: number;
  versions: number;
}

/** The start of a query for {@link StoredBatch}. */
export const BATCHES = `SELECT b.id, a.name AS account, b.batch_id AS batchId, b.versions
  FROM batch b JOIN account a ON a.id = b.account_id`;

/** The rows to erase. Numbers identify records that broke the contract. */
export interface Erasable {
  batches: readonly StoredBatch[];
  quarantined: readonly number[];
  /** Only the sender of these rows is erased. */
  senders: { batches: readonly StoredBatch[]; quarantined: readonly number[] };
  isErased: ErasedTest;
}

export interface Erasure {
  /** The erased batches by their CRM identifiers: earlier exports may contain them. */
  batches: Pick<StoredBatch, 'account' | 'batchId'>[];
  versions: number;
  /** Number of removed records that broke the contract. */
  quarantined: number;
  /** The rows whose sender was erased, and that are otherwise unchanged. */
  senders: Pick<Erasure, 'batches' | 'quarantined'>;
  /** Time of the last export that may contain an erased person. Undefined if there was none. */
  lastExport: string | undefined;
  /** The same for the report, which contains names of senders and no recipients. */
  lastReport: string | undefined;
}

const namesOf = (batches: readonly StoredBatch[]): Erasure['batches'] =>
  batches.map(({ account, batchId }) => ({ account, batchId }));

const erasureOf = (db: DatabaseSync, { batches, quarantined, senders }: Erasable): Erasure => ({
  batches: namesOf(batches),
  versions: batches.reduce((sum, { versions }) => sum + versions, 0),
  quarantined: quarantined.length,
  senders: { batches: namesOf(senders.batches), quarantined: senders.quarantined.length },
  lastExport: selectValue(
    db,
    "SELECT max(at) FROM export_run WHERE state = 'done' AND pii <> 'none'",
  ),
  lastReport: selectValue(
    db,
    "SELECT max(at) FROM export_run WHERE state = 'done' AND pii IS NULL",
  ),
});

const remains = (place: string, why: string, wait: string): AppError =>
  new AppError({
    code: 'forget-remains',
    what: `The data was erased, but the ${place} may still contain it.`,
    why,
    fix: `${wait}, and run the same command again. A forget then ends with 8, because nothing is left to erase.`,
  });

/** Removes all traces from the file: zeroes freed pages, empties the log and rebuilds the file. */
function removeRemains({ db, file }: HistoryStore): void {
  try {
    db.exec('VACUUM');
  } catch (error) {
    const why = explainSqlite(error, file)?.why ?? 'SQLite could not rebuild it.';
    throw remains('file of the history', why, 'Free as much space as the history needs');
  }
  if (selectValue<number>(db, 'PRAGMA wal_checkpoint(TRUNCATE)') === 0) return;
  throw remains(
    'log file next to the history',
    'Another process is reading the history, so its log could not be emptied.',
    'Wait for the other command to end',
  );
}

/**
 * Erases in one transaction while no export is running, and removes all traces from the file. Contacts that still
 * have other batches count as changed.
 *
 * @param find finds the data to erase. Called in the transaction with the time of the erasure, ISO 8601.
 * @param dryRun returns the erasure without carrying it out.
 * @throws {AppError} `forget-remains`: erased, but the disk is full or another process kept the log from being emptied.
 */
export function erase(
  store: HistoryStore,
  find: (at: string) => Erasable,
  { dryRun }: { dryRun: boolean },
): Erasure {
  const { db } = store;
  using _lock = lockExports(store);
  settleRuns(store);
  const eraseAll = () => {
    const at = new Date().toISOString();
    const erasable = find(at);
    const losses: Losses = new Map();
    const { senders, isErased } = erasable;
    for (const { id } of erasable.batches) scrubBatch(db, id, { at, losses, isErased });
    recordLosses(db, losses, at);
    for (const { id } of senders.batches) clearSender(db, id, at);
    for (const id of senders.quarantined) clearQuarantinedSender(db, id);
    const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
    for (const id of erasable.quarantined) remove.run(id);
    return erasureOf(db, erasable);
  };
  const erasure = transaction(db, eraseAll, { keep: !dryRun });
  // Also if nothing is left to erase: an earlier run may have failed to do so.
  if (!dryRun) removeRemains(store);
  return erasure;
}

/**
 * Erases the persons of all batches created before a time, as `forget` does for one person. Counts and times
 * remain, and exports of erasures list the batches. Older records that broke the contract are removed.
 *
 * @param before ISO 8601 in UTC.
 * @throws {AppError} `forget-remains`
 */
export function prune(
  store: HistoryStore,
  { before, dryRun }: { before: string; dryRun: boolean },
): Erasure {
  const { db } = store;
  const find = (): Erasable => ({
    batches: selectAll(
      db,
      `${BATCHES} WHERE b.date_created < ? AND b.erased_at IS NULL AND b.versions > 0 ORDER BY b.id`,
      before,
    ),
    quarantined: selectAll<{ id: number }>(
      db,
      `SELECT q.id FROM quarantine q LEFT JOIN batch b
         ON b.account_id = q.account_id AND b.batch_id = json_extract(raw, '$.BatchId')
       WHERE q.last_seen_at < ?1 OR (b.date_created < ?1 AND b.erased_at IS NULL AND b.versions > 0)`,
      before,
    ).map(({ id }) => id),
    senders: { batches: [], quarantined: [] },
    isErased: () => false,
  });
  return erase(store, find, { dryRun });
}
