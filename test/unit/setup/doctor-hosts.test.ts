import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../../src/config/hosts.ts';
import { checkHost, checkSize } from '../../../src/setup/doctor/hosts.ts';

const TOKEN = 'a-token-of-netlify';
const NETLIFY = { NETLIFY_SITE_ID: 'our-cars', NETLIFY_AUTH_TOKEN: TOKEN };

/** Findings about the variables of a deploy. */
const found = async (host: string, env: Record<string, string>) => {
  const findings = await Array.fromAsync(checkHost(host, env));
  expect(JSON.stringify(findings)).not.toContain(TOKEN);
  return findings.filter(({ code }) => code !== 'host-rule');
};

describe('variables of a deploy', () => {
  it.each<[string, string, Record<string, string>, string, string[]]>([
    ['no deploy runs here', 'netlify', {}, 'info', ['NETLIFY_SITE_ID', 'NETLIFY_AUTH_TOKEN']],
    ['one is missing', 'netlify', { NETLIFY_AUTH_TOKEN: TOKEN }, 'warning', ['NETLIFY_SITE_ID']],
    [
      'one is empty',
      'cloudflare-workers',
      { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_ACCOUNT_ID: '0a', CLOUDFLARE_WORKER: ' ' },
      'warning',
      ['CLOUDFLARE_WORKER'],
    ],
    [
      'optional variables are also unset',
      's3',
      { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: TOKEN },
      'warning',
      ['S3_BUCKET'],
    ],
    ['a folder is on this machine', 'folder', {}, 'warning', ['DEPLOY_FOLDER']],
  ])('are missing if %s', async (_, host, env, severity, missing) => {
    expect(await found(host, env)).toMatchObject([
      { code: 'host-variables', severity, args: { missing } },
    ]);
  });

  it.each([
    ['in CI, because another job has them', 'netlify', { CI: 'true', NETLIFY_AUTH_TOKEN: TOKEN }],
    ['if all are set', 'netlify', NETLIFY],
    ['if the host brings its own tool', 'cloudflare', { CLOUDFLARE_API_TOKEN: TOKEN }],
    ['if nothing is deployed', 'none', {}],
  ])('are not missing %s', async (_, host, env) => {
    expect(await found(host, env as unknown as Record<string, string>)).toEqual([]);
  });

  it.each([
    ['netlify', { ...NETLIFY, NETLIFY_API_URL: 'http://netlify.test' }, 'NETLIFY_API_URL'],
    ['folder', { DEPLOY_FOLDER: path.resolve('package.json', 'cars') }, 'The deploy folder'],
  ])('are an error if one is wrong: %s', async (host, env, what) => {
    expect(await found(host, env)).toMatchObject([
      { code: 'host-settings', severity: 'error', what: expect.stringContaining(what) },
    ]);
  });
});

const small = { files: 500, bytes: 2e7, largestFile: 1e5, fullestFolder: 40 };

describe('the limits of a host', () => {
  it.each([
    ['cloudflare-workers', { ...small, files: 20_000 }, 'host-fits'],
    ['cloudflare-workers', { ...small, files: 20_001 }, 'host-paid'],
    ['cloudflare-workers', { ...small, files: 100_001 }, 'host-too-small'],
    ['cloudflare', { ...small, files: 100_001 }, 'host-too-small'],
    ['cloudflare', { ...small, largestFile: 26_214_401 }, 'host-too-small'],
    ['netlify', { ...small, files: 1e6, bytes: 1e12 }, 'host-fits'],
    ['netlify', { ...small, fullestFolder: 54_001 }, 'host-too-small'],
    ['github', { ...small, bytes: 1_000_000_001 }, 'host-too-small'],
    ['gitlab', { ...small, files: 200_001 }, 'host-too-small'],
    ['s3', { ...small, files: 1e6 }, 'host-fits'],
    ['folder', { ...small, files: 1e7, bytes: 1e13 }, 'host-fits'],
  ])('%s, %o: %s', (host, size, code) => {
    expect(checkSize(host, size)[0]?.code).toBe(code);
  });

  it('names the exceeded limit and the expected size', () => {
    expect(checkSize('cloudflare', { ...small, files: 100_001 })[0]?.args).toMatchObject({
      limit: 'files',
      allowed: 100_000,
      expected: 100_001,
    });
  });

  it.each([
    ['github', ['host-trade', 'host-rule']],
    ['ftp', ['host-unknown']],
    ['none', []],
  ])('%s: %j for any site', async (host, codes) => {
    const findings = await Array.fromAsync(checkHost(host, {}));
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('suggests a host for a mistyped one', async () => {
    const [found] = await Array.fromAsync(checkHost('cloudflare-worker', {}));
    expect(found?.why).toContain('Did you mean cloudflare-workers?');
  });

  it.each([undefined, 'none'])('judges all hosts if none is chosen (%s), without errors', (id) => {
    const found = checkSize(id, { ...small, files: 1e6, bytes: 1e12 });
    expect(found.length).toBe(HOSTS.length);
    expect(found.every(({ severity }) => severity === 'info')).toBe(true);
  });
});
