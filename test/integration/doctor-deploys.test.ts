import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import type { Finding } from '../../src/setup/findings.ts';
import { temporaryFolder } from '../support/build.ts';
import { type PublishedSite, startPublishedSite } from '../support/published-site.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';

let service: SampleService;
let published: PublishedSite;

beforeAll(async () => {
  service = await startService({ dealers: 1, vehicles: 3, media: 'none' });
  published = await startPublishedSite();
});
afterEach(() => {
  published.instead = undefined;
});
afterAll(async () => {
  await published[Symbol.asyncDispose]();
  await service.close();
});

const TOKEN = 'a-token-of-netlify';

interface Found extends Finding {
  what: string;
  why: string;
  fix: string;
}

/** What the doctor, as a process, says of deploys and of the published site. */
async function doctor(
  env: Record<string, string>,
): Promise<{ found: Found[]; exitCode: number | null }> {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'config.json');
  const config: UserConfig = {
    service: { baseUrl: service.baseUrl, timeout: '3s' },
    site: { title: 'Cars', url: published.url },
    dealers: [{ id: 7001, name: 'North', slug: 'north' }],
    media: { widths: [160] },
  };
  await writeFile(file, JSON.stringify(config));
  const keys = { MEDIA_API_KEY: service.mediaKey };
  const ran = await runHere(['doctor', '--config', file, '--json'], { env: { ...keys, ...env } });
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  const { findings } = JSON.parse(ran.stdout) as { findings: Found[] };
  const wanted = /^(?:host-(?!fits)|records-)/;
  return { found: findings.filter(({ code }) => wanted.test(code)), exitCode: ran.exitCode };
}

describe('variables of a deploy', () => {
  const NETLIFY = { NETLIFY_SITE_ID: 'our-cars', NETLIFY_AUTH_TOKEN: TOKEN };

  it.each([
    [
      'nobody deploys from here',
      { DEPLOY_TO: 'netlify' },
      'info',
      ['NETLIFY_SITE_ID', 'NETLIFY_AUTH_TOKEN'],
    ],
    [
      'one is missing',
      { DEPLOY_TO: 'netlify', NETLIFY_AUTH_TOKEN: TOKEN },
      'warning',
      ['NETLIFY_SITE_ID'],
    ],
    [
      'one is empty',
      {
        DEPLOY_TO: 'cloudflare-workers',
        CLOUDFLARE_API_TOKEN: TOKEN,
        CLOUDFLARE_ACCOUNT_ID: '0a',
        CLOUDFLARE_WORKER: ' ',
      },
      'warning',
      ['CLOUDFLARE_WORKER'],
    ],
    [
      'what may be left out is',
      { DEPLOY_TO: 's3', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: TOKEN },
      'warning',
      ['S3_BUCKET'],
    ],
    ['a folder lies on this machine', { DEPLOY_TO: 'folder' }, 'warning', ['DEPLOY_FOLDER']],
  ])('are missed where %s: %o', async (_, env, severity, missing) => {
    const { found, exitCode } = await doctor(env as unknown as Record<string, string>);
    const variables = found.filter(({ code }) => code === 'host-variables');
    expect(variables).toMatchObject([{ severity, args: { missing } }]);
    expect(exitCode).toBe(0);
  });

  it.each([
    [
      'in CI, where another job has them',
      { CI: 'true', DEPLOY_TO: 'netlify', NETLIFY_AUTH_TOKEN: TOKEN },
    ],
    [
      'where the host brings its own tool',
      { DEPLOY_TO: 'cloudflare', CLOUDFLARE_API_TOKEN: TOKEN },
    ],
    ['where nothing is deployed', { DEPLOY_TO: 'none' }],
  ])('are not missed %s', async (_, env) => {
    const { found } = await doctor(env as unknown as Record<string, string>);
    expect(found.map(({ code }) => code)).not.toContain('host-variables');
  });

  it('are an error where one is wrong', async () => {
    const env = { ...NETLIFY, DEPLOY_TO: 'netlify', NETLIFY_API_URL: 'http://netlify.test' };
    const { found, exitCode } = await doctor(env);
    expect(found).toMatchObject([
      { code: 'host-settings', what: expect.stringContaining('NETLIFY_API_URL') },
    ]);
    expect(exitCode).toBe(2);
  });
});

describe('a site of Netlify', () => {
  /** The one request of Netlify's API that is made, and what it answers. */
  async function asking(answer: (response: ServerResponse) => void) {
    const asked: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      asked.push(request);
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { found } = await doctor({
        DEPLOY_TO: 'netlify',
        NETLIFY_SITE_ID: 'our-cars',
        NETLIFY_AUTH_TOKEN: TOKEN,
        NETLIFY_API_URL: `http://127.0.0.1:${port}/api/v1`,
      });
      return { asked, codes: found.map(({ code }) => code) };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const site = (settings: object) => (response: ServerResponse) => {
    response.end(JSON.stringify({ id: 'our-cars', processing_settings: settings }));
  };

  it.each<[string, (response: ServerResponse) => void, string[]]>([
    ['rewrites pages', site({ html: { pretty_urls: true } }), ['host-rewrites']],
    [
      'rewrites pages, by default',
      site({ skip: false, html: { pretty_urls: true } }),
      ['host-rewrites'],
    ],
    ['leaves pages alone', site({ html: { pretty_urls: false } }), []],
    ['processes nothing', site({ skip: true, html: { pretty_urls: true } }), []],
    ['says nothing of it', site({}), []],
    ['refuses', (response) => response.writeHead(401).end('{}'), []],
    ['answers with a page', (response) => response.end('<html>'), []],
    [
      'sends elsewhere',
      (response) => response.writeHead(302, { location: published.url }).end(),
      [],
    ],
  ])('that %s: %o', async (_, answer, codes) => {
    const found = await asking(answer);
    expect(found.codes).toEqual(codes);
    const [first] = found.asked;
    expect(found.asked).toHaveLength(1);
    expect(first?.url).toBe('/api/v1/sites/our-cars');
    expect(first?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(published.asked.every((file) => file === 'api/records/7001.json')).toBe(true);
  });
});

describe('what the published site remembers', () => {
  const records = (headers: Record<string, string>, body: Buffer | undefined) => {
    published.instead = (file) =>
      file === 'api/records/7001.json' ? { headers, body: body ?? '', status: 200 } : undefined;
  };

  it('is said to come uncompressed where it does', async () => {
    records({}, Buffer.alloc(40_000, 'a'));
    const { found, exitCode } = await doctor({});
    expect(found).toMatchObject([
      { code: 'records-large', severity: 'warning', args: { bytes: 40_000 } },
    ]);
    expect(exitCode).toBe(0);
  });

  it.each<[string, () => void]>([
    [
      'compressed',
      () => records({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(40_000, 'a'))),
    ],
    ['too small to matter', () => records({}, Buffer.alloc(3000, 'a'))],
    ['not there yet', () => {}],
  ])('is no matter where it is %s', async (_, set) => {
    set();
    const { found } = await doctor({});
    expect(found).toEqual([]);
  });
});
