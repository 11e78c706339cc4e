/** A vehicle that an accepted answer no longer listed. */
export interface Withdrawn {
  vrm: string;
  /** When the first answer without it was accepted, UTC. */
  since: string;
}

/**
 * Who is withdrawn once an answer was accepted: those from before and the newly gone, less the returned.
 *
 * @param former those that were. @param before vehicles of the answer before.
 * @param after vehicles of this answer. @param now when this one was accepted, UTC.
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

/** Those whose time as a withdrawn page is not over. */
export function unexpiredWithdrawals(
  withdrawn: readonly Withdrawn[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  return withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
}
