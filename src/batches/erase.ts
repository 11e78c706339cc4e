import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { settleRuns } from './export/ledger.ts';
import { lockExports } from './store/locks.ts';
import type { HistoryStore } from './store/open.ts';
import { selectOne, transaction } from './store/sql.ts';

/** An erased batch, as a CRM knows it. */
export interface ErasedBatch {
  account: string;
  batchId: number;
}

/**
 * When the last export was made that may hold an erased person. Undefined if there was none. Reports have
 * no changes and no person.
 */
export const lastExportAt = (db: DatabaseSync): string | undefined =>
  selectOne<{ at: string | null }>(
    db,
    "SELECT max(at) AS at FROM export_run WHERE state = 'done' AND to_seq > 0",
  )?.at ?? undefined;

/** Nothing readable stays in the file: freed pages are zeroed, the log is emptied, the file rebuilt. */
function removeRemains({ db }: HistoryStore): void {
  db.exec('VACUUM');
  if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0) return;
  throw new AppError({
    code: 'forget-remains',
    what: 'The data was erased, but remains may still be in the file next to the history.',
    why: 'Another process is reading the history, so its log could not be emptied.',
    fix: 'Let the other command end and run the same command again. A forget then ends with 8, because nothing is left to erase.',
  });
}

/**
 * Erases in one transaction, while no export is running, and leaves no remains in the file.
 *
 * @param work erases. @param at the time of the erasure, ISO 8601.
 * @throws {AppError} `forget-remains`: erased, but another process kept the log from being emptied.
 */
export function eraseInHistory<T>(store: HistoryStore, work: (at: string) => T): T {
  using _lock = lockExports(store);
  settleRuns(store);
  const result = transaction(store.db, () => work(new Date().toISOString()));
  removeRemains(store);
  return result;
}
