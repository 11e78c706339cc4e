import type { SiteFile } from '../../change-set/change-set.ts';
import { ConfigError, GateError, printable, UnreachableError } from '../../errors.ts';
import { someFiles } from '../../lib/files/claim.ts';
import { firstOf } from '../../lib/terminal/count-text.ts';

/** Errors of a deploy that are common to all hosts. */

export const noSite = (folder: string): GateError =>
  new GateError({
    code: 'deploy-no-site',
    what: `${folder} is not a finished site.`,
    why: 'There is neither a change set nor an index.html in it. Deploying it would empty the host.',
    fix: 'Build first (npm run build), and name the built folder with --folder.',
  });

export const changesDamaged = (folder: string, why: string): GateError =>
  new GateError({
    code: 'changes-damaged',
    what: `The change set in ${folder} is damaged.`,
    why,
    fix: 'Build again, or fetch the artifact of the build again. Nothing was deployed.',
  });

export const changedMeanwhile = (file: string): GateError =>
  new GateError({
    code: 'deploy-file-changed',
    what: `${file} was changed while it was being deployed.`,
    why: 'Its bytes changed since the start.',
    fix: 'Deploy again when nothing writes there. Finished uploads are not repeated.',
  });

/** @param files not regular files, or with names that cannot be part of a URL. */
export const oddFiles = (files: readonly string[]): ConfigError =>
  new ConfigError({
    code: 'deploy-file',
    what: `Files cannot be deployed: ${someFiles(files)}.`,
    why: 'Each is neither a file nor a folder, or its name has characters that no host accepts (#, ?, \\).',
    fix: 'Copy the files themselves (cp -RL), with plain names. Nothing was deployed.',
  });

export const folderUnclear = (first: string, second: string): ConfigError =>
  new ConfigError({
    code: 'deploy-which',
    what: `Found two sites to deploy: ${first} and ${second}.`,
    why: 'It is unclear which one you want.',
    fix: 'Choose one with --folder, or delete the other.',
  });

/** @param supported values of `--to`. */
export const wrongTarget = (
  target: string | undefined,
  supported: readonly string[],
): ConfigError =>
  new ConfigError({
    code: 'deploy-to',
    what:
      target === undefined || target === 'none'
        ? 'No host is chosen.'
        : `npm run deploy does not support ${target}.`,
    why: `Supported: ${supported.join(', ')}. The workflow of a project deploys to other hosts.`,
    fix: 'Set DEPLOY_TO in .env, or use --to.',
  });

/** @param limits such as `200,000 files, at most 100,000 files`. */
export const tooLarge = (host: string, limits: string): GateError =>
  new GateError({
    code: 'deploy-too-large',
    what: `The site is larger than ${host} accepts: ${limits}.`,
    why: 'Its largest plan accepts no more. Nothing was sent.',
    fix: 'Make fewer or smaller files: see the limits in docs/hosting.md, or choose another host.',
  });

/** Advice for a live site that differs, by the evidence. The first that fits is used. */
const LIVE_FIXES: readonly (readonly [evidence: RegExp, fix: string])[] = [
  [
    /status 30.*only folders/,
    'Let the server show addresses with a slash at the end, without a redirect.',
  ],
  [/status 30[12378]/, 'site.url redirects. Set it to the address that the browser then shows.'],
  [/status 401/, 'The site asks for a password. Remove it, or deploy with --no-check.'],
  [
    /refuses only folders/,
    'Set index.html as the index document of the host, or of the CDN in front of it.',
  ],
  [/status 404/, 'Check that site.url leads to this host.'],
  [/status 403/, 'Make the files public: at the host, or at the CDN in front of it.'],
  [
    /Cloudflare altered/,
    'At Cloudflare, switch off Email Address Obfuscation and Web Analytics for this domain, or deploy with --no-check.',
  ],
];

/**
 * @param addresses of files that differ.
 * @param evidence why the first one differs, as sentences. Empty if it is another file.
 * @param advice for the user, as sentences.
 */
