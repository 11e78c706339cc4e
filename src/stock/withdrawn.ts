/** A vehicle that an accepted answer no longer listed. */
export interface Withdrawn {
  vrm: string;
  /** When the first answer without it was accepted, UTC. */
  since: string;
}

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

/** The same with times that lie in the future, which a wrong clock made, set to now. */
export function withoutFuture(
  withdrawn: readonly Withdrawn[],
  now: number,
): { withdrawn: Withdrawn[]; inFuture: number } {
  let inFuture = 0;
  const mended = withdrawn.map((entry) => {
    if (Date.parse(entry.since) <= now) return entry;
    inFuture++;
    return { ...entry, since: new Date(now).toISOString() };
  });
  return { withdrawn: mended, inFuture };
}

/** Those whose time as a withdrawn page is not over. */
export function stillShown(
  withdrawn: readonly Withdrawn[],
  { now, withdrawnFor }: { now: number; withdrawnFor: number },
): Withdrawn[] {
  return withdrawn.filter(({ since }) => now - Date.parse(since) < withdrawnFor);
}
