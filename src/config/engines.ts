import { ConfigError } from '../errors.ts';
import { fitsHeader, refuseExposing, valueIn } from './environment.ts';
import { accepts } from './forms.ts';
import { Secret } from './secret.ts';

/** A store with the API of S3. */
export interface StoreConfig {
  /** `https://HOST/BUCKET[/PREFIX]`. */
  url: string;
  region: string;
  accessKeyId: Secret;
  secretAccessKey: Secret;
  sessionToken: Secret | undefined;
}

/** Queue and store that several machines share. Both are absent for a build on one machine. */
export interface QueueAndStoreConfig {
  /** Address of Redis. It may hold a password. */
  queueUrl?: Secret;
  store?: StoreConfig;
}

/** The region that Amazon's own tools use, from the environment. Undefined if none is set. */
export const awsRegion = (env: NodeJS.ProcessEnv): string | undefined =>
  valueIn(env, 'AWS_REGION') || valueIn(env, 'AWS_DEFAULT_REGION') || undefined;

const engineError = (variable: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'engines-invalid',
    what: `The environment variable ${variable} cannot be used.`,
    why,
    fix,
  });

function queueOf(address: string): Secret {
  const url = URL.parse(address);
  const isRedis = ['redis:', 'rediss:', 'unix:'].includes(url?.protocol ?? '');
  const server = url?.protocol === 'unix:' ? url.pathname.length > 1 : url?.hostname;
  const database = url?.protocol === 'unix:' || /^\/?\d*$/.test(url?.pathname ?? '');
  const isDecodable = accepts(() => decodeURIComponent(address));
  // The error does not repeat the address, which may hold a password.
  if (isRedis && server && database && url?.search === '' && isDecodable) {
    return new Secret(address);
  }
  throw engineError(
    'QUEUE_URL',
    'It is not a Redis URL.',
    'Write redis://HOST:PORT, rediss://USER:PASSWORD@HOST:PORT/DATABASE or unix:///PATH. In the password, write %25 for %, %23 for #, %2F for / and %40 for @.',
  );
}

function storeOf(address: string, env: NodeJS.ProcessEnv): StoreConfig {
  const url = URL.parse(address);
  const fix =
    'Write https://HOST/BUCKET or https://HOST/BUCKET/PREFIX, and put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
  // A user name or a password in the URL could reach a log.
  if (!url || !/^https?:\/\/[^/@]+(?:\/[A-Za-z0-9._-]+)+\/?$/.test(url.href)) {
    const why =
      'It is not the URL of a bucket, without user name, password and query. Names have letters, digits, dots, hyphens and underscores.';
    throw engineError('STORE_URL', why, fix);
  }
  const key = (name: string): Secret => {
    const text = valueIn(env, name);
    if (fitsHeader(text)) return new Secret(text);
    throw engineError(
      name,
      'It is not set, or contains characters that are not allowed in a key.',
      fix,
    );
  };
  return {
    url: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    region: awsRegion(env) ?? 'us-east-1',
    accessKeyId: key('AWS_ACCESS_KEY_ID'),
    secretAccessKey: key('AWS_SECRET_ACCESS_KEY'),
    sessionToken: valueIn(env, 'AWS_SESSION_TOKEN') === '' ? undefined : key('AWS_SESSION_TOKEN'),
  };
}

/**
 * Queue and store as configured by environment variables.
 *
 * @throws {ConfigError} one of them cannot be used. The error does not contain its value.
 */
export function enginesOf(env: NodeJS.ProcessEnv): QueueAndStoreConfig {
  const queue = valueIn(env, 'QUEUE_URL');
  const store = valueIn(env, 'STORE_URL');
  if (queue !== '' || store !== '') refuseExposing(env);
  return {
    queueUrl: queue === '' ? undefined : queueOf(queue),
    store: store === '' ? undefined : storeOf(store, env),
  };
}

/** The secrets of queue and store, which no file or log may contain. */
export function engineSecrets({ queueUrl, store }: QueueAndStoreConfig): Secret[] {
  const password = queueUrl && URL.parse(queueUrl.reveal())?.password;
  const secrets = [
    password ? new Secret(decodeURIComponent(password)) : undefined,
    store?.secretAccessKey,
    store?.sessionToken,
  ];
  return secrets.filter((secret) => secret !== undefined);
}
