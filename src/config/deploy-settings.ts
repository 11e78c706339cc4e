import { ConfigError } from '../errors.ts';
import { isLocalPath } from '../lib/command-line/wrong-argument.ts';
import { isLoopback } from '../lib/http/loopback.ts';
import { awsRegion } from './engines.ts';
import { fitsHeader, refuseExposing, similarlySet, valueIn } from './environment.ts';
import { hostOf } from './hosts.ts';
import { Secret } from './secret.ts';

const settingsError = (what: string, fix: string, why?: string): ConfigError =>
  new ConfigError({ code: 'deploy-settings', what, why, fix });

/** Names of all variables that a deploy to a host takes. */
export function settingNames(host: string): string[] {
  const { secrets = [], variables = [] } = hostOf(host) ?? {};
  return [...variables, ...secrets];
}

/** Names of variables that a deploy to a host needs and that are not set. */
export function missingSettings(host: string, env: NodeJS.ProcessEnv): string[] {
  const { optional = [] } = hostOf(host) ?? {};
  return settingNames(host).filter((name) => !optional.includes(name) && valueIn(env, name) === '');
}

/**
 * The base URL of a host's API. It must be https, because keys are sent there. Only this machine may use http.
 *
 * @param defaultUrl the URL if the variable is not set.
 * @throws {ConfigError} the URL is not allowed. The error does not repeat it, because it may contain a password.
 */
function apiAddress(
  env: NodeJS.ProcessEnv,
  variable: string,
  defaultUrl: string,
  example = defaultUrl,
): string {
  const address = valueIn(env, variable) || defaultUrl;
  const url = URL.parse(address);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (!isSafe || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw settingsError(`${variable} is not an https address.`, `Write it like ${example}.`);
  }
  return address.replace(/\/+$/, '');
}

/** A value that becomes a part of a URL. @throws {ConfigError} it has characters that are not allowed. */
function nameIn(env: NodeJS.ProcessEnv, variable: string): string {
  const value = valueIn(env, variable);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value)) return value;
  throw settingsError(
    `${variable} has characters other than letters, digits, dots, hyphens and underscores.`,
    'Copy it from the host again, without quotes.',
  );
}

/** @throws {ConfigError} the value cannot be part of a header. The error does not repeat it. */
function tokenIn(env: NodeJS.ProcessEnv, variable: string): Secret {
  const value = valueIn(env, variable);
  if (fitsHeader(value)) return new Secret(value);
  throw settingsError(
    `${variable} contains characters that are not allowed in a token.`,
    'Copy it from the host again: one line, without spaces.',
  );
}

/** @throws {ConfigError} the value is not a path of this machine. A folder of that name would be created. */
function deployFolderIn(env: NodeJS.ProcessEnv): string {
  const value = valueIn(env, 'DEPLOY_FOLDER');
  if (isLocalPath(value)) return value;
  throw settingsError(
    'DEPLOY_FOLDER is not a path of this machine.',
    'Write the full path of a folder, such as /srv/cars. Deploys to another server run on that server (docs/hosting.md).',
  );
}

type Environment = NodeJS.ProcessEnv;

/** Readers of the settings of each host. */
const READERS = {
  s3: (env: Environment) => {
    const region = valueIn(env, 'S3_REGION')
      ? nameIn(env, 'S3_REGION')
      : (awsRegion(env) ?? 'us-east-1');
    return {
      endpoint: apiAddress(
        env,
        'S3_ENDPOINT',
        `https://s3.${region}.amazonaws.com`,
        'https://s3.eu-central-1.amazonaws.com, without the bucket',
      ),
      bucket: nameIn(env, 'S3_BUCKET'),
      region,
      /** Folder in the bucket, without slashes around it. Empty for the bucket itself. */
      prefix: valueIn(env, 'S3_PREFIX').replace(/^\/+|\/+$/g, ''),
      accessKeyId: tokenIn(env, 'AWS_ACCESS_KEY_ID').reveal(),
      secretAccessKey: tokenIn(env, 'AWS_SECRET_ACCESS_KEY'),
      /** Only for temporary keys. */
      sessionToken: valueIn(env, 'AWS_SESSION_TOKEN')
        ? tokenIn(env, 'AWS_SESSION_TOKEN')
        : undefined,
    };
  },
  netlify: (env: Environment) => ({
    api: apiAddress(env, 'NETLIFY_API_URL', 'https://api.netlify.com/api/v1'),
    /** Id of the site, or its domain. */
    site: nameIn(env, 'NETLIFY_SITE_ID'),
    token: tokenIn(env, 'NETLIFY_AUTH_TOKEN'),
  }),
  'cloudflare-workers': (env: Environment) => ({
    api: apiAddress(env, 'CLOUDFLARE_API_URL', 'https://api.cloudflare.com/client/v4'),
    account: nameIn(env, 'CLOUDFLARE_ACCOUNT_ID'),
    worker: nameIn(env, 'CLOUDFLARE_WORKER'),
    token: tokenIn(env, 'CLOUDFLARE_API_TOKEN'),
  }),
  folder: (env: Environment) => ({ into: deployFolderIn(env) }),
};

/** Settings of a deploy from the environment, by host. */
export type DeploySettings = {
  [H in keyof typeof READERS]: ReturnType<(typeof READERS)[H]>;
};

/**
 * Target and credentials of a deploy to a host.
 *
 * @throws {ConfigError} variables are missing or wrong, or a variable would expose keys.
 */
export function deploySettings<H extends keyof DeploySettings>(
  host: H,
  env: NodeJS.ProcessEnv,
): DeploySettings[H] {
  if (host !== 'folder') refuseExposing(env);
  const missing = missingSettings(host, env);
  if (missing.length > 0) {
    const names = missing.map((name) => `${name}${similarlySet(name, env)}`);
    throw settingsError(
      `These variables are not set: ${names.join(', ')}.`,
      'Set them in .env or in your CI. See docs/hosting.md.',
      'They name the target and the keys that may write to it.',
    );
  }
  return READERS[host](env) as DeploySettings[H];
}

/** URL to which changed pages are reported, from `INDEXNOW_URL`. @throws {ConfigError} it is not allowed. */
export const indexNowAddress = (env: NodeJS.ProcessEnv): string =>
  apiAddress(env, 'INDEXNOW_URL', 'https://api.indexnow.org/indexnow');