export function liveDiffers(
  addresses: readonly string[],
  evidence: string,
  advice: string,
): GateError {
  const [, fix] = LIVE_FIXES.find(([pattern]) => pattern.test(evidence)) ?? [];
  return new GateError({
    code: 'live-differs',
    what: `The host accepted the site, but the live site differs from the upload: ${firstOf(addresses, 3)}.`,
    why:
      evidence === ''
        ? 'Something in front of the host still shows older files, site.url is another site, or the host alters files.'
        : evidence,
    fix: `${fix ?? 'Open the address in a browser.'} ${advice}`.trimEnd(),
  });
}

export const liveUnreachable = (site: string, why: string, advice: string): UnreachableError =>
  new UnreachableError({
    code: 'live-unreachable',
    what: `The host accepted the site, but ${site} could not be checked.`,
    why: `${why[0]?.toUpperCase()}${why.slice(1).replace(/\.$/, '')}.`,
    fix: `Check site.url and where its name points. ${advice}`.trimEnd(),
  });

/** @param live time of the newest response of the live site. @param built the same for this build. */
export const olderSite = (live: string, built: string): GateError =>
  new GateError({
    code: 'deploy-older',
    what: `The live site shows responses of ${printable(live)}. This build shows older ones, of ${built}.`,
    why: 'A newer deploy finished first, this folder is from an earlier build, or the clock of the build machine is slow.',
    fix: 'Build again and deploy that, or use --take-over to deploy the older one.',
  });

/** @param live URL of the site that the host serves. @param site URL of this build. */
export const otherSite = (live: string, site: string): GateError =>
  new GateError({
    code: 'deploy-other-site',
    what: `The host serves another site of this program, ${printable(live)}. This build is of ${site}.`,
    why: 'They have no dealer in common, so a variable such as NETLIFY_SITE_ID, S3_BUCKET or DEPLOY_FOLDER may be of the other site. Nothing was deployed.',
    fix: 'Correct the variable. To replace the other site, deploy once with --take-over.',
  });

/** @param live time of the newest response of the live site. @param site its URL. */
export const overlookedSite = (live: string, site = 'site.url'): GateError =>
  new GateError({
    code: 'deploy-first',
    what: `The host already serves a site of this program, of ${printable(live)}, but this build could not read it.`,
    why: `${site} did not show that site: it may be suspended, or its domain may lead elsewhere. So the build compared nothing with it, and vehicles could disappear. Nothing was deployed.`,
    fix: `Make ${site} show the live site again, then build and deploy again. If the live site may be replaced without a comparison, build with --first and deploy that.`,
  });

/** The way back on a host that stores no deploys. */
export const EARLIER_FOLDER =
  'npm run deploy -- --folder DIR --take-over deploys the folder of an earlier site.';

/**
 * @param host its name.
 * @param to the requested release. Undefined for the release before the live one.
 * @param stored deploys that the host still stores.
 */
export const noRelease = (host: string, to: string | undefined, stored: number): ConfigError =>
  new ConfigError({
    code: 'deploy-no-release',
    what:
      to === undefined
        ? `${host} has no earlier deploy of this program.`
        : `${host} has no deploy ${printable(to)} of this program that could be live.`,
    why: stored > 0 ? 'Old ones are removed after a while.' : 'It stores none.',
    fix: stored > 0 ? 'npm run deploy -- --releases lists the available deploys.' : EARLIER_FOLDER,
  });

/** @param place such as `bucket`. @param why the evidence, as a sentence. */
export const underWay = (place: string, why: string): GateError =>
  new GateError({
    code: 'deploy-under-way',
    what: `Another deploy to the same ${place} is under way.`,
    why: `${why} Nothing was changed.`,
    fix: 'Wait until it has ended, and run this one again.',
  });

/** The host requests files that exist neither on this disk nor on the live site. */
export class LostContent extends GateError {
  readonly files: readonly SiteFile[];

  constructor(files: readonly SiteFile[]) {
    const names = files.map(({ path }) => path);
    super({
      code: 'deploy-content-lost',
      what: `The host asks for files that are neither on this disk nor on the live site: ${firstOf(names, 1)}.`,
      why: 'The host no longer has files of earlier deploys. The live site is unchanged.',
      fix: 'Build again with --whole, and deploy that.',
    });
    this.files = files;
  }
}
