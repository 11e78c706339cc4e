import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type DeploySettings, deploySettings } from '../../../src/config/deploy-settings.ts';
import { thrownBy } from '../../support/thrown.ts';

type Target = keyof DeploySettings;

const TOKEN = 'marker-token-8d1f';

const WHOLE: Record<Target, Record<string, string>> = {
  s3: { S3_BUCKET: 'cars', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: TOKEN },
  netlify: { NETLIFY_SITE_ID: 'cars.netlify.app', NETLIFY_AUTH_TOKEN: TOKEN },
  'cloudflare-workers': {
    CLOUDFLARE_WORKER: 'cars',
    CLOUDFLARE_ACCOUNT_ID: '0123abcd',
    CLOUDFLARE_API_TOKEN: TOKEN,
  },
  folder: { DEPLOY_FOLDER: '/srv/cars' },
};
const TARGETS = Object.keys(WHOLE) as Target[];

const errorOf = (target: Target, env: Record<string, string>) =>
  thrownBy(() => deploySettings(target, env));

describe('the settings of a deploy', () => {
  it.each(TARGETS)('%s: all required variables are read, and no token can be printed', (target) => {
    const settings = deploySettings(target, WHOLE[target]);
    expect(inspect(settings) + JSON.stringify(settings)).not.toContain(TOKEN);
  });

  it('accepts the API of a host or a proxy in front of it', () => {
    expect(deploySettings('netlify', WHOLE.netlify).api).toBe('https://api.netlify.com/api/v1');
    const env = { ...WHOLE['cloudflare-workers'], CLOUDFLARE_API_URL: 'https://gate.example/v4/' };
    expect(deploySettings('cloudflare-workers', env).api).toBe('https://gate.example/v4');
    const here = { ...WHOLE.netlify, NETLIFY_API_URL: 'http://127.0.0.1:4000' };
    expect(deploySettings('netlify', here).api).toBe('http://127.0.0.1:4000');
    expect(deploySettings('s3', { ...WHOLE.s3, S3_PREFIX: '/sites/cars/' }).prefix).toBe(
      'sites/cars',
    );
  });

  it.each(TARGETS)('%s: each missing variable is named', (target) => {
    const error = errorOf(target, {});
    for (const name of Object.keys(WHOLE[target])) expect(error?.message).toContain(name);
    for (const name of Object.keys(WHOLE[target])) {
      const error = errorOf(target, { ...WHOLE[target], [name]: ' ' });
      expect(error?.message).toBe(`These variables are not set: ${name}.`);
      expect(error?.exitCode).toBe(2);
      const mistyped = errorOf(target, { ...WHOLE[target], [name]: ' ', [`${name}S`]: 'x' });
      expect(mistyped?.message).toContain(`not set: ${name} (but ${name}S is).`);
    }
  });

  it.each<[Target, string, string]>([
    ['s3', 'S3_ENDPOINT', 'http://s3.example'],
    ['s3', 'S3_ENDPOINT', 'https://me:word-1234@s3.example'],
    ['s3', 'S3_ENDPOINT', 'https://s3.example?list'],
    ['netlify', 'NETLIFY_API_URL', 'http://api.netlify.example'],
    ['netlify', 'NETLIFY_API_URL', 'https://me:word-1234@api.netlify.example'],
    ['netlify', 'NETLIFY_API_URL', 'http://127.0.0.1.example'],
    ['netlify', 'NETLIFY_API_URL', 'api.netlify.example'],
    ['cloudflare-workers', 'CLOUDFLARE_API_URL', 'ftp://api.cloudflare.example'],
    ['netlify', 'NETLIFY_SITE_ID', '../users'],
    ['netlify', 'NETLIFY_SITE_ID', 'a/b'],
    ['cloudflare-workers', 'CLOUDFLARE_ACCOUNT_ID', '01"23'],
    ['cloudflare-workers', 'CLOUDFLARE_WORKER', 'cars?x'],
    ['netlify', 'NETLIFY_AUTH_TOKEN', 'word-1234\nword-5678'],
    ['cloudflare-workers', 'CLOUDFLARE_API_TOKEN', 'word-1234 word'],
    ['s3', 'AWS_ACCESS_KEY_ID', 'word-1234\nword-5678'],
    ['s3', 'AWS_SECRET_ACCESS_KEY', '“word-1234”'],
    ['s3', 'AWS_SESSION_TOKEN', 'word-1234\r\nword-5678'],
    ['s3', 'S3_REGION', 'eu west\n1'],
    ['s3', 'S3_BUCKET', 'https://cars.s3.amazonaws.com'],
    ['folder', 'DEPLOY_FOLDER', '~/cars'],
    ['folder', 'DEPLOY_FOLDER', 'me@server:/srv/word-1234'],
  ])('%s: %s=%s is refused without repeating it', (target, name, value) => {
    const error = errorOf(target, { ...WHOLE[target], [name]: value });
    expect(error?.message).toContain(name);
    expect(error?.exitCode).toBe(2);
    expect(`${error?.message} ${error?.why} ${error?.fix}`).not.toContain('word-');
  });
});

it.each([
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
  ['NODE_DEBUG', 'undici'],
])('%s=%s would expose tokens and is refused', (name, value) => {
  for (const target of TARGETS.filter((one) => one !== 'folder')) {
    const error = errorOf(target, { ...WHOLE[target], [name]: value });
    expect(error?.message).toContain(`${name}=${value}`);
    expect(error?.exitCode).toBe(2);
  }
  expect(deploySettings('folder', { ...WHOLE.folder, [name]: value }).into).toBe('/srv/cars');
});

describe('the region and the token of Amazon', () => {
  const s3 = (more: Record<string, string>) => deploySettings('s3', { ...WHOLE.s3, ...more });

  it.each([
    [{}, 'us-east-1'],
    [{ AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-1'],
    [{ AWS_DEFAULT_REGION: 'eu-west-1', AWS_REGION: 'eu-west-2' }, 'eu-west-2'],
    [{ AWS_REGION: 'eu-west-2', S3_REGION: 'eu-west-3' }, 'eu-west-3'],
    [{ AWS_REGION: ' ', S3_REGION: '' }, 'us-east-1'],
  ])('%j is the region %s', (env, region) => {
    const endpoint = `https://s3.${region}.amazonaws.com`;
    expect(s3(env)).toMatchObject({ region, endpoint });
  });

  it('are read, and the token is never printed', () => {
    expect(s3({ AWS_SESSION_TOKEN: ' ' }).sessionToken).toBeUndefined();
    const settings = s3({ AWS_SESSION_TOKEN: 'a-session-token' });
    expect(settings.sessionToken?.reveal()).toBe('a-session-token');
    expect(`${inspect(settings)} ${JSON.stringify(settings)}`).not.toContain('a-session-token');
  });
});
