import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../errors.ts';
import { Secret } from './secret.ts';

/** The only module that reads the environment. */

/** Variables of this process. */
export const processEnvironment = (): NodeJS.ProcessEnv => process.env;

/** The configuration that commands read when none is named: `SITE_CONFIG`, or the one of a checkout. */
export function defaultConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  return env.SITE_CONFIG || 'site.config.ts';
}

/** The cache folder when none is named: `SITE_CACHE`, or the one of a checkout. */
export function defaultCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.SITE_CACHE || '.cache';
}

/** Where the site goes, from `DEPLOY_TO`: see `hosts.ts`. Undefined where it is not set. */
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

/** A key from the environment. Undefined where the variable is empty or not set. */
export function keyFromEnvironment(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): Secret | undefined {
  const value = env[name]?.trim() ?? '';
  return value === '' ? undefined : new Secret(value);
}

/** Facts of the environment that change the output of commands. */
export function ciEnvironment(env: NodeJS.ProcessEnv = process.env) {
  return {
    githubActions: env.GITHUB_ACTIONS === 'true',
    /** File that GitHub Actions shows as the summary of a job. */
    stepSummary: env.GITHUB_STEP_SUMMARY || undefined,
    noColor: env.NO_COLOR !== undefined && env.NO_COLOR !== '',
  };
}

/** Whether this is continuous integration, where standard output is usually stored as a log. */
export function runsInCi(env: NodeJS.ProcessEnv = process.env): boolean {
  return !['', '0', 'false'].includes((env.CI ?? '').trim().toLowerCase());
}

/** Name of the variable with the key for hashes of personal data. */
export const HASH_KEY_VARIABLE = 'BATCH_HASH_KEY';

/** Shorter keys could be found by trying; 32 hexadecimal characters are 128 bits. */
const SHORTEST = 32;

/**
 * The key for keyed hashes of personal data. Undefined if it is not set.
 *
 * @throws {ConfigError} it is shorter than 32 characters.
 */
export function readHashKey(env: NodeJS.ProcessEnv = process.env): Secret | undefined {
  const key = keyFromEnvironment(HASH_KEY_VARIABLE, env);
  if (key === undefined || key.reveal().length >= SHORTEST) return key;
  throw new ConfigError({
    code: 'hash-key-short',
    what: `The environment variable ${HASH_KEY_VARIABLE} is too short to be a key.`,
    why: `All phone numbers can be tried out, so the key needs at least ${SHORTEST} characters.`,
    fix: 'Make one with: node -p "crypto.randomBytes(32).toString(\'hex\')" and keep it with the other secrets.',
  });
}
