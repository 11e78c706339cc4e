import { deploySettings, missingSettings, settingNames } from '../../config/deploy-settings.ts';
import { runsInCi, valueIn } from '../../config/environment.ts';
import {
  fittingPlan,
  HOST_IDS,
  HOSTS,
  type HostRow,
  hostOf,
  limitText,
  type SiteSize,
} from '../../config/hosts.ts';
import { didYouMean } from '../../lib/closest.ts';
import { checkUsable, deployNamed } from '../../lib/files/folder-lock.ts';
import { numberText } from '../../lib/terminal/count-text.ts';
import { bytesText } from '../../lib/terminal/progress.ts';
import { type Check, type Finding, finding, fromErrors } from '../findings.ts';

/** The expected size of a site. A test compares it with a real build. */
export const expectedSize = (pages: SiteSize, thumbnails: SiteSize): SiteSize => ({
  files: pages.files + thumbnails.files,
  bytes: pages.bytes + thumbnails.bytes,
  largestFile: Math.max(pages.largestFile, thumbnails.largestFile),
  fullestFolder: Math.max(pages.fullestFolder, thumbnails.fullestFolder),
});

const sizeText = ({ files, bytes }: SiteSize): string =>
  `about ${numberText(files)} ${files === 1 ? 'file' : 'files'} and ${bytesText(bytes)}`;

function judge(host: HostRow, size: SiteSize): Finding {
  const { name, asOf } = host;
  const { cheapest, fitting, exceeded } = fittingPlan(host, size);
  const { name: plan } = fitting ?? cheapest;
  const args = { host: name, plan, files: size.files, bytes: size.bytes };
  const [first] = exceeded;
  if (!first) {
    const what = `${name} (${plan}): ${sizeText(size)} fit its limits of ${asOf}.`;
    return finding('host-fits', { ...args, asOf }, what);
  }
  const { limit, allowed, expected } = first;
  const most = limitText(limit, allowed);
  if (fitting) {
    const what = `${name}: ${sizeText(size)} need its plan "${plan}".`;
    const why = `A cheaper plan allows ${most}.`;
    return finding('host-paid', { ...args, limit, allowed }, what, { why });
  }
  const what = `${name}: ${sizeText(size)} exceed its limits.`;
  const why = `It allows ${most}; about ${limitText(limit, expected)} are expected.`;
  return finding('host-too-small', { ...args, limit, allowed, expected }, what, { why });
}

/** Checks whether a site fits the limits of its host. Without a host, lists all hosts as information. */
export function checkSize(deployTo: string | undefined, size: SiteSize): Finding[] {
  const host = deployTo === undefined ? undefined : hostOf(deployTo);
  if (host) return [judge(host, size)];
  return HOSTS.map((limits) => ({ ...judge(limits, size), severity: 'info' as const }));
}

/** Hosts that `npm run deploy` deploys to. */
type Deployed = Parameters<typeof deploySettings>[0];

/**
 * Checks whether the variables of a host are set and valid. In CI, only the job that deploys has them. If none is set,
 * this machine does not deploy.
 */
async function* checkVariables(id: Deployed, host: string, env: NodeJS.ProcessEnv): Check {
  if (runsInCi(env)) return;
  const missing = missingSettings(id, env);
  if (missing.length === 0) {
    yield* fromErrors('host-settings', () => {
      const settings = deploySettings(id, env);
      if ('into' in settings) checkUsable(settings.into, deployNamed(settings.into));
    });
    return;
  }
  const what = `${host}: not set on this machine: ${missing.join(', ')}.`;
  const variablesFinding = finding('host-variables', { host, missing }, what);
  const isBegun = settingNames(id).some((name) => valueIn(env, name) !== '') || id === 'folder';
  yield { ...variablesFinding, severity: isBegun ? variablesFinding.severity : 'info' };
}

/** Findings about the host that do not depend on the site. @param deployTo undefined if it is not decided. */
export async function* checkHost(deployTo: string | undefined, env: NodeJS.ProcessEnv): Check {
  if (deployTo === undefined || deployTo === 'none') return;
  const host = hostOf(deployTo);
  if (!host) {
    const why = `Supported: ${HOST_IDS.join(', ')}.${didYouMean(deployTo, HOST_IDS)}`;
    const args = { given: deployTo, known: HOST_IDS };
    yield finding('host-unknown', args, `DEPLOY_TO is "${deployTo}".`, { why });
    return;
  }
  const { id, name, form, rule, notForTrade } = host;
  const trade = `${name} is not meant for sites that mainly serve commercial transactions.`;
  if (form === 'thin') yield* checkVariables(id as Deployed, name, env);
  if (notForTrade) yield finding('host-trade', { host: name }, trade);
  if (rule) yield finding('host-rule', { host: name, rule }, `${name}: ${rule}`);
}
