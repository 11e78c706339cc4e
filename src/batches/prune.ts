import { type ErasedBatch, eraseInHistory, lastExportAt } from './erase.ts';
import type { HistoryStore } from './store/open.ts';
import { scrubBatches } from './store/scrub.ts';
import { selectAll } from './store/sql.ts';

export interface PruneResult {
  batches: ErasedBatch[];
  versions: number;
  /** Records that broke the contract and are removed. */
  quarantined: number;
  lastExport: string | undefined;
}

/** Batches created before `before` that still name a person, and old records that broke the contract. */
function findOld({ db }: HistoryStore, before: string) {
  return {
    batches: selectAll<ErasedBatch & { id: number; versions: number }>(
      db,
      `SELECT b.id, a.name AS account, b.batch_id AS batchId, b.versions FROM batch b
       JOIN account a ON a.id = b.account_id
       WHERE b.date_created < ? AND b.erased_at IS NULL ORDER BY b.id`,
      before,
    ),
    quarantined: selectAll<{ id: number }>(
      db,
      'SELECT id FROM quarantine WHERE last_seen_at < ?',
      before,
    ),
  };
}

/**
 * Erases the persons of all batches created before a time, as `forget` does for one person: counts and
 * times stay, and exports of erasures list the batches.
 *
 * @param before ISO 8601 in UTC.
 * @throws {AppError} `forget-remains`
 */
export function prune(
  store: HistoryStore,
  { before, dryRun }: { before: string; dryRun: boolean },
): PruneResult {
  const { db } = store;
  const found = findOld(store, before);
  if (!dryRun && found.batches.length + found.quarantined.length > 0) {
    eraseInHistory(store, (at) => {
      const ids = found.batches.map(({ id }) => id);
      scrubBatches(db, ids, at);
      const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
      for (const { id } of found.quarantined) remove.run(id);
    });
  }
  return {
    batches: found.batches.map(({ account, batchId }) => ({ account, batchId })),
    versions: found.batches.reduce((sum, { versions }) => sum + versions, 0),
    quarantined: found.quarantined.length,
    lastExport: lastExportAt(db),
  };
}
