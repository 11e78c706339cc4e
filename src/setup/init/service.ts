/** Tests the answers with the service before they are written. */
import { type LoadedConfig, resolveConfig } from '../../config/load.ts';
import type { Secret } from '../../config/secret.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { isRefusedHost } from '../../download/guarded-agent.ts';
import { ConfigError } from '../../errors.ts';
import { temporaryFolder } from '../../lib/files/temporary-folder.ts';
import { picturesOf } from '../doctor/pictures.ts';
import { checkService, type ServiceCheck } from '../doctor/service.ts';
import type { Finding } from '../findings.ts';
import { type Answers, checkAnswers } from './answers.ts';
import { CONFIG_FILE } from './config-file.ts';

export type Keys = ReadonlyMap<string, Secret>;

/** A configuration from answers that may be incomplete. */
function configOf({ service, site, dealers, accounts, media }: Answers, keys: Keys): LoadedConfig {
  const config = {
    service,
    accounts,
    media,
    site: { ...site, title: 'T', url: 'https://cars.example' },
    dealers: dealers.map((dealer) => ({
      ...dealer,
      name: dealer.name || 'the new dealer',
      slug: `dealer-${dealer.id}`,
    })),
  };
  const env = Object.fromEntries([...keys].map(([name, key]) => [name, key.reveal()]));
  return resolveConfig(config, { file: CONFIG_FILE, env });
}

/** Requests the dealers and accounts of the answers, as the doctor does. @throws {ConfigError} it was interrupted. */
export async function askService(
  answers: Answers,
  keys: Keys,
  signal?: AbortSignal,
): Promise<ServiceCheck> {
  const { service, ...config } = configOf(answers, keys);
  await using folder = await temporaryFolder('site-init-');
  const check = await checkService({
    config: { ...config, service: { ...service, retries: 1 } },
    folder: folder.path,
    signal,
  }).catch((problem) => {
    if (!signal?.aborted) throw problem;
  });
  if (check && !signal?.aborted) return check;
  throw new ConfigError({
    code: 'init-cancelled',
    what: 'Nothing was written: init was interrupted.',
    fix: 'Run it again when you are ready.',
  });
}

/** The findings about dealers and accounts without a usable response. */
export const failuresIn = ({ findings }: Pick<ServiceCheck, 'findings'>): Finding[] =>
  findings.filter(({ code }) => code === 'dealer-fails' || code === 'account-fails');

/** Maximum number of proposed hosts. A vendor usually has one or two. */
const MOST_HOSTS = 10;

/**
 * Settings that were detected in the responses of the service: names of fields that differ from the answers, and hosts
 * of pictures that the answers do not allow yet, the host with most pictures first.
 *
 * @param checks results of {@link askService}.
 */
export async function detect(
  answers: Answers,
  checks: readonly Pick<ServiceCheck, 'findings' | 'vehicles'>[],
) {
  const names = checks
    .flatMap(({ findings }) => findings)
    .flatMap(({ code, args }) =>
      code === 'field-names' ? [[String(args.setting), String(args.value)] as const] : [],
    );
  const vehicles = checks.flatMap((check) => check.vehicles);
  const { forbidden } = picturesOf(configOf(answers, new Map()), vehicles);
  const hosts: string[] = [];
  const refusedHosts: string[] = [];
  for (const [host] of [...forbidden].sort(([, a], [, b]) => b - a).slice(0, MOST_HOSTS)) {
    const isRefused = await isRefusedHost(new URL(`http://${host}`).hostname);
    (isRefused ? refusedHosts : hosts).push(host);
  }
  return {
    fieldNames: Object.fromEntries(names) as Partial<FieldNames>,
    hosts,
    /** About hosts that are not proposed, because a build refuses them. */
    refusedNote:
      refusedHosts.length === 0
        ? undefined
        : `Pictures also come from ${refusedHosts.join(', ')}: not a public address, so a build refuses them. Ask the vendor. If the network is yours, see media.privateNetworks in docs/configuration.md.`,
  };
}

/**
 * Tests the answers of a run without questions.
 *
 * @param options.detects whether to add settings that were detected in the responses.
 * @returns notes for the terminal.
 * @throws {ConfigError} the service refuses.
 */
export async function tryAnswers(
  answers: Answers,
  keys: Keys,
  { detects, signal }: { detects: boolean; signal: AbortSignal },
): Promise<string[]> {
  const check = await askService(answers, keys, signal);
  const failures = failuresIn(check);
  const refusal = failures.find(({ args }) => /-refused-|unknown-customer/.test(`${args.problem}`));
  if (refusal) {
    const { what, why, fix } = refusal;
    throw new ConfigError({ code: 'init-refused', what: `Nothing was written. ${what}`, why, fix });
  }
  if (!detects) return [];
  const { fieldNames, hosts, refusedNote } = await detect(answers, [check]);
  Object.assign(answers.service.fieldNames, fieldNames);
  answers.media.hosts.push(...hosts);
  checkAnswers(answers);
  const names = Object.values(fieldNames);
  return [
    ...failures.map(({ what }) => `Not detected: ${what}`),
    ...(refusedNote === undefined ? [] : [refusedNote]),
    ...(hosts.length > 0 ? [`Found picture hosts: ${hosts.join(', ')}`] : []),
    ...(names.length > 0 ? [`Found names of fields: ${names.join(', ')}`] : []),
  ];
}
