import { describe, expect, it } from 'vitest';
import { checkHost } from '../../../src/setup/doctor/hosts.ts';

const TOKEN = 'a-token-of-netlify';
const NETLIFY = { NETLIFY_SITE_ID: 'our-cars', NETLIFY_AUTH_TOKEN: TOKEN };

/** Findings about the variables of a deploy. */
const found = async (host: string, env: Record<string, string>) => {
  const findings = await checkHost(host, env);
  expect(JSON.stringify(findings)).not.toContain(TOKEN);
  return findings.filter(({ code }) => code !== 'host-rule');
};

describe('variables of a deploy', () => {
  it.each([
    ['nobody deploys from here', 'netlify', {}, 'info', ['NETLIFY_SITE_ID', 'NETLIFY_AUTH_TOKEN']],
    ['one is missing', 'netlify', { NETLIFY_AUTH_TOKEN: TOKEN }, 'warning', ['NETLIFY_SITE_ID']],
    [
      'one is empty',
      'cloudflare-workers',
      { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_ACCOUNT_ID: '0a', CLOUDFLARE_WORKER: ' ' },
      'warning',
      ['CLOUDFLARE_WORKER'],
    ],
    [
      'what may be left out is',
      's3',
      { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: TOKEN },
      'warning',
      ['S3_BUCKET'],
    ],
    ['a folder is on this machine', 'folder', {}, 'warning', ['DEPLOY_FOLDER']],
  ])('are missing if %s', async (_, host, env, severity, missing) => {
    expect(await found(host, env as unknown as Record<string, string>)).toMatchObject([
      { code: 'host-variables', severity, args: { missing } },
    ]);
  });

  it.each([
    ['in CI, where another job has them', 'netlify', { CI: 'true', NETLIFY_AUTH_TOKEN: TOKEN }],
    ['if all are set', 'netlify', NETLIFY],
    ['if the host brings its own tool', 'cloudflare', { CLOUDFLARE_API_TOKEN: TOKEN }],
    ['if nothing is deployed', 'none', {}],
  ])('are not missing %s', async (_, host, env) => {
    expect(await found(host, env as unknown as Record<string, string>)).toEqual([]);
  });

  it('are an error if one is wrong', async () => {
    const env = { ...NETLIFY, NETLIFY_API_URL: 'http://netlify.test' };
    expect(await found('netlify', env)).toMatchObject([
      {
        code: 'host-settings',
        severity: 'error',
        what: expect.stringContaining('NETLIFY_API_URL'),
      },
    ]);
  });
});
