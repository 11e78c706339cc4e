import path from 'node:path';
import { printable } from '../../errors.ts';
import { isFuture } from '../../lib/clock-skew.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { PUBLISHED_TIMES } from '../../record/published-records.ts';
import { newestOf, readTimes } from '../../record/times.ts';
import { olderSite, overlookedSite } from './errors.ts';
import type { DeploySource, HostRun } from './types.ts';

const LABEL = 'vehicle-media-site ';

/** The label of a release at the host. It names this program and the time of the build. */
export const labelOf = (built: string): string => `${LABEL}${built}`;

/** When the site of a release was built. Undefined for the release of another program. */
export const builtOf = (label: string | null | undefined): string | undefined =>
  label?.startsWith(LABEL) ? label.slice(LABEL.length) : undefined;

/**
 * Compares a build with this program's release that the host serves. Every host calls this before it
 * replaces that release.
 *
 * @param live when the newest response of that release was accepted, UTC. 1970 if that is unknown.
 * @returns notes for the user.
 * @throws {GateError} the live release is newer, or unknown to the build.
 */
export function checkLiveRelease(
  live: string,
  { built, first, site }: Pick<DeploySource, 'built' | 'first' | 'site'>,
  { clock, takeOver }: Pick<HostRun, 'clock' | 'takeOver'>,
): string[] {
  const now = clock.now();
  const isAhead = isFuture(live, now);
  // A later release comes from the same disk, which has known its vehicles since that first build.
  const isKnown = first === undefined || (isAhead ? isFuture(first, now) : live >= first);
  if (!isKnown) throw overlookedSite(live, site);
  if (isAhead) return [wrongClock(live)];
  if (Date.parse(live) > Date.parse(built) && !takeOver) throw olderSite(live, built);
  return [];
}

const wrongClock = (live: string): string =>
  `The live site is dated ${printable(live)}, which is in the future: a build ran with a wrong clock, or the clock of this machine is behind. The date is ignored, and this deploy replaces it.`;

/** The times in a site's folder, see `DeploySource`. */
export async function builtIn(folder: string): Promise<Pick<DeploySource, 'built' | 'first'>> {
  const bytes = readIfReadable(path.join(folder, PUBLISHED_TIMES)) ?? Buffer.of();
  const { times, first } = readTimes(bytes) ?? {};
  return { built: newestOf(times), first };
}
