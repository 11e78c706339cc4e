import path from 'node:path';
import { AppError, ConfigError } from '../../errors.ts';
import type { Io, Options, OutputStream, Run, Values } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { explainSystemError } from '../../lib/files/system-errors.ts';
import { accountNames } from '../store/accounts.ts';
import {
  explainDamage,
  explainSqlite,
  type HistoryStore,
  openStore,
  storeExists,
} from '../store/open.ts';
import type { COMMON_OPTIONS } from './options.ts';

type Common = Values<typeof COMMON_OPTIONS>;

export const print = (stream: OutputStream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${line}\n`);
};

/** Prints a summary, unless `--quiet` is set. Data, warnings and errors are printed anyway. */
export function summarise({ quiet }: { quiet: boolean }, ...printed: Parameters<typeof print>) {
  if (!quiet) print(...printed);
}

/** Base folders of the site's relative paths. */
export const basesOf = ({ config }: Pick<Common, 'config'>, { cwd }: Io): string[] => [
  cwd,
  ...(config === undefined ? [] : [path.dirname(config)]),
];

export const missing = (file: string): ConfigError =>
  new ConfigError({
    code: 'store-missing',
    what: `There is no history at ${file}.`,
    why: 'Nothing was pulled yet, or --store names another file.',
    fix: 'Run "npm run batches -- pull" first, or correct --store.',
  });

/**
 * Opens an existing history. It does not read the configuration, so no mistake in it delays an erasure.
 *
 * @throws {ConfigError} `store-missing`, or the history does not have the account.
 */
export function existingStore(
  { store: file, account, config }: Pick<Common, 'store'> & { account?: string; config?: string },
  io: Io,
): HistoryStore {
  if (!storeExists(file)) throw missing(file);
  using opened = new DisposableStack();
  const store = opened.use(openStore({ file, bases: basesOf({ config }, io) }));
  print(io.stderr, store.notes);
  checkAccount(
    account,
    accountNames(store.db),
    'No pull has stored anything of an account with this name.',
  );
  opened.move();
  return store;
}

/** @throws {ConfigError} no account in the list has this name. */
export function checkAccount(
  name: string | undefined,
  names: readonly string[],
  why = 'No account has this name.',
): void {
  if (name === undefined || names.includes(name)) return;
  throw wrongValue(
    'account',
    why,
    names.length === 0 ? 'No account is known yet.' : `Known are: ${names.join(', ')}.`,
  );
}

/** Explains an error. The explanation never contains data of a record. */
export function explainError(error: unknown, file: string, debug: boolean): AppError {
  if (error instanceof AppError) return error;
  const explained = explainSqlite(error, file) ?? explainSystemError(error) ?? explainDamage(file);
  if (explained) return explained;
  const { name, stack = '' } = error as Error;
  const frames = (stack.match(/^ {4}at .*$/gm) ?? []).slice(0, debug ? 20 : 1);
  return new AppError({
    code: 'internal',
    what: `The command hit a bug: ${name}.`,
    why: frames.join('\n').trim() || 'The location is unknown.',
    fix: 'The failed step stored nothing. Run it again with --debug and report the output.',
  });
}

/**
 * Wraps a command of the history. Its errors contain no data of records, and only its user can read its files. This
 * includes files of SQLite and of other libraries.
 */
export const guarded =
  <O extends Options & typeof COMMON_OPTIONS>(run: Run<O>): Run<O> =>
  async (args, io) => {
    const { store, debug } = args.values as Common & { debug: boolean };
    const umask = process.umask(0o077);
    try {
      return await run(args, io);
    } catch (error) {
      if (io.signal.aborted && (error as Error | null)?.name === 'AbortError') throw error;
      throw explainError(error, store, debug);
    } finally {
      process.umask(umask);
    }
  };
