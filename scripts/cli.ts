/** What every command does the same way: arguments, help, errors, Ctrl-C. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../src/config/load.ts';
import { AppError, ConfigError, describeError, EXIT, printable } from '../src/errors.ts';

export interface Command<O extends NonNullable<ParseArgsConfig['options']>> {
  /** Text of --help. */
  usage: string;
  options: O;
}

type Values<O extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: O; strict: true; allowPositionals: true }>
>;

/** Names a key: arguments end up in process lists and logs, so keys are refused there. */
const KEY_NAME =
  /^(?:--?[\w-]*?(?:key|token|secret|password|passwd)s?(?:=|$)|\w*?(?:key|token|secret|password|passwd)s?=)/i;

/** Is a key, in the form that MyVideos takes (interface 5). */
const KEY_VALUE = /\b[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}\b/i;

/** How an argument that holds a key is told without it; undefined for harmless ones. */
function keyArgument(argument: string): string | undefined {
  const [name = ''] = argument.split('=');
  // A key may also hide in an address: `--config=https://…?apiKey=…`.
  if (KEY_NAME.test(argument) || /[?&]api_?key=/i.test(argument)) {
    return printable(name.replace(KEY_VALUE, '…').slice(0, 40));
  }
  return KEY_VALUE.test(argument) ? 'a value in the form of a key' : undefined;
}

/**
 * Runs a command: parses its arguments, prints its help, tells its errors without a stack trace
 * (`--debug` shows it), and sets the exit code. Ctrl-C and SIGTERM abort `signal` once; a second
 * one ends the process at once.
 */
export async function runCommand<O extends NonNullable<ParseArgsConfig['options']>>(
  { usage, options }: Command<O>,
  main: (args: Values<O>, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const argv = process.argv.slice(2);
  const debug = argv.includes('--debug');
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(usage.trim());
    return;
  }
  loadEnvironmentFile();
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort();
      process.once(signal, () => process.exit(130));
    });
  }
  try {
    const forbidden = argv.map(keyArgument).find((told) => told !== undefined);
    if (forbidden !== undefined) {
      throw new ConfigError({
        code: 'argument-secret',
        what: `Keys are not taken as arguments (${forbidden}).`,
        why: 'Arguments can be read by every process of the machine and end up in logs.',
        fix: 'Put the key into .env or the environment, under the name that apiKeyEnv gives.',
      });
    }
    process.exitCode = await main(parse(argv, options), controller.signal);
  } catch (error) {
    console.error(describeError(error, { debug }));
    process.exitCode = error instanceof AppError ? error.exitCode : EXIT.internal;
  }
}

function parse<O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
): Values<O> {
  try {
    return parseArgs({
      args,
      options: { debug: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, ...options },
      strict: true,
      allowPositionals: true,
    }) as Values<O>;
  } catch (cause) {
    throw new ConfigError({
      code: 'argument-unknown',
      what: cause instanceof Error ? cause.message : String(cause),
      fix: 'Use --help to see what the command takes.',
      cause,
    });
  }
}
