import type { DatabaseSync } from 'node:sqlite';
import { withoutPerson } from '../model/persons.ts';
import { prepare, versionRewriter } from './versions.ts';

/**
 * Takes the person out of every version of one batch, raw records included, for good: later pulls
 * store only the impersonal part. Must run inside a transaction. Numbers of versions and their place
 * in the order of changes stay, so that exports are not repeated.
 *
 * @returns how many versions were rewritten.
 */
export function scrubBatch(db: DatabaseSync, batchRow: number, at: string): number {
  const rewrite = versionRewriter(db);
  const versions = db
    .prepare('SELECT change_seq, raw FROM version WHERE batch_row = ?')
    .all(batchRow);
  for (const { change_seq, raw } of versions) {
    rewrite(Number(change_seq), prepare(withoutPerson(JSON.parse(String(raw)))));
  }
  db.prepare('UPDATE batch SET erased_at = coalesce(erased_at, ?) WHERE id = ?').run(at, batchRow);
  return versions.length;
}
