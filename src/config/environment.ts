import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../errors.ts';
import {
  type DeploySettings,
  deploySettingsOf,
  indexNowAddressOf,
  missingSettings,
  settingNames,
} from './deploy-settings.ts';
import { enginesOf, type QueueAndStoreConfig } from './engines.ts';
import { exposing } from './exposing.ts';
import { HASH_KEY_VARIABLE, hashKeyOf } from './hash-key.ts';
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
 * Target and credentials of a deploy to a host.
 *
 * @throws {ConfigError} naming what is missing or wrong, or a variable that would expose keys.
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

/** Address that changed pages are reported to. @throws {ConfigError} `INDEXNOW_URL` cannot be used. */
export function indexNowAddress(env: NodeJS.ProcessEnv = process.env): string {
  return indexNowAddressOf(env);
}

/**
 * The queue and the store that several machines share, from `QUEUE_URL`, `STORE_URL` and the usual
 * `AWS_` variables; empty where they are not set.
 *
 * @throws {ConfigError} one of them cannot be used.
 */
export function readEngines(env: NodeJS.ProcessEnv = process.env): QueueAndStoreConfig {
  return enginesOf(env);
}

/** Whether a shared queue or store is configured, valid or not. */
export const sharesEngines = (env: NodeJS.ProcessEnv = process.env): boolean =>
  [env.QUEUE_URL, env.STORE_URL].some((variable) => variable?.trim());
