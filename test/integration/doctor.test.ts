import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import type { Finding } from '../../src/setup/findings.ts';
import { toConfig } from '../../src/setup/init/answers.ts';
import { buildSite, readTree } from '../support/build.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 4, images: 2 }));
afterEach(() => service.faults.clear());

const accounts = [{ name: 'north', customerId: 'C-1001', pathId: '1' }];

const configWith = (change: Partial<UserConfig> = {}): UserConfig => ({
  service: { baseUrl: service.baseUrl, timeout: '20s' },
  site: { title: 'Cars', url: 'https://cars.test' },
  dealers: [{ id: 7001, name: 'North', slug: 'north' }],
  media: { widths: [160] },
  ...change,
});

/** Runs the doctor on a configuration with added settings from `change`. */
async function doctor(
  change: Partial<UserConfig> = {},
  { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {},
) {
  const folder = tempFolder();
  const file = path.join(folder, 'config.json');
  await writeFile(file, JSON.stringify(configWith(change)));
  const keys = { MEDIA_API_KEY: service.mediaKey, BATCH_API_KEY: service.batchKey, ...env };
  const words = ['--config', file, '--json', ...args];
  // Each process has a separate folder for temporary files.
  const ran =
    env.TMPDIR === undefined
      ? await runHere(['doctor', ...words], { env: keys })
      : await runCommand('doctor', words, keys);
  const output = ran.stdout + ran.stderr;
  for (const key of [service.mediaKey, service.batchKey]) expect(output).not.toContain(key);
  const diagnosis = JSON.parse(ran.stdout);
  expect(diagnosis.ok).toBe(ran.exitCode === 0);
  const findings: (Finding & { what: string; why: string; fix: string })[] = diagnosis.findings;
  return { exitCode: ran.exitCode, findings, codes: findings.map(({ code }) => code) };
}

const findingOf = ({ findings }: Awaited<ReturnType<typeof doctor>>, code: string) =>
  findings.find((each) => each.code === code);

describe('npm run doctor', () => {
  it('accepts a correct project and reports the duration of each response', async () => {
    // Names of fields can contain personal data. A pull reports them without it.
    Object.assign(service.data.accounts[0]?.batches[0] ?? {}, { 'ann@example.com': 1 });
    const temporary = tempFolder();
    const env = { TMPDIR: temporary };
    const found = await doctor({ accounts }, { args: ['--host', 'netlify'], env });
    expect(found.exitCode).toBe(0);
    expect(found.codes.sort()).toEqual([
      'account-answers',
      'company-details-missing',
      'dealer-answers',
      'host-fits',
      'host-rule',
      'host-variables',
      'pictures-arrive',
    ]);
    expect(findingOf(found, 'dealer-answers')?.args).toMatchObject({
      subject: 'North',
      vehicles: 4,
    });
    expect(findingOf(found, 'dealer-answers')?.args.ms).toBeGreaterThan(0);
    expect((await readdir(temporary)).filter((name) => name.startsWith('site-'))).toEqual([]);
  });

  const NOWHERE = { baseUrl: 'http://127.0.0.1:1', timeout: '5s' };
  it.each<[string, string, Partial<UserConfig>, Record<string, string>?]>([
    ['a key that is not set', 'key-missing', {}, { MEDIA_API_KEY: '' }],
    ['a batch key of another form', 'key-form', { accounts }, { BATCH_API_KEY: 'of-no-form' }],
    ['a wrong key', 'dealer-fails', {}, { MEDIA_API_KEY: 'not-the-right-key' }],
    ['no dealer', 'config-empty', { dealers: [] }],
    ['a setting that is not known', 'config-wrong', { nonsense: 1 } as never],
    ['tracing that would print keys', 'config-wrong', {}, { NODE_DEBUG: 'http' }],
    [
      'an unknown account',
      'account-fails',
      { accounts: [{ name: 'x', customerId: 'C-9', pathId: '1' }] },
    ],
    ['the example', 'config-example', { service: { baseUrl: 'https://media.example' } }],
    ['a service that is not there', 'dealer-fails', { service: NOWHERE }],
    ['a host that is not known', 'host-unknown', {}, { DEPLOY_TO: 'sftp://ann:pa55w0rd@x' }],
  ])('%s is an error', async (_, code, change, env) => {
    const found = await doctor(change, { env });
    expect(found.exitCode).toBe(2);
    expect(findingOf(found, code)?.severity).toBe('error');
    expect(JSON.stringify(found)).not.toContain('pa55w0rd');
    for (const { what, why, fix } of found.findings)
      for (const text of [what, why, fix]) expect(text.length).toBeGreaterThan(3);
  });

  it('reports every deviation from the contract and suggests field names', async () => {
    const { baseUrl } = service;
    const image = (id: number, more: object = {}) => ({
      id,
      type: 'Image',
      label: 'Image 1',
      mediaUrl: `${baseUrl}/pictures/${id}.jpg`,
      ...more,
    });
    const record = (vrm: unknown, mediaList: unknown[], more: object = {}) => ({
      vrm,
      dateUpdated: '2026-03-01T10:00:00Z',
      mediaList,
      ...more,
    });
    const body = [
      record('AB12CDE', [image(1, { size: 3 }), { ...image(2), type: 'Spin' }], { colour: 'red' }),
      record('EF56GHJ', [{ ...image(3), mediaUrl: 'ftp://x/y' }]),
      record('EF56GHJ', [{ ...image(3), mediaUrl: 'ftp://x/y' }]),
      record(7, []),
      record(null, []),
      record('CD34EFG', [
        {
          ...image(4),
          type: 'Video',
          hostedVideoUrl: 'https://videos.test/embed/1',
        },
        {
          ...image(5),
          type: 'Video',
          tubeUrl: 'https://x.test/1',
          tubeWatchUrl: 'https://x.test/2',
        },
        image(6, { mediaUrl: 'https://elsewhere.test/6.jpg' }),
      ]),
    ];
    service.faults.set({ route: 'media', body: JSON.stringify(body) });
    const found = await doctor();
    const argsOf = (code: string) => findingOf(found, code)?.args;
    expect(argsOf('unknown-fields')).toMatchObject({
      fields: { colour: 1, 'mediaList[].size': 1, 'mediaList[].tubeUrl': 1 },
    });
    expect(argsOf('unknown-types')).toMatchObject({ types: { Spin: 1 } });
    expect(argsOf('duplicate-plates')).toMatchObject({ count: 1 });
    expect(argsOf('field-names')).toMatchObject({ setting: 'hostedVideo', value: 'tube' });
    expect(argsOf('embed-hosts')).toMatchObject({ hosts: { 'videos.test': 1 } });
    expect(argsOf('picture-hosts')).toMatchObject({ hosts: { 'elsewhere.test': 1 } });
    expect(argsOf('dealer-fails')).toMatchObject({ problem: 'stock-too-many-quarantined' });
    const setAside = found.findings.filter(({ code }) => code === 'set-aside');
    expect(setAside.map(({ args }) => args.code).sort()).toEqual([
      'address-not-http',
      'contract-invalid_type',
    ]);
    expect(found.exitCode).toBe(2);
  });

  it('lists each failed picture, as an error if a build would stop', async () => {
    service.faults.set({ route: 'picture', status: 404 });
    const found = await doctor();
    const failed = findingOf(found, 'picture-fails');
    expect(failed).toMatchObject({ severity: 'error', args: { code: 'download-status' } });
    expect(found.exitCode).toBe(2);
    const { pictures } = (failed?.args ?? {}) as { pictures: { url: string; message: string }[] };
    expect(pictures.length).toBeGreaterThan(4);
    for (const { url, message } of pictures) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[^?]+$/);
      expect(message).toContain('404');
    }
    expect(failed).toMatchObject({
      what: expect.stringContaining(`\n${pictures[4]?.url}: `),
      fix: expect.stringContaining('send the vendor their URLs'),
    });
  });

  it('warns about failed pictures if a build would publish without them', async () => {
    service.faults.set({ route: 'picture', status: 404, times: 3 });
    const found = await doctor();
    expect(findingOf(found, 'picture-fails')?.severity).toBe('warning');
    expect(found.exitCode).toBe(0);
  });

  it('reports an interruption and leaves no files', async () => {
    service.faults.set({ route: 'media', hang: true });
    const folder = tempFolder();
    const file = path.join(folder, 'config.json');
    await writeFile(file, JSON.stringify(configWith({ service: { baseUrl: service.baseUrl } })));
    const env = { MEDIA_API_KEY: service.mediaKey, TMPDIR: folder };
    service.requests.clear();
    const running = startCommand('doctor', ['--config', file], env);
    await expect.poll(() => service.requests.list('media').length).toBe(1);
    running.child.kill('SIGINT');
    const ran = await running.ended;
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('[command-interrupted]');
    expect(await readdir(folder)).toEqual(['config.json']);
  });

  it('reports a .env that other users can read', async () => {
    const folder = tempFolder();
    const { checkEnvFile } = await import('../../src/setup/doctor/machine.ts');
    const file = path.join(folder, '.env');
    await writeFile(file, 'A=1');
    await chmod(file, 0o644);
    const codes = async () => (await Array.fromAsync(checkEnvFile(file))).map(({ code }) => code);
    expect(await codes()).toEqual(['env-open']);
    await chmod(file, 0o600);
    expect(await codes()).toEqual([]);
  });

  it('shows errors last with a fix, and information on one line', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'site.config.json');
    await writeFile(file, JSON.stringify(toConfig(EXAMPLE)));
    const ran = await runHere(['doctor', '--config', file], { env: { DEPLOY_TO: 'netlify' } });
    expect(ran.exitCode).toBe(2);
    const lines = ran.stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines.at(-1)).toMatch(/^2 errors, 2 warnings\. /);
    expect(ran.stdout).toMatch(
      /ERROR {3}.*\[config-example\]\n {8}Why: .*\n {8}Do: {2}.*npm run init/,
    );
  });
});

