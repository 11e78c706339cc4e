import { once } from 'node:events';
import { ConfigError, describeError, EXIT } from '../../errors.ts';
import { reasonOf } from '../files/system-errors.ts';
import type { AnyDefinition, Program } from './definition.ts';
import { runCommandLine } from './run.ts';

/**
 * Lets a command finish its work after the reader of its output closed the pipe, as `head` does. Any other
 * failure to write is reported and makes the command fail.
 */
function ignoreEpipe(): void {
  let isReported = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || isReported) return;
      isReported = true;
      process.once('exit', () => {
        process.exitCode ||= EXIT.config;
      });
      if (stream === process.stderr) return;
      const report = new ConfigError({
        code: 'output-lost',
        what: 'Could not write the output.',
        why: reasonOf(error),
        fix: "Redirect it. The command's other work is complete.",
      });
      console.error(describeError(report));
    });
  }
}

/**
 * Runs a command as this process and sets its exit code. Ctrl-C and SIGTERM abort the command's signal
 * once. A second one ends the process at once.
 *
 * @param root the command, or all commands as a group.
 */
export async function runProcess(
  root: AnyDefinition,
  args: readonly string[],
  { env, program }: { env: NodeJS.ProcessEnv; program: Program },
): Promise<void> {
  ignoreEpipe();
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort();
      process.once(signal, () => process.exit(130));
    });
  }
  // npm passes SIGTERM to its shell, which may end without passing it on.
  if (env.npm_lifecycle_event === args[0]) {
    const shell = process.ppid;
    setInterval(() => process.ppid === shell || controller.abort(), 500).unref();
  }
  const { stdin, stdout, stderr } = process;
  const io = { stdin, stdout, stderr, env, cwd: process.cwd(), signal: controller.signal };
  process.exitCode = await runCommandLine(root, args, io, program);
  // Timers of custom pages, and connections to an unreachable Redis, would keep the process alive. The callback waits
  // until a slow reader has taken the output.
  setTimeout(() => process.stdout.write('', () => process.exit()), 1000).unref();
}

/** Resolves when a command's signal is aborted. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
