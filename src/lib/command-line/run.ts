import { CommanderError } from 'commander';
import { AppError, describeError, EXIT, GateError } from '../../errors.ts';
import { explainSystemError } from '../files/system-errors.ts';
import { type AnyDefinition, type Io, isGroup, type Program } from './definition.ts';
import { parserFor } from './parser.ts';
import { refuseSecretArguments } from './secret-arguments.ts';
import { wrongArguments } from './wrong-argument.ts';

/** The command or group that the first arguments name. */
export function findCommand(
  definition: AnyDefinition,
  [name, ...rest]: readonly string[],
): AnyDefinition {
  const next = isGroup(definition)
    ? definition.commands.find((one) => one.name === name)
    : undefined;
  return next ? findCommand(next, rest) : definition;
}

const interrupted = (): GateError =>
  new GateError({
    code: 'command-interrupted',
    what: 'The command was interrupted.',
    why: 'A person or the scheduler stopped it.',
    fix: 'Run it again.',
  });

/** Writes an error to standard error. Returns the exit code. */
function reported(
  cause: unknown,
  { definition, io, debug }: { definition: AnyDefinition; io: Io; debug: boolean },
): number {
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
 * Runs the command that the arguments name: refuses keys among them, parses them or prints help, and only
 * then loads and runs the command. Errors are written to standard error, with a stack trace if `--debug`
 * is given.
 *
 * @returns the exit code; nothing is thrown.
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
    writeError: (text) => io.stderr.write(text),
    run: async (command, parsed) => {
      await program.prepare?.(io);
      const { run } = await command.load();
      exitCode = await run(parsed, io);
    },
  });
  try {
    if (isGroup(definition) || !definition.takesKeys) refuseSecretArguments(args);
    await parser.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (cause) {
    return reported(cause, { definition, io, debug: args.includes('--debug') });
  }
}
