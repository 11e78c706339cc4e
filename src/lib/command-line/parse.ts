import path from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../errors.ts';
import { closest } from '../closest.ts';
import {
  type Args,
  type Command,
  type Option,
  type Options,
  optionsOf,
  type Positionals,
} from './definition.ts';

/** Error about an option's value. The value is left out of the message, as it may be personal data. */
export const wrongValue = (
  name: string,
  why: string,
  fix: string,
  code = 'argument-invalid',
): ConfigError => new ConfigError({ code, what: `--${name} cannot be used.`, why, fix });

/** A first part such as `s3:` or `me@host:`; one letter is a drive of Windows. */
const REMOTE = /^[^\\/]{2,}:[\\/]/;

/**
 * Checks a path that an option names.
 *
 * @throws {ConfigError} the shell or another program would read it differently, and a command would
 *   create a folder of that name.
 */
export function checkLocalPath(name: string, typed: string): void {
  if (typed === '') {
    throw wrongValue(name, 'It is empty. A variable of the shell may be unset.', 'Give a path.');
  }
  if (REMOTE.test(typed)) {
    throw wrongValue(
      name,
      'It is a remote address, but commands use local paths. A folder named like the address would be created.',
      'Give a local path. To upload files, run the client of that storage afterwards.',
    );
  }
  if (typed.startsWith('~')) {
    throw wrongValue(
      name,
      'It begins with a ~ that the shell did not expand. A folder called ~ would be created.',
      'Write the whole path, such as /home/me/site, or ./~name for such a name.',
    );
  }
}

const wrongArgument = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'argument-unknown', what, why, fix });

const LIST = '--help lists what the command takes.';

function unknownOption(rawName: string, names: readonly string[]): ConfigError {
  // The message repeats what was typed only if it has the form of an option's name.
  const isName = /^--?[a-z][a-z-]{0,30}$/i.test(rawName);
  const meant = closest(rawName.replace(/^-+/, ''), names);
  return wrongArgument(
    isName ? `There is no option ${rawName}.` : 'There is an option that is not known.',
    meant === undefined
      ? 'The command does not know it. A value that begins with - is given as --name=-value.'
      : `The command does not know it; --${meant} is the nearest.`,
    meant === undefined ? LIST : `Did you mean --${meant}? ${LIST}`,
  );
}

const strayWord = (words: Positionals | undefined): ConfigError =>
  wrongArgument(
    'There are words that belong to no option.',
    words
      ? `Of ${words.name}, at most ${words.most} can be given.`
      : 'Every argument begins with --, and a value with spaces needs quotes.',
    `Write such as --title "Our Cars"; ${LIST}`,
  );

function numberOf(name: string, text: string, option: Option & { type: 'number' }): number {
  const { least = 0, most = Number.MAX_SAFE_INTEGER, code } = option;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const fix = `Give a whole number from ${least} to ${most}.`;
  throw wrongValue(name, 'It is no whole number in its range.', fix, code);
}

function timeOf(name: string, text: string, option: Option & { type: 'time' }): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const fix = 'Write it in ISO 8601, such as 2026-03-02T02:00:00Z.';
  throw wrongValue(name, 'It is no time.', fix, option.code);
}

function chosen(name: string, text: string, choices: readonly string[] | undefined): string {
  if (!choices || choices.includes(text)) return text;
  const meant = closest(text, choices);
  const asked = meant === undefined ? '' : `Did you mean ${meant}? `;
  const fix = `${asked}Use one of: ${choices.join(', ')}.`;
  throw wrongValue(name, 'It is not one of the known values.', fix);
}

function readValue(
  name: string,
  option: Option,
  texts: readonly string[],
  cwd: string,
): string | number | string[] | undefined {
  const text = texts.at(-1);
  switch (option.type) {
    case 'boolean':
      return undefined;
    case 'number':
      return text === undefined ? option.default : numberOf(name, text, option);
    case 'time':
      return text === undefined ? undefined : timeOf(name, text, option);
    case 'path': {
      if (text !== undefined) checkLocalPath(name, text);
      const given = text ?? option.default;
      return given === undefined ? undefined : path.resolve(cwd, given);
    }
    default:
      break;
  }
  if (option.multiple) return texts.map((one) => chosen(name, one, option.choices));
  if (text !== undefined) return chosen(name, text, option.choices);
  if (!option.required) return option.default;
  const fix = option.choices ? `Use one of: ${option.choices.join(', ')}.` : LIST;
  throw wrongValue(name, 'It is missing.', fix);
}

/**
 * Reads the arguments of a command. Values are of the types that its options name, paths absolute.
 *
 * @param cwd folder that relative paths start from.
 * @throws {ConfigError} an option is unknown, lacks its value or has a wrong one, or a word is not
 *   expected. The error contains no value.
 */
export function parse<O extends Options>(
  command: Command<O>,
  args: readonly string[],
  cwd: string,
): Args<O> {
  const options = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [
        name,
        {
          type: type === 'boolean' ? ('boolean' as const) : ('string' as const),
          ...(name === 'help' && { short: 'h' }),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw unknownOption(rawName, Object.keys(options));
    if (option.type === 'boolean') {
      if (value === undefined) given.set(name, []);
      else throw wrongArgument(`--${name} takes no value.`, 'It is on or off.', LIST);
      continue;
    }
    if (value === undefined || (!inlineValue && /^-./.test(value))) {
      throw wrongArgument(
        `--${name} needs a value.`,
        'None follows it.',
        `Write --${name} ${option.value}; a value that begins with - as --${name}=-value.`,
      );
    }
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  if (words.length > (command.words?.most ?? 0)) throw strayWord(command.words);
  const values = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      option.type === 'boolean'
        ? given.has(name)
        : readValue(name, option, given.get(name) ?? [], cwd),
    ]),
  );
  return { values: values as Args<O>['values'], words, given: new Set(given.keys()) };
}
