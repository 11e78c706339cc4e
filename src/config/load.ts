import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import {
  type DeploySettings,
  deploySettingsOf,
  indexNowAddressOf,
  missingSettings,
  settingNames,
} from './deploy-settings.ts';
import { type EnginesConfig, enginesOf } from './engines.ts';
import { lineOfImportError, parseJson } from './error-line.ts';
import { exposing, type Problem } from './exposing.ts';
import { HASH_KEY_VARIABLE, hashKeyOf } from './hash-key.ts';
import { importDefault } from './import-file.ts';
import { settledStock } from './region.ts';
import {
  type AccountConfig,
  type Config,
  configSchema,
  crossCheck,
  type DealerConfig,
} from './schema.ts';
import { Secret } from './secret.ts';

/** The configuration that commands read when none is named: `SITE_CONFIG`, or the one of a checkout. */
export function defaultConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  return env.SITE_CONFIG || 'site.config.ts';
}

/** The folder that is kept between builds when none is named: `SITE_CACHE`, or the one of a checkout. */
export function defaultCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.SITE_CACHE || '.cache';
}

/** Where the site goes, from `DEPLOY_TO`: see `hosts.ts`; undefined where it is not set. */
export function deployTarget(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.DEPLOY_TO?.trim() || undefined;
}

/**
 * Adds the variables of a `.env` file to the environment, where there is one; set ones win, except
 * those that `override` names.
 */
