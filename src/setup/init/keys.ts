import { Secret } from '../../config/secret.ts';
import { ConfigError, type RefusedError } from '../../errors.ts';
import { keyFault } from '../doctor/keys.ts';
import { type Answers, BATCH_KEY } from './answers.ts';

/** The variables that answers need a key in, and of which form it is. */
export const variablesOf = ({
  dealers,
  accounts,
}: Pick<Answers, 'dealers' | 'accounts'>): Map<string, 'media' | 'batch'> =>
  new Map([
    ...dealers.map(({ apiKeyEnv }) => [apiKeyEnv, 'media'] as const),
    ...accounts.map(({ apiKeyEnv = BATCH_KEY }) => [apiKeyEnv, 'batch'] as const),
  ]);

/** Keys from text that was piped in: one key alone, or lines of `NAME=KEY`. */
export function keysFromText(text: string, answers: Answers): Map<string, Secret> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = ''] = lines;
  const variables = [...variablesOf(answers).keys()];
  const [only = ''] = variables;
  const named = lines.map((line) => /^(\w+)=(.*)$/.exec(line));
  if (lines.length === 1 && variables.length === 1 && named[0]?.[1] !== only) {
    return new Map([[only, new Secret(first)]]);
  }
  return new Map(
    named.flatMap((match) => {
      const [, name = '', value = ''] = match ?? [];
      return variables.includes(name) ? [[name, new Secret(value.trim())] as const] : [];
    }),
  );
}

/**
 * The key of every variable that the answers need.
 *
 * @throws {ConfigError} naming the variables that have none, or one that cannot be right.
 */
export function keysFor(
  answers: Answers,
  find: (name: string) => Secret | undefined,
): Map<string, Secret> {
  const keys = new Map<string, Secret>();
  const missing: string[] = [];
  for (const [name, kind] of variablesOf(answers)) {
    const key = find(name);
    if (!key || key.reveal() === '') {
      missing.push(name);
      continue;
    }
    const fault = keyFault(key, kind);
    if (fault) {
      throw new ConfigError({
        code: 'init-key-form',
        what: `The key for ${name} ${fault}.`,
        why: 'The service would refuse it. The key itself is never shown.',
        fix: 'Copy it again: nothing before it, nothing behind it, no quotes.',
      });
    }
    keys.set(name, key);
  }
  if (missing.length === 0) return keys;
  throw new ConfigError({
    code: 'init-key-missing',
    what: `No key is known for ${missing.join(', ')}.`,
    why: 'Nobody can be asked: flags are given, or there is no terminal.',
    fix: `Set ${missing.join(', ')} in the environment, or pipe the key in with --key-stdin.`,
  });
}

/** The error where the service refuses, and nobody can be asked for another key or id. */
export function keyRefused({ message, why, fix }: RefusedError): ConfigError {
  return new ConfigError({
    code: 'init-refused',
    what: `Nothing was written. ${message}`,
    ...(why !== undefined && { why }),
    ...(fix !== undefined && { fix }),
  });
}
