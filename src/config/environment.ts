import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from '../errors.ts';
import { closest } from '../lib/closest.ts';
import { decodeFile, readIfThere } from '../lib/files/read.ts';
import { Secret } from './secret.ts';

/** The only module that reads the environment. */

/** Variables of this process. */
export const processEnvironment = (): NodeJS.ProcessEnv => process.env;

/**
 * The value of a variable, without spaces and quotation marks around it. Node removes the marks in `.env`, but Docker's
 * `--env-file` and the forms of a CI do not. Empty if the variable is not set.
 */
export const valueIn = (env: NodeJS.ProcessEnv, name: string): string =>
  env[name]
    ?.trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim() ?? '';

/** A note about a variable that is not set: the variable with a similar name, in case it was mistyped. */
export function similarlySet(name: string, env: NodeJS.ProcessEnv): string {
  const similar = closest(
    name,
    Object.keys(env).filter((other) => valueIn(env, other) !== ''),
  );
  return similar === undefined ? '' : ` (but ${similar} is)`;
}

interface Place {
  /** Absolute, or empty for the working folder of this process. */
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** The absolute path of the configuration: from `--config` or `SITE_CONFIG`, or in the working folder. */
export const configFile = ({ config }: { config?: string | undefined }, { cwd, env }: Place) =>
  config ?? path.resolve(cwd, valueIn(env, 'SITE_CONFIG') || 'site.config.ts');

/** The absolute path of the cache folder: from `--cache` or `SITE_CACHE`, or in the working folder. */
export const cacheFolder = ({ cache }: { cache?: string | undefined }, { cwd, env }: Place) =>
  cache ?? path.resolve(cwd, valueIn(env, 'SITE_CACHE') || '.cache');

/**
 * The host of the site, from `DEPLOY_TO` in any letter case: see `hosts.ts`. Undefined if it is not set. Errors repeat
 * it, so it is cut at a colon: `sftp://USER:PASSWORD@HOST` becomes `sftp:…`.
 */
export const deployTarget = (env: NodeJS.ProcessEnv): string | undefined =>
  valueIn(env, 'DEPLOY_TO').toLowerCase().replace(/:.*/s, ':…') || undefined;

/**
 * Adds the variables of a `.env` file to the environment, if the file exists. Variables that already have a value
 * keep it, except the names in `override`.
 *
 * @returns the names of the added variables.
 */
export function loadEnvironmentFile(
  file = '.env',
  {
    override = [],
    env = process.env,
  }: { override?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): string[] {
  for (const name of override) delete env[name];
  const variables = parseEnv(decodeFile(readIfThere(file) ?? Buffer.of()));
  const names = Object.keys(variables).filter((name) => valueIn(env, name) === '');
  for (const name of names) env[name] = variables[name];
  return names;
}

/** Names of variables that came from `.env`. */
let namesInFile: string[] = [];

/** The environment with the variables of `.env`, which may have changed since the last call. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  namesInFile = loadEnvironmentFile('.env', { override: namesInFile, env });
  return env;
}

/** A key from the environment. Undefined if the variable is empty or not set. */
export function keyFromEnvironment(name: string, env: NodeJS.ProcessEnv): Secret | undefined {
  const value = valueIn(env, name);
  return value === '' ? undefined : new Secret(value);
}

/** Whether a key can be part of a header. HTTP clients quote any other value in their errors. */
export const fitsHeader = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

/** Whether the environment names a proxy, which `ProxiedAgent` uses. */
export const usesProxy = (): boolean =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some(
    (name) => valueIn(process.env, name) !== '',
  );

/** Facts of the environment that change the output of commands. */
export const ciEnvironment = (env: NodeJS.ProcessEnv) => ({
  githubActions: env.GITHUB_ACTIONS === 'true',
  /** File that GitHub Actions shows as the summary of a job. */
  stepSummary: env.GITHUB_STEP_SUMMARY || undefined,
});

/** Whether this is continuous integration, where standard output is usually stored as a log. */
export const runsInCi = (env: NodeJS.ProcessEnv): boolean =>
  !['', '0', 'false'].includes((env.CI ?? '').trim().toLowerCase());

/** Name of the variable with the key for hashes of personal data. */
export const HASH_KEY_VARIABLE = 'BATCH_HASH_KEY';

/** Minimum length of the key. 32 hexadecimal characters are 128 bits, too many to try. */
const SHORTEST = 32;

/**
 * The key for keyed hashes of personal data. Undefined if it is not set.
 *
 * @throws {ConfigError} it is shorter than 32 characters.
 */
export function readHashKey(env: NodeJS.ProcessEnv): Secret | undefined {
  const key = keyFromEnvironment(HASH_KEY_VARIABLE, env);
  if (key === undefined || key.reveal().length >= SHORTEST) return key;
  throw new ConfigError({
    code: 'hash-key-short',
    what: `The environment variable ${HASH_KEY_VARIABLE} is too short to be a key.`,
    why: `Phone numbers can be guessed, so the key needs at least ${SHORTEST} characters.`,
    fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'hex\')" and keep it with the other secrets.',
  });
}

/** A problem of a configuration, with the path of its setting. */
export interface ConfigProblem {
  path: string;
  message: string;
}

/**
 * Names under which Node and packages print requests, the environment of a new process, or the password of the queue.
 * `NODE_DEBUG` ignores letter case.
 */
const NODE_TRACES = [
  'undici',
  'fetch',
  'websocket',
  'http',
  'https',
  'http2',
  'net',
  'tls',
  'child_process',
];
const DEBUG_TRACES = ['Eleventy:Fetch', 'Eleventy:AssetCache', 'ioredis:redis'];

/** The patterns of a list such as `fs,und*` that match any of the names. */
function matching(list: string, names: readonly string[]): string[] {
  return list.split(/[\s,]+/).filter((pattern) => {
    if (pattern === '' || pattern.startsWith('-')) return false;
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    const form = new RegExp(`^${parts.join('.*')}$`, 'i');
    return names.some((name) => form.test(name));
  });
}

/** The option of Node that writes files with all variables. Undefined if they are left out. */
function reportOption({ NODE_OPTIONS = '' }: NodeJS.ProcessEnv): string | undefined {
  const options = NODE_OPTIONS.replaceAll('_', '-');
  if (options.includes('--report-exclude-env')) return undefined;
  return /--report-(?:on|uncaught)[\w-]*/.exec(options)?.[0];
}

/** Effects of variables other than tracing, with the solution. */
const EFFECTS: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED:
    'would send the API key to an attacker who impersonates the service. Unset it',
  NODE_OPTIONS: 'would write the API key to a file. Add --report-exclude-env',
};

/**
 * Variables of the environment that would expose keys. Tracing prints keys, and we cannot redact that output. Without
 * certificate checks, an attacker could impersonate the service.
 */
export function exposing(env: NodeJS.ProcessEnv): ConfigProblem[] {
  const report = reportOption(env);
  const names = [
    ...(report ? [`NODE_OPTIONS=${report}`] : []),
    ...matching(env.NODE_DEBUG ?? '', NODE_TRACES).map((name) => `NODE_DEBUG=${name}`),
    ...matching(env.DEBUG ?? '', DEBUG_TRACES).map((name) => `DEBUG=${name}`),
    ...(env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? ['NODE_TLS_REJECT_UNAUTHORIZED=0'] : []),
  ];
  return names.map((name) => ({
    path: `(environment) ${name}`,
    message: EFFECTS[name.replace(/=.*/, '')] ?? 'would print the API key. Unset it',
  }));
}

/** @throws {ConfigError} a variable would expose keys. */
export function refuseExposing(env: NodeJS.ProcessEnv): void {
  const [problem] = exposing(env);
  if (!problem) return;
  throw new ConfigError({
    code: 'environment-exposing',
    what: `${problem.path} would expose keys.`,
    why: 'It prints or stores keys, or disables certificate checks.',
    fix: 'Unset it.',
  });
}

/** Name of the variable with the secret that signs the records of a site. */
export const SITE_SECRET_VARIABLE = 'SITE_SECRET';

/**
 * Minimum number of letters and digits in a key that signs. Signatures are public, so an attacker can test
 * keys against them. 24 hexadecimal digits have 96 bits. The service's keys have 32 digits, which are 128 bits.
 * The strength of words or names is unknown.
 */
const SHORTEST_KEY = 24;
/** Minimum number of different letters and digits. */
const FEWEST_KINDS = 8;

/** The reason why a key is too easy to guess. Undefined if it can sign. */
export function signingFault(key: Secret): string | undefined {
  const characters = key.reveal().replace(/[^A-Za-z0-9]/g, '');
  if (characters.length < SHORTEST_KEY) {
    return `is too short: it has fewer than ${SHORTEST_KEY} letters and digits`;
  }
  if (new Set(characters).size < FEWEST_KINDS) {
    return `has too few different characters: fewer than ${FEWEST_KINDS} different letters and digits`;
  }
  return undefined;
}

export const canSign = (key: Secret): boolean => signingFault(key) === undefined;

/** The command that prints a new `SITE_SECRET`. */
const MAKE_SITE_SECRET = `node -p "crypto.randomBytes(32).toString('base64url')"`;

/** A new random `SITE_SECRET` of 256 bits. */
export const newSiteSecret = (): Secret => new Secret(randomBytes(32).toString('base64url'));

/** The problem of `site.plates: "hide"` without the secret. */
export const SECRET_FOR_PLATES: ConfigProblem = {
  path: 'site.plates',
  message: `"hide" needs the environment variable ${SITE_SECRET_VARIABLE}, which hashes plates for URLs. Create one with: ${MAKE_SITE_SECRET}. Never change it afterwards`,
};

/** The problem of a `SITE_SECRET` that cannot sign. The message does not contain the value. */
export const weakSiteSecret = (secret: Secret | undefined): ConfigProblem[] =>
  secret === undefined || canSign(secret)
    ? []
    : [
        {
          path: `(environment) ${SITE_SECRET_VARIABLE}`,
          message: `is too easy to guess: it needs at least ${SHORTEST_KEY} letters and digits, ${FEWEST_KINDS} of them different. Create one with: ${MAKE_SITE_SECRET}`,
        },
      ];
