import { configSchema } from '../../config/schema.ts';
import { Secret } from '../../config/secret.ts';
import { keyFault } from '../doctor/keys.ts';
import { HOSTS } from '../hosts.ts';
import { type Answers, checked, DEFAULTS, keyVariable, slugOf } from './answers.ts';
import type { Asker } from './ask.ts';
import { detect } from './detect.ts';
import { variablesOf } from './keys.ts';

export interface Asked {
  answers: Answers;
  keys: Map<string, Secret>;
}

const sentence = (issue: { message: string } | undefined): string | undefined =>
  issue && `It ${issue.message.replace(/^Too small.*/, 'must not be empty')}.`;

/** What the schema says to one field, as the sentence below a prompt. */
function schemaCheck(part: 'service' | 'site', field: string) {
  return (text: string): string | undefined => {
    const shape = configSchema.shape[part].safeParse({ [field]: text });
    return sentence(shape.error?.issues.find(({ path }) => path[0] === field));
  };
}

async function askDealers(ask: Asker): Promise<Omit<Answers['dealers'][number], 'apiKeyEnv'>[]> {
  const dealers: Omit<Answers['dealers'][number], 'apiKeyEnv'>[] = [];
  do {
    const id = Number(
      await ask.text('Id of the dealer at the service (dealerId)', {
        example: '7001',
        check: (text) => {
          if (!/^\d{1,15}$/.test(text)) return 'It must be a whole number.';
          const taken = dealers.some((dealer) => dealer.id === Number(text));
          return taken ? 'This dealer is in the list already.' : undefined;
        },
      }),
    );
    const name = await ask.text('Name of the dealer, as visitors read it', {
      example: 'Northgate Cars',
      check: (text) => (text === '' ? 'It must not be empty.' : undefined),
    });
    const slug = await ask.text('First part of its page addresses (never change it later)', {
      initial: slugOf(name, id),
      check: (text) => {
        const taken = dealers.some((dealer) => dealer.slug === text);
        const issue = configSchema.shape.dealers.safeParse([{ id, name, slug: text }]).error;
        if (issue) return `It ${issue.issues[0]?.message}.`;
        return taken ? 'Another dealer has it already.' : undefined;
      },
    });
    dealers.push({ id, name, slug });
  } while (await ask.confirm('Add another dealer?', false));
  return dealers;
}

function accountCheck(field: 'name' | 'customerId' | 'pathId') {
  return (text: string): string | undefined => {
    const account = { name: 'a', customerId: 'a', pathId: 'a', [field]: text };
    return sentence(configSchema.shape.accounts.safeParse([account]).error?.issues[0]);
  };
}

async function askAccounts(ask: Asker): Promise<Answers['accounts']> {
  const accounts: Answers['accounts'] = [];
  let more = await ask.confirm('Keep the history of sent videos too (MyVideos)?', false);
  while (more) {
    const name = await ask.text('Name of the account, our own (never change it later)', {
      example: 'northgate',
      check: (text) => {
        const taken = accounts.some((account) => account.name === text);
        return taken ? 'Another account has it already.' : accountCheck('name')(text);
      },
    });
    const customerId = await ask.text('Its customerId, as the vendor gave it', {
      check: accountCheck('customerId'),
    });
    const pathId = await ask.text("Its pathId: the :id in the vendor's address of MyVideos", {
      check: accountCheck('pathId'),
    });
    accounts.push({ name, customerId, pathId });
    more = await ask.confirm('Add another account?', false);
  }
  return accounts;
}

async function askKeys(
  ask: Asker,
  variables: ReadonlyMap<string, 'media' | 'batch'>,
  present: (name: string) => Secret | undefined,
): Promise<Map<string, Secret>> {
  const keys = new Map<string, Secret>();
  for (const [name, kind] of variables) {
    const known = present(name);
    if (known && (await ask.confirm(`${name} is set already. Use it?`))) {
      keys.set(name, known);
      continue;
    }
    const key = await ask.secret(`API key for ${name} (it is not shown)`, (text) => {
      const fault = keyFault(new Secret(text), kind);
      return fault && `The key ${fault}.`;
    });
    keys.set(name, key);
  }
  return keys;
}

/** What the service's own answers say: proposed, and taken only with a yes. */
async function askDetected(
  ask: Asker,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<Answers> {
  const { answers, keys } = asked;
  ask.say('Asking the service what it knows …');
  const found = await detect(answers, keys, signal);
  for (const { message, why } of found.problems) ask.say(`${message}${why ? ` ${why}` : ''}`);
  const changed = { ...answers };
  if (found.hostedVideo !== undefined) {
    const use = `The service calls its hosted videos "${found.hostedVideo}". Use that name?`;
    if (await ask.confirm(use)) changed.hostedVideo = found.hostedVideo;
  }
  const clicks = Object.values(found.clicks).map((name) => `"${name}"`);
  if (clicks.length > 0) {
    const use = `The service calls its click counts ${clicks.join(' and ')}. Use these names?`;
    if (await ask.confirm(use)) changed.clicks = found.clicks;
  }
  for (const host of found.pictureHosts) {
    if (await ask.confirm(`Pictures come from ${host}. Is that your vendor's?`)) {
      changed.pictureHosts = [...changed.pictureHosts, host];
    }
  }
  return changed;
}

/** Asks a person for everything that cannot be guessed. Nothing is written. */
export async function askPerson(
  ask: Asker,
  present: (name: string) => Secret | undefined,
  signal?: AbortSignal,
): Promise<Asked> {
  const baseUrl = await ask.text('Address of the media service, as the vendor gave it', {
    example: 'https://media.example',
    check: schemaCheck('service', 'baseUrl'),
  });
  const dealers = await askDealers(ask);
  const title = await ask.text('Title of the site', {
    ...(dealers[0] && { initial: dealers[0].name }),
    check: schemaCheck('site', 'title'),
  });
  const url = await ask.text('Address at which visitors will reach the site', {
    example: 'https://cars.example',
    check: schemaCheck('site', 'url'),
  });
  const locale = await ask.text('Language and region', {
    initial: DEFAULTS.locale,
    check: schemaCheck('site', 'locale'),
  });
  const timeZone = await ask.text('Time zone', {
    initial: Intl.DateTimeFormat().resolvedOptions().timeZone,
    check: schemaCheck('site', 'timeZone'),
  });
  const ci = await ask.choose('What rebuilds the site every night?', [
    { value: 'github', label: 'GitHub Actions' },
    { value: 'gitlab', label: 'GitLab CI' },
    { value: 'none', label: 'Something else', hint: 'no workflow is written' },
  ]);
  const host = await ask.choose('Where does the site go?', [
    ...HOSTS.map(({ id, name }) => ({ value: id, label: name })),
    { value: 'none', label: 'Somewhere else', hint: 'it is built and not deployed' },
  ]);
  const oneKey = dealers.length < 2 || (await ask.confirm('Do all dealers share one API key?'));
  const answers = checked({
    baseUrl,
    title,
    url,
    locale,
    timeZone,
    dealers: dealers.map((dealer) => ({ ...dealer, apiKeyEnv: keyVariable(dealer.id, !oneKey) })),
    accounts: await askAccounts(ask),
    pictureHosts: [],
    hostedVideo: DEFAULTS.hostedVideo,
    clicks: {},
    ci,
    host,
  });
  const keys = await askKeys(ask, variablesOf(answers), present);
  return { answers: await askDetected(ask, { answers, keys }, signal), keys };
}
