import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { COMMANDS } from '../../scripts/commands/index.ts';
import { NPM } from '../../src/cli/commands.ts';
import type { Io } from '../../src/lib/command-line/definition.ts';
import { runCommandLine } from '../../src/lib/command-line/run.ts';
import type { Ran } from './command.ts';

/** An `Io` that records its output, for a command that runs within this process. */
export function recordedIo({
  input = '',
  ...given
}: Partial<Pick<Io, 'env' | 'cwd' | 'signal'>> & { input?: string } = {}) {
  const printed = { stdout: '', stderr: '' };
  const record = (name: keyof typeof printed) =>
    new PassThrough().on('data', (chunk) => {
      printed[name] += chunk;
    });
  const io: Io = {
    stdin: Readable.from([input]),
    stdout: record('stdout'),
    stderr: record('stderr'),
    env: {},
    cwd: path.resolve('.'),
    signal: new AbortController().signal,
    ...given,
  };
  return { io, printed };
}

/**
 * Runs a command within this process, without its environment: the function that scripts/run.ts runs as a
 * process.
 */
export async function runHere(
  args: readonly string[],
  options: Parameters<typeof recordedIo>[0] = {},
): Promise<Ran> {
  const { io, printed } = recordedIo(options);
  const exitCode = await runCommandLine(COMMANDS, args, io, NPM);
  return { exitCode, ...printed };
}

/** The same with the arguments of `runCommand`, which runs it as a process. */
export const commandHere = (
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> => runHere([name, ...args], { env });
