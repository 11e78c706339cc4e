import pMap from 'p-map';
import type { HistoryConfig, LoadedConfig } from '../../config/load.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { parseBatches, type Quarantined } from '../../contract/parse.ts';
import { AppError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { timeText } from '../../lib/terminal/progress.ts';
import { getMediaByDealer } from '../../service/media-by-dealer.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../stock/accept.ts';
import { plateNames } from '../../stock/plate-names.ts';
import { quarantineGate, sizeGate } from '../../stock/refusals.ts';
import { countMedia, type Vehicle } from '../../stock/vehicle.ts';
import { type Code, counted, type Finding, finding, passedOn } from '../findings.ts';
import { keyFault } from './configuration.ts';
import { clickNames, hostedVideoPrefix } from './names.ts';

type Dealer = LoadedConfig['dealers'][number];
type Account = LoadedConfig['accounts'][number];

export interface ServiceCheck {
  findings: Finding[];
  /** Vehicles of all dealers with a response. */
  vehicles: readonly Vehicle[];
  /** Ids of the dealers whose response a build would use. */
  answered: ReadonlySet<number>;
}

interface AccountOptions {
  config: HistoryConfig;
  signal?: AbortSignal;
  onSubject?: (name: string) => void;
}

interface CheckOptions extends AccountOptions {
  config: LoadedConfig;
  /** Folder for copies of responses, removed after the check. */
  folder: string;
}

/** Collects findings about one dealer or account. */
class Subject {
  readonly findings: Finding[] = [];
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  add(code: Code, args: object, what: string, texts?: Parameters<typeof finding>[3]): void {
    this.findings.push(
      finding(code, { subject: this.name, ...args }, `${this.name}: ${what}`, texts),
    );
  }

  /** Adds records and items that break the contract, by code: their number, and the first. */
  quarantine(quarantined: readonly Quarantined[]): void {
    for (const [code, [first, ...others]] of Map.groupBy(quarantined, (entry) => entry.code)) {
      if (!first) continue;
      const { path, message } = first;
      const count = others.length + 1;
      const isSentence = /^(?:is|has|must|does)/.test(message);
      const why = `It ${isSentence ? message : `breaks the contract: ${message}`}.`;
      const what = `${count} quarantined with ${code}, the first at ${path}.`;
      this.add('set-aside', { code, count, path, message }, what, { why });
    }
  }

  fieldNames(names: Partial<FieldNames>): void {
    for (const [setting, value] of Object.entries(names)) {
      const what = `the service seems to use another name: ${value}.`;
      const fix = `Set service.fieldNames.${setting} to '${value}' in site.config.ts.`;
      this.add('field-names', { setting, value }, what, { fix });
    }
  }
}

/** Checks a response as a build does. */
function judge(
  subject: Subject,
  dealer: Dealer,
  answer: AcceptedAnswer,
  config: LoadedConfig,
): void {
  const { counts, vehicles } = answer;
  subject.quarantine(counts.quarantine);
  const size = { vehicles: counts.vehicles.received, items: counts.items.received };
  const error = sizeGate(size, dealer, config) ?? quarantineGate(answer, dealer, config);
  if (error) subject.findings.push(passedOn('dealer-fails', error));
  const fields = counts.unknownFields;
  if (Object.keys(fields).length > 0) {
    const what = `fields that are not in the interface: ${counted(fields)}.`;
    subject.add('unknown-fields', { fields }, what);
  }
  const types = counts.unknownTypes;
  if (Object.keys(types).length > 0) {
    subject.add('unknown-types', { types }, `media of unknown type: ${counted(types)}.`);
  }
  const count = counts.duplicateVrms.length;
  const repeatText = countText(count, 'record repeats', 'records repeat');
  if (count > 0) subject.add('duplicate-plates', { count }, `${repeatText} a number plate.`);
  if (vehicles.length === 0) subject.add('dealer-empty', {}, 'the service lists no vehicle.');
}

/** The results of one dealer or account. */
type Checked = Pick<ServiceCheck, 'findings' | 'vehicles'>;

async function checkDealer(
  dealer: Dealer,
  { config, folder, signal }: CheckOptions,
): Promise<Checked> {
  const { service } = config;
  const subject = new Subject(dealer.name);
  const start = performance.now();
  const body = await getMediaByDealer({ service, dealer, cacheDir: folder, signal });
  const ms = Math.round(performance.now() - start);
  const answer = acceptAnswer(body, dealer.id, service.fieldNames, [], plateNames(config));
  const vehicles = answer.vehicles.length;
  const pictures = countMedia(answer.vehicles, 'image');
  const videos = countMedia(answer.vehicles, 'video');
  subject.add(
    'dealer-answers',
    { ms, vehicles, pictures, videos },
    `${countText(vehicles, 'vehicle')}, ${countText(pictures, 'picture')}, ${countText(videos, 'video')} in ${timeText(ms)}.`,
  );
  const { timeout } = service;
  if (ms > timeout / 2) {
    const why = `After ${timeText(timeout)} (service.timeout) a request is stopped.`;
    subject.add('dealer-slow', { ms, timeout }, `the response took ${timeText(ms)}.`, { why });
  }
  const hostedVideo = hostedVideoPrefix(body, service.fieldNames.hostedVideo);
  if (hostedVideo !== undefined) subject.fieldNames({ hostedVideo });
  judge(subject, dealer, answer, config);
  return { findings: subject.findings, vehicles: answer.vehicles };
}

async function checkAccount(
  account: Account,
  { config: { service } }: AccountOptions,
): Promise<Checked> {
  const subject = new Subject(`Account ${account.name}`);
  const { daysOfHistory } = account;
  const start = performance.now();
  const body = await getMyVideos({ service, account, daysOfHistory });
  const ms = Math.round(performance.now() - start);
  const { accepted, quarantined } = parseBatches(body, service.fieldNames);
  const batches = accepted.length;
  const what = `${countText(batches, 'batch', 'batches')} in ${timeText(ms)}.`;
  subject.add('account-answers', { ms, batches }, what);
  subject.quarantine(quarantined);
  subject.fieldNames(clickNames(body, service.fieldNames));
  return { findings: subject.findings, vehicles: [] };
}

/** Checks each entry whose key has a valid form, several at once. A failed request is a finding. */
function forEach<E extends Dealer | Account>(
  entries: readonly E[],
  kind: 'media' | 'batch',
  { config, onSubject }: AccountOptions,
  check: (entry: E) => Promise<Checked>,
): Promise<(Checked & { entry: E })[]> {
  const usable = entries.filter(({ apiKey }) => keyFault(apiKey, kind) === undefined);
  const failure = kind === 'batch' ? 'account-fails' : 'dealer-fails';
  const checkOne = async (entry: E) => {
    onSubject?.(kind === 'batch' ? `account ${entry.name}` : entry.name);
    const checked = await check(entry).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return { findings: [passedOn(failure, error)], vehicles: [] };
    });
    return { entry, ...checked };
  };
  return pMap(usable, checkOne, { concurrency: config.service.concurrency });
}

/** Requests every account whose key has a valid form, and checks the responses. */
export async function checkAccounts(options: AccountOptions): Promise<Finding[]> {
  const { accounts } = options.config;
  const check = (account: Account) => checkAccount(account, options);
  return (await forEach(accounts, 'batch', options, check)).flatMap(({ findings }) => findings);
}

/** Requests every dealer and account whose key has a valid form, and checks the responses. */
export async function checkService(options: CheckOptions): Promise<ServiceCheck> {
  const check = (dealer: Dealer) => checkDealer(dealer, options);
  const dealers = await forEach(options.config.dealers, 'media', options, check);
  const accountFindings = await checkAccounts(options);
  const isError = ({ severity }: Finding) => severity === 'error';
  return {
    findings: [...dealers.flatMap(({ findings }) => findings), ...accountFindings],
    vehicles: dealers.flatMap(({ vehicles }) => vehicles),
    answered: new Set(
      dealers.filter(({ findings }) => !findings.some(isError)).map(({ entry }) => entry.id),
    ),
  };
}
