/** The questions about the service: its address, keys, dealers and accounts. Each answer is tried at once. */
import { configSchema } from '../../config/schema.ts';
import { Secret } from '../../config/secret.ts';
import type { AppError } from '../../errors.ts';
import { keyFault } from '../doctor/keys.ts';
import { type Answers, BATCH_KEY, keyVariable, SHARED_KEY, slugOf } from './answers.ts';
import type { Asker } from './ask.ts';
import type { Probe } from './probe.ts';

type Dealer = Answers['dealers'][number];
type Account = Answers['accounts'][number];

type Kind = 'media' | 'batch';

/** The keys that a person gives, each asked for when it is first needed. */
export class Keyring {
  readonly keys = new Map<string, Secret>();
  readonly #ask: Asker;
  readonly #present: (name: string) => Secret | undefined;

  /** @param present finds a key that is set already. */
  constructor(ask: Asker, present: (name: string) => Secret | undefined) {
    this.#ask = ask;
    this.#present = present;
  }

  /** The key in a variable. */
  async of(name: string, kind: Kind): Promise<Secret> {
    const given = this.keys.get(name);
    if (given) return given;
    const known = this.#present(name);
    if (known && keyFault(known, kind) === undefined) {
      if (await this.#ask.confirm(`${name} is set already. Use it?`)) {
        this.keys.set(name, known);
        return known;
      }
    }
    return this.again(name, kind);
  }

  /** Another key for a variable. */
  async again(name: string, kind: Kind): Promise<Secret> {
    const key = await this.#ask.secret(`API key for ${name} (it is not shown)`, (text) => {
      const fault = keyFault(new Secret(text), kind);
      return fault && `The key ${fault}.`;
    });
    this.keys.set(name, key);
    return key;
  }
}

/** What questions about the service share. */
export interface Talk {
  ask: Asker;
  keyring: Keyring;
  probe: Probe;
  /** Address of the service; another where it turns out to be wrong. */
  baseUrl: string;
}

const sentence = (issue: { message: string } | undefined): string | undefined =>
  issue && `It ${issue.message.replace(/^Too small.*/, 'must not be empty')}.`;

/** What the schema says to one field, as the sentence below a prompt. */
export function schemaCheck(part: 'service' | 'site', field: string) {
  return (text: string): string | undefined => {
    const shape = configSchema.shape[part].safeParse({ [field]: text });
    return sentence(shape.error?.issues.find(({ path }) => path[0] === field));
  };
}

export const askAddress = (ask: Asker, initial: string | undefined): Promise<string> =>
  ask.text('Address of the media service, as the vendor gave it', {
    ...(initial !== undefined && { initial }),
    example: 'https://media.example',
    check: schemaCheck('service', 'baseUrl'),
  });

/** What can be done about a question that the service did not answer. */
interface Remedy {
  label: string;
  apply(): Promise<unknown>;
}

/**
 * Asks the service until it answers, or until the person goes on without an answer.
 *
 * @param look asks it; gives why there was no answer.
 */
async function untilAnswered(
  talk: Talk,
  look: () => Promise<AppError | undefined>,
  own: Readonly<Record<string, Remedy>>,
): Promise<void> {
  const { ask } = talk;
  const remedies: Record<string, Remedy> = {
    ...own,
    address: {
      label: 'Another address of the service',
      apply: async () => {
        talk.baseUrl = await askAddress(ask, talk.baseUrl);
      },
    },
    again: { label: 'Ask again', apply: async () => {} },
  };
  for (;;) {
    ask.say('Asking the service …');
    const problem = await look();
    if (!problem) return;
    const { message, why } = problem;
    ask.say(`${message}${why ? ` ${why}` : ''}`);
    const chosen = await ask.choose('What now?', [
      ...Object.entries(remedies).map(([value, { label }]) => ({ value, label })),
      { value: 'on', label: 'Go on as it is', hint: 'nothing can be built until it is right' },
    ]);
    if (chosen === 'on') return;
    await remedies[chosen]?.apply();
  }
}

/** Entries that are known already, if the person keeps them; each is tried again. */
async function keepKnown<T extends object>(
  ask: Asker,
  names: string,
  known: readonly T[],
  tryOne: (one: T, before: readonly T[]) => Promise<void>,
): Promise<T[]> {
  const kept: T[] = [];
  if (known.length === 0 || !(await ask.confirm(`${names}. Keep them?`))) return kept;
  for (const former of known) {
    const one = { ...former };
    await tryOne(one, kept);
    kept.push(one);
  }
  return kept;
}

const askId = async (ask: Asker, others: readonly Dealer[]): Promise<number> =>
  Number(
    await ask.text('Id of the dealer at the service (dealerId)', {
      example: '7001',
      check: (text) => {
        if (!/^\d{1,15}$/.test(text)) return 'It must be a whole number.';
        const taken = others.some((dealer) => dealer.id === Number(text));
        return taken ? 'This dealer is in the list already.' : undefined;
      },
    }),
  );

/** Tries a dealer, and has id, key or address corrected until the service answers. */
async function tryDealer(talk: Talk, dealer: Dealer, others: readonly Dealer[]): Promise<void> {
  const { ask, keyring, probe } = talk;
  const look = async () =>
    probe.dealer(dealer, await keyring.of(dealer.apiKeyEnv, 'media'), talk.baseUrl);
  const shared = others.some(({ apiKeyEnv }) => apiKeyEnv === dealer.apiKeyEnv);
  await untilAnswered(talk, look, {
    key: {
      label: shared ? 'A key of its own for this dealer' : 'Another key',
      apply: async () => {
        if (shared) dealer.apiKeyEnv = keyVariable(dealer.id, true);
        await keyring.again(dealer.apiKeyEnv, 'media');
      },
    },
    id: {
      label: 'Another id of the dealer',
      apply: async () => {
        dealer.id = await askId(ask, others);
      },
    },
  });
}

