/** Shared functions of the questions: the answers so far, keys, and requests to the service. */
import { configSchema } from '../../config/schema.ts';
import { Secret } from '../../config/secret.ts';
import { PLAIN } from '../../lib/plain-issue.ts';
import { keyFault } from '../doctor/configuration.ts';
import type { ServiceCheck } from '../doctor/service.ts';
import { type Answers, localeFault, placeOf } from './answers.ts';
import type { Asker } from './ask.ts';
import { FIELDS, type Field } from './options.ts';
import { readRequest, type VendorRequest, withScheme } from './request.ts';
import { askService, failuresIn } from './service.ts';

export interface Asked {
  answers: Answers;
  keys: Map<string, Secret>;
}

export interface PersonOptions {
  /** Finds an existing key. */
  present: (name: string) => Secret | undefined;
  /** Answers that the project was set up with. */
  existing?: Answers;
  signal?: AbortSignal;
}

/** The answers and keys so far, and the responses of the service. */
export interface Talk extends Asked, PersonOptions {
  ask: Asker;
  checks: ServiceCheck[];
  /** The vendor's request that was entered as the address of the service. Its values are proposed. */
  request?: VendorRequest;
}

const sentence = (issue: { message: string } | undefined): string | undefined =>
  issue && `It ${issue.message}.`;

const EXAMPLES = {
  dealers: { id: 1, name: 'a', slug: 'a' },
  accounts: { name: 'a', customerId: 'a', pathId: 'a' },
};

/** The first problem of these values of a dealer or account, as a sentence. */
export const entryFault = (list: keyof typeof EXAMPLES, values: object): string | undefined =>
  sentence(
    configSchema.shape[list].safeParse([{ ...EXAMPLES[list], ...values }], PLAIN).error?.issues[0],
  );

/** The value that an answer means: for an address, the scheme may be missing. */
function meaningOf(text: string, field: Field): string {
  if (field !== 'service' && field !== 'url') return text;
  const address = withScheme(text);
  return (field === 'service' && readRequest(address)?.baseUrl) || address;
}

/** Asks for one value of the configuration. */
export async function askField(talk: Talk, field: Field): Promise<void> {
  const { ask, answers } = talk;
  const { setting, question, example } = FIELDS[field];
  const [part] = setting;
  const [section, name] = placeOf(answers, field);
  const answer = await ask.text(question, {
    initial: section[name],
    example,
    check: (text) => {
      const value = meaningOf(text, field);
      const { error } = configSchema.shape[part].safeParse({ [name]: value }, PLAIN);
      const fault = sentence(error?.issues.find((issue) => issue.path[0] === name));
      if (fault !== undefined || field !== 'locale') return fault;
      const localeProblem = localeFault(text);
      return localeProblem && `It ${localeProblem}.`;
    },
  });
  section[name] = meaningOf(answer, field);
  if (section[name] !== answer) ask.say(`The address is ${section[name]}`);
  if (field === 'service') talk.request = readRequest(withScheme(answer));
}

/** Asks for the key in a variable. */
export async function askKey(
  { ask, keys }: Talk,
  name: string,
  kind: 'media' | 'batch',
): Promise<void> {
  const key = await ask.secret(`API key for ${name} (it is not shown)`, (text) => {
    const fault = keyFault(new Secret(text), kind);
    return fault && `The key ${fault}.`;
  });
  keys.set(name, key);
}

/** Asks for the key in a variable when it is first needed. The user can accept an existing key. */
export async function needKey(talk: Talk, name: string, kind: 'media' | 'batch'): Promise<void> {
  if (talk.keys.has(name)) return;
  const { request } = talk;
  if (request?.key && request.kind === kind && keyFault(request.key, kind) === undefined) {
    talk.ask.say(`${name} is the key of this request.`);
    talk.keys.set(name, request.key);
    // Another variable has another key.
    request.key = undefined;
    return;
  }
  const existingKey = talk.present(name);
  const canUse = existingKey !== undefined && keyFault(existingKey, kind) === undefined;
  if (canUse && (await talk.ask.confirm(`${name} is set already. Use it?`))) {
    talk.keys.set(name, existingKey);
  } else await askKey(talk, name, kind);
}

/**
 * Requests the service until it responds, or until the user continues without a response.
 *
 * @param subject the dealer or account. Corrections may change it.
 * @param corrections choices of the user after a failure, by label.
 */
export async function tryEntry(
  talk: Talk,
  subject: Partial<Pick<Answers, 'dealers' | 'accounts'>>,
  corrections: Readonly<Record<string, () => Promise<void>>>,
): Promise<void> {
  const { ask, answers, keys, signal } = talk;
  const options: typeof corrections = {
    ...corrections,
    'Another address of the service': () => askField(talk, 'service'),
    'Ask again': async () => {},
  };
  for (;;) {
    ask.say('Asking the service …');
    const candidate = { ...answers, dealers: [], accounts: [], ...subject };
    const check = await askService(candidate, keys, signal);
    const [failure] = failuresIn(check);
    if (!failure) {
      talk.checks.push(check);
      return;
    }
    ask.say(`${failure.what} ${failure.why}`);
    const choice = await ask.choose('How do you want to continue?', [
      ...Object.keys(options).map((label) => ({ value: label, label })),
      { value: '', label: 'Continue anyway', hint: 'builds fail until it is correct' },
    ]);
    const correction = options[choice];
    if (!correction) return;
    await correction();
  }
}