export function loadEnvironmentFile(
  file = '.env',
  {
    override = [],
    env = process.env,
  }: { override?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): void {
  for (const name of override) delete env[name];
  try {
    const found = parseEnv(readFileSync(file, 'utf8'));
    for (const [name, value] of Object.entries(found)) env[name] ??= value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** A key from the environment; undefined where the variable is empty or not set. */
export function keyFromEnvironment(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): Secret | undefined {
  const value = env[name]?.trim() ?? '';
  return value === '' ? undefined : new Secret(value);
}

/** Facts of the environment that change how a command speaks, read here and nowhere else. */
export function ciEnvironment(env: NodeJS.ProcessEnv = process.env) {
  return {
    githubActions: env.GITHUB_ACTIONS === 'true',
    /** File that GitHub Actions shows as the summary of a job. */
    stepSummary: env.GITHUB_STEP_SUMMARY || undefined,
    noColor: env.NO_COLOR !== undefined && env.NO_COLOR !== '',
  };
}

/** Whether this is continuous integration, where standard output is usually kept as a log. */
export function runsInCi(env: NodeJS.ProcessEnv = process.env): boolean {
  return !['', '0', 'false'].includes((env.CI ?? '').trim().toLowerCase());
}

/**
 * The key for keyed hashes of personal data, from `BATCH_HASH_KEY`; undefined where it is not set.
 *
 * @throws {ConfigError} it is shorter than 32 characters.
 */
export function readHashKey(env: NodeJS.ProcessEnv = process.env): Secret | undefined {
  return hashKeyOf(env[HASH_KEY_VARIABLE]);
}

/** Names of the variables that a deploy to a host needs: those that are missing, and those that are set. */
export function deploySettingsSet(
  host: keyof DeploySettings,
  env: NodeJS.ProcessEnv = process.env,
): { missing: string[]; set: string[] } {
  const missing = missingSettings(host, env);
  const isSet = (name: string) => (env[name]?.trim() ?? '') !== '';
  return { missing, set: settingNames(host).filter(isSet) };
}

/**
 * Place and keys of a deploy to a host.
 *
 * @throws {ConfigError} naming what is missing or wrong, or what in the environment would give keys away.
 */
export function deploySettings<H extends keyof DeploySettings>(
  host: H,
  env: NodeJS.ProcessEnv = process.env,
): DeploySettings[H] {
  const [problem] = host === 'folder' ? [] : exposing(env);
  if (problem) {
    throw new ConfigError({
      code: 'deploy-settings',
      what: `${problem.path} would give away what a deploy is let in by.`,
      why: 'It prints what is sent, or sends it to whoever answers in the name of the host.',
      fix: 'Unset it.',
    });
  }
  return deploySettingsOf(host, env);
}

/** Where changed addresses are told. @throws {ConfigError} `INDEXNOW_URL` cannot be used. */
export function indexNowAddress(env: NodeJS.ProcessEnv = process.env): string {
  return indexNowAddressOf(env);
}

/**
 * The queue and the store that several machines share, from `QUEUE_URL`, `STORE_URL` and the usual
 * `AWS_` variables; empty where they are not set.
 *
 * @throws {ConfigError} one of them cannot be used.
 */
export function readEngines(env: NodeJS.ProcessEnv = process.env): EnginesConfig {
  return enginesOf(env);
}

/** Whether machines share a queue or a store, whether or not it can be used. */
export const sharesEngines = (env: NodeJS.ProcessEnv = process.env): boolean =>
  [env.QUEUE_URL, env.STORE_URL].some((variable) => variable?.trim());

/** Which keys a command is going to use. Only those must be in the environment. */
export type KeysFor = 'dealers' | 'accounts' | 'none';

export interface LoadOptions {
  /** Path of the file, absolute or from the working folder. */
  file: string;
  keysFor?: KeysFor;
  /** Names of the accounts that are going to be used; without it, all of them. */
  accounts?: readonly string[] | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

/** A dealer or account with the key that its `apiKeyEnv` names. */
export type WithKey<T> = T & { readonly apiKey: Secret };

export interface LoadedConfig extends Omit<Config, 'dealers' | 'accounts'> {
  readonly file: string;
  readonly dealers: readonly WithKey<DealerConfig>[];
  readonly accounts: readonly WithKey<AccountConfig>[];
}

async function readConfigFile(file: string): Promise<unknown> {
  const extension = path.extname(file).toLowerCase();
  try {
    if (extension === '.json') return parseJson(await readFile(file, 'utf8'));
    if (['.ts', '.js', '.mjs', '.mts'].includes(extension)) {
      const exported = await importDefault(file);
      if (exported !== undefined) return exported;
      throw new Error('the file has no default export');
    }
  } catch (cause) {
    const place = await lineOfImportError(file, cause);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError({
      code: 'config-unreadable',
      what: `The configuration ${file} could not be read.`,
      why: place === undefined ? reason : `${place}: ${reason}`,
      fix: 'Check that the file exists and is valid; "npm run init" writes a new one.',
      cause,
    });
  }
  throw new ConfigError({
    code: 'config-extension',
    what: `The configuration ${file} is of no known kind.`,
    why: `Its name ends in "${extension}".`,
    fix: 'Use a file that ends in .ts, .js or .json.',
  });
}

const label = (issuePath: readonly PropertyKey[]): string =>
  issuePath.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`,
    '',
  ) || '(the whole file)';

function tellIssue(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: label([...issue.path, key]),
      message: 'is not a known setting; check the spelling (docs/configuration.md lists them all)',
    }));
  }
  return [{ path: label(issue.path), message: issue.message }];
}

/** The one door through which every problem of a configuration is told: all at once, with path. */
function wrongConfig(file: string, problems: readonly Problem[]): ConfigError {
  const lines = problems.map(({ path: where, message }) => `- ${where}: ${message}`);
  return new ConfigError({
    code: 'config-invalid',
    what: `The configuration ${file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    fix: 'Correct these settings and run the command again. docs/configuration.md explains each.',
  });
}

function attachKeys<T extends { apiKeyEnv: string }>(
  list: readonly T[],
  name: 'dealers' | 'accounts',
  {
    needed,
    env,
    problems,
  }: { needed: (entry: T) => boolean; env: NodeJS.ProcessEnv; problems: Problem[] },
): WithKey<T>[] {
  return list.map((entry, index) => {
    const value = env[entry.apiKeyEnv]?.trim() ?? '';
    if (needed(entry) && value === '') {
      problems.push({
        path: `${name}[${index}].apiKeyEnv`,
        message: `names the environment variable ${entry.apiKeyEnv}, which is not set; put it into .env or the CI's secrets`,
      });
    }
    const apiKey = new Secret(value);
    if (needed(entry) && value !== '' && apiKey.forms().length === 0) {
      problems.push({
        path: `${name}[${index}].apiKeyEnv`,
        message: `names the environment variable ${entry.apiKeyEnv}, whose value is too short for a key: it could not be told from ordinary text where it must not stand`,
      });
    }
    return { ...entry, apiKey };
  });
}

/** Keys that are not set, of a configuration that is wrong elsewhere: all problems are told at once. */
function missingKeys(
  raw: unknown,
  name: 'dealers' | 'accounts',
  env: NodeJS.ProcessEnv,
): Problem[] {
  const list: unknown = (raw as Record<string, unknown> | null)?.[name];
  const named = (Array.isArray(list) ? list : []).map((entry: unknown) => ({
    apiKeyEnv: String((entry as { apiKeyEnv?: unknown } | null)?.apiKeyEnv ?? ''),
  }));
  const problems: Problem[] = [];
  attachKeys(named, name, { needed: () => true, env, problems });
  return problems.filter((_, index) => named[index]?.apiKeyEnv !== '');
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Checks a configuration that is already in memory. Throws a {@link ConfigError} with every problem. */
export function resolveConfig(
  raw: unknown,
  { file, keysFor = 'none', accounts: only, env = process.env }: LoadOptions,
): LoadedConfig {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    const missing = keysFor === 'none' ? [] : missingKeys(raw, keysFor, env);
    throw wrongConfig(file, [...parsed.error.issues.flatMap(tellIssue), ...missing]);
  }
  const problems: Problem[] = crossCheck(parsed.data);
  if (keysFor !== 'none') problems.push(...exposing(env));
  const { locale } = parsed.data.site;
  const settled = parsed.data.dealers.map((dealer) =>
    dealer.stock ? { ...dealer, stock: settledStock(dealer.stock, locale) } : dealer,
  );
  const dealers = attachKeys(settled, 'dealers', {
    needed: () => keysFor === 'dealers',
    env,
    problems,
  });
  const accounts = attachKeys(parsed.data.accounts, 'accounts', {
    needed: ({ name }) => keysFor === 'accounts' && (only?.includes(name) ?? true),
    env,
    problems,
  });
  if (keysFor !== 'none' && parsed.data[keysFor].length === 0) {
    problems.push({ path: keysFor, message: 'is empty; name at least one' });
  }
  if (problems.length > 0) throw wrongConfig(file, problems);
  return deepFreeze({ ...parsed.data, file, dealers, accounts });
}

/**
 * Reads a configuration file once, checks it, and takes the keys from the environment.
 * Throws a {@link ConfigError} that lists every problem with its path; no network is used.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const file = path.resolve(options.file);
  return resolveConfig(await readConfigFile(file), { ...options, file });
}
