import type { DatabaseSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { ConfigError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { DriftFinding } from '../model/drift.ts';
import { change, selectAll, selectValue } from './sql.ts';

/** A difference between the clocks of two machines that is not reported. */
const TOLERANCE_MS = 3_600_000;

/** Whether a time is so far after `at` that one of the two clocks must be wrong. Both ISO 8601. */
export const isFarAhead = (time: string | null | undefined, at: string): boolean =>
  typeof time === 'string' && Date.parse(time) > Date.parse(at) + TOLERANCE_MS;

/**
 * Sets stored times of this machine's clock that are after `at` to `at`: the clock was wrong when they were stored. The
 * coverage and holes of such pulls are removed, and the next pulls determine them again. Must run inside a transaction.
 *
 * @returns the latest corrected time. Undefined if there was none.
 */
export function correctTimesAhead(db: DatabaseSync, at: string): string | undefined {
  const latest = selectValue<string>(
    db,
    `SELECT max(latest) FROM (SELECT max(at) AS latest FROM pull
       UNION ALL SELECT max(at) FROM export_run UNION ALL SELECT max(at) FROM erased_batch)`,
  );
  if (latest === undefined || latest <= at) return undefined;
  change(db, 'DELETE FROM hole WHERE recorded_at > ?', at);
  const uncover =
    'UPDATE pull SET covered_from = NULL, covered_until = NULL WHERE covered_from >= ?';
  change(db, uncover, at);
  const times = selectAll<{ table: string; column: string }>(
    db,
    `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
     WHERE m.type = 'table' AND (c.name GLOB '*_at' OR c.name IN ('at', 'covered_until'))`,
  );
  for (const { table, column } of times) {
    change(db, `UPDATE ${table} SET ${column} = ?1 WHERE ${column} > ?1`, at);
  }
  return latest;
}

/**
 * Findings of a pull about times in the future.
 *
 * @param at time of the request, ISO 8601.
 * @param corrected the latest stored time that was after it and was set to it.
 * @throws {ConfigError} this machine's clock is behind: the history has later times than this pull, and so do
 *   batches of the service. The stored times are right and must not be corrected.
 */
export function clockDrift(
  db: DatabaseSync,
  at: string,
  corrected: string | undefined,
  records: readonly BatchRecord[],
): DriftFinding[] {
  const later = records.filter(({ DateCreated }) => isFarAhead(DateCreated, at)).length;
  const findings: DriftFinding[] = [];
  if (isFarAhead(corrected, at)) {
    const newest = selectValue<string>(db, 'SELECT max(date_created) FROM batch');
    if (later > 0 || isFarAhead(newest, at)) {
      throw new ConfigError({
        code: 'clock-behind',
        what: `The clock of this machine is behind. It shows ${at}.`,
        why: `The history contains times up to ${corrected}, and the service lists batches that were created after this machine's time.`,
        fix: 'Set the clock and pull again. Nothing was stored.',
      });
    }
    const detail = `the history contained times up to ${corrected}, because a clock was wrong during an earlier pull. They were set to the time of this pull`;
    findings.push({ code: 'clock-ahead', field: null, detail });
  }
  if (later > 0) {
    const detail = `${countText(later, 'batch was', 'batches were')} created in the future: the clock of this machine or of the service is wrong`;
    findings.push({ code: 'created-ahead', field: 'DateCreated', detail });
  }
  return findings;
}
