import { configSchema } from '../../config/schema.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { ConfigError } from '../../errors.ts';
import { LANGUAGES } from '../../site/i18n/index.ts';
import { isLanguage } from '../../site/i18n/theme-words.ts';
import type { CI } from '../project.ts';

/** What `npm run init` has to know, whoever says it: a person at prompts, or flags. */
export interface Answers {
  baseUrl: string;
  title: string;
  url: string;
  locale: string;
  timeZone: string;
  dealers: { id: number; name: string; slug: string; apiKeyEnv: string; phone?: string }[];
  /** Accounts of MyVideos, whose history of sent videos is kept. */
  accounts: { name: string; customerId: string; pathId: string; apiKeyEnv?: string }[];
  /** Hosts of pictures besides the service's own. */
  pictureHosts: string[];
  /** Prefix of the hosted-video fields. */
  hostedVideo: string;
  /** Names of the two click counts of a batch, where they are not the neutral ones. */
  clicks: Partial<Pick<FieldNames, 'socialClicks' | 'searchClicks'>>;
  ci: (typeof CI)[number];
  /** Where the site goes, an id of `hosts.ts`. */
  host: string;
}

/** Whether a CI can deploy to a host: only GitHub deploys to GitHub Pages, only GitLab to GitLab Pages. */
export const canDeploy = (ci: Answers['ci'], host: string): boolean =>
  ci === 'none' || ci === host || (host !== 'github' && host !== 'gitlab');

/** The CI for a host, if none is chosen: the former one if it can deploy there. A folder is filled by its own machine. */
export function usualCi(host: string, former?: Answers['ci']): Answers['ci'] {
  if (former !== undefined && canDeploy(former, host)) return former;
  if (host === 'folder') return 'none';
  return host === 'gitlab' ? 'gitlab' : 'github';
}

/** Variable with the key, where all dealers share one. */
export const SHARED_KEY = 'MEDIA_API_KEY';

/** Variable with the key of MyVideos. */
export const BATCH_KEY = 'BATCH_API_KEY';

/** The values of the command's flags, as parsed. */
export interface Flags {
  service?: string | undefined;
  title?: string | undefined;
  url?: string | undefined;
  locale?: string | undefined;
  'time-zone'?: string | undefined;
  dealer?: string[] | undefined;
  'add-dealer'?: string[] | undefined;
  phone?: string[] | undefined;
  account?: string[] | undefined;
  'picture-host'?: string[] | undefined;
  'hosted-video'?: string | undefined;
  'key-per-dealer'?: boolean | undefined;
  ci?: (typeof CI)[number] | undefined;
  host?: string | undefined;
}

export const DEFAULTS = { locale: 'en-GB', timeZone: 'Europe/London', hostedVideo: 'hostedVideo' };

/** Letters that lose more than an accent, as their own languages spell them out. */
const SPELT: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
};

