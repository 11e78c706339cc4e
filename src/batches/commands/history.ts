import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { defaultConfigFile } from '../../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { ConfigError } from '../../errors.ts';
import type { Io, OutputStream } from '../../lib/command-line/definition.ts';
import { checkLocalPath, wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { storeExists } from '../store/identity.ts';
import { type HistoryStore, openStore } from '../store/open.ts';

/** Options of every command of the history: its configuration and the location of the history. */
interface Common {
  config: string | undefined;
  store: string;
}

export const print = (stream: OutputStream, lines: readonly string[]): void => {
  for (const line of lines) stream.write(`${line}\n`);
};

/**
 * A local path as it was typed, relative to this process's folder.
 *
 * @throws {ConfigError} it is empty, remote, or starts with `~`.
 */
export function fromHere(io: Io, typed: string, option: 'store' | 'output'): string {
  checkLocalPath(option, typed);
  return path.isAbsolute(typed) ? typed : path.join(path.relative(process.cwd(), io.cwd), typed);
}

const momentSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** `last`, or a moment as ISO 8601 in UTC; a day alone means its midnight in UTC. */
export function sinceOf(text: string | undefined): string | undefined {
  if (text === undefined || text === 'last') return text;
  const time = momentSchema.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) {
    throw wrongValue('since', 'It lies in the future.', 'Name a moment that has passed.');
  }
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw wrongValue(
    'since',
    'It is neither "last" nor a moment.',
    'Use "last", a day such as 2026-03-01, or a moment such as 2026-03-01T06:00:00Z.',
  );
}

/** The folders that the site's own folders are relative to. */
export const basesOf = ({ config }: Common, { cwd }: Io): string[] => [
  cwd,
  ...(config === undefined ? [] : [path.dirname(config)]),
];

/** The configuration, where one is named or stands in its usual place. */
export async function optionalConfig(
  { config }: Common,
  { cwd, env }: Io,
): Promise<LoadedConfig | undefined> {
  const file = config ?? path.resolve(cwd, defaultConfigFile(env));
  if (config === undefined && !existsSync(file)) return undefined;
  return loadConfig({ file, env });
}

/** Opens the history for a command that needs one to be there. */
export function existingStore(values: Common, io: Io): HistoryStore {
  const file = fromHere(io, values.store, 'store');
  if (storeExists(file)) {
    const store = openStore({ file, bases: basesOf(values, io) });
    print(io.stderr, store.notes);
    return store;
  }
  throw new ConfigError({
    code: 'store-missing',
    what: `There is no history at ${file}.`,
    why: 'Nothing was pulled yet, or --store names another place.',
    fix: 'Run "npm run batches -- pull" first, or correct --store.',
  });
}

/** @throws {ConfigError} no account of that name is in the list. */
export function checkAccount(
  name: string | undefined,
  known: readonly string[],
  why = 'No account has this name.',
): void {
  if (name === undefined || known.includes(name)) return;
  throw wrongValue(
    'account',
    why,
    known.length === 0 ? 'No account is known yet.' : `Known are: ${known.join(', ')}.`,
  );
}

/** @throws {ConfigError} the history knows no account of that name. */
export function checkKnownAccount(name: string | undefined, { db }: HistoryStore): void {
  const rows = db.prepare('SELECT name FROM account').all();
  checkAccount(
    name,
    rows.map((row) => String(row.name)),
    'No pull has stored anything of an account with this name.',
  );
}
