import { AppError, ConfigError, describeError, EXIT, GateError } from '../../errors.ts';
import { closest } from '../closest.ts';
import { explainSystemError } from '../files/system-errors.ts';
import {
  type AnyDefinition,
  type CommandGroup,
  type Io,
  isGroup,
  type Program,
} from './definition.ts';
import { helpText } from './help.ts';
import { parse } from './parse.ts';
import { refuseSecretArguments } from './secret-arguments.ts';

const HELP = ['--help', '-h'];

/** The command that arguments name, the words that led to it, and its own arguments. */
export interface Found {
  definition: AnyDefinition;
  path: readonly string[];
  rest: readonly string[];
}

/** Follows the first arguments into groups, as far as their names are known. */
export function findCommand(
  definition: AnyDefinition,
  args: readonly string[],
  path: readonly string[] = [],
): Found {
  const [name] = args;
  const next = isGroup(definition)
    ? definition.commands.find((one) => one.name === name)
    : undefined;
  if (!next) return { definition, path, rest: args };
  return findCommand(next, args.slice(1), [...path, next.name]);
}

function unknownMember({ commands, member }: CommandGroup, name: string | undefined): ConfigError {
  const names = commands.map((command) => command.name);
  const meant = name === undefined ? undefined : closest(name, names);
  return new ConfigError({
    code: member.code,
    what: name === undefined ? `No ${member.name} was given.` : `There is no such ${member.name}.`,
    why: `The first word says which ${member.name} is meant.`,
    fix: `${meant === undefined ? '' : `Did you mean ${meant}? `}Use one of: ${names.join(', ')}.`,
  });
}

const interrupted = (): GateError =>
  new GateError({
    code: 'command-interrupted',
    what: 'The command was interrupted.',
    why: 'A person or the scheduler stopped it.',
    fix: 'Run it again.',
  });

/**
 * Runs the command that arguments name: prints its help, refuses keys among the arguments, parses
 * them, and only then loads and runs it. Errors are written to standard error; a stack trace is
 * added by `--debug`.
 *
 * @returns the exit code; nothing is thrown.
 */
export async function runCommandLine(
  root: AnyDefinition,
  args: readonly string[],
  io: Io,
  program: Program,
): Promise<number> {
  const debug = args.includes('--debug');
  try {
    const { definition, path, rest } = findCommand(root, args);
    const [first] = rest;
    const asksHelp =
      HELP.some((one) => rest.includes(one)) || (isGroup(definition) && first === 'help');
    if (asksHelp || (isGroup(definition) && first === undefined)) {
      io.stdout.write(helpText(definition, path, program));
    }
    if (asksHelp) return EXIT.published;
    if (isGroup(definition)) throw unknownMember(definition, first);
    if (!definition.takesKeys) refuseSecretArguments(rest);
    const parsed = parse(definition, rest, io.cwd);
    await program.prepare?.(io);
    const { run } = await definition.load();
    return await run(parsed, io);
  } catch (cause) {
    const stopped = io.signal.aborted && (cause as Error | null)?.name === 'AbortError';
    const error = stopped ? interrupted() : (explainSystemError(cause) ?? cause);
    io.stderr.write(`${describeError(error, { debug })}\n`);
    return error instanceof AppError ? error.exitCode : EXIT.internal;
  }
}