it('estimates the size of a site before the first build', async () => {
  const folder = tempFolder();
  const change: Partial<UserConfig> = {
    dealers: [7001, 7002].map((id) => ({ id, name: `Dealer ${id}`, slug: `dealer-${id}` })),
    media: { widths: [160, 320], viewerWidths: [1600, 1920] },
    site: { title: 'Cars', url: 'https://cars.test', locales: ['de-DE'], sticker: true },
  };
  const found = await doctor(change, { args: ['--host', 'netlify'] });
  const expected = findingOf(found, 'host-fits')?.args as { files: number; bytes: number };
  const env = { MEDIA_API_KEY: service.mediaKey };
  const config = resolveConfig(configWith(change), { file: 'test', keysFor: 'dealers', env });
  const { output } = await buildSite(config, folder);
  const site = await readTree(output);
  const bytes = [...site.values()].reduce((sum, text) => sum + text.length, 0);
  expect(Math.abs(expected.files - site.size) / site.size).toBeLessThan(0.02);
  expect(expected.bytes / bytes).toBeGreaterThan(0.85);
  expect(expected.bytes / bytes).toBeLessThan(1.2);
});

it('makes no request that the service cannot answer', async () => {
  service.requests.clear();
  await doctor({}, { env: { MEDIA_API_KEY: '"half-quoted-key' } });
  expect(service.requests.list('media')).toEqual([]);
});
