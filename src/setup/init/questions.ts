/** The questions of init. Each answer about the service is tried immediately. */
import { HOSTS } from '../../config/hosts.ts';
import {
  type Account,
  type Answers,
  BATCH_KEY,
  canDeploy,
  checkAnswers,
  type Dealer,
  hasSite,
  keyOfDealer,
  NO_ANSWERS,
  SHARED_KEY,
  slugOf,
  usualCi,
  withoutSite,
  zoneOf,
} from './answers.ts';
import type { Asker } from './ask.ts';
import { variablesOf } from './keys.ts';
import { detect } from './service.ts';
import {
  type Asked,
  askField,
  askKey,
  entryFault,
  needKey,
  type PersonOptions,
  type Talk,
  tryEntry,
} from './talk.ts';

/** Keeps the existing dealers or accounts, if the user wants to. Each is tried again. */
async function keepKnown<L extends 'dealers' | 'accounts'>(
  { ask, answers, existing }: Talk,
  list: L,
  tryOne: (entry: Answers[L][number]) => Promise<void>,
): Promise<void> {
  const former = structuredClone(existing?.[list] ?? []) as Answers[L][number][];
  const entries: Answers[L][number][] = answers[list];
  const names = former.map((entry) => ('id' in entry ? `${entry.name} (${entry.id})` : entry.name));
  const title = list === 'dealers' ? 'Dealers' : 'Accounts';
  if (former.length === 0) return;
  if (!(await ask.confirm(`${title}: ${names.join(', ')}. Keep them?`))) return;
  for (const entry of former) {
    await tryOne(entry);
    entries.push(entry);
  }
}

const askId = async ({ ask, answers, request }: Talk): Promise<number> =>
  Number(
    await ask.text('Id of the dealer at the service (dealerId)', {
      initial: answers.dealers.length === 0 ? request?.dealerId : undefined,
      example: '7001',
      check: (text) => {
        if (!/^\d{1,15}$/.test(text)) return 'It must be a whole number.';
        const isTaken = answers.dealers.some(({ id }) => id === Number(text));
        return isTaken ? 'This dealer is already in the list.' : undefined;
      },
    }),
  );

/** Tries a dealer before it is added to the list. */
async function tryDealer(talk: Talk, dealer: Dealer): Promise<void> {
  await needKey(talk, dealer.apiKeyEnv, 'media');
  const isShared = talk.answers.dealers.some(({ apiKeyEnv }) => apiKeyEnv === dealer.apiKeyEnv);
  await tryEntry(
    talk,
    { dealers: [dealer] },
    {
      [isShared ? 'A separate key for this dealer' : 'Another key']: async () => {
        if (isShared) dealer.apiKeyEnv = keyOfDealer(dealer.id);
        await askKey(talk, dealer.apiKeyEnv, 'media');
      },
      'Another id of the dealer': async () => {
        dealer.id = await askId(talk);
      },
    },
  );
}

/** Asks for dealers until the user wants no more. */
async function askNewDealers(talk: Talk): Promise<void> {
  const { ask, answers } = talk;
  do {
    const [{ apiKeyEnv } = { apiKeyEnv: SHARED_KEY }] = answers.dealers;
    await needKey(talk, apiKeyEnv, 'media');
    const dealer: Dealer = { id: await askId(talk), name: '', slug: '', apiKeyEnv };
    await tryDealer(talk, dealer);
    dealer.name = await ask.text('Name of the dealer, as visitors read it', {
      example: 'Northgate Cars',
      check: (name) => entryFault('dealers', { name }),
    });
    dealer.slug = await ask.text('First part of the URLs of its pages (never change it later)', {
      initial: slugOf(dealer.name, dealer.id),
      check: (slug) => {
        const isTaken = answers.dealers.some((dealer) => dealer.slug === slug);
        return isTaken ? 'Another dealer has it already.' : entryFault('dealers', { slug });
      },
    });
    // Without any contact details, visitors cannot reach the dealer.
    const phone = await ask.text('Phone number for visitors (empty: none)', {
      example: '+44 1632 960001',
      check: (text) =>
        text === '' ? undefined : entryFault('dealers', { contact: { phone: text } }),
    });
    if (phone !== '') dealer.contact = { phone };
    answers.dealers.push(dealer);
  } while (await ask.confirm('Add another dealer?', false));
}

async function askAccountIds({ ask, request }: Talk, account: Account): Promise<void> {
  account.customerId = await ask.text('Its customerId, as the vendor gave it', {
    initial: account.customerId || request?.customerId,
    check: (customerId) => entryFault('accounts', { customerId }),
  });
  account.pathId = await ask.text("Its pathId: the :id in the vendor's address of MyVideos", {
    initial: account.pathId || request?.pathId,
    check: (pathId) => entryFault('accounts', { pathId }),
  });
}

async function tryAccount(talk: Talk, account: Account): Promise<void> {
  await needKey(talk, account.apiKeyEnv, 'batch');
  await tryEntry(
    talk,
    { accounts: [account] },
    {
      'Another key': () => askKey(talk, account.apiKeyEnv, 'batch'),
      'Other ids of the account': () => askAccountIds(talk, account),
    },
  );
}

