import { CommanderError } from 'commander';
import type { Args, Command, Options } from '../../src/lib/command-line/definition.ts';
import { parserFor } from '../../src/lib/command-line/parser.ts';
import { wrongArguments } from '../../src/lib/command-line/wrong-argument.ts';

/** Parsed arguments of a command, without running it. */
export async function parseWith<O extends Options>(
  command: Command<O>,
  args: readonly string[],
  cwd: string,
): Promise<Args<O>> {
  let parsed: Args | undefined;
  const parser = parserFor(command, {
    program: { line: () => '' },
    cwd,
    write: () => {},
    run: async (_, found) => {
      parsed = found;
    },
  });
  try {
    await parser.parseAsync(args, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? (wrongArguments(error, command) ?? error) : error;
  }
  return parsed as Args<O>;
}
