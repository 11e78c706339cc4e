import { countText } from '../../lib/terminal/count-text.ts';
import { gaps, type Interval, type Plan, planDays, union } from '../model/reach.ts';
import { coverageOf, findAccount, type Gap, gapsOf, newestBefore } from '../store/accounts.ts';
import { insert } from '../store/sql.ts';
import type { PullOptions, PullResult } from './types.ts';

const minus = (stretch: Interval, holes: readonly Interval[]): Interval[] => {
  const { from, until } = stretch;
  const clipped = holes
    .filter((hole) => hole.until > from && hole.from < until)
    .map((hole) => ({ from: Math.max(from, hole.from), until: Math.min(until, hole.until) }));
  return gaps([{ from, until: from }, ...clipped], until);
};

const openGaps = (covered: readonly Interval[], holes: readonly Interval[], now: number) =>
  gaps(covered, now).flatMap((gap) => minus(gap, holes));

/** How far back the next pull of an account must reach. */
export function planPull(
  { store, account, days }: Pick<PullOptions, 'store' | 'account' | 'days'>,
  now: number,
): Plan {
  const usual = days ?? account.daysOfHistory;
  const id = findAccount(store.db, account);
  if (id === undefined) return { days: usual, needed: usual };
  const open = openGaps(coverageOf(store.db, id), gapsOf(store.db, id), now);
  const [oldest] = open;
  return planDays({
    now,
    open,
    witness: oldest && newestBefore(store.db, id, oldest.from),
    usual,
    most: Math.max(usual, account.maxDaysOfHistory),
  });
}

/** Records what a pull could not reach any more, and which old holes it filled. Inside a transaction. */
export function closeGaps(
  options: Pick<PullOptions, 'store'>,
  id: number,
  covered: Interval | undefined,
  { now, needed, days }: Plan & { now: number },
): Pick<PullResult, 'holes' | 'filled'> {
  const { db } = options.store;
  const at = new Date(now).toISOString();
  const coverage = coverageOf(db, id);
  const recorded = gapsOf(db, id);
  const inside = ({ from, until }: Gap) =>
    union(coverage).some((stretch) => stretch.from <= from && stretch.until >= until);
  const filled = recorded.filter((hole) => !hole.filled && inside(hole));
  for (const hole of filled) {
    db.prepare('UPDATE hole SET filled_at = ? WHERE id = ?').run(at, hole.id);
  }
  // A response that proves nothing gives nothing up: the next one may still fill the gap.
  if (!covered) return { holes: [], filled };
  const holes = openGaps(coverage, recorded, now).filter(({ until }) => until <= covered.from);
  const reason =
    needed > days
      ? `${countText(needed, 'day was', 'days were')} needed, and a pull asks for at most ${days}`
      : `${countText(days, 'day was', 'days were')} asked for, and the answer reached back only to ${new Date(covered.from).toISOString()}`;
  for (const { from, until } of holes) {
    insert(db, 'hole', {
      account_id: id,
      from_at: new Date(from).toISOString(),
      until_at: new Date(until).toISOString(),
      reason,
      recorded_at: at,
    });
  }
  return { holes, filled };
}
