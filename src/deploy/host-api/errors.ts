import type { SiteFile } from '../../change-set/change-set.ts';
import { ConfigError, GateError, printable } from '../../errors.ts';
import { firstOf } from '../../lib/terminal/count-text.ts';

/** Errors of a deploy that are common to all hosts. */

export const changesDamaged = (folder: string, why: string): GateError =>
  new GateError({
    code: 'changes-damaged',
    what: `The change set in ${folder} is damaged.`,
    why,
    fix: 'Build again, or fetch the artifact of the build again. Nothing was deployed.',
  });

/** @param live time of the newest response of the live site. @param site its URL. */
export const overlookedSite = (live: string, site = 'site.url'): GateError =>
  new GateError({
    code: 'deploy-first',
    what: `The host already serves a site of this program, of ${printable(live)}, but this build could not read it.`,
    why: `${site} did not show that site: it may be suspended, or its domain may lead elsewhere, or to a private address outside of media.privateNetworks. So the build compared nothing with it, and vehicles could disappear. Nothing was deployed.`,
    fix: `Make ${site} show the live site again, then build and deploy again. If the live site may be replaced without a comparison, build with --first and deploy that.`,
  });

/** @param folder of the live site. @param files that a user or another program added to it. */
export const addedFiles = (folder: string, files: readonly string[]): ConfigError =>
  new ConfigError({
    code: 'folder-not-ours',
    what: `${folder} holds files that no deploy of this program wrote: ${firstOf(files, 5)}.`,
    why: 'The new site would not have them.',
    fix: 'Move them elsewhere, or add them to the site ("Additional files" in docs/hosting.md). If they are not needed, use --take-over.',
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

/** @param files that exist neither on this disk nor on the live site. @param fault of the live site, as sentences. */
export const contentLost = (files: readonly SiteFile[], fault = ''): GateError => {
  const names = files.map(({ path }) => path).sort();
  return new GateError({
    code: 'deploy-content-lost',
    what: `The host asks for files that are neither on this disk nor on the live site: ${firstOf(names, 1)}.`,
    why: `The host no longer has files of earlier deploys. The live site is unchanged.${fault}`,
    fix: 'Build again with --whole, and deploy that.',
  });
};
