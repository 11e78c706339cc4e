import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { settleRuns } from './export/ledger.ts';
import type { ErasedTest, Role, Roles } from './model/persons.ts';
import { checkHistory } from './store/check.ts';
import { lockExports } from './store/locks.ts';
import { explainSqlite, type HistoryStore } from './store/open.ts';
import { type Losses, recordLosses, scrubBatch, scrubQuarantined } from './store/scrub.ts';
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

/** The rows to erase. */
export interface Erasable {
  batches: readonly (StoredBatch & { roles: Roles })[];
  /** Records that broke the contract. */
  quarantined: readonly { id: number; roles: Roles }[];
  isErased: ErasedTest;
}

/** A batch or record without its recipient has no other person than the sender. */
const mainRole = ({ roles }: { roles: Roles }): Role =>
  roles.has('recipient') ? 'recipient' : 'sender';

const lastRun = (db: DatabaseSync, condition: string): string | undefined =>
  selectValue(db, `SELECT max(at) FROM export_run WHERE state = 'done' AND ${condition}`);

const remains = (place: string, why: string, wait: string): AppError =>
  new AppError({
    code: 'forget-remains',
    what: `The data was erased, but the ${place} may still contain it.`,
    why,
    fix: `${wait}, and run the same command again. A forget ends with 8 if nothing is left to erase.`,
  });

const remainsDamaged = (why: string): AppError =>
  remains('damaged part of the history', why, 'Restore the last backup');

/** Removes all traces from the file: zeroes freed pages, empties the log and rebuilds the file. */
function removeRemains({ db, file }: HistoryStore): void {
  try {
    // The copy that VACUUM makes can be larger than the memory of the machine. The folder is private.
    db.exec('PRAGMA temp_store = FILE');
    db.exec(`PRAGMA temp_store_directory = '${path.dirname(file).replaceAll("'", "''")}'`);
    db.exec('VACUUM');
  } catch (error) {
    const { code, why = 'SQLite could not rebuild it.' } = explainSqlite(error, file) ?? {};
    if (code === 'store-corrupt') throw remainsDamaged(why);
    throw remains('file of the history', why, 'Free twice as much space as the history needs');
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
 * @throws {AppError} `forget-remains`: erased, but the disk is full, rows are damaged, or another process kept the log
 *   from being emptied.
 */
export function erase(
  store: HistoryStore,
  find: (at: string) => Erasable,
  { dryRun }: { dryRun: boolean },
) {
  const { db } = store;
  using _lock = lockExports(store);
  settleRuns(store);
  // Checked before: an erasure gives the changed rows new checksums.
  const isDamaged = !dryRun && checkHistory(db).damage.length > 0;
  const eraseAll = () => {
    const at = new Date().toISOString();
    const { batches, quarantined, isErased } = find(at);
    const losses: Losses = new Map();
    const counts = { recipient: 0, sender: 0 };
    for (const { id, roles } of batches) {
      counts[mainRole({ roles })] += scrubBatch(db, id, roles, { at, losses, isErased });
    }
    for (const { id, roles } of quarantined) {
      counts[mainRole({ roles })] += scrubQuarantined(db, id, roles);
    }
    recordLosses(db, losses, at);
    // Exports do not contain batches without a version, whose records broke the contract.
    const stored = batches.filter(({ versions }) => versions > 0);
    const { recipient = [], sender = [] } = Object.groupBy(stored, mainRole);
    return {
      /** The erased batches by their CRM identifiers: earlier exports may contain them. */
      batches: recipient,
      versions: recipient.reduce((sum, { versions }) => sum + versions, 0),
      /** Number of removed records that broke the contract. */
      quarantined: counts.recipient,
      /** The rows whose sender was erased, and that are otherwise unchanged. */
      senders: { batches: sender, quarantined: counts.sender },
      /** Time of the last export that may contain an erased person. Undefined if there was none. */
      lastExport: lastRun(db, "pii NOT LIKE 'none%'"),
      /** The same for the report, which contains names of senders and no recipients. */
      lastReport: lastRun(db, 'pii IS NULL'),
    };
  };
  const erasure = transaction(db, eraseAll, { keep: !dryRun });
  // Also if nothing is left to erase: an earlier run may have failed to do so.
  if (!dryRun) removeRemains(store);
  if (!isDamaged) return erasure;
  throw remainsDamaged('Some rows do not match their checksums, so they may contain the person.');
}

export type Erasure = ReturnType<typeof erase>;

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
  const recipient = <T>(row: T) => ({ ...row, roles: new Set(['recipient'] as const) });
  const find = (): Erasable => ({
    batches: selectAll<StoredBatch>(
      db,
      `${BATCHES} WHERE b.date_created < ? AND b.erased_at IS NULL AND b.versions > 0 ORDER BY b.id`,
      before,
    ).map(recipient),
    quarantined: selectAll<{ id: number }>(
      db,
      // A creation that broke the contract has any form.
      `SELECT id FROM quarantine WHERE last_seen_at < ?1 OR (raw ->> 'DateCreated' < ?1
         AND raw ->> 'DateCreated' GLOB '[12][0-9][0-9][0-9]-[0-9][0-9]-*')`,
      before,
    ).map(recipient),
    isErased: () => false,
  });
  return erase(store, find, { dryRun });
}
