import { printable } from '../../errors.ts';
import { isFuture } from '../../lib/clock-skew.ts';
import { olderSite } from './errors.ts';
import type { DeploySource, HostRun } from './types.ts';

/**
 * Compares a build with the release of ours that the host serves. Every host calls this before it
 * replaces that release.
 *
 * @param live when the newest answer of that release was accepted, UTC.
 * @returns notes for the user.
 * @throws {GateError} the live release is newer.
 */
export function checkLiveRelease(
  live: string,
  { built }: Pick<DeploySource, 'built'>,
  { clock, takeOver }: Pick<HostRun, 'clock' | 'takeOver'>,
): string[] {
  if (isFuture(live, clock.now())) return [wrongClock(live)];
  if (Date.parse(live) > Date.parse(built) && !takeOver) throw olderSite(live, built);
  return [];
}

const wrongClock = (live: string): string =>
  `The live site is dated ${printable(live)}, which is in the future: a build ran with a wrong clock, or the clock of this machine is behind. The date is ignored, and this deploy replaces it.`;
