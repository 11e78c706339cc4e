import type { DatabaseSync } from 'node:sqlite';
import type { AccountConfig } from '../../config/schema.ts';
import type { BatchRecord } from '../../contract/batch.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { findAccount } from '../store/accounts.ts';
import { change, insert, selectAll, selectValue } from '../store/sql.ts';
import type { PreparedRecord } from '../store/versions.ts';

/** A period of time. Both ends are ISO 8601 in UTC with milliseconds, so they can be compared as texts. */
export interface Interval {
  from: string;
  until: string;
}

const DAY_MS = 86_400_000;

export const iso = (time: number): string => new Date(time).toISOString();

/** Joins intervals that touch or overlap. Oldest first. */
function union(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { from, until } of intervals.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (!last || from > last.until) joined.push({ from, until });
    else if (until > last.until) last.until = until;
  }
  return joined;
}

/** Gaps between the covered periods, up to `until`. Known holes count as covered: no pull tries to fill them. */
function openGaps(
  covered: readonly Interval[],
  holes: readonly Interval[],
  until: string,
): Interval[] {
  const [first] = union(covered);
  const joined = union([...covered, ...holes]);
  return joined.flatMap((stretch, index) => {
    const next = joined[index + 1]?.from ?? until;
    const isGap = first && stretch.until >= first.from && next > stretch.until;
    return isGap ? [{ from: stretch.until, until: next }] : [];
  });
}

/** The intervals for which a pull's response was complete. */
const coverageOf = (db: DatabaseSync, account: number): Interval[] =>
  selectAll(
    db,
    `SELECT covered_from AS "from", covered_until AS until FROM pull
     WHERE account = (SELECT name FROM account WHERE id = ?) AND covered_until IS NOT NULL`,
    account,
  );

interface Hole extends Interval {
  id: number;
  filled: 0 | 1;
}

const holesOf = (db: DatabaseSync, account: number): Hole[] =>
  selectAll(
    db,
    `SELECT id, from_at AS "from", until_at AS until, filled_at IS NOT NULL AS filled
     FROM hole WHERE account_id = ? ORDER BY from_at`,
    account,
  );

export interface Plan {
  days: number;
  /** Days needed to leave no gap. More than `days` if the limit is smaller. */
  needed: number;
}

/**
 * Plans how many days to request. If the last successful pull is older than the usual window, the window reaches back
 * to that pull and one more day. It also includes the newest batch from before that pull, because only a known batch
 * proves how far the response reaches.
 *
 * @param usual the usual window in days.
 */
export function planPull(
  db: DatabaseSync,
  account: AccountConfig,
  { usual, now }: { usual: number; now: number },
): Plan {
  const id = findAccount(db, account) ?? 0;
  const [oldest] = openGaps(coverageOf(db, id), holesOf(db, id), iso(now));
  if (!oldest) return { days: usual, needed: usual };
  const daysTo = (time: string) => Math.ceil((now - Date.parse(time)) / DAY_MS) + 1;
  const needed = daysTo(oldest.from);
  if (needed <= usual) return { days: usual, needed };
  const lastKnown = selectValue<string>(
    db,
    'SELECT max(date_created) FROM batch WHERE account_id = ? AND date_created <= ?',
    id,
    oldest.from,
  );
  const daysToKnown = lastKnown ? Math.max(needed, daysTo(lastKnown) + 1) : needed;
  const maxDays = Math.max(usual, account.maxDaysOfHistory);
  return { days: Math.max(usual, Math.min(daysToKnown, maxDays)), needed };
}

/**
 * The period for which a response is complete: the requested window. If the oldest batch of the last pull in that
 * window is missing, the period starts at the oldest batch of the response. An empty response proves nothing
 * if batches are known.
 *
 * Assumes that the window is based on DateCreated. Interface 4.2 states only "how many days back the queried data set
 * reaches", so the first day of the window is not relied on.
 *
 * @param records records of the response, oldest first.
 * @param body the response, also with records that break the contract. A known batch among them is not missing.
 */
export function reachOf(
  db: DatabaseSync,
  account: number,
  { now, days }: { now: number; days: number },
  records: readonly PreparedRecord[],
  body: readonly unknown[],
) {
  const windowStart = now - days * DAY_MS;
  const receivedIds = new Set(
    body.map((record) => (record as Partial<BatchRecord> | null)?.BatchId),
  );
  const knownBatches = selectAll<{ batchId: number; created: string }>(
    db,
    `SELECT batch_id AS batchId, date_created AS created FROM batch
     WHERE account_id = ?1 AND date_created >= ?2
       AND last_seen_at = (SELECT max(last_seen_at) FROM batch WHERE account_id = ?1)
     ORDER BY date_created`,
    account,
    iso(windowStart + DAY_MS),
  );
  const first = knownBatches.find(({ created }) => Date.parse(created) <= now);
  const counts = {
    expected: knownBatches.length,
    absent: knownBatches.filter(({ batchId }) => !receivedIds.has(batchId)).length,
  };
  const reaching = (from: number) => ({
    covered: { from: iso(from), until: iso(now) },
    daysReached: (now - from) / DAY_MS,
    ...counts,
  });
  if (!first || receivedIds.has(first.batchId)) return reaching(windowStart);
  const [oldest] = records;
  if (!oldest) return { covered: undefined, daysReached: undefined, ...counts };
  return reaching(Math.max(windowStart, Math.min(Date.parse(oldest.created), now)));
}

/**
 * Records gaps that a pull could not reach, and earlier holes that it filled. Must run inside a transaction.
 *
 * @returns the new holes, which no later pull will try to fill, and the filled ones.
 */
export function closeGaps(
  db: DatabaseSync,
  account: number,
  covered: Interval | undefined,
  { now, needed, days }: Plan & { now: number },
): { holes: Interval[]; filled: Interval[] } {
  const at = iso(now);
  const coverage = coverageOf(db, account);
  const knownHoles = holesOf(db, account);
  const stretches = union(coverage);
  const isCovered = ({ from, until }: Hole) =>
    stretches.some((stretch) => stretch.from <= from && stretch.until >= until);
  const filled = knownHoles.filter((hole) => !hole.filled && isCovered(hole));
  for (const { id } of filled) change(db, 'UPDATE hole SET filled_at = ? WHERE id = ?', at, id);
  // If the response proves nothing, no gap becomes a hole: the next response may fill it.
  if (!covered) return { holes: [], filled };
  const holes = openGaps(coverage, knownHoles, at).filter(({ until }) => until <= covered.from);
  const reason =
    needed > days
      ? `${countText(needed, 'day was', 'days were')} needed, but a pull requests at most ${days}`
      : `${countText(days, 'day was', 'days were')} requested, but the response reached back only to ${covered.from}`;
  for (const { from, until } of holes) {
    insert(db, 'hole', {
      account_id: account,
      from_at: from,
      until_at: until,
      reason,
      recorded_at: at,
    });
  }
  return { holes, filled };
}
