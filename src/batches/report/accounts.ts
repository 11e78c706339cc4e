import type { DatabaseSync } from 'node:sqlite';
import { ATTEMPT_OK } from '../store/accounts.ts';
import { selectAll } from '../store/sql.ts';
import type { AccountStatus } from '../store/status.ts';

/** Counts of the batches that were created in a period. */
export interface PeriodCounts {
  sent: number;
  watched: number;
  plays: number;
  acted: number;
}

/** One account next to the others: the last four whole weeks, and the four weeks before. */
export interface AccountFigures {
  account: string;
  /** The error code of the last pull. Undefined if it succeeded. */
  failed: string | undefined;
  current: PeriodCounts;
  previous: PeriodCounts;
}

const DAY = 86_400_000;
/** Days of one period. */
const PERIOD = 28;
const NONE: PeriodCounts = { sent: 0, watched: 0, plays: 0, acted: 0 };

/** d2 comes before d10. */
const naturally = new Intl.Collator('en', { numeric: true }).compare;

/** @param end the first day after the period, `YYYY-MM-DD` in UTC. */
function countsUntil(db: DatabaseSync, end: number): Map<string, PeriodCounts> {
  const [from, until] = [end - PERIOD * DAY, end].map((time) => new Date(time).toISOString());
  const rows = selectAll<PeriodCounts & { account: string }>(
    db,
    `SELECT account, count(date_sent) AS sent, coalesce(sum(video_play_count), 0) AS plays,
       coalesce(sum(date_sent IS NOT NULL AND (landing_page_first_watched IS NOT NULL
         OR landing_page_watch_count > 0)), 0) AS watched,
       count(customer_action_state) AS acted
     FROM batches_current WHERE unixepoch(date_created) >= unixepoch(?)
       AND unixepoch(date_created) < unixepoch(?) GROUP BY account`,
    from ?? '',
    until ?? '',
  );
  return new Map(rows.map(({ account, ...counts }) => [account, counts]));
}

/**
 * All accounts in natural order.
 *
 * @param end the Monday after the last whole week, as milliseconds since 1970.
 */
export function accountFigures(
  db: DatabaseSync,
  accounts: readonly AccountStatus[],
  end: number,
): AccountFigures[] {
  const current = countsUntil(db, end);
  const previous = countsUntil(db, end - PERIOD * DAY);
  return accounts
    .map(({ account, lastAttempt }) => ({
      account,
      failed: lastAttempt && lastAttempt.outcome !== ATTEMPT_OK ? lastAttempt.outcome : undefined,
      current: current.get(account) ?? NONE,
      previous: previous.get(account) ?? NONE,
    }))
    .sort((one, other) => naturally(one.account, other.account));
}
