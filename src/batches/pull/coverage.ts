import type { DatabaseSync } from 'node:sqlite';
import type { AccountConfig } from '../../config/schema.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { findAccount } from '../store/accounts.ts';
import { insert, selectAll, selectValue } from '../store/sql.ts';
import type { PreparedRecord } from '../store/versions.ts';

/** A stretch of time. Both ends are ISO 8601 in UTC with milliseconds, so they compare as texts. */
export interface Interval {
  from: string;
  until: string;
}

const DAY_MS = 86_400_000;

const iso = (time: number): string => new Date(time).toISOString();
const later = (one: string, other: string): string => (one > other ? one : other);

/** Intervals that touch or overlap, joined; oldest first. */
function union(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { from, until } of intervals.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (last && from <= last.until) last.until = later(last.until, until);
    else joined.push({ from, until });
  }
  return joined;
}

/** Gaps between the covered stretches, up to `until`, that are not given up yet: a known hole counts as covered. */
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
     WHERE account_id = ? AND covered_until IS NOT NULL`,
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
  /** Days that would be needed to leave no gap; more than `days` if the limit is in the way. */
  needed: number;
}

/**
 * How many days to ask for: the usual window, or, when the last success is older than that, as
 * many as reach back to it with a day to spare, and to the newest batch known from before it,
 * because only a known batch proves that the answer reaches so far.
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
  const before = selectValue<string>(
    db,
    'SELECT max(date_created) FROM batch WHERE account_id = ? AND date_created <= ?',
    id,
    oldest.from,
  );
  const proven = before ? Math.max(needed, daysTo(before) + 1) : needed;
  const most = Math.max(usual, account.maxDaysOfHistory);
  return { days: Math.max(usual, Math.min(proven, most)), needed };
}

export interface Reach {
  /** The stretch that the answer is the whole truth for. Undefined if it proves nothing. */
  covered: Interval | undefined;
  /** How many days that are. Undefined if it proves nothing. */
  daysReached: number | undefined;
  /** Batches that the last pull saw and that this window should hold, and how many it lacks. */
  expected: number;
  absent: number;
}

/**
 * The stretch of time for which an answer is the whole truth. It is what was asked for, unless
 * batches that were there at the last pull are missing at its old end: then the answer starts at
 * its own oldest batch. An empty answer, though batches are known, proves nothing.
 *
 * The window is taken to go by DateCreated (an assumption: interface 4.2 says only "how many days
 * back the queried data set reaches"), so a day at its edge is not counted on.
 *
 * @param records of the answer, oldest first.
 */
export function reachOf(
  db: DatabaseSync,
  account: number,
  { now, days, records }: { now: number; days: number; records: readonly PreparedRecord[] },
): Reach {
  const asked = now - days * DAY_MS;
  const present = new Set(records.map(({ record }) => record.BatchId));
  const known = selectAll<{ batchId: number; created: string }>(
    db,
    `SELECT batch_id AS batchId, date_created AS created FROM batch
     WHERE account_id = ?1 AND date_created >= ?2
       AND last_seen_at = (SELECT max(last_seen_at) FROM batch WHERE account_id = ?1)
     ORDER BY date_created`,
    account,
    iso(asked + DAY_MS),
  );
  const first = known.find(({ created }) => Date.parse(created) <= now);
  const counts = {
    expected: known.length,
    absent: known.filter(({ batchId }) => !present.has(batchId)).length,
  };
  const reaching = (from: number): Reach => ({
    covered: { from: iso(from), until: iso(now) },
    daysReached: (now - from) / DAY_MS,
    ...counts,
  });
  if (!first || present.has(first.batchId)) return reaching(asked);
  const [oldest] = records;
  if (!oldest) return { covered: undefined, daysReached: undefined, ...counts };
  return reaching(Math.max(asked, Math.min(Date.parse(oldest.record.DateCreated), now)));
}

/** Records what a pull could not reach any more, and which old holes it filled. Inside a transaction. */
export function closeGaps(
  db: DatabaseSync,
  account: number,
  covered: Interval | undefined,
  { now, needed, days }: Plan & { now: number },
): { holes: Interval[]; filled: Interval[] } {
  const at = iso(now);
  const coverage = coverageOf(db, account);
  const recorded = holesOf(db, account);
  const stretches = union(coverage);
  const isCovered = ({ from, until }: Hole) =>
    stretches.some((stretch) => stretch.from <= from && stretch.until >= until);
  const filled = recorded.filter((hole) => !hole.filled && isCovered(hole));
  for (const { id } of filled) db.prepare('UPDATE hole SET filled_at = ? WHERE id = ?').run(at, id);
  // A response that proves nothing gives nothing up: the next one may still fill the gap.
  if (!covered) return { holes: [], filled };
  const holes = openGaps(coverage, recorded, at).filter(({ until }) => until <= covered.from);
  const reason =
    needed > days
      ? `${countText(needed, 'day was', 'days were')} needed, and a pull asks for at most ${days}`
      : `${countText(days, 'day was', 'days were')} asked for, and the answer reached back only to ${covered.from}`;
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
