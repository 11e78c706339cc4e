import type { DatabaseSync } from 'node:sqlite';

/** Clocks of two machines may differ so far without a word. */
export const CLOCK_TOLERANCE_MS = 3_600_000;

/** Every time of this machine's clock that is stored, by table. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  pull: ['started_at', 'finished_at', 'covered_until'],
  batch: ['first_seen_at', 'last_seen_at', 'erased_at'],
  version: ['seen_at'],
  quarantine: ['first_seen_at', 'last_seen_at'],
  field_type: ['first_seen_at'],
  drift: ['at'],
  hole: ['filled_at'],
  export_run: ['at'],
  erased_person: ['erased_at'],
  erasure: ['at'],
  attempt: ['at'],
};

/** The latest stored time that is after `at`; undefined where there is none. Both ISO 8601. */
export function timeAhead(db: DatabaseSync, at: string): string | undefined {
  const row = db
    .prepare(
      `SELECT max(latest) AS latest FROM (SELECT max(started_at) AS latest FROM pull
         UNION ALL SELECT max(at) FROM export_run UNION ALL SELECT max(at) FROM erasure)`,
    )
    .get();
  return typeof row?.latest === 'string' && row.latest > at ? row.latest : undefined;
}

/** Whether a time is so far after `at` that one of two clocks must be wrong. Both ISO 8601. */
export const isFarAhead = (time: string | undefined, at: string): boolean =>
  time !== undefined && Date.parse(time) > Date.parse(at) + CLOCK_TOLERANCE_MS;

/**
 * Sets every stored time that is after `at` to `at`: a clock was wrong when it was written. What
 * such a pull said of stretches of time is taken back, its holes included; the next pulls find the
 * true ones. Must run inside a transaction.
 *
 * @returns the latest time that was corrected; undefined where there was none.
 */
export function correctTimesAhead(db: DatabaseSync, at: string): string | undefined {
  const latest = timeAhead(db, at);
  if (latest === undefined) return undefined;
  db.prepare('DELETE FROM hole WHERE recorded_at > ?').run(at);
  db.prepare(
    'UPDATE pull SET covered_from = NULL, covered_until = NULL WHERE covered_from >= ?',
  ).run(at);
  for (const [table, columns] of Object.entries(TIMES)) {
    for (const column of columns) {
      db.prepare(`UPDATE ${table} SET ${column} = ?1 WHERE ${column} > ?1`).run(at);
    }
  }
  return latest;
}

/** What a reader should know of times that lie in the future; undefined where none does. */
export function clockNote(db: DatabaseSync, now: number): string | undefined {
  const at = new Date(now).toISOString();
  const latest = timeAhead(db, at);
  if (!isFarAhead(latest, at)) return undefined;
  return `The history holds times in the future, up to ${latest}: the clock of this machine is wrong, or it was at a pull. A pull under the right clock corrects them.`;
}
