import { crossCheck } from '../../config/cross-check.ts';
import { type AccountConfig, configSchema, type DealerConfig } from '../../config/schema.ts';
import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';
import { pathOf } from '../../contract/parse.ts';
import { ConfigError } from '../../errors.ts';
import type { Args } from '../../lib/command-line/definition.ts';
import { plainLatin } from '../../lib/latin.ts';
import { PLAIN } from '../../lib/plain-issue.ts';
import { isLanguage } from '../../site/i18n/theme-words.ts';
import type { CI } from '../project.ts';
import { FIELDS, type Field, INIT_OPTIONS } from './options.ts';

export interface Dealer extends Pick<DealerConfig, 'id' | 'name' | 'slug' | 'apiKeyEnv'> {
  contact?: { phone: string };
}

/** An account of MyVideos with a history of sent videos. */
export type Account = Pick<AccountConfig, 'name' | 'customerId' | 'pathId' | 'apiKeyEnv'>;

/** The answers for init: a part of the configuration, the CI and the host of the site. */
export interface Answers {
  service: { baseUrl: string; fieldNames: FieldNames };
  site: { title: string; url: string; locale: string; timeZone: string };
  dealers: Dealer[];
  accounts: Account[];
  media: { hosts: string[] };
  ci: (typeof CI)[number];
  /** Id in `hosts.ts`, or `none`. */
  host: string;
}

/** The values of the given options. */
export type Flags = Partial<Omit<Args<typeof INIT_OPTIONS>['values'], 'debug'>>;

/** Variable with the shared key of all dealers. */
export const SHARED_KEY = 'MEDIA_API_KEY';

/** Variable with the key of MyVideos. */
export const BATCH_KEY = 'BATCH_API_KEY';

export const NO_ANSWERS: Answers = {
  service: { baseUrl: '', fieldNames: { ...NEUTRAL_FIELD_NAMES } },
  site: {
    title: '',
    url: '',
    locale: INIT_OPTIONS.locale.unset,
    timeZone: 'Europe/London',
  },
  dealers: [],
  accounts: [],
  media: { hosts: [] },
  ci: 'github',
  host: 'none',
};

/** A project without dealers has no site. It keeps only the history of sent videos. */
export const hasSite = ({ dealers }: Pick<Answers, 'dealers'>): boolean => dealers.length > 0;

export const toConfig = ({ service, site, dealers, accounts, media }: Answers) =>
  hasSite({ dealers }) ? { service, site, dealers, accounts, media } : { service, accounts };

/** The section of the answers that contains a field, and the field's name in it. */
export function placeOf(answers: Answers, field: Field): [Record<string, string>, string] {
  const [part, name] = FIELDS[field].setting;
  return [answers[part] as unknown as Record<string, string>, name];
}

/** Whether a CI can deploy to a host: only GitHub deploys to GitHub Pages, only GitLab to GitLab Pages. */
export const canDeploy = (ci: Answers['ci'], host: string): boolean =>
  ci === 'none' || ci === host || (host !== 'github' && host !== 'gitlab');

/** The default CI for a host: the former CI if it can deploy there. A folder needs no CI. */
export function usualCi(host: string, former?: Answers['ci']): Answers['ci'] {
  if (former !== undefined && canDeploy(former, host)) return former;
  if (host === 'folder') return 'none';
  return host === 'gitlab' ? 'gitlab' : 'github';
}

/** Letters that German and Danish write with two letters if they have to. */
const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe' };

/** First part of a dealer's page paths, from its name. */
export function slugOf(name: string, id: number): string {
  const spelt = name.toLowerCase().replace(/[äöüø]/g, (letter) => SPELT[letter] ?? '');
  const slug = plainLatin(spelt)
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug === '' ? `dealer-${id}` : slug;
}

/** Variable with the separate key of a dealer. */
export const keyOfDealer = (id: number): string => `${SHARED_KEY}_${id}`;

const answerError = (what: string, fix: string): ConfigError =>
  new ConfigError({ code: 'init-answer', what, fix });

/** Parses `7001=Northgate Cars`. A known dealer keeps its slug, and the variable of its key unless `perDealer`. */
function parseDealer(text: string, perDealer: boolean, knownDealers: readonly Dealer[]): Dealer {
  const [, digits, name = ''] = /^\s*(\d{1,15})\s*=\s*(.*\S)\s*$/.exec(text) ?? [];
  const id = Number(digits);
  if (name === '') {
    throw answerError(
      'A dealer is not of the form ID=NAME.',
      'Write it like: "7001=Northgate Cars"',
    );
  }
  const defaults = { id, name, slug: slugOf(name, id), apiKeyEnv: SHARED_KEY };
  const former = knownDealers.find((dealer) => dealer.id === id);
  return { ...defaults, ...former, name, ...(perDealer && { apiKeyEnv: keyOfDealer(id) }) };
}

/** Adds a phone number to its dealer: `7001=+44 1632 960001`, or only the number if there is one dealer. */
function addPhone(dealers: readonly Dealer[], text: string): void {
  const [, id, phone = ''] = /^\s*(?:(\d{1,15})\s*=)?([^=]*)$/.exec(text) ?? [];
  const dealer =
    id === undefined && dealers.length === 1
      ? dealers[0]
      : dealers.find((dealer) => String(dealer.id) === id);
  if (!dealer) {
    throw answerError(
      `--phone ${text} does not name a dealer of this site.`,
      'Write it like: --phone "7001=+44 1632 960001"',
    );
  }
  dealer.contact = { phone: phone.trim() };
}

