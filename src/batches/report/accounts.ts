import type { DatabaseSync } from 'node:sqlite';
import { max } from 'd3-array';
import { type Interval, iso } from '../pull/coverage.ts';
import { selectAll } from '../store/sql.ts';
import type { AccountStatus } from '../store/status.ts';

/** Counts of the batches that were created in a period. */
export interface PeriodCounts {
  sent: number;
  watched: number;
  plays: number;
  acted: number;
}

export const WEEK_MS = 7 * 86_400_000;

const NO_COUNTS: PeriodCounts = { sent: 0, watched: 0, plays: 0, acted: 0 };

/** d2 comes before d10. */
const naturally = new Intl.Collator('en', { numeric: true }).compare;

/** Whether pulls of an account cover all of a period. */
export const covers = (
  { coveredFrom, coveredUntil, holes }: AccountStatus,
  { from, until }: Interval,
): boolean =>
  coveredFrom !== null &&
  coveredUntil !== null &&
  coveredFrom <= from &&
  coveredUntil >= until &&
  !holes.some((hole) => hole.filled === null && hole.from < until && hole.until > from);

/** Time of the last pull, successful or not, ISO 8601. Empty if there was none. */
const lastPullOf = ({ lastAttempt }: AccountStatus): string => lastAttempt?.at ?? '';

/** Whether an account was pulled for a period: from the beginning of its history to its last pull, successful or not. */
export function wasPulledFor(status: AccountStatus, { from, until }: Interval): boolean {
  const { coveredFrom } = status;
  return coveredFrom !== null && coveredFrom < until && lastPullOf(status) > from;
}

/** Counts of full weeks, by account. */
function countsIn(db: DatabaseSync, { from, until }: Interval): Map<string, PeriodCounts> {
  const rows = selectAll<PeriodCounts & { account: string }>(
    db,
    `SELECT account, sum(sent) AS sent, sum(plays) AS plays, sum(watched) AS watched, sum(acted) AS acted
     FROM funnel_weekly WHERE monday >= ? AND monday < ? GROUP BY account`,
    from.slice(0, 10),
    until.slice(0, 10),
  );
  return new Map(rows.map(({ account, ...counts }) => [account, counts]));
}

/**
 * The comparison of all accounts, in natural order. Counts of a period are undefined if pulls do not cover all of it.
 *
 * @param end the Monday after the last full week, as milliseconds since 1970.
 */
export function accountFigures(
  db: DatabaseSync,
  accounts: readonly AccountStatus[],
  { end, comparedWeeks }: { end: number; comparedWeeks: number },
) {
  const length = comparedWeeks * WEEK_MS;
  const countsUntil = (until: number) => {
    const period = { from: iso(until - length), until: iso(until) };
    const counts = countsIn(db, period);
    return (status: AccountStatus) =>
      covers(status, period) ? (counts.get(status.account) ?? NO_COUNTS) : undefined;
  };
  const newest = max(accounts, lastPullOf) ?? '';
  const stale = iso(Date.parse(newest) - WEEK_MS);
  const notPulledSince = (status: AccountStatus) => {
    const last = lastPullOf(status);
    return last < stale ? last : undefined;
  };
  const currentOf = countsUntil(end);
  const previousOf = countsUntil(end - length);
  return accounts
    .map((status) => ({
      account: status.account,
      /** The error code of the last pull. Undefined if it succeeded. */
      failed: status.failedAttempts > 0 ? status.lastAttempt?.outcome : undefined,
      /** Time of the last pull, if that was more than a week before the report's. The account is no longer pulled. */
      notPulledSince: notPulledSince(status),
      /** The last `comparedWeeks` full weeks. */
      current: currentOf(status),
      /** As many weeks before. */
      previous: previousOf(status),
    }))
    .sort((a, b) => naturally(a.account, b.account));
}

export type AccountFigures = ReturnType<typeof accountFigures>[number];
