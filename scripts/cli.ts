/** What every command does the same way: arguments, help, errors, Ctrl-C. */
import path from 'node:path';
import { inspect, type ParseArgsConfig, parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../src/config/load.ts';
import {
  AppError,
  ConfigError,
  describeError,
  EXIT,
  GateError,
  printable,
  printableLines,
} from '../src/errors.ts';
import { explainSystemError, reasonOf } from '../src/lib/files/system-errors.ts';

export interface Command<O extends NonNullable<ParseArgsConfig['options']>> {
  /** Text of --help. */
  usage: string;
  options: O;
  /** The command takes keys that are no secrets: those of the sample service. */
  takesKeys?: boolean;
  /** The command takes words without a flag, such as folders. */
  takesWords?: boolean;
}

type Values<O extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: O; strict: true; allowPositionals: true }>
>;

/**
 * Lets a command live on when whoever read its output has gone, as `head` does: what it does counts,
 * not who listens. Output that is lost for another reason is told, and is no success.
 */
export function outliveReaders(): void {
  let lost = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || lost) return;
      lost = true;
      process.once('exit', () => {
        process.exitCode ||= EXIT.config;
      });
      if (stream === process.stderr) return;
      const told = new ConfigError({
        code: 'output-lost',
        what: 'What this command prints could not be written.',
        why: reasonOf(error),
        fix: 'Send its output elsewhere. What else it did is done.',
      });
      console.error(describeError(told));
    });
  }
}

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
  { usage, options, takesKeys = false, takesWords = false }: Command<O>,
  main: (args: Values<O>, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  outliveReaders();
  const argv = process.argv.slice(2);
  const debug = argv.includes('--debug');
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(usage.trim());
    if (!usage.includes('--debug')) console.log('\n--debug shows stack traces, --help this text.');
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
    const forbidden = takesKeys
      ? undefined
      : argv.map(keyArgument).find((told) => told !== undefined);
    if (forbidden !== undefined) {
      throw new ConfigError({
        code: 'argument-secret',
        what: `Keys are not taken as arguments (${forbidden}).`,
        why: 'Arguments can be read by every process of the machine and end up in logs.',
        fix: 'Put the key into .env or the environment, under the name that apiKeyEnv gives.',
      });
    }
    process.exitCode = await main(parse(argv, options, takesWords), controller.signal);
  } catch (cause) {
    const stopped = controller.signal.aborted && (cause as Error | null)?.name === 'AbortError';
    const error = stopped ? interrupted() : (explainSystemError(cause) ?? cause);
    console.error(describeError(error, { debug }));
    process.exitCode = error instanceof AppError ? error.exitCode : EXIT.internal;
  }
}

const interrupted = (): GateError =>
  new GateError({
    code: 'command-interrupted',
    what: 'The command was interrupted.',
    why: 'A person or the scheduler stopped it.',
    fix: 'Run it again.',
  });

/**
 * Reads arguments.
 *
 * @throws ConfigError where one is unknown, lacks its value, or belongs to nothing
 */
export function parse<O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
  takesWords = false,
): Values<O> {
  let parsed: Values<O>;
  try {
    parsed = parseArgs({
      args,
      options: { debug: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, ...options },
      strict: true,
      allowPositionals: true,
    }) as Values<O>;
  } catch (cause) {
    const [what = ''] = (cause instanceof Error ? cause.message : String(cause)).split('. ');
    throw new ConfigError({
      code: 'argument-unknown',
      what: `${what.replace(/\.$/, '')}.`,
      why: 'The command does not know it, or it stands with too much or too little.',
      fix: 'Use --help to see what the command takes.',
      cause,
    });
  }
  if (parsed.positionals.length > 0 && !takesWords) {
    throw new ConfigError({
      code: 'argument-unknown',
      what: 'There are words that belong to no flag.',
      why: 'Every argument begins with --, and a value with spaces needs quotes.',
      fix: 'Write such as --title "Our Cars"; --help lists what the command takes.',
    });
  }
  return parsed;
}

/**
 * The value of an option that is a whole number.
 *
 * @throws ConfigError where it is none, or not from `least` to `most`
 */
export function wholeNumber(
  name: string,
  text: string,
  most = Number.MAX_SAFE_INTEGER,
  least = 0,
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new ConfigError({
    code: 'argument-invalid',
    what: `--${name} cannot be used.`,
    why: 'It is no whole number in its range.',
    fix: `Give a whole number from ${least} to ${most}.`,
  });
}

/** The highest port there is. */
export const LAST_PORT = 65_535;

/** Tells why nothing was published; with `--debug` also where, and the error below it. */
export function tellFailure(error: unknown): void {
  const debug = process.argv.includes('--debug');
  console.error(describeError(error, { debug }));
  if (debug && error instanceof AppError && error.cause) {
    console.error(printableLines(inspect(error.cause)));
  }
}

const shownFolder = (output: string): string =>
  path.relative(process.cwd(), path.resolve(output)) || '.';

/** Where a change set is, and what takes it, in one line. */
export function changesText(output: string): string {
  const folder = shownFolder(output);
  const named = folder === '_changes' ? '' : ` -- --folder ${folder}`;
  return `What changed is in ${folder}, not online yet. Send it: npm run deploy${named}`;
}

/** Where a finished site is, and how to look at it, in one line. */
export function placeText(output: string): string {
  const folder = shownFolder(output);
  const named = folder === '_site' ? '' : ` -- --output ${folder}`;
  return `The site is in ${folder}, not online yet (docs/hosting.md). Look: npm run preview${named}`;
}
