/** A stretch of time, both ends in milliseconds since 1970. */
export interface Interval {
  from: number;
  until: number;
}

export const DAY_MS = 86_400_000;

/** Intervals that touch or overlap, joined; oldest first. */
export function union(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { from, until } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else joined.push({ from, until });
  }
  return joined;
}

/** What lies between the covered stretches, up to `until`. */
export function gaps(covered: readonly Interval[], until: number): Interval[] {
  const joined = union(covered);
  return joined.flatMap((stretch, index) => {
    const next = joined[index + 1]?.from ?? until;
    return next > stretch.until ? [{ from: stretch.until, until: next }] : [];
  });
}

export interface Plan {
  days: number;
  /** Days that would be needed to leave no gap; more than `days` where the limit is in the way. */
  needed: number;
}

/**
 * How many days to ask for: the usual window, or, when the last success is older than that, as
 * many as reach back to it with a day to spare, and to the newest batch known from before it,
 * because only a known batch proves that the answer reaches so far.
 *
 * @param open the gaps that are not yet given up.
 * @param witness when the newest batch known from before the gap was created.
 */
export function planDays({
  now,
  open,
  witness,
  usual,
  most,
}: {
  now: number;
  open: readonly Interval[];
  witness: number | undefined;
  usual: number;
  most: number;
}): Plan {
  const [oldest] = open;
  if (!oldest) return { days: usual, needed: usual };
  const daysTo = (time: number) => Math.ceil((now - time) / DAY_MS) + 1;
  const needed = daysTo(oldest.from);
  if (needed <= usual) return { days: usual, needed };
  const proven = witness === undefined ? needed : Math.max(needed, daysTo(witness) + 1);
  return { days: Math.max(usual, Math.min(proven, most)), needed };
}

/** A batch that the last pull saw, and whether this answer has it too. */
export interface Witness {
  created: number;
  present: boolean;
}

/**
 * The stretch of time for which an answer is the whole truth. It is what was asked for, unless
 * batches that were there at the last pull are missing at its old end: then the answer starts at
 * its own oldest batch. Undefined where it proves nothing (empty, though batches are known).
 *
 * The window is taken to go by DateCreated (an assumption: interface 4.2 says only "how many days
 * back the queried data set reaches"), so a day at its edge is not counted on.
 */
export function reachOf({
  now,
  days,
  witnesses,
  oldestInAnswer,
}: {
  now: number;
  days: number;
  witnesses: readonly Witness[];
  oldestInAnswer: number | undefined;
}): Interval | undefined {
  const asked = now - days * DAY_MS;
  const within = witnesses.filter(({ created }) => created >= asked + DAY_MS && created <= now);
  const [first] = within.sort((a, b) => a.created - b.created);
  if (!first || first.present) return { from: asked, until: now };
  if (oldestInAnswer === undefined) return undefined;
  return { from: Math.max(asked, Math.min(oldestInAnswer, now)), until: now };
}
