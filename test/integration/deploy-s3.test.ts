import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { s3SettingsOf } from '../../src/config/deploy-settings.ts';
import { deployToS3 } from '../../src/deploy/s3.ts';
import { startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { type S3Host, startS3Host } from '../support/s3-host.ts';

const BUCKET = 'cars';
const KEYS = { id: 'AKIDEXAMPLE', secret: 'a-secret/with+signs=' };

const envOf = (host: S3Host, change: Record<string, string> = {}): Record<string, string> => ({
  S3_BUCKET: BUCKET,
  S3_ENDPOINT: host.endpoint,
  S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: KEYS.id,
  AWS_SECRET_ACCESS_KEY: KEYS.secret,
  ...change,
});

const service = await forAllTests(startSampleService({ dealers: 1, vehicles: 1, images: 1 }));

const SITE: Readonly<Record<string, string>> = {
  'index.html': '<p>front',
  'one/index.html': '<p>dealer',
  'one/media.json': '{}',
  'assets/site.css': 'p{}',
  'media/ab/cd-320-x.webp': 'picture',
  'media/ab/o ld+1.jpg': 'old picture',
  _headers: '/*',
};

async function writeSite(folder: string, files: Readonly<Record<string, string>>) {
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
}

const deploy = (folder: string, env: Record<string, string>) =>
  runCommand('deploy-s3', ['--folder', folder], env);

describe('npm run deploy:s3', () => {
  it('sends pictures first and pages last, then only what changed, and removes only its own', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    host.objects.set('/cars/other/file.txt', { body: Buffer.from('x'), type: '', cache: '' });
    await writeSite(folder.path, SITE);
    const first = await deploy(folder.path, envOf(host));
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toContain('6 files sent');
    const puts = host.requests.filter((one) => one.startsWith('PUT') && !one.includes('.deployed'));
    expect(puts.slice(0, 2).every((one) => one.includes('/media/'))).toBe(true);
    expect(puts.slice(-2).every((one) => one.endsWith('.html'))).toBe(true);
    expect(host.objects.get('/cars/media/ab/cd-320-x.webp')).toMatchObject({
      type: 'image/webp',
      cache: 'public, max-age=31536000, immutable',
    });
    expect(host.objects.get('/cars/index.html')).toMatchObject({
      type: 'text/html; charset=utf-8',
      cache: 'public, max-age=300',
    });
    expect(host.objects.has('/cars/_headers')).toBe(false);

    const { 'media/ab/o ld+1.jpg': _, ...left } = SITE;
    await writeSite(folder.path, { ...left, 'index.html': '<p>new' });
    host.requests.length = 0;
    const second = await deploy(folder.path, envOf(host));
    expect(second.stdout).toContain('1 files sent');
    expect(second.stdout).toContain('4 unchanged, 1 removed');
    expect(host.requests).toEqual([
      'GET /cars/.deployed.json',
      'PUT /cars/.deployed.json',
      'PUT /cars/index.html',
      'DELETE /cars/media/ab/o ld+1.jpg',
      'PUT /cars/.deployed.json',
    ]);
    expect(host.objects.get('/cars/index.html')?.body.toString()).toBe('<p>new');
    expect(host.objects.has('/cars/other/file.txt')).toBe(true);
  });

  it('sends what the next build remembers by when it changed, and its times in every night', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    const config = configFor(service, { media: { widths: [64], fallbackWidth: 64 } });
    const night = async (hours: number) => {
      const { error, output } = await build(config, folder.path, {
        now: Date.parse('2026-03-02T02:00:00Z') + hours * 3_600_000,
      });
      expect(error).toBeUndefined();
      host.requests.length = 0;
      expect(await deploy(output, envOf(host))).toMatchObject({ exitCode: 0, stderr: '' });
      return host.requests.filter((one) => one.startsWith('PUT') && !one.includes('.deployed'));
    };
    const id = service.data.dealers[0]?.id;
    const records = [`${id}.json`, `${id}.files.json`, 'times.json'];
    await night(0);
    for (const name of records) {
      // Never for ever, as thumbnails are: they change under their names.
      expect(host.objects.get(`/cars/api/records/${name}`)).toMatchObject({
        type: 'application/json',
        cache: 'public, max-age=300',
      });
    }
    expect(await night(24)).toEqual(['PUT /cars/api/records/times.json']);
    const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
    if (vehicle) vehicle.dateUpdated = '2026-03-03T12:00:00Z';
    const sent = await night(48);
    for (const name of records) expect(sent).toContain(`PUT /cars/api/records/${name}`);
  });

  it('leaves the pages of a deploy that is cut off as they were, and tidies up after it', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    await writeSite(folder.path, SITE);
    await deploy(folder.path, envOf(host));
    await writeSite(folder.path, { ...SITE, 'media/new.webp': 'n', 'index.html': '<p>second' });
    host.refuse('PUT /cars/media/new.webp');
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 3 });
    expect(host.objects.get('/cars/index.html')?.body.toString()).toBe('<p>front');
    host.refuse('PUT /cars/index.html');
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 3 });
    expect(host.objects.has('/cars/media/new.webp')).toBe(true);
    host.refuse(undefined);
    await writeSite(folder.path, SITE);
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 0 });
    expect(host.objects.has('/cars/media/new.webp')).toBe(false);
    expect([...host.objects.keys()].filter((key) => key.endsWith('.html')).length).toBe(2);
  });

  it("leaves somebody's files alone that have the names of ours", async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    const put = (name: string, text: string) =>
      host.objects.set(`/cars/${name}`, { body: Buffer.from(text), type: '', cache: '' });
    put('index.html', 'mine');
    put('two/index.html', 'mine');
    await writeSite(folder.path, SITE);
    const refused = await deploy(folder.path, envOf(host));
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('[bucket-not-ours]');
    expect(refused.stderr).toContain('index.html');
    expect(host.requests.filter((one) => one.startsWith('PUT'))).toEqual([]);
    // The same bytes are nobody's loss, such as what another tool once sent for us.
    put('index.html', SITE['index.html'] ?? '');
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 0 });
    // A page that comes later.
    await writeSite(folder.path, { ...SITE, 'two/index.html': '<p>new dealer' });
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 2 });
    expect(host.objects.get('/cars/two/index.html')?.body.toString()).toBe('mine');
    // A deploy that was cut off knows what it may have sent.
    await writeSite(folder.path, { ...SITE, 'three/index.html': '<p>x', 'three/a.json': '{}' });
    host.refuse('PUT /cars/three/index.html');
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 3 });
    host.refuse(undefined);
    await writeSite(folder.path, { ...SITE, 'three/index.html': '<p>y', 'three/a.json': '[]' });
    expect(await deploy(folder.path, envOf(host))).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['not carried out', false],
    ['carried out, its answer lost', true],
  ])('ends as the folder is after a cut at any request (%s)', async (_, carriesOut) => {
    await using folder = await temporaryFolder();
    const former = { ...SITE, 'gone/index.html': '<p>gone' };
    const next = {
      ...SITE,
      'index.html': '<p>next',
      'new/index.html': '<p>new',
      'one/new.json': '',
    };
    const sites = { former: `${folder.path}/former`, next: `${folder.path}/next` };
    await writeSite(sites.former, former);
    await writeSite(sites.next, next);
    const expected = (site: Readonly<Record<string, string>>) =>
      Object.entries(site)
        .filter(([file]) => file !== '_headers')
        .map(([file, text]) => `${file} ${text}`)
        .sort();
    for (let request = 1; ; request++) {
      await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
      const settings = s3SettingsOf(envOf(host));
      const there = () =>
        [...host.objects]
          .map(([key, { body }]) => `${key.slice('/cars/'.length)} ${body}`)
          .filter((line) => !line.startsWith('.deployed'))
          .sort();
      await deployToS3({ folder: sites.former, settings });
      const controller = new AbortController();
      let isCut = false;
      const onCut = () => {
        isCut = true;
        controller.abort();
      };
      host.cut({ request, carriesOut, onCut });
      const cutOff = deployToS3({ folder: sites.next, settings, signal: controller.signal });
      await cutOff.catch(() => {});
      host.cut(undefined);
      // What was published before the cut is deployed again: a rollback, the hardest case.
      const again = await deployToS3({ folder: sites.former, settings });
      expect(there(), `cut at request ${request}`).toEqual(expected(former));
      expect(again.uploaded + again.unchanged).toBe(expected(former).length);
      expect((await deployToS3({ folder: sites.former, settings })).uploaded).toBe(0);
      if (!isCut) {
        expect(request).toBeGreaterThan(6);
        return;
      }
    }
  });

  it('takes a 403 for what is not there as missing, with keys that may not list', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS, maySee: false });
    await writeSite(folder.path, SITE);
    const first = await deploy(folder.path, envOf(host));
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toContain('6 files sent');
    expect([...host.objects.keys()].filter((key) => key.includes('.deployed'))).toEqual([
      '/cars/.deployed.json',
    ]);
    const second = await deploy(folder.path, envOf(host));
    expect(second.stdout).toContain('0 files sent');
  });

  it('tells a missing right to read, and leaves the list that it cannot read', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    await writeSite(folder.path, SITE);
    await deploy(folder.path, envOf(host));
    const before = host.objects.get('/cars/.deployed.json');
    await writeSite(folder.path, { 'index.html': '<p>other' });
    host.refuse('GET');
    const ran = await deploy(folder.path, envOf(host));
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('[s3-refused]');
    expect(host.objects.get('/cars/.deployed.json')).toEqual(before);
    expect(host.objects.get('/cars/index.html')?.body.toString()).toBe('<p>front');
  });

  it('uses a folder in the bucket, and bears passing faults', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    await writeSite(folder.path, { 'index.html': 'x' });
    host.fail(503, 2);
    const ran = await deploy(folder.path, envOf(host, { S3_PREFIX: '/sites/cars/' }));
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect([...host.objects.keys()].sort()).toEqual([
      '/cars/sites/cars/.deployed.json',
      '/cars/sites/cars/index.html',
    ]);
  });

  it.each([
    ['a missing variable', { S3_BUCKET: '' }, 2, 's3-settings'],
    ['an address that is not https', { S3_ENDPOINT: 'http://s3.example' }, 2, 's3-settings'],
    ['a wrong key', { AWS_SECRET_ACCESS_KEY: 'another-secret' }, 3, 's3-refused'],
    ['no such bucket', { S3_BUCKET: 'nowhere' }, 3, 's3-no-bucket'],
    ['nobody there', { S3_ENDPOINT: 'http://127.0.0.1:1' }, 4, 's3-unreachable'],
  ] as const)('tells %s', async (_, change, exitCode, code) => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    await writeSite(folder.path, { 'index.html': 'x' });
    const ran = await deploy(folder.path, envOf(host, change));
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stderr).toContain('  Do:  ');
    expect(ran.stdout + ran.stderr).not.toContain(KEYS.secret);
    expect(host.objects.size).toBe(0);
  });

  it('sends nothing of a folder that is no site', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ bucket: BUCKET, ...KEYS });
    const ran = await deploy(path.join(folder.path, 'nowhere'), envOf(host));
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('[deploy-no-site]');
    expect(host.requests).toEqual([]);
  });
});
