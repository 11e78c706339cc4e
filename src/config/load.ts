import { hash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { pathOf } from '../contract/parse.ts';
import { ConfigError, printable } from '../errors.ts';
import { closest } from '../lib/closest.ts';
import { cut } from '../lib/cut.ts';
import { PLAIN } from '../lib/plain-issue.ts';
import { crossCheck, repeatedNames } from './cross-check.ts';
import {
  type ConfigProblem,
  exposing,
  keyFromEnvironment,
  processEnvironment,
  SECRET_FOR_PLATES,
  SITE_SECRET_VARIABLE,
  similarlySet,
  valueIn,
  weakSiteSecret,
} from './environment.ts';
import { readConfigFile } from './read-file.ts';
import { type AccountConfig, type Config, configSchema, type DealerConfig } from './schema.ts';
import { Secret } from './secret.ts';

/** The keys that a command uses. Only these must be in the environment. */
type KeysFor = 'dealers' | 'accounts' | 'none';

interface LoadOptions {
  /** Path of the file, absolute or from the working folder. */
  file: string;
  keysFor?: KeysFor;
  /** Names of the accounts that are used. Default: all. */
  accounts?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/**
 * A dealer or account with the key that its `apiKeyEnv` names. `listKey` has the credentials for a dealer's stock list.
 */
export type WithKey<T> = T & { readonly apiKey: Secret; readonly listKey?: Secret };

export interface LoadedConfig extends Omit<Config, 'dealers' | 'accounts'> {
  readonly file: string;
  readonly dealers: readonly WithKey<DealerConfig>[];
  readonly accounts: readonly WithKey<AccountConfig>[];
  /** Signs the records of all dealers instead of their keys. From `SITE_SECRET`. */
  readonly siteSecret: Secret | undefined;
}

const label = (issuePath: readonly PropertyKey[]): string =>
  pathOf('', issuePath) || '(the whole file)';

/** The paths of all settings in a JSON Schema, such as `dealers[].contact.phone`, with their meanings. */
const settingsBelow = (schema: object, above = ''): [setting: string, meaning: string][] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    if (keyword !== 'properties') {
      return settingsBelow(value, keyword === 'items' ? `${above}[]` : above);
    }
    return Object.entries<{ description?: string }>(value).flatMap(([name, below]) => {
      const setting = above === '' ? name : `${above}.${name}`;
      return [[setting, below.description ?? ''], ...settingsBelow(below, setting)];
    });
  });

/**
 * The setting that an unknown one most likely means: a similar name in its section, a name whose meaning begins with it
 * (`site.language`), the only missing setting, or its name in another section.
 */
function likelySetting(
  section: readonly PropertyKey[],
  key: string,
  missing: readonly string[],
): string | undefined {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' });
  const settings = settingsBelow(schema);
  const above = section.length === 0 ? '' : `${label(section).replace(/\[\d+\]/g, '[]')}.`;
  const inSection = settings.filter(([setting]) => setting.startsWith(above));
  const named = inSection
    .map(([setting, meaning]) => [setting.slice(above.length), meaning.toLowerCase()] as const)
    .filter(([name]) => /^\w+$/.test(name));
  const names = named.map(([name]) => name);
  const [meant] = named.find(([, meaning]) => meaning.startsWith(key.toLowerCase())) ?? [];
  // At the top, a setting is more often in the wrong place than under a wrong name.
  const only = section.length > 0 && missing.length === 1 ? missing[0] : undefined;
  const ends = [`.${key}`, `.${key}Env`];
  const elsewhere = [...inSection, ...settings].find(([setting]) =>
    ends.some((end) => setting.endsWith(end)),
  );
  return closest(key, names) ?? meant ?? only ?? elsewhere?.[0];
}

