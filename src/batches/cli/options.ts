import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { defaultConfigFile, type LoadedConfig, loadConfig } from '../../config/load.ts';
import { ConfigError } from '../../errors.ts';
import { storeExists } from '../store/identity.ts';
import { DEFAULT_STORE } from '../store/location.ts';
import { openStore, type Store } from '../store/open.ts';

/** Options that every command takes. */
export const COMMON = {
  config: { type: 'string' },
  store: { type: 'string', default: DEFAULT_STORE },
  help: { type: 'boolean', default: false },
  debug: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

export const textsOf = (values: Values, name: string): string[] => {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
};

export const wrongArgument = (name: string, why: string, fix: string): ConfigError =>
  new ConfigError({ code: 'argument-invalid', what: `--${name} cannot be used.`, why, fix });

export function wholeNumber(
  values: Values,
  name: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw wrongArgument(
    name,
    'It is no whole number in its range.',
    `Give a whole number from ${least} to ${most}.`,
  );
}

export function oneOf<T extends string>(values: Values, name: string, allowed: readonly T[]): T {
  const text = textOf(values, name);
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw wrongArgument(
    name,
    text === undefined ? 'It is missing.' : 'It is not one of the known values.',
    `Use one of: ${allowed.join(', ')}.`,
  );
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** `last`, or a moment as ISO 8601 in UTC; a day alone means its midnight in UTC. */
export function sinceOf(values: Values): string | undefined {
  const text = textOf(values, 'since');
  if (text === undefined || text === 'last') return text;
  const time = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) {
    throw wrongArgument('since', 'It lies in the future.', 'Name a moment that has passed.');
  }
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw wrongArgument(
    'since',
    'It is neither "last" nor a moment.',
    'Use "last", a day such as 2026-03-01, or a moment such as 2026-03-01T06:00:00Z.',
  );
}

/** The folders that the site's own folders are relative to. */
export function basesOf(values: Values): string[] {
  const config = textOf(values, 'config');
  return [process.cwd(), ...(config === undefined ? [] : [path.dirname(path.resolve(config))])];
}

/** The configuration, where one is named or stands in its usual place. */
export async function optionalConfig(values: Values): Promise<LoadedConfig | undefined> {
  const file = textOf(values, 'config') ?? defaultConfigFile();
  if (textOf(values, 'config') === undefined && !existsSync(file)) return undefined;
  return loadConfig({ file });
}

/** The configuration with the keys of the accounts that are going to be used. */
export function pullConfig(values: Values, account: string | undefined): Promise<LoadedConfig> {
  return loadConfig({
    file: textOf(values, 'config') ?? defaultConfigFile(),
    keysFor: 'accounts',
    accounts: account === undefined ? undefined : [account],
  });
}

export const storeFile = (values: Values): string => textOf(values, 'store') ?? DEFAULT_STORE;

/** Opens the history for a command that needs one to be there. */
export function existingStore(values: Values): Store {
  const file = storeFile(values);
  if (storeExists(file)) return openStore({ file, bases: basesOf(values) });
  throw new ConfigError({
    code: 'store-missing',
    what: `There is no history at ${file}.`,
    why: 'Nothing was pulled yet, or --store names another place.',
    fix: 'Run "npm run batches -- pull" first, or correct --store.',
  });
}

/** @throws {ConfigError} no account of that name is in the list. */
export function checkAccount(name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  throw wrongArgument(
    'account',
    'No account has this name.',
    known.length === 0 ? 'No account is known yet.' : `Known are: ${known.join(', ')}.`,
  );
}
