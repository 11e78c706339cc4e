import { HOSTS } from '../../config/hosts.ts';
import type { Secret } from '../../config/secret.ts';
import { LANGUAGES } from '../../site/i18n/index.ts';
import type { Catalogues } from '../../site/i18n/theme-words.ts';
import { checkWords } from '../doctor/own-files.ts';
import { type Answers, canDeploy, checked, DEFAULTS, localeFault, usualCi } from './answers.ts';
import type { Asker } from './ask.ts';
import {
  askAccounts,
  askAddress,
  askDealers,
  askNewDealers,
  Keyring,
  schemaCheck,
  type Talk,
} from './ask-service.ts';
import { variablesOf } from './keys.ts';
import { type Detected, Probe, refusedText } from './probe.ts';
import type { Repository } from './repository.ts';

export interface Asked {
  answers: Answers;
  keys: Map<string, Secret>;
  /** Whether git pushes to a repository of the person's own; undefined where nobody was asked. */
  ownRepository?: boolean | undefined;
}

export interface PersonOptions {
  /** Finds a key that is set already. */
  present: (name: string) => Secret | undefined;
  /** What the project says already. */
  existing?: Answers | undefined;
  /** Languages that pages have words of. */
  languages?: Catalogues;
  repository?: Repository | undefined;
  signal?: AbortSignal | undefined;
}

/** What the service's own answers say: proposed, and taken only with a yes. */
async function askDetected(ask: Asker, answers: Answers, found: Detected): Promise<Answers> {
  const changed = { ...answers };
  if (found.hostedVideo !== undefined) {
    const use = `The service calls its hosted videos "${found.hostedVideo}". Use that name?`;
    if (await ask.confirm(use)) changed.hostedVideo = found.hostedVideo;
  }
  const clicks = Object.values(found.clicks).map((name) => `"${name}"`);
  if (clicks.length > 0) {
    const use = `The service calls its click counts ${clicks.join(' and ')}. Use these names?`;
    if (await ask.confirm(use)) changed.clicks = { ...changed.clicks, ...found.clicks };
  }
  const refused = refusedText(found);
  if (refused !== undefined) ask.say(refused);
  for (const host of found.pictureHosts) {
    if (await ask.confirm(`Pictures come from ${host}. Is that your vendor's?`)) {
      changed.pictureHosts = [...changed.pictureHosts, host];
    }
  }
  return changed;
}

async function askLocale(
  ask: Asker,
  initial: string,
  languages: Catalogues = LANGUAGES,
): Promise<string> {
  const check = schemaCheck('site', 'locale');
  const locale = await ask.text('Language and region', {
    initial,
    check: (text) => {
      const fault = check(text);
      if (fault !== undefined) return fault;
      const unknown = localeFault(text, languages);
      return unknown && `It ${unknown}.`;
    },
  });
  for (const { what, fix } of checkWords(locale, languages)) {
    ask.say(`${what} ${fix}`);
    const use = await ask.confirm(`Use ${locale} anyway?`, false);
    if (!use) return askLocale(ask, initial, languages);
  }
  return locale;
}

async function askPlaces(ask: Asker, existing: Answers | undefined) {
  // The first one is proposed.
  const host = await ask.choose(
    'Where does the site go?',
    [
      ...HOSTS.map(({ id, name }) => ({
        value: id,
        label: name,
        ...(id === 'cloudflare' && { hint: 'for a project that you have there already' }),
      })),
      { value: 'none', label: 'Somewhere else', hint: 'it is built and not deployed' },
    ],
    existing?.host,
  );
  const systems: { value: Answers['ci']; label: string; hint?: string }[] = [
    { value: 'github', label: 'GitHub Actions' },
    { value: 'gitlab', label: 'GitLab CI' },
    { value: 'none', label: 'Something else', hint: 'no workflow is written' },
  ];
  const ci = await ask.choose(
    'What rebuilds the site every night?',
    systems.filter(({ value }) => canDeploy(value, host)),
    usualCi(host, existing?.ci),
  );
  return { ci, host };
}

const wantsDealer = async (ask: Asker): Promise<boolean> =>
  (await ask.choose('What do you want to do?', [
    { value: 'all', label: 'Go through all settings' },
    { value: 'dealer', label: 'Add a dealer', hint: 'the rest of site.config.ts stays' },
  ])) === 'dealer';

/** Asks for more dealers of a project, and for nothing else. */
async function askDealerOnly(
  ask: Asker,
  existing: Answers,
  { present, signal }: PersonOptions,
): Promise<Asked> {
  const { baseUrl } = existing;
  const keyring = new Keyring(ask, present);
  const talk: Talk = { ask, keyring, probe: new Probe(existing, signal), baseUrl };
  const dealers = await askNewDealers(talk, existing.dealers);
  return { answers: checked({ ...existing, dealers }), keys: keyring.keys };
}

/** Asks a person for everything that cannot be guessed. Nothing is written. */
export async function askPerson(ask: Asker, options: PersonOptions): Promise<Asked> {
  const { present, existing, languages, repository, signal } = options;
  if (existing) ask.say('This project was set up before: its settings are offered as answers.');
  if (existing && (await wantsDealer(ask))) return askDealerOnly(ask, existing, options);
  const baseUrl = await askAddress(ask, existing?.baseUrl);
  const { hostedVideo, clicks, pictureHosts } = existing ?? {
    hostedVideo: DEFAULTS.hostedVideo,
    clicks: {},
    pictureHosts: [],
  };
  const keyring = new Keyring(ask, present);
  const probe = new Probe({ baseUrl, hostedVideo, clicks, pictureHosts }, signal);
  const talk: Talk = { ask, keyring, probe, baseUrl };
  const dealers = await askDealers(talk, existing?.dealers ?? []);
  const accounts = await askAccounts(talk, existing?.accounts ?? []);
  const firstName = existing?.title ?? dealers[0]?.name;
  const title = await ask.text('Title of the site', {
    ...(firstName !== undefined && { initial: firstName }),
    check: schemaCheck('site', 'title'),
  });
  const url = await ask.text('Address at which visitors will reach the site', {
    ...(existing && { initial: existing.url }),
    example: 'https://cars.example',
    check: schemaCheck('site', 'url'),
  });
  const locale = await askLocale(ask, existing?.locale ?? DEFAULTS.locale, languages);
  const timeZone = await ask.text('Time zone', {
    initial: existing?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    check: schemaCheck('site', 'timeZone'),
  });
  const { ci, host } = await askPlaces(ask, existing);
  const ownRepository =
    ci === 'none' || repository?.address === undefined
      ? undefined
      : await ask.confirm(
          `git pushes this project to ${repository.address}. Is that a repository of your own?`,
          false,
        );
  const answers = await askDetected(
    ask,
    checked({
      baseUrl: talk.baseUrl,
      title,
      url,
      locale,
      timeZone,
      dealers,
      accounts,
      pictureHosts,
      hostedVideo,
      clicks,
      ci,
      host,
    }),
    await probe.found(talk.baseUrl),
  );
  // A key that no dealer has in the end, since it got one of its own, is not written.
  const used = variablesOf(answers);
  const keys = new Map([...keyring.keys].filter(([name]) => used.has(name)));
  return { answers, keys, ownRepository };
}
