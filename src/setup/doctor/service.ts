import pMap from 'p-map';
import type { LoadedConfig } from '../../config/load.ts';
import { parseBatches, type Quarantined } from '../../contract/parse.ts';
import { AppError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { timeText } from '../../lib/terminal/progress.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../stock/accept.ts';
import { sizeGate, tooManyQuarantined } from '../../stock/refusals.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { counted, type Finding, finding, passedOn } from '../findings.ts';
import { keyFault } from './configuration.ts';
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
    const broken = /^(?:is|has|must|does)/.test(message)
      ? message
      : `breaks the contract: ${message}`;
    return [
      finding(
        'set-aside',
        { subject, code, count: all.length, path, message },
        `${subject}: ${all.length} set aside with ${code}, the first at ${path}.`,
        { why: `It ${broken}.` },
      ),
    ];
  });
}

function fieldNames(subject: string, names: Readonly<Record<string, string | undefined>>) {
  return Object.entries(names).flatMap(([setting, value]) => {
    const what = `${subject}: the service seems to use names of its own: ${value}.`;
    const fix = `Set service.fieldNames.${setting} to '${value}' in site.config.ts.`;
    return value === undefined
      ? []
      : [finding('field-names', { subject, setting, value }, what, { fix })];
  });
}

function unknownFields(subject: string, fields: Readonly<Record<string, number>>): Finding[] {
  if (Object.keys(fields).length === 0) return [];
  const what = `${subject}: fields that are not in the interface: ${counted(fields)}.`;
  return [finding('unknown-fields', { subject, fields }, what)];
}

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
  if (flood) findings.push(passedOn('dealer-fails', flood));
  const allowed = config.publish.maxQuarantined;
  if (tooManyQuarantined(counts.vehicles, config.publish)) {
    const what = `${subject}: ${quarantined} of ${countText(received, 'record')} break the contract.`;
    const why = `A build uses no answer with more than ${Math.round(allowed * 100)} % (publish.maxQuarantined).`;
    const args = { dealer: subject, quarantined, received, allowed };
    findings.push(finding('set-aside-too-many', args, what, { why }));
  }
  const hostedVideo = hostedVideoPrefix(body, config.service.fieldNames.hostedVideo);
  findings.push(...fieldNames(subject, { hostedVideo }));
  findings.push(...unknownFields(subject, counts.unknownFields));
  if (Object.keys(counts.unknownTypes).length > 0) {
    const args = { dealer: subject, types: counts.unknownTypes };
    const what = `${subject}: media of unknown type: ${counted(args.types)}.`;
    findings.push(finding('unknown-types', args, what));
  }
  const count = counts.duplicateVrms.length;
  if (count > 0) {
    const what = `${subject}: ${countText(count, 'record repeats', 'records repeat')} a number plate.`;
    findings.push(finding('duplicate-plates', { dealer: subject, count }, what));
  }
  if (vehicles.length === 0) {
    const what = `${subject}: the service lists no vehicle.`;
    findings.push(finding('dealer-empty', { dealer: subject }, what));
  }
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
    return { findings: [passedOn('dealer-fails', error)], vehicles: [] };
  }
  const ms = Math.round(performance.now() - start);
  const answer = acceptAnswer(body, dealer.id, config.service.fieldNames);
  const media = answer.vehicles.flatMap((vehicle) => vehicle.media);
  const pictures = media.filter(({ kind }) => kind === 'image').length;
  const videos = media.length - pictures;
  const vehicles = answer.vehicles.length;
  const findings = [
    finding(
      'dealer-answers',
      { dealer: dealer.name, ms, vehicles, pictures, videos },
      `${dealer.name}: ${countText(vehicles, 'vehicle')}, ${countText(pictures, 'picture')}, ${countText(videos, 'video')} in ${timeText(ms)}.`,
    ),
  ];
  const { timeout } = config.service;
  if (ms > timeout / 2) {
    const what = `${dealer.name}: the answer took ${timeText(ms)}.`;
    const why = `After ${timeText(timeout)} (service.timeout) a try is given up.`;
    findings.push(finding('dealer-slow', { dealer: dealer.name, ms, timeout }, what, { why }));
  }
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
    const batches = parsed.accepted.length;
    const what = `${subject}: ${countText(batches, 'batch', 'batches')} in ${timeText(ms)}.`;
    return [
      finding('account-answers', { account: subject, ms, batches }, what),
      ...setAside(subject, parsed.quarantined),
      ...fieldNames(subject, names),
      ...unknownFields(subject, parsed.unknownFields),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [passedOn('account-fails', error)];
  }
}

/** Asks the service for every dealer and account whose key can be used, and judges the answers. */
export async function checkService(options: CheckOptions): Promise<ServiceCheck> {
  const { config, onSubject } = options;
  const dealers = config.dealers.filter(({ apiKey }) => keyFault(apiKey, 'media') === undefined);
  const accounts = config.accounts.filter(({ apiKey }) => keyFault(apiKey, 'batch') === undefined);
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
