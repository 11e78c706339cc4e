/** A vehicle that an accepted answer no longer listed. */
export interface Withdrawn {
  vrm: string;
  /** When the first answer without it was accepted, UTC. */
  since: string;
}

/**
 * The withdrawn vehicles after an accepted answer: the former ones and those that it no longer lists,
 * without those that it lists again.
 *
 * @param former withdrawn vehicles until now. @param before vehicles of the previous answer.
 * @param after vehicles of this answer. @param now when this answer was accepted, UTC.
 */
export function updateWithdrawn({
  former,
  before,
  after,
  now,
}: {
  former: readonly Withdrawn[];
  before: readonly string[];
  after: readonly string[];
  now: string;
}): Withdrawn[] {
  const listed = new Set(after);
  const known = new Map(former.map((entry) => [entry.vrm, entry.since]));
  for (const vrm of before) if (!known.has(vrm)) known.set(vrm, now);
  return [...known]
    .filter(([vrm]) => !listed.has(vrm))
    .map(([vrm, since]) => ({ vrm, since }))
    .sort((a, b) => (a.vrm < b.vrm ? -1 : 1));
}

/** Withdrawn vehicles whose pages are still published. @param now and `withdrawnFor` in milliseconds. */
export function unexpiredWithdrawals(
  withdrawn: readonly Withdrawn[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  return withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
}
