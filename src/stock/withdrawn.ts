import type { Withdrawn } from './snapshot.ts';

export interface WithdrawnUpdate {
  /** Withdrawn vehicles before this answer. */
  former: readonly Withdrawn[];
  /** Vehicles of the answer before. */
  before: readonly string[];
  /** Vehicles of this answer. */
  after: readonly string[];
  /** When this answer was accepted, UTC. */
  now: string;
}

/** Who is withdrawn once an answer was accepted: those from before and the newly gone, less the returned. */
export function updateWithdrawn({ former, before, after, now }: WithdrawnUpdate): Withdrawn[] {
  const listed = new Set(after);
  const known = new Map(former.map((entry) => [entry.vrm, entry.since]));
  for (const vrm of before) if (!known.has(vrm)) known.set(vrm, now);
  return [...known]
    .filter(([vrm]) => !listed.has(vrm))
    .map(([vrm, since]) => ({ vrm, since }))
    .sort((a, b) => (a.vrm < b.vrm ? -1 : 1));
}

/**
 * Counts the time of a withdrawn page from the first night that published it. An answer may be
 * accepted by builds that then publish nothing, for longer than such pages are kept: without this,
 * the page of a vehicle would vanish without ever having said that it is gone.
 */
export function countedFromShown(
  withdrawn: readonly Withdrawn[],
  { shown, now }: { shown: ReadonlySet<string>; now: string },
): Withdrawn[] {
  return withdrawn.map(({ vrm, since }) => ({ vrm, since: shown.has(vrm) ? since : now }));
}

/**
 * Those whose time as a withdrawn page is over: the page stays away only as long as it is known that
 * it was shown.
 */
export function over(
  withdrawn: readonly Withdrawn[],
  time: { now: number; withdrawnFor: number },
): string[] {
  const still = new Set(stillShown(withdrawn, time));
  return withdrawn.filter((entry) => !still.has(entry)).map(({ vrm }) => vrm);
}

/** Those whose time as a withdrawn page is not over. A clock that went backwards keeps the page. */
export function stillShown(
  withdrawn: readonly Withdrawn[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  return withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
}