/** Parses `north=C-1001/1` as an account: name, customerId, pathId. */
function parseAccount(text: string): Account {
  const [, name = '', customerId = '', pathId = ''] =
    /^([^=]*)=(.*)\/([^/]*)$/.exec(text)?.map((part) => part.trim()) ?? [];
  if (name === '' || customerId === '' || pathId === '') {
    throw answerError(
      '--account is not of the form NAME=CUSTOMER/PATH.',
      'Write it like: --account "north=C-1001/1", with the customerId and the pathId of the vendor.',
    );
  }
  return { name, customerId, pathId, apiKeyEnv: BATCH_KEY };
}

/** Explains why a language tag cannot be the locale of a site, as half a sentence. Undefined if it can. */
export function localeFault(locale: string): string | undefined {
  const { language, region } = new Intl.Locale(locale);
  if (!isLanguage(language)) {
    return `must begin with a known language, such as "en": "${language}" is not one`;
  }
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  if (region === undefined || names.of(region) !== undefined) return undefined;
  return `must end with a known region, such as "GB": "${region}" is not one`;
}

/** The time zone of a locale's region, or of the language's largest region. Undefined if the region has several, and this machine's is not one of them. */
export function zoneOf(locale: string): string | undefined {
  // Node has this method, but the configured types do not.
  const { getTimeZones } = Intl.Locale.prototype as { getTimeZones?: () => string[] | undefined };
  const zones = getTimeZones?.call(new Intl.Locale(locale).maximize()) ?? [];
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (zones.includes(timeZone)) return timeZone;
  // The others of Germany, Spain and Portugal are enclaves and islands.
  return zones.length === 1 ? zones[0] : zones.find((zone) => zone.startsWith('Europe/'));
}

/** @throws {ConfigError} required flags are missing, or flags contradict each other. */
function checkFlags(flags: Flags, existing: Answers | undefined): void {
  const isHistory = flags['history-only'] === true;
  const needed = isHistory
    ? (['service', 'account'] as const)
    : (['service', 'url', 'dealer'] as const);
  const missing = needed.filter((flag) => !flags[flag]?.length);
  if (missing.length > 0 && !existing) {
    throw new ConfigError({
      code: 'init-missing',
      what: `These answers are missing: ${missing.map((flag) => `--${flag}`).join(', ')}.`,
      why: 'Init cannot ask: options are given, or there is no terminal.',
      fix: 'Pass these options (see --help), or run "npm run init" in a terminal without options.',
    });
  }
  const siteFlag = (['url', 'dealer', 'add-dealer', 'host', 'ci'] as const).find(
    (flag) => flags[flag] !== undefined,
  );
  if (isHistory && siteFlag) {
    throw answerError(`--${siteFlag} needs a site.`, 'Leave it out, or leave out --history-only.');
  }
}

/**
 * Answers from flags. The existing configuration is used for flags that are not given.
 *
 * @throws {ConfigError} flags are missing or wrong.
 */
export function answersFromFlags(flags: Flags, existing?: Answers): Answers {
  checkFlags(flags, existing);
  const answers = structuredClone(existing ?? NO_ANSWERS);
  for (const field of Object.keys(FIELDS) as Field[]) {
    const [section, name] = placeOf(answers, field);
    section[name] = flags[field] ?? section[name] ?? '';
  }
  const perDealer = flags['key-per-dealer'] === true;
  const knownDealers = answers.dealers;
  if (flags.dealer) {
    answers.dealers = flags.dealer.map((text) => parseDealer(text, perDealer, knownDealers));
  }
  for (const text of flags['add-dealer'] ?? []) {
    const dealer = parseDealer(text, perDealer, []);
    const [first = dealer] = answers.dealers;
    if (!perDealer) dealer.apiKeyEnv = first.apiKeyEnv;
    answers.dealers.push(dealer);
  }
  for (const text of flags.phone ?? []) addPhone(answers.dealers, text);
  if (flags.account) answers.accounts = flags.account.map(parseAccount);
  if (flags['picture-host']) answers.media.hosts = flags['picture-host'];
  answers.site.title ||= answers.dealers[0]?.name ?? '';
  answers.host = flags.host ?? answers.host;
  answers.ci = (flags.ci as Answers['ci'] | undefined) ?? usualCi(answers.host, existing?.ci);
  if (flags['history-only']) withoutSite(answers);
  checkAnswers(answers);
  const fault = flags.locale === undefined ? undefined : localeFault(flags.locale);
  if (fault)
    throw answerError(`--locale ${flags.locale} ${fault}.`, 'Write it like: --locale en-GB');
  if (flags.locale !== undefined && flags['time-zone'] === undefined && !existing) {
    answers.site.timeZone = zoneOf(flags.locale) ?? answers.site.timeZone;
  }
  return answers;
}

/** Removes everything about a site. A history gets no workflow, because a CI's cache must not store personal data. */
export function withoutSite(answers: Answers): void {
  Object.assign(answers, { dealers: [], ci: 'none', host: 'none' });
}

/** @throws {ConfigError} the configuration would not accept some answers. The error lists them. */
export function checkAnswers(answers: Answers): void {
  const parsed = configSchema.safeParse(toConfig(answers), PLAIN);
  const problems: { path: string; message: string }[] = parsed.success
    ? crossCheck(parsed.data)
    : parsed.error.issues.map(({ path, message }) => ({ path: pathOf('', path), message }));
  if (!canDeploy(answers.ci, answers.host)) {
    const message = `only --ci ${answers.host} can deploy to --host ${answers.host}`;
    problems.push({ path: '--ci', message });
  }
  if (problems.length === 0) return;
  const lines = problems.map(({ path, message }) => `- ${path}: ${message}`);
  throw answerError(
    `Some answers are wrong:\n${lines.join('\n')}`,
    problems.some(({ path }) => path.endsWith('.slug'))
      ? 'Give each dealer a different name. The URLs of its pages begin with it.'
      : 'Correct them and try again.',
  );
}
