import { ConfigError } from '../../errors.ts';
import { printable } from '../terminal/printable.ts';

/** Matches names of keys: arguments end up in process lists and logs, so keys are refused there. */
const KEY_NAME =
  /^(?:--?[\w-]*?(?:key|token|secret|password|passwd)s?(?:=|$)|\w*?(?:key|token|secret|password|passwd)s?=)/i;

/** Matches a key in its most usual form, 8-4-4-4-12. */
const KEY_VALUE = /\b[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}\b/i;

/** Description of an argument that holds a key, without the key; undefined for harmless arguments. */
function keyArgument(argument: string): string | undefined {
  const [name = ''] = argument.split('=');
  // A key may also be part of an address: `--config=https://…?apiKey=…`.
  if (KEY_NAME.test(argument) || /[?&]api_?key=/i.test(argument)) {
    return printable(name.replace(KEY_VALUE, '…').slice(0, 40));
  }
  return KEY_VALUE.test(argument) ? 'a value in the form of a key' : undefined;
}

/** @throws {ConfigError} `argument-secret`: one of the arguments is a key. */
export function refuseSecretArguments(args: readonly string[]): void {
  const found = args.map(keyArgument).find((one) => one !== undefined);
  if (found === undefined) return;
  throw new ConfigError({
    code: 'argument-secret',
    what: `Keys are not taken as arguments (${found}).`,
    why: 'Arguments can be read by every process of the machine and end up in logs.',
    fix: 'Put the key into .env or the environment, under the name that apiKeyEnv gives.',
  });
}
