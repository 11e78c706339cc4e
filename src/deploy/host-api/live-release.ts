import path from 'node:path';
import { GateError, printable } from '../../errors.ts';
import { isFuture } from '../../lib/clock-skew.ts';
import { readIfReadable } from '../../lib/files/read.ts';
import { dealersIn, PUBLISHED_TIMES } from '../../record/published-records.ts';
import { newestOf, readTimes } from '../../record/times.ts';
import { overlookedSite } from './errors.ts';
import type { DeploySource, HostRun } from './types.ts';

/** The identity of a release that the host serves. */
export interface LiveRelease {
  /** When its newest response was accepted, UTC. 1970 if that is unknown. */
  built: string;
  /** URL of its site, or its beginning. Undefined if it is unknown. */
  site?: string | undefined;
  /** Ids of its dealers, or some of them. */
  dealers?: readonly string[];
}

/** The label of a release at the host: this program, the time of the build, a dealer and the URL. Cloudflare cuts it. */
export function labelOf({ built, site, files }: Pick<DeploySource, 'built' | 'site' | 'files'>) {
  const [dealer] = dealersIn(files.keys());
  const identity = dealer === undefined || site === undefined ? '' : ` ${dealer} ${site}`;
  return `vehicle-media-site ${built}${identity}`;
}

/** The release of a label. Undefined for the release of another program. */
export function releaseOf(label: string | null | undefined): LiveRelease | undefined {
  const [, built, dealer, site] =
    /^vehicle-media-site (\S+)(?: (\d+) (\S+))?$/.exec(label ?? '') ?? [];
  return built === undefined ? undefined : { built, site, dealers: dealer ? [dealer] : [] };
}

/** Whether a release has another URL than a build, and none of its dealers. One of both may change. */
function isOtherSite(
  { site, dealers = [] }: LiveRelease,
  source: Pick<DeploySource, 'site' | 'files'>,
): boolean {
  const ids = new Set(dealersIn(source.files.keys()));
  const isSame = site === undefined || (source.site?.startsWith(site) ?? true);
  return !isSame && ids.size > 0 && dealers.length > 0 && !dealers.some((id) => ids.has(id));
}

/**
 * Compares a build with this program's release that the host serves. Every host calls this before it
 * replaces that release.
 *
 * @returns notes for the user.
 * @throws {GateError} the live release is of another site, newer, or unknown to the build.
 */
export function checkLiveRelease(
  release: LiveRelease,
  source: Pick<DeploySource, 'built' | 'first' | 'site' | 'files'>,
  { clock, takeOver }: Pick<HostRun, 'clock' | 'takeOver'>,
): string[] {
  const { built, first, site } = source;
  const { built: live } = release;
  if (isOtherSite(release, source)) {
    if (takeOver) return [];
    throw new GateError({
      code: 'deploy-other-site',
      what: `The host serves another site of this program, ${printable(release.site ?? '')}. This build is of ${site}.`,
      why: 'They have no dealer in common, so a variable such as NETLIFY_SITE_ID, S3_BUCKET or DEPLOY_FOLDER may be of the other site. Nothing was deployed.',
      fix: 'Correct the variable. To replace the other site, deploy once with --take-over.',
    });
  }
  const now = clock.now();
  const isAhead = isFuture(live, now);
  // A later release comes from the same disk, which has known its vehicles since that first build.
  const isKnown = first === undefined || (isAhead ? isFuture(first, now) : live >= first);
  if (!isKnown) throw overlookedSite(live, site);
  if (isAhead) {
    return [
      `The live site is dated ${printable(live)}, which is in the future: a build ran with a wrong clock, or the clock of this machine is behind. The date is ignored, and this deploy replaces it.`,
    ];
  }
  if (Date.parse(live) <= Date.parse(built) || takeOver) return [];
  throw new GateError({
    code: 'deploy-older',
    what: `The live site shows responses of ${printable(live)}. This build shows older ones, of ${built}.`,
    why: 'A newer deploy finished first, this folder is from an earlier build, or the clock of the build machine is slow.',
    fix: 'Build again and deploy that, or use --take-over to deploy the older one.',
  });
}

/** The times in a site's folder, see `DeploySource`. */
export async function builtIn(folder: string): Promise<Pick<DeploySource, 'built' | 'first'>> {
  const bytes = readIfReadable(path.join(folder, PUBLISHED_TIMES)) ?? Buffer.of();
  const { times, first } = readTimes(bytes) ?? {};
  return { built: newestOf(times), first };
}
