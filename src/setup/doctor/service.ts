import pMap from 'p-map';
import type { LoadedConfig } from '../../config/load.ts';
import { parseBatches, type Quarantined } from '../../contract/parse.ts';
import { AppError } from '../../errors.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../stock/accept.ts';
import { sizeGate, tooManyQuarantined } from '../../stock/refusals.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { type Finding, finding, problemArgs } from '../findings.ts';
import { isUsable } from './keys.ts';
import { clickNames, hostedVideoPrefix } from './names.ts';

type Dealer = LoadedConfig['dealers'][number];
type Account = LoadedConfig['accounts'][number];

export interface ServiceCheck {
  findings: Finding[];
  /** Vehicles of all dealers that answered. */
  vehicles: Vehicle[];
  /** Ids of the dealers whose answer a build would use. */
  answered: ReadonlySet<number>;
}

interface CheckOptions {
  config: LoadedConfig;
  /** Folder for copies of answers, which goes when the check ends. */
  folder: string;
  signal?: AbortSignal | undefined;
  onSubject?: ((name: string) => void) | undefined;
}

/** What was set aside, by code: how often, and the first place. */
function setAside(subject: string, quarantine: readonly Quarantined[]): Finding[] {
  const groups = Map.groupBy(quarantine, ({ code }) => code);
  return [...groups].flatMap(([code, all]) => {
    const [first] = all;
    if (!first) return [];
    const { path, message } = first;
    return [finding('set-aside', { subject, code, count: all.length, path, message })];
  });
}

const isEmpty = (counts: object): boolean => Object.keys(counts).length === 0;

function judgeAnswer(
  dealer: Dealer,
  body: readonly unknown[],
  { counts, vehicles }: AcceptedAnswer,
  config: LoadedConfig,
): Finding[] {
  const subject = dealer.name;
  const findings = setAside(subject, counts.quarantine);
  const { received, quarantined } = counts.vehicles;
  const flood = sizeGate(received, dealer, config);
  if (flood) findings.push(finding('dealer-fails', problemArgs(flood)));
  const allowed = config.publish.maxQuarantined;
  if (tooManyQuarantined(counts.vehicles, config.publish)) {
    findings.push(
      finding('set-aside-too-many', { dealer: subject, quarantined, received, allowed }),
    );
  }
  const prefix = hostedVideoPrefix(body, config.service.fieldNames.hostedVideo);
  if (prefix !== undefined) {
    findings.push(finding('field-names', { subject, setting: 'hostedVideo', value: prefix }));
  }
  if (!isEmpty(counts.unknownFields)) {
    findings.push(finding('unknown-fields', { subject, fields: counts.unknownFields }));
  }
  if (!isEmpty(counts.unknownTypes)) {
    findings.push(finding('unknown-types', { dealer: subject, types: counts.unknownTypes }));
  }
  if (counts.duplicateVrms.length > 0) {
    findings.push(
      finding('duplicate-plates', { dealer: subject, count: counts.duplicateVrms.length }),
    );
  }
  if (vehicles.length === 0) findings.push(finding('dealer-empty', { dealer: subject }));
  return findings;
}

async function checkDealer(
  dealer: Dealer,
  { config, folder, signal }: CheckOptions,
): Promise<{ findings: Finding[]; vehicles: Vehicle[] }> {
  const start = performance.now();
  let body: unknown[];
  try {
    body = await getMediaByDealer({
      service: config.service,
      dealer,
      cacheDir: folder,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { findings: [finding('dealer-fails', problemArgs(error))], vehicles: [] };
  }
  const ms = Math.round(performance.now() - start);
  const answer = acceptAnswer(body, dealer.id, config.service.fieldNames);
  const media = answer.vehicles.flatMap((vehicle) => vehicle.media);
  const pictures = media.filter(({ kind }) => kind === 'image').length;
  const findings = [
    finding('dealer-answers', {
      dealer: dealer.name,
      ms,
      vehicles: answer.vehicles.length,
      pictures,
      videos: media.length - pictures,
    }),
  ];
  const { timeout } = config.service;
  if (ms > timeout / 2) findings.push(finding('dealer-slow', { dealer: dealer.name, ms, timeout }));
  findings.push(...judgeAnswer(dealer, body, answer, config));
  return { findings, vehicles: answer.vehicles };
}

async function checkAccount(account: Account, options: CheckOptions): Promise<Finding[]> {
  const { config, signal } = options;
  const start = performance.now();
  try {
    const body = await getMyVideos({
      service: config.service,
      account,
      daysOfHistory: account.daysOfHistory,
      ...(signal && { signal }),
    });
    const ms = Math.round(performance.now() - start);
    const subject = `Account ${account.name}`;
    const parsed = parseBatches(body, config.service.fieldNames);
    const names = clickNames(body, config.service.fieldNames);
    return [
      finding('account-answers', { account: subject, ms, batches: parsed.accepted.length }),
      ...setAside(subject, parsed.quarantined),
      ...Object.entries(names).map(([setting, value]) =>
        finding('field-names', { subject, setting, value }),
      ),
      ...(isEmpty(parsed.unknownFields)
        ? []
        : [finding('unknown-fields', { subject, fields: parsed.unknownFields })]),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [finding('account-fails', problemArgs(error))];
  }
}

/** Asks the service for every dealer and account whose key can be used, and judges the answers. */
export async function checkService(options: CheckOptions): Promise<ServiceCheck> {
  const { config, onSubject } = options;
  const dealers = config.dealers.filter(({ apiKey }) => isUsable(apiKey, 'media'));
  const accounts = config.accounts.filter(({ apiKey }) => isUsable(apiKey, 'batch'));
  const { concurrency } = config.service;
  const ofDealers = await pMap(
    dealers,
    (dealer) => {
      onSubject?.(dealer.name);
      return checkDealer(dealer, options);
    },
    { concurrency },
  );
  const ofAccounts = await pMap(
    accounts,
    (account) => {
      onSubject?.(`account ${account.name}`);
      return checkAccount(account, options);
    },
    { concurrency },
  );
  return {
    findings: [...ofDealers.flatMap(({ findings }) => findings), ...ofAccounts.flat()],
    vehicles: ofDealers.flatMap(({ vehicles }) => vehicles),
    answered: new Set(
      dealers.flatMap(({ id }, index) =>
        ofDealers[index]?.findings.some(({ severity }) => severity === 'error') ? [] : [id],
      ),
    ),
  };
}
