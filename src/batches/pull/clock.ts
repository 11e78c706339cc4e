import type { DatabaseSync } from 'node:sqlite';
import type { BatchRecord } from '../../contract/batch.ts';
import { ConfigError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { DriftFinding } from '../model/drift.ts';
import { CLOCK_TOLERANCE_MS, isFarAhead } from '../store/clock.ts';

interface ClockFacts {
  /** When the answer was asked for, ISO 8601. */
  at: string;
  /** The latest stored time that was after this pull's and was set to it. */
  corrected: string | undefined;
  records: readonly BatchRecord[];
}

/**
 * What a pull says of times in the future.
 *
 * @throws {ConfigError} the history holds later times than this pull's, and the service's own times,
 *   of known batches or of the answer, are later too: this machine's clock is behind, and what it
 *   would correct is right.
 */
export function clockDrift(
  db: DatabaseSync,
  { at, corrected, records }: ClockFacts,
): DriftFinding[] {
  const latest = Date.parse(at) + CLOCK_TOLERANCE_MS;
  const later = records.filter(({ DateCreated }) => Date.parse(DateCreated) > latest).length;
  const findings: DriftFinding[] = [];
  if (corrected !== undefined && isFarAhead(corrected, at)) {
    const newest = db.prepare('SELECT max(date_created) AS created FROM batch').get()?.created;
    if (later > 0 || (typeof newest === 'string' && isFarAhead(newest, at))) {
      throw new ConfigError({
        code: 'clock-behind',
        what: `The clock of this machine is behind: it says ${at}.`,
        why: `The history holds times up to ${corrected}, and the service tells of batches that were created after this machine's present.`,
        fix: 'Set the clock and pull again; nothing was stored.',
      });
    }
    const detail = `the history held times up to ${corrected}: a clock was wrong at an earlier pull; they were set to this pull's`;
    findings.push({ code: 'clock-ahead', field: null, detail });
  }
  if (later > 0) {
    const detail = `${countText(later, 'batch was', 'batches were')} created after this machine's present: its clock or the service's is wrong`;
    findings.push({ code: 'created-ahead', field: 'DateCreated', detail });
  }
  return findings;
}
