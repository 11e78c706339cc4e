import type { CommanderError } from 'commander';
import { ConfigError } from '../../errors.ts';
import { type AnyDefinition, type Command, isGroup, optionsOf } from './definition.ts';

const LIST = '--help lists all options.';

/** Error about an option's value. The message does not contain the value, which may be personal data. */
export const wrongValue = (name: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'argument-invalid', what: `--${name} cannot be used.`, why, fix });

/** A prefix such as `s3:` or `me@host:`. A single letter is a Windows drive. */
const REMOTE = /^[^\\/]{2,}:[\\/]/;

/** Whether a path is on this machine and needs no shell. */
export const isLocalPath = (typed: string): boolean =>
  !REMOTE.test(typed) && !typed.startsWith('~');

/**
 * Checks a path that an option names.
 *
 * @throws {ConfigError} the shell or another program would interpret it differently, and a command would
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
      'It begins with a ~ that the shell did not expand. A folder named ~ would be created.',
      'Write the full path, such as /home/me/site. For a name that begins with ~, write ./~name.',
    );
  }
}

export const optionMissing = (name: string): ConfigError =>
  new ConfigError({
    code: 'argument-invalid',
    what: `--${name} is missing.`,
    why: 'The command needs this option.',
    fix: LIST,
  });

const wrongArgument = (what: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'argument-unknown', what, why, fix });

export const valueMissing = (flags: string): ConfigError =>
  wrongArgument(
    `${flags.split(' ')[0]} has no value.`,
    'The option needs one.',
    `Write ${flags.replace(/[<>]/g, '')}.`,
  );

function unknownOption(
  definition: AnyDefinition,
  typed: string,
  suggestion: string | undefined,
): ConfigError {
  // The message repeats the text only if it looks like a name. It could be a value.
  const [, name] = /^(--?[a-z][a-z-]{0,30})(?:=|$)/i.exec(typed) ?? [];
  if (
    name !== undefined &&
    !isGroup(definition) &&
    Object.hasOwn(optionsOf(definition), name.slice(2))
  ) {
    return wrongArgument(`${name} takes no value.`, 'A value follows it.', LIST);
  }
  return wrongArgument(
    name === undefined ? 'One of the options is unknown.' : `There is no option ${name}.`,
    'The command does not have it.',
    suggestion === undefined ? LIST : `Did you mean ${suggestion}? ${LIST}`,
  );
}

/**
 * Error about the first option that npm kept: `npm run deploy --dry-run` without a separate `--`. npm stores
 * it in a variable. Without this error, the command would run without the option.
 */
export function takenByNpm(
  command: Pick<Command, 'options'>,
  env: NodeJS.ProcessEnv,
  lineWith: (args: string) => string,
): ConfigError | undefined {
  const taken = Object.entries(optionsOf(command)).find(([name]) => {
    const variable = (option: string) => env[`npm_config_${option.replaceAll('-', '_')}`];
    // npm stores `--no-x` as an empty variable for x.
    if (name.startsWith('no-') && variable(name.slice(3)) === '') return true;
    const value = variable(name) ?? '';
    // npm always sets the variable of its option --cache.
    return name !== 'cache' && value !== '' && value !== 'false';
  });
  if (!taken) return undefined;
  const [name, { value }] = taken;
  return wrongArgument(
    `npm took --${name} as its own option.`,
    'It passes on only arguments after a separate --.',
    // In PowerShell, older versions of npm lose a -- that is not quoted.
    `Write: ${lineWith(value === undefined ? `--${name}` : `--${name} ${value}`)} (in PowerShell, update npm or put the separate -- in quotation marks)`,
  );
}

export const tooManyPositionals = ({ positionals }: Pick<Command, 'positionals'>): ConfigError =>
  wrongArgument(
    'There are too many arguments.',
    positionals
      ? `Without an option, the command takes at most ${positionals.most} ${positionals.name}.`
      : 'Options begin with --.',
    `Put values with spaces in quotes, such as --title "Our Cars". ${LIST}`,
  );

/** Converts an error of commander. Its message may contain a value, so only the names in it are used. */
export function wrongArguments(
  { code, message }: CommanderError,
  definition: AnyDefinition,
): ConfigError | undefined {
  const [, typed = ''] = /'([^']*)'/.exec(message) ?? [];
  const [, suggestion] = /\(Did you mean (?:one of )?([^,?)]+)/.exec(message) ?? [];
  if (code === 'commander.unknownOption') return unknownOption(definition, typed, suggestion);
  if (code === 'commander.optionMissingArgument') return valueMissing(typed);
  if (!isGroup(definition)) return undefined;
  const { member, commands } = definition;
  const isMissing = code === 'commander.help';
  return new ConfigError({
    code: member.code,
    what: isMissing ? `No ${member.name} was given.` : `There is no such ${member.name}.`,
    why: `The first argument is the name of a ${member.name}.`,
    fix: `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Use one of: ${commands.map(({ name }) => name).join(', ')}.`,
  });
}