async function nameDealer(ask: Asker, dealer: Dealer, others: readonly Dealer[]): Promise<void> {
  dealer.name = await ask.text('Name of the dealer, as visitors read it', {
    example: 'Northgate Cars',
    check: (text) => (text === '' ? 'It must not be empty.' : undefined),
  });
  dealer.slug = await ask.text('First part of its page addresses (never change it later)', {
    initial: slugOf(dealer.name, dealer.id),
    check: (text) => {
      const issue = configSchema.shape.dealers.safeParse([{ ...dealer, slug: text }]).error;
      if (issue) return `It ${issue.issues[0]?.message}.`;
      const taken = others.some((one) => one.slug === text);
      return taken ? 'Another dealer has it already.' : undefined;
    },
  });
}

/** Asks for the phone number. Without one, and without other contacts, visitors cannot reach the dealer. */
async function askPhone(ask: Asker, dealer: Dealer): Promise<void> {
  const phone = await ask.text('Phone number for visitors (empty: none)', {
    example: '+44 1632 960001',
    check: (text) => {
      if (text === '') return undefined;
      const named = { id: 1, name: 'a', slug: 'a', contact: { phone: text } };
      return sentence(configSchema.shape.dealers.safeParse([named]).error?.issues[0]);
    },
  });
  if (phone !== '') dealer.phone = phone;
}

/** The dealers: those that are known, if the person keeps them, and others. */
export async function askDealers(talk: Talk, known: readonly Dealer[]): Promise<Dealer[]> {
  const names = known.map(({ id, name }) => `${name} (${id})`).join(', ');
  const dealers = await keepKnown(talk.ask, `Dealers: ${names}`, known, (one, before) =>
    tryDealer(talk, one, before),
  );
  const isEnough = dealers.length > 0 && !(await talk.ask.confirm('Add another dealer?', false));
  return isEnough ? dealers : askNewDealers(talk, dealers);
}

/** Asks for dealers until there are enough. @param known dealers of the site so far. */
export async function askNewDealers(talk: Talk, known: readonly Dealer[]): Promise<Dealer[]> {
  const { ask, keyring } = talk;
  const dealers = [...known];
  do {
    const [{ apiKeyEnv } = { apiKeyEnv: SHARED_KEY }] = dealers;
    await keyring.of(apiKeyEnv, 'media');
    const dealer: Dealer = { id: await askId(ask, dealers), name: '', slug: '', apiKeyEnv };
    await tryDealer(talk, dealer, dealers);
    await nameDealer(ask, dealer, dealers);
    await askPhone(ask, dealer);
    dealers.push(dealer);
  } while (await ask.confirm('Add another dealer?', false));
  return dealers;
}

function accountCheck(field: 'name' | 'customerId' | 'pathId') {
  return (text: string): string | undefined => {
    const account = { name: 'a', customerId: 'a', pathId: 'a', [field]: text };
    return sentence(configSchema.shape.accounts.safeParse([account]).error?.issues[0]);
  };
}

async function askAccountIds(ask: Asker, account: Account): Promise<void> {
  account.customerId = await ask.text('Its customerId, as the vendor gave it', {
    check: accountCheck('customerId'),
  });
  account.pathId = await ask.text("Its pathId: the :id in the vendor's address of MyVideos", {
    check: accountCheck('pathId'),
  });
}

async function tryAccount(talk: Talk, account: Account): Promise<void> {
  const { ask, keyring, probe } = talk;
  const { apiKeyEnv = BATCH_KEY } = account;
  const look = async () =>
    probe.account(account, await keyring.of(apiKeyEnv, 'batch'), talk.baseUrl);
  await untilAnswered(talk, look, {
    key: {
      label: 'Another key',
      apply: () => keyring.again(apiKeyEnv, 'batch'),
    },
    ids: { label: 'Other ids of the account', apply: () => askAccountIds(ask, account) },
  });
}

/** The accounts of MyVideos: those that are known, if the person keeps them, and others. */
export async function askAccounts(talk: Talk, known: readonly Account[]): Promise<Account[]> {
  const { ask, keyring } = talk;
  const names = known.map(({ name }) => name).join(', ');
  const accounts = await keepKnown(ask, `Accounts: ${names}`, known, (one) =>
    tryAccount(talk, one),
  );
  const question =
    accounts.length > 0
      ? 'Add another account?'
      : 'Keep the history of sent videos too (MyVideos)?';
  let more = await ask.confirm(question, false);
  while (more) {
    const name = await ask.text('Name of the account, our own (never change it later)', {
      example: 'northgate',
      check: (text) => {
        const taken = accounts.some((account) => account.name === text);
        return taken ? 'Another account has it already.' : accountCheck('name')(text);
      },
    });
    await keyring.of(BATCH_KEY, 'batch');
    const account: Account = { name, customerId: '', pathId: '' };
    await askAccountIds(ask, account);
    await tryAccount(talk, account);
    accounts.push(account);
    more = await ask.confirm('Add another account?', false);
  }
  return accounts;
}