/** @param isNeeded asks for the first account directly, without asking whether there is one. */
async function askAccounts(talk: Talk, isNeeded: boolean): Promise<void> {
  const { ask, answers } = talk;
  await keepKnown(talk, 'accounts', (account) => tryAccount(talk, account));
  const wantsMore = async () => {
    if (answers.accounts.length > 0) return ask.confirm('Add another account?', false);
    return isNeeded || ask.confirm('Also keep the history of sent videos (MyVideos)?', false);
  };
  while (await wantsMore()) {
    const name = await ask.text('Name of the account (never change it later)', {
      example: 'northgate',
      check: (text) => {
        const isTaken = answers.accounts.some((account) => account.name === text);
        return isTaken ? 'Another account has it already.' : entryFault('accounts', { name: text });
      },
    });
    await needKey(talk, BATCH_KEY, 'batch');
    const account: Account = { name, customerId: '', pathId: '', apiKeyEnv: BATCH_KEY };
    await askAccountIds(talk, account);
    await tryAccount(talk, account);
    answers.accounts.push(account);
  }
}

async function askPlaces({ ask, answers, existing }: Talk): Promise<void> {
  // The first host is the default.
  answers.host = await ask.choose(
    'Where do you host the site?',
    [
      ...HOSTS.map(({ id, name, hint }) => ({ value: id, label: name, hint })),
      { value: 'none', label: 'Another host', hint: 'only builds the site' },
    ],
    existing?.host,
  );
  const systems: { value: Answers['ci']; label: string; hint?: string }[] = [
    { value: 'github', label: 'GitHub Actions' },
    { value: 'gitlab', label: 'GitLab CI' },
    { value: 'none', label: 'Something else', hint: 'no workflow is written' },
  ];
  answers.ci = await ask.choose(
    'What rebuilds the site every night?',
    systems.filter(({ value }) => canDeploy(value, answers.host)),
    usualCi(answers.host, existing?.ci),
  );
}

/** Proposes settings that were detected in the responses, and asks before using them. */
async function askDetected({ ask, answers, checks }: Talk): Promise<void> {
  const { fieldNames, hosts, refusedNote } = await detect(answers, checks);
  const names = Object.values(fieldNames).map((name) => `"${name}"`);
  if (names.length > 0) {
    const question = `The service uses other names for some fields: ${names.join(', ')}. Use them?`;
    if (await ask.confirm(question)) Object.assign(answers.service.fieldNames, fieldNames);
  }
  if (refusedNote !== undefined) ask.say(refusedNote);
  for (const host of hosts) {
    if (await ask.confirm(`Pictures come from ${host}. Is that your vendor's?`)) {
      answers.media.hosts.push(host);
    }
  }
}

/** Asks whether the project has a site, or only the history of sent videos. */
const askWhetherSite = async ({ ask, existing }: Talk): Promise<boolean> =>
  (await ask.choose(
    'What is this project for?',
    [
      { value: 'site', label: 'A site with the vehicles' },
      {
        value: 'history',
        label: 'Only the history of sent videos',
        hint: 'contacts for your CRM, and reports. No site',
      },
    ],
    existing && !hasSite(existing) ? 'history' : 'site',
  )) === 'site';

async function askEverything(talk: Talk): Promise<void> {
  const { ask, answers } = talk;
  const wantsSite = await askWhetherSite(talk);
  await askField(talk, 'service');
  if (!wantsSite) {
    withoutSite(answers);
    await askAccounts(talk, true);
    return askDetected(talk);
  }
  await keepKnown(talk, 'dealers', (dealer) => tryDealer(talk, dealer));
  const isEnough = answers.dealers.length > 0 && !(await ask.confirm('Add another dealer?', false));
  if (!isEnough) await askNewDealers(talk);
  await askAccounts(talk, false);
  answers.site.title ||= answers.dealers[0]?.name ?? '';
  for (const field of ['title', 'url', 'locale'] as const) await askField(talk, field);
  if (!talk.existing) answers.site.timeZone = zoneOf(answers.site.locale) ?? answers.site.timeZone;
  await askField(talk, 'time-zone');
  await askPlaces(talk);
  await askDetected(talk);
}

/** Asks for all answers. Writes nothing. */
export async function askPerson(ask: Asker, options: PersonOptions): Promise<Asked> {
  const { existing } = options;
  const answers = structuredClone(existing ?? NO_ANSWERS);
  const talk: Talk = { ...options, ask, answers, keys: new Map(), checks: [] };
  if (existing) {
    ask.say(
      'This project is already set up. Its settings are the default answers. To add only a dealer, use --add-dealer.',
    );
    Object.assign(answers, { dealers: [], accounts: [] });
  } else answers.site.timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await askEverything(talk);
  checkAnswers(answers);
  // Omits keys that are no longer used, because a dealer got a separate key.
  const usedVariables = variablesOf(answers);
  return { answers, keys: new Map([...talk.keys].filter(([name]) => usedVariables.has(name))) };
}
