import { ConfigError } from '../errors.ts';
import { Secret } from './secret.ts';

/** Where an S3 deploy goes, and with which keys. */
export interface S3Settings {
  /** Without a slash at the end. */
  endpoint: string;
  bucket: string;
  region: string;
  /** Folder in the bucket, without slashes around it; empty for the bucket itself. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: Secret;
}

const NEEDED = ['S3_BUCKET', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/**
 * The settings of an S3 deploy from the environment.
 *
 * @throws {ConfigError} naming every variable that is missing, or the one that is wrong.
 */
export function s3SettingsOf(env: NodeJS.ProcessEnv): S3Settings {
  const value = (name: string) => env[name]?.trim() ?? '';
  const missing = NEEDED.filter((name) => value(name) === '');
  if (missing.length > 0) {
    throw new ConfigError({
      code: 's3-settings',
      what: `These variables are not set: ${missing.join(', ')}.`,
      why: 'A deploy to S3 needs a bucket and keys that may write to it.',
      fix: 'Set them in .env or in your CI; docs/hosting.md says where they come from.',
    });
  }
  const region = value('S3_REGION') || 'us-east-1';
  const endpoint = (value('S3_ENDPOINT') || `https://s3.${region}.amazonaws.com`).replace(
    /\/+$/,
    '',
  );
  const url = URL.parse(endpoint);
  const plain =
    url?.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !plain) || url.username !== '' || url.search !== '') {
    throw new ConfigError({
      code: 's3-settings',
      what: 'S3_ENDPOINT is not an https address.',
      fix: 'Write it like https://s3.eu-central-1.amazonaws.com, without the bucket.',
    });
  }
  return {
    endpoint,
    bucket: value('S3_BUCKET'),
    region,
    prefix: value('S3_PREFIX').replace(/^\/+|\/+$/g, ''),
    accessKeyId: value('AWS_ACCESS_KEY_ID'),
    secretAccessKey: new Secret(value('AWS_SECRET_ACCESS_KEY')),
  };
}
