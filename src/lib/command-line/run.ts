import { CommanderError } from 'commander';
import { AppError, ConfigError, describeError, EXIT, firstError, GateError } from '../../errors.ts';
import { explainSystemError } from '../files/system-errors.ts';
import { printable } from '../terminal/printable.ts';
import { type AnyDefinition, type Io, isGroup, type Program } from './definition.ts';
import { parserFor } from './parser.ts';
import { takenByNpm, wrongArguments } from './wrong-argument.ts';

/** Names of keys. Arguments are visible in process lists and logs, so keys are refused. */
const KEY_NAME =
  /^(?:--?[\w-]*?(?:key|token|secret|password|passwd)s?(?:=|$)|\w*?(?:key|token|secret|password|passwd)s?=)/i;

/** A key in its most common form, 8-4-4-4-12. */
const KEY_VALUE = /\b[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}\b/i;

/** Description of an argument with a key, without the key. Undefined for harmless arguments. */
function keyArgument(argument: string): string | undefined {
  const [name = ''] = argument.split('=');
  // A key may also be part of a URL: `--config=https://…?apiKey=…`.
  if (KEY_NAME.test(argument) || /[?&]api_?key=/i.test(argument)) {
    return printable(name.replace(KEY_VALUE, '…').slice(0, 40));
  }
  return KEY_VALUE.test(argument) ? 'a value in the form of a key' : undefined;
}

/** @throws {ConfigError} `argument-secret`: an argument is a key. */
function refuseSecretArguments(args: readonly string[]): void {
  const description = args.map(keyArgument).find((candidate) => candidate !== undefined);
  if (description === undefined) return;
  throw new ConfigError({
    code: 'argument-secret',
    what: `Keys are not accepted as arguments (${description}).`,
    why: 'Every process of the machine can read arguments, and logs contain them.',
    fix: 'Put the key into .env or the environment. The setting apiKeyEnv has the name of the variable.',
  });
}

/** The command or group that the first arguments name. */
function findCommand(definition: AnyDefinition, [name, ...rest]: readonly string[]): AnyDefinition {
  const next = isGroup(definition)
    ? definition.commands.find((candidate) => candidate.name === name)
    : undefined;
  return next ? findCommand(next, rest) : definition;
}

const interrupted = (): GateError =>
  new GateError({
    code: 'command-interrupted',
    what: 'The command was interrupted.',
    why: 'A user or the scheduler stopped it.',
    fix: 'Run it again.',
  });

/** Writes an error to standard error. Returns the exit code. */
function reportError(
  thrown: unknown,
  { definition, io, debug }: { definition: AnyDefinition; io: Io; debug: boolean },
): number {
  const cause = firstError(thrown);
  let error = explainSystemError(cause) ?? cause;
  if (io.signal.aborted && (cause as Error | null)?.name === 'AbortError') error = interrupted();
  if (cause instanceof CommanderError) {
    if (cause.exitCode === 0) return EXIT.published;
    error = wrongArguments(cause, definition) ?? cause;
  }
  io.stderr.write(`${describeError(error, { debug })}\n`);
  return error instanceof AppError ? error.exitCode : EXIT.internal;
}

/**
 * Runs the command that the arguments name. Refuses keys among them, parses them or prints help, and only
 * then loads and runs the command. Writes errors to standard error, with a stack trace if `--debug` is given.
 *
 * @returns the exit code. It never throws.
 */
export async function runCommandLine(
  root: AnyDefinition,
  args: readonly string[],
  io: Io,
  program: Program,
): Promise<number> {
  const definition = findCommand(root, args);
  let exitCode: number = EXIT.published;
  const parser = parserFor(root, {
    program,
    cwd: io.cwd,
    write: (text) => io.stdout.write(text),
    run: async (command, parsed) => {
      await program.prepare?.(io);
      const { run } = await command.load();
      exitCode = await run(parsed, io);
    },
  });
  try {
    refuseSecretArguments(args);
    if (!isGroup(definition) && io.env.npm_lifecycle_event === args[0]) {
      const words = args.slice(0, args.indexOf(definition.name) + 1);
      const taken = takenByNpm(definition, io.env, (option) =>
        program.line(words, option, definition),
      );
      if (taken) throw taken;
    }
    await parser.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (cause) {
    return reportError(cause, { definition, io, debug: args.includes('--debug') });
  }
}
