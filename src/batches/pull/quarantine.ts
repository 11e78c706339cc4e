import type { DatabaseSync } from 'node:sqlite';
import type { FieldNames } from '../../contract/field-names.ts';
import { parseBatches } from '../../contract/parse.ts';
import { type ApplyOptions, applyRecords, distinct } from './apply.ts';

/**
 * Tries the quarantined records again: a corrected `service.fieldNames` or a newer
 * contract may read them now. Each is applied with the time at which it was seen, so it never
 * overwrites what came later. Must run inside a transaction.
 *
 * @returns how many could be read.
 */
export function readQuarantineAgain(
  db: DatabaseSync,
  account: number,
  names: FieldNames,
  isErased: ApplyOptions['isErased'],
): number {
  const remove = db.prepare('DELETE FROM quarantine WHERE id = ?');
  const kept = db
    .prepare(
      'SELECT id, last_seen_at, raw FROM quarantine WHERE account_id = ? ORDER BY last_seen_at',
    )
    .all(account);
  let recovered = 0;
  for (const { id, last_seen_at, raw } of kept) {
    const { accepted } = parseBatches([JSON.parse(String(raw))], names);
    const [record] = accepted;
    if (!record) continue;
    const { records } = distinct([record]);
    applyRecords(records, { db, account, seenAt: String(last_seen_at), isErased });
    remove.run(Number(id));
    recovered++;
  }
  return recovered;
}