/** First part of a dealer's addresses, from its name. */
export function slugOf(name: string, id: number): string {
  const slug = name
    .toLowerCase()
    .replace(/[äöüßæø]/g, (letter) => SPELT[letter] ?? '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug === '' ? `dealer-${id}` : slug;
}

/** Variable that holds a dealer's key. */
export const keyVariable = (id: number, keyPerDealer: boolean): string =>
  keyPerDealer ? `${SHARED_KEY}_${id}` : SHARED_KEY;

const wrong = (what: string, fix: string): ConfigError =>
  new ConfigError({ code: 'init-answer', what, fix });

/** `7001=Northgate Cars` as a dealer; one that is known keeps its address and its key's variable. */
export function parseDealer(
  text: string,
  keyPerDealer: boolean,
  known: Answers['dealers'] = [],
): Answers['dealers'][number] {
  const [, id = '', name = ''] = /^\s*(\d{1,15})\s*=\s*(.*\S)\s*$/.exec(text) ?? [];
  if (id === '' || name === '') {
    throw wrong(
      '--dealer is not of the form ID=NAME.',
      'Write it like: --dealer "7001=Northgate Cars"',
    );
  }
  const number = Number(id);
  const former = known.find((dealer) => dealer.id === number);
  return {
    id: number,
    name,
    slug: former?.slug ?? slugOf(name, number),
    apiKeyEnv: (!keyPerDealer && former?.apiKeyEnv) || keyVariable(number, keyPerDealer),
    ...(former?.phone !== undefined && { phone: former.phone }),
  };
}

/** Adds phone numbers to dealers: `7001=+44 1632 960001`, or the number if there is one dealer. */
export function withPhones(
  dealers: Answers['dealers'],
  texts: readonly string[] = [],
): Answers['dealers'] {
  const phones = texts.map((text) => {
    const [, id, phone = ''] = /^\s*(?:(\d{1,15})\s*=)?([^=]*)$/.exec(text) ?? [];
    const [only, ...others] = dealers;
    const dealer = id === undefined && others.length === 0 ? only : undefined;
    const meant = dealer ?? dealers.find((one) => String(one.id) === id);
    if (meant) return { id: meant.id, phone: phone.trim() };
    throw wrong(
      `--phone ${text} names no dealer of this site.`,
      'Write it like: --phone "7001=+44 1632 960001"',
    );
  });
  return dealers.map((dealer) => ({ ...dealer, ...phones.findLast(({ id }) => id === dealer.id) }));
}

/** Why a language tag cannot be the locale of a site, as half a sentence; undefined if it can. */
export function localeFault(
  locale: string,
  languages: Readonly<Record<string, unknown>> = LANGUAGES,
): string | undefined {
  const { language, region } = new Intl.Locale(locale);
  if (!isLanguage(language) && !Object.hasOwn(languages, language)) {
    return `must begin with a known language, such as "en": "${language}" is none`;
  }
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  if (region === undefined || names.of(region) !== undefined) return undefined;
  return `must end with a known region, such as "GB": "${region}" is none`;
}

/** `north=C-1001/1` as an account: our name, customerId, pathId. */
export function parseAccount(text: string): Answers['accounts'][number] {
  const [, name = '', customerId = '', pathId = ''] =
    /^([^=]*)=(.*)\/([^/]*)$/.exec(text)?.map((part) => part.trim()) ?? [];
  if (name === '' || customerId === '' || pathId === '') {
    throw wrong(
      '--account is not of the form NAME=CUSTOMER/PATH.',
      'Write it like: --account "north=C-1001/1", with the customerId and the pathId of the vendor.',
    );
  }
  return { name, customerId, pathId };
}

/**
 * Answers from flags, and from the configuration that is there already for what no flag says.
 *
 * @throws {ConfigError} naming every flag that is missing, or the one that is wrong.
 */
export function answersFromFlags(flags: Flags, existing?: Answers): Answers {
  const missing = (['service', 'url', 'dealer'] as const).filter((flag) => !flags[flag]?.length);
  if (missing.length > 0 && !existing) {
    throw new ConfigError({
      code: 'init-missing',
      what: `These answers are missing: ${missing.map((flag) => `--${flag}`).join(', ')}.`,
      why: 'Nobody can be asked: flags are given, or there is no terminal.',
      fix: 'Give these flags (see --help), or run "npm run init" in a terminal without any flag.',
    });
  }
  const dealers =
    flags.dealer?.map((text) =>
      parseDealer(text, flags['key-per-dealer'] === true, existing?.dealers),
    ) ??
    existing?.dealers ??
    [];
  const perDealer = flags['key-per-dealer'] === true;
  const shared = perDealer ? {} : { apiKeyEnv: dealers[0]?.apiKeyEnv ?? SHARED_KEY };
  const added = (flags['add-dealer'] ?? []).map((text) => ({
    ...parseDealer(text, perDealer),
    ...shared,
  }));
  const host = flags.host ?? existing?.host ?? 'none';
  const ci = flags.ci ?? usualCi(host, existing?.ci);
  const answers = checked({
    baseUrl: flags.service ?? existing?.baseUrl ?? '',
    title: flags.title ?? existing?.title ?? dealers[0]?.name ?? '',
    url: flags.url ?? existing?.url ?? '',
    locale: flags.locale ?? existing?.locale ?? DEFAULTS.locale,
    timeZone: flags['time-zone'] ?? existing?.timeZone ?? DEFAULTS.timeZone,
    dealers: withPhones([...dealers, ...added], flags.phone),
    accounts: flags.account?.map(parseAccount) ?? existing?.accounts ?? [],
    pictureHosts: flags['picture-host'] ?? existing?.pictureHosts ?? [],
    hostedVideo: flags['hosted-video'] ?? existing?.hostedVideo ?? DEFAULTS.hostedVideo,
    clicks: existing?.clicks ?? {},
    ci,
    host,
  });
  const fault = flags.locale === undefined ? undefined : localeFault(answers.locale);
  if (fault) throw wrong(`--locale ${answers.locale} ${fault}.`, 'Write it like: --locale en-GB');
  return answers;
}

/** Dealers as `site.config.ts` writes them. */
export const dealersConfig = (dealers: Answers['dealers']) =>
  dealers.map(({ phone, ...dealer }) => ({
    ...dealer,
    ...(phone !== undefined && { contact: { phone } }),
  }));

/** The answers as a configuration: what `site.config.ts` will say. */
export function toConfig(answers: Answers) {
  return {
    service: {
      baseUrl: answers.baseUrl,
      fieldNames: { hostedVideo: answers.hostedVideo, ...answers.clicks },
    },
    site: {
      title: answers.title,
      url: answers.url,
      locale: answers.locale,
      timeZone: answers.timeZone,
    },
    dealers: dealersConfig(answers.dealers),
    ...(answers.accounts.length > 0 && {
      accounts: answers.accounts.map((account) => ({ apiKeyEnv: BATCH_KEY, ...account })),
    }),
    media: { hosts: answers.pictureHosts },
  };
}

const FLAG_OF: Readonly<Record<string, string>> = {
  media: '--picture-host',
  accounts: '--account',
  'service.baseUrl': '--service',
  'service.fieldNames.hostedVideo': '--hosted-video',
  'site.title': '--title',
  'site.url': '--url',
  'site.locale': '--locale',
  'site.timeZone': '--time-zone',
};

/**
 * Answers held against the schema of the configuration, so that what is written can be read.
 *
 * @throws {ConfigError} with every answer that is wrong, by its flag.
 */
export function checked(answers: Answers): Answers {
  const parsed = configSchema.safeParse(toConfig(answers));
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const where = path.join('.');
    const flag =
      path.at(-1) === 'phone'
        ? '--phone'
        : (FLAG_OF[where] ?? FLAG_OF[String(path[0])] ?? '--dealer');
    return `- ${flag} (${where}): ${message}`;
  });
  for (const key of ['id', 'slug'] as const) {
    const seen = answers.dealers.map((dealer) => dealer[key]);
    if (new Set(seen).size < seen.length) {
      problems.push(`- --dealer: two dealers have the same ${key === 'id' ? 'id' : 'address'}`);
    }
  }
  const names = answers.accounts.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    problems.push('- --account: two accounts have the same name');
  }
  if (!canDeploy(answers.ci, answers.host)) {
    problems.push(`- --ci: only --ci ${answers.host} can deploy to --host ${answers.host}`);
  }
  if (problems.length === 0) return answers;
  throw wrong(`Some answers are wrong:\n${problems.join('\n')}`, 'Correct them and try again.');
}
