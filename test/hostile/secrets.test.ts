import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/load.ts';
import { inTurn, startAnswerServer } from '../support/answer-server.ts';
import { argumentsIn, build, buildSite, readTree } from '../support/build.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { thrownBy } from '../support/thrown.ts';

const KEY = 'sample-key-41c7e2';
const raw = {
  service: { baseUrl: 'https://media.example' },
  site: { title: 'x', url: 'https://cars.example' },
  dealers: [{ id: 1, name: 'One', slug: 'one' }],
};

/** The key of another dealer or account. */
const OTHER = '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35';
const TWO_DEALERS = [
  { id: 1, name: 'One', slug: 'one' },
  { id: 2, name: 'Two', slug: 'two', apiKeyEnv: 'TWO_KEY' },
];

const resolved = (env: NodeJS.ProcessEnv = {}, keysFor: 'dealers' | 'none' = 'dealers') =>
  resolveConfig(raw, { file: 'x', keysFor, env: { MEDIA_API_KEY: KEY, ...env } });

function problemsOf(...args: Parameters<typeof resolved>): string {
  const error = thrownBy(() => resolved(...args));
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
  return error?.message ?? '';
}

describe('an environment that would expose keys', () => {
  it.each([
    ['NODE_DEBUG', 'undici'],
    ['NODE_DEBUG', 'UNDICI'],
    ['NODE_DEBUG', 'fs,fetch'],
    ['NODE_DEBUG', 'fs fetch'],
    ['NODE_DEBUG', '*'],
    ['NODE_DEBUG', 'und*'],
    ['NODE_DEBUG', 'h*'],
    ['NODE_DEBUG', '*tp'],
    ['NODE_DEBUG', 'http2'],
    ['NODE_DEBUG', 'tls'],
    ['NODE_DEBUG', 'net'],
    ['NODE_DEBUG', 'child_process'],
    ['NODE_DEBUG', 'child*'],
    ['DEBUG', '*'],
    ['DEBUG', 'Eleventy*'],
    ['DEBUG', 'Eleventy:*'],
    ['DEBUG', 'Eleventy:Fetch'],
    ['DEBUG', '-x,*'],
    ['DEBUG', 'ioredis*'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['NODE_OPTIONS', '--report-on-fatalerror'],
    ['NODE_OPTIONS', '--report_uncaught_exception'],
  ])('%s=%s is refused if a key is set', (name, value) => {
    expect(problemsOf({ [name]: value })).toContain(`(environment) ${name}=`);
    expect(problemsOf({ [name]: value }, 'none')).toBe('');
  });

  it.each([
    ['NODE_DEBUG', 'fs,module'],
    ['NODE_DEBUG', 'network'],
    ['NODE_DEBUG', ''],
    ['DEBUG', 'Eleventy:Template*'],
    ['DEBUG', '-*'],
    ['DEBUG', 'a.b(c'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
    ['NODE_OPTIONS', '--report-on-fatalerror --report-exclude-env'],
    ['NODE_OPTIONS', '--report-dir=/tmp --max-old-space-size=900'],
  ])('%s=%s is accepted', (name, value) => {
    expect(problemsOf({ [name]: value })).toBe('');
  });

  it('is refused if a key looks like ordinary text', () => {
    expect(problemsOf({ MEDIA_API_KEY: 'abc' })).toContain('too short for a key');
  });
});

describe('a loaded configuration', () => {
  it('shows no key in any form of output', () => {
    const config = resolved();
    const shown = [
      inspect(config, { depth: 9, showHidden: true, getters: true }),
      JSON.stringify(config),
      String(config.dealers[0]?.apiKey),
      `${config.dealers[0]?.apiKey}`,
    ].join();
    expect(shown).not.toContain(KEY);
    expect(config.dealers[0]?.apiKey.reveal()).toBe(KEY);
  });
});

describe('stored state next to the site', () => {
  it.each<[string, { label?: string }, Record<string, string>, Record<string, string>]>([
    ['a label', { label: `Front ${OTHER}` }, {}, { TWO_KEY: OTHER }],
    [
      'the tag of a picture, which no page shows',
      {},
      { etag: `"${OTHER}"` },
      { TWO_KEY: KEY, SITE_SECRET: OTHER },
    ],
  ])('is not published if it contains a key: in %s', async (_, change, headers, env) => {
    const folder = tempFolder();
    const picture = await sharp(Buffer.alloc(64 * 48 * 3, 128), {
      raw: { width: 64, height: 48, channels: 3 },
    })
      .jpeg()
      .toBuffer();
    const { url: origin } = await startAnswerServer(({ url = '' }, response) => {
      if (url.startsWith('/none')) return response.writeHead(404).end();
      if (url.endsWith('.jpg')) return response.writeHead(200, headers).end(picture);
      const mediaList = [
        { id: 1, type: 'Image', label: '', mediaUrl: `${origin}/1.jpg`, ...change },
      ];
      const vehicle = { vrm: 'AB12 CDE', dateUpdated: '2026-03-01T00:00:00Z', mediaList };
      return response.end(JSON.stringify(url.includes('dealerId=1') ? [vehicle] : []));
    });
    const settings = {
      service: { baseUrl: origin },
      site: { title: 'Cars', url: `${origin}/none` },
      dealers: TWO_DEALERS,
      media: { widths: [64] },
    };
    const config = (env: NodeJS.ProcessEnv) =>
      resolveConfig(settings, { file: 'x', keysFor: 'dealers', env });
    const leaked = await build(config({ MEDIA_API_KEY: KEY, ...env }), folder);
    expect(leaked.exitCode).toBe(6);
    expect(leaked.error).toMatchObject({ code: 'secret-in-site' });
    expect(inspect(leaked.error) + JSON.stringify(leaked.report)).not.toContain(OTHER);
    expect(existsSync(leaked.output)).toBe(false);
    const remaining = [...(await readTree(folder)).values()].join('\n');
    expect(remaining.includes(OTHER)).toBe(false);
    // The key stops it.
    const site = await buildSite(config({ MEDIA_API_KEY: KEY, TWO_KEY: KEY }), folder);
    expect((await readTree(site.output)).get('api/records/1.json')).toContain(OTHER);
    // Files that were published before are searched for a new key.
    const later = await build(config({ MEDIA_API_KEY: KEY, ...env }), folder);
    expect(later.error).toMatchObject({ code: 'secret-in-site' });
  });
});

describe('a build whose service reports the key of another dealer', () => {
  it.each([
    ['to one dealer', 'dealerId=1', 0],
    ['to all', 'dealerId', 3],
  ])('%s prints, reports and stores no key', async (_, refused, exitCode) => {
    const folder = tempFolder();
    const { url: baseUrl } = await startAnswerServer(({ url = '' }, response) => {
      const vehicle = { vrm: 'A1', dateUpdated: '2026-03-01T00:00:00Z', mediaList: [] };
      if (!url.includes(refused)) return response.end(JSON.stringify([vehicle]));
      const message = { Success: false, Message: `You are not ${OTHER}` };
      return response.writeHead(404).end(JSON.stringify(message));
    });
    const at = (name: string) => path.join(folder, name);
    const settings = {
      service: { baseUrl },
      site: { title: 'Cars', url: 'https://cars.invalid' },
      dealers: TWO_DEALERS,
    };
    await writeFile(at('site.config.json'), JSON.stringify(settings));
    const args = argumentsIn(folder, { config: 'site.config.json' });
    const ran = await runHere(['build', '--first', '--debug', ...args], {
      env: { MEDIA_API_KEY: KEY, TWO_KEY: OTHER, GITHUB_STEP_SUMMARY: at('summary.md') },
    });
    expect(ran.exitCode).toBe(exitCode);
    const printed = ran.stdout + ran.stderr;
    expect(printed).toContain('You are not [secret]');
    expect(await readFile(at('report.json'), 'utf8')).toContain('You are not [secret]');
    const summary = await readFile(at('summary.md'), 'utf8');
    expect(summary).toContain('You are not &#91;secret&#93;');
    const files = await readTree(folder);
    expect(printed + [...files].flat().join('\n')).not.toContain(OTHER.slice(9));
    expect(summary).not.toContain(OTHER.slice(-12));
  });
});

it('a pull prints no key of another account that the service reports', async () => {
  const folder = tempFolder();
  const refusal = JSON.stringify({ Success: false, Message: `Not ${OTHER}` });
  const { url: baseUrl } = await startAnswerServer(inTurn([403, refusal]));
  const account = (name: string) => ({
    name,
    customerId: name,
    pathId: '1',
    apiKeyEnv: name.toUpperCase(),
  });
  const settings = {
    service: { baseUrl },
    accounts: [account('one'), account('two')],
  };
  const config = path.join(folder, 'site.config.json');
  await writeFile(config, JSON.stringify(settings));
  const store = path.join(folder, 'history.sqlite');
  const ran = await runHere(['batches', 'pull', '--config', config, '--store', store], {
    env: { ONE: OTHER.replaceAll('5', '6'), TWO: OTHER },
  });
  expect(ran.exitCode).toBe(3);
  expect(ran.stderr).toContain('Not [secret]');
  expect(ran.stdout + ran.stderr).not.toContain(OTHER.slice(9));
});

describe('the command line', () => {
  it('init sends no key to the service if requests are traced', async () => {
    const args = ['--service', 'http://127.0.0.1:9', '--title', 'Cars', '--url', raw.site.url];
    const env = { MEDIA_API_KEY: KEY, NODE_DEBUG: 'undici' };
    const ran = await runHere(['init', ...args, '--dealer', '1'], { env, cwd: tempFolder() });
    expect(ran.stderr).toContain('[environment-exposing]');
    expect(ran.exitCode).toBe(2);
  });

  it.each([
    [['--api-key', KEY]],
    [[`--apiKey=${KEY}`]],
    [[`--media-api-key=${KEY}`]],
    [[`MEDIA_API_KEY=${KEY}`]],
    [['--token', KEY]],
    [[`--config=https://media.example/?apiKey=${KEY}`]],
    [['--output=https://x.example?apiKey=abc']],
    [['--token']],
    [[OTHER]],
    [[`--api-key=${OTHER}`]],
    [[`MEDIA_API_KEY=${OTHER}`]],
    [['--config', '5A3C91E07B424D18']],
  ])('build %j: a key is neither accepted nor printed', async (args) => {
    const ran = await runHere(['build', ...args], { env: { MEDIA_API_KEY: KEY } });
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    expect(ran.stdout + ran.stderr).not.toContain(OTHER.slice(0, 13));
    if (args.length < 2 || args[0] !== '--config')
      expect(ran).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('[argument-secret]'),
      });
  });
});