/** The problems of an issue. Each unknown setting is a separate problem, with the most likely known name. */
function problemsOf(
  issue: z.core.$ZodIssue,
  _index: number,
  issues: readonly z.core.$ZodIssue[],
): ConfigProblem[] {
  const section = label(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path: section, message: issue.message }];
  const missing = issues
    .filter(({ path, message }) => label(path.slice(0, -1)) === section && /^is miss/.test(message))
    .map(({ path }) => String(path.at(-1)));
  return issue.keys.map((key) => {
    const suggestion = likelySetting(issue.path, key, missing);
    const hint = suggestion === undefined ? 'check the spelling' : `did you mean ${suggestion}?`;
    // A setting of a feed with another profile.
    const problem =
      suggestion === key
        ? 'does not fit the settings next to it'
        : `is not a known setting; ${hint}`;
    return {
      path: label([...issue.path, key]),
      message: `${problem} (docs/configuration.md lists them all)`,
    };
  });
}

/** The name of a setting's dealer or account, if there are several. */
function ownerText(raw: unknown, setting: string): string {
  const [, list = '', index] = /^(dealers|accounts)\[(\d+)\]/.exec(setting) ?? [];
  const { length, [Number(index)]: entry } = entriesOf(raw, list);
  return length > 1 && entry?.name ? ` (${cut(printable(String(entry.name)), 30)})` : '';
}

/** The error with every problem of a configuration and its path. */
function wrongConfig(file: string, raw: unknown, problems: readonly ConfigProblem[]): ConfigError {
  const lines = problems.map(
    ({ path: setting, message }) => `- ${setting}${ownerText(raw, setting)}: ${message}`,
  );
  return new ConfigError({
    code: 'config-invalid',
    what: `The configuration ${file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${lines.join('\n')}`,
    fix: 'Correct these settings and run the command again. docs/configuration.md explains each.',
  });
}

const keyOf = (variable: string, env: NodeJS.ProcessEnv): Secret =>
  new Secret(valueIn(env, variable));

/** Problems of the value of a variable that a setting names. */
function valueProblems(path: string, variable: string, env: NodeJS.ProcessEnv): ConfigProblem[] {
  const key = keyOf(variable, env);
  if (variable === '' || key.forms().length > 0) return [];
  // Any other text may be the key itself.
  const name = /^(?![A-F0-9]{16,}$)[A-Z_][A-Z0-9_]*$/.test(variable)
    ? `the environment variable ${variable}`
    : 'an environment variable';
  const why =
    key.reveal() === ''
      ? `which is not set${similarlySet(variable, env)}. Add it to .env (one line, NAME=KEY) or to the CI's secrets`
      : 'whose value is too short for a key: it could also occur in ordinary text';
  return [{ path, message: `names ${name}, ${why}` }];
}

/** Problems of the keys of dealers or accounts. */
const keyProblems = (
  name: 'dealers' | 'accounts',
  list: readonly { apiKeyEnv: string }[],
  env: NodeJS.ProcessEnv,
): ConfigProblem[] =>
  list.flatMap(({ apiKeyEnv }, at) => valueProblems(`${name}[${at}].apiKeyEnv`, apiKeyEnv, env));

