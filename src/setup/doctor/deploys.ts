import { z } from 'zod';
import { deploySettings, missingSettings, presentSettings } from '../../config/deploy-settings.ts';
import { processEnvironment, runsInCi } from '../../config/environment.ts';
import { hostOf } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError } from '../../errors.ts';
import { bytesText } from '../../lib/terminal/progress.ts';
import { RECORDS } from '../../record/published-records.ts';
import { type Finding, finding, passedOn } from '../findings.ts';

/** Longest wait for an answer of a host: the doctor only looks. */
const PATIENCE = 10_000;
/** Bytes from which on servers that compress at all do so. */
const WORTH_IT = 4000;

/** What a host answers; undefined where it does not, which the deploy or the build will tell. */
async function look(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Response | undefined> {
  const timeout = AbortSignal.timeout(PATIENCE);
  const answer = await fetch(url, {
    headers,
    redirect: 'manual',
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
  }).catch(() => undefined);
  if (answer?.status === 200) return answer;
  await answer?.body?.cancel();
  return undefined;
}

/** What `npm run deploy` does: the hosts that get only what changed. */
type Deployed = Parameters<typeof deploySettings>[0];

/** Where to, and by what environment. */
interface DeployedFrom {
  deployTo: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Whether the variables of a host are there and of a possible form. In CI they belong to another job than
 * the one that builds; on a machine from which nobody deploys, nobody needs them.
 */
function checkVariables(id: Deployed, host: string, env: NodeJS.ProcessEnv): Finding[] {
  if (runsInCi(env)) return [];
  const missing = missingSettings(id, env);
  if (missing.length > 0) {
    const what = `${host}: not set on this machine: ${missing.join(', ')}.`;
    const found = finding('host-variables', { host, missing }, what);
    const isBegun = presentSettings(id, env).length > 0 || id === 'folder';
    return [{ ...found, severity: isBegun ? found.severity : 'info' }];
  }
  try {
    deploySettings(id, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [passedOn('host-settings', error)];
  }
}

/** A site of Netlify that rewrites its pages. */
const rewritingSchema = z.object({
  processing_settings: z.object({
    skip: z.literal(false).optional(),
    html: z.object({ pretty_urls: z.literal(true) }),
  }),
});

/** Netlify rewrites pages that it is to make "pretty" (`processing_settings` of its API's site). */
async function checkRewriting(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Finding[]> {
  const { api, site, token } = deploySettings('netlify', env);
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const answer = await look(`${api}/sites/${site}`, headers, signal);
  const about = rewritingSchema.safeParse(await answer?.json().catch(() => undefined));
  const what = `Netlify makes the addresses in the pages of ${site} "pretty".`;
  return about.success ? [finding('host-rewrites', { site }, what)] : [];
}

/** What a deploy needs besides room: settings, and a host that leaves pages as they are. */
export async function checkDeploys(from: DeployedFrom): Promise<Finding[]> {
  const { deployTo, env = processEnvironment(), signal } = from;
  const host = deployTo === undefined ? undefined : hostOf(deployTo);
  if (host?.form !== 'thin') return [];
  const id = host.id as Deployed;
  const findings = checkVariables(id, host.name, env);
  if (id !== 'netlify' || findings.length > 0 || missingSettings(id, env).length > 0) {
    return findings;
  }
  return checkRewriting(env, signal);
}

/**
 * Whether the published site sends what it remembers compressed: each build on an empty disk reads all of
 * it. Where nothing is published yet, or the site cannot be reached, nothing is said.
 */
export async function checkRecordsServed(
  { site, dealers }: LoadedConfig,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const [dealer] = dealers;
  if (!dealer) return [];
  const address = `${site.url}/${RECORDS}${dealer.id}.json`;
  const answer = await look(address, { 'accept-encoding': 'gzip' }, signal);
  if (!answer) return [];
  // fetch() decompresses, and leaves the header.
  const isCompressed = answer.headers.get('content-encoding') !== null;
  const bytes = (await answer.arrayBuffer().catch(() => undefined))?.byteLength ?? 0;
  if (isCompressed || bytes < WORTH_IT) return [];
  const what = `${address} comes uncompressed (${bytesText(bytes)}).`;
  return [finding('records-large', { address, bytes }, what)];
}
