import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { keyFault } from '../doctor/configuration.ts';
import type { Answers } from './answers.ts';

/** The variables for keys that the answers need, with the kind of each key. */
export const variablesOf = ({
  dealers,
  accounts,
}: Pick<Answers, 'dealers' | 'accounts'>): Map<string, 'media' | 'batch'> =>
  new Map([
    ...dealers.map(({ apiKeyEnv }) => [apiKeyEnv, 'media'] as const),
    ...accounts.map(({ apiKeyEnv }) => [apiKeyEnv, 'batch'] as const),
  ]);

/** Keys from standard input: one key, or lines of `NAME=KEY`. */
export function keysFromText(text: string, answers: Answers): Map<string, Secret> {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  const variables = [...variablesOf(answers).keys()];
  const namedKeys = lines.flatMap((line) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return variables.includes(name) ? [[name, new Secret(value.trim())] as const] : [];
  });
  const [name = ''] = variables;
  const isKey = lines.length === 1 && variables.length === 1 && namedKeys.length === 0;
  return new Map(isKey ? [[name, new Secret(lines[0] ?? '')]] : namedKeys);
}

/**
 * The keys that the answers need.
 *
 * @throws {ConfigError} a key is missing or has the wrong form. The error names the variables.
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
        why: 'The service would refuse it. The key is never shown.',
        fix: 'Copy it again, without quotes, spaces or other text around it.',
      });
    }
    keys.set(name, key);
  }
  if (missing.length === 0) return keys;
  throw new ConfigError({
    code: 'init-key-missing',
    what: `No key is known for ${missing.join(', ')}.`,
    why: 'Init cannot ask: options are given, or there is no terminal.',
    fix: `Set ${missing.join(', ')} in the environment, or pipe the key in with --key-stdin.`,
  });
}