/** The dealers or accounts of an invalid configuration. Their problems are reported with all others. */
function entriesOf(raw: unknown, name: string) {
  const list: unknown = (raw as Record<string, unknown> | null)?.[name];
  return (Array.isArray(list) ? list : []).map((entry: Record<string, unknown> | null) => ({
    ...entry,
    name: entry?.name,
    apiKeyEnv: String(entry?.apiKeyEnv ?? ''),
  }));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A configuration for the history of sent videos, which needs no site. */
export type HistoryConfig = Omit<LoadedConfig, 'site'> & { site?: Config['site'] };

const NO_SITE = { path: 'site', message: 'is missing. It needs a title and a url' };

/** Checks a configuration that is already in memory. @throws {ConfigError} lists every problem. */
export function resolveConfig(raw: unknown, options: LoadOptions): LoadedConfig {
  const { site, ...config } = resolve(raw, options);
  if (site === undefined) throw wrongConfig(options.file, raw, [NO_SITE]);
  return deepFreeze({ ...config, site });
}

function resolve(
  raw: unknown,
  { file, keysFor = 'none', accounts: accountNames, env = processEnvironment() }: LoadOptions,
): HistoryConfig {
  const parsed = configSchema.safeParse(raw, PLAIN);
  if (!parsed.success) {
    const lists = { dealers: entriesOf(raw, 'dealers'), accounts: entriesOf(raw, 'accounts') };
    const problems = [...parsed.error.issues.flatMap(problemsOf), ...repeatedNames(lists)];
    const missing = keysFor === 'none' ? [] : keyProblems(keysFor, lists[keysFor], env);
    const isNew = ({ path }: ConfigProblem) => problems.every((problem) => problem.path !== path);
    throw wrongConfig(file, raw, [...problems, ...missing.filter(isNew)]);
  }
  const { site } = parsed.data;
  const problems: ConfigProblem[] = crossCheck(parsed.data);
  const needsSite = keysFor === 'dealers' || parsed.data.dealers.length > 0;
  if (!site && needsSite) problems.push(NO_SITE);
  if (keysFor !== 'none') problems.push(...exposing(env));
  const dealers = parsed.data.dealers.map((dealer) => ({
    ...dealer,
    ...(site && dealer.stock && { stock: { locale: site.locale, ...dealer.stock } }),
    apiKey: keyOf(dealer.apiKeyEnv, env),
    ...(dealer.stock?.credentialsEnv !== undefined && {
      listKey: keyOf(dealer.stock.credentialsEnv, env),
    }),
  }));
  const accounts = parsed.data.accounts.map((account) => ({
    ...account,
    apiKey: keyOf(account.apiKeyEnv, env),
  }));
  const siteSecret = keyFromEnvironment(SITE_SECRET_VARIABLE, env);
  if (keysFor === 'dealers') {
    problems.push(...keyProblems('dealers', dealers, env));
    for (const [index, { stock }] of dealers.entries()) {
      const path = `dealers[${index}].stock.credentialsEnv`;
      problems.push(...valueProblems(path, stock?.credentialsEnv ?? '', env));
    }
    problems.push(...weakSiteSecret(siteSecret));
    if (site?.plates === 'hide' && !siteSecret) problems.push(SECRET_FOR_PLATES);
  }
  if (keysFor === 'accounts') {
    const isNeeded = ({ name }: AccountConfig) => accountNames?.includes(name) ?? true;
    // Problems name an account by its position, so others stay in the list, without a variable to check.
    const needed = accounts.map((one) => (isNeeded(one) ? one : { apiKeyEnv: '' }));
    problems.push(...keyProblems('accounts', needed, env));
  }
  if (keysFor !== 'none' && parsed.data[keysFor].length === 0) {
    problems.push({ path: keysFor, message: 'is empty. Name at least one' });
  }
  if (problems.length > 0) throw wrongConfig(file, raw, problems);
  return deepFreeze({ ...parsed.data, file, dealers, accounts, siteSecret });
}

/** Reads a configuration file for a command of the history. See {@link loadConfig}. */
export async function loadHistoryConfig(options: LoadOptions): Promise<HistoryConfig> {
  const file = path.resolve(options.file);
  return resolve(await readConfigFile(file), { ...options, file });
}

/**
 * Reads and checks a configuration file, and adds the keys from the environment. It does not use the network.
 *
 * @throws {ConfigError} lists every problem with its path.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const file = path.resolve(options.file);
  return resolveConfig(await readConfigFile(file), { ...options, file });
}

/**
 * Id of a configuration that shares a cache or a store with others: twelve hex digits, from the path of its file,
 * relative to the working folder, and the URL of its site. It is the same on all machines of a CI.
 */
export function configurationId({ file, site }: Pick<LoadedConfig, 'file' | 'site'>): string {
  const relativeFile = path.relative('.', file).split(path.sep).join('/');
  return hash('sha256', `${relativeFile} ${site.url}`, 'hex').slice(0, 12);
}
