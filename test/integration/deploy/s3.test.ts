import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { build, configFor, temporaryFolder } from '../../support/build.ts';
import { forAllTests } from '../../support/for-all-tests.ts';
import { servedOf, textsOf, writeSite } from '../../support/hosts/change-set.ts';
import { deployTo, failureOf } from '../../support/hosts/deploys.ts';
import { clientOf, deploy, SITE } from '../../support/hosts/s3-deploys.ts';
import { startS3Host } from '../../support/hosts/s3.ts';
import { startService } from '../../support/service.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, images: 1 }));

describe('a deploy of a whole site to S3', () => {
  it('sends pictures first and pages last, then only what changed, and removes only its own', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    host.objects.set('/cars/other/file.txt', { body: Buffer.from('x') });
    await writeSite(folder.path, SITE);
    const first = await deploy(host, folder.path);
    expect(first).toMatchObject({ files: 7, unchanged: 0, removed: 0 });
    const puts = host.work().filter((one) => one.startsWith('PUT'));
    expect(puts.slice(0, 2).every((one) => one.includes('/media/'))).toBe(true);
    expect(puts.slice(4, 6).every((one) => one.endsWith('.html'))).toBe(true);
    expect(puts.slice(6)).toEqual(['PUT /cars/api/records/times.json', 'PUT /cars/.deployed.json']);
    expect(host.objects.get('/cars/media/ab/cdef0123456789abcd-320-abcdef.webp')).toMatchObject({
      type: 'image/webp',
      cache: 'public, max-age=31536000, immutable',
    });
    expect(host.objects.get('/cars/index.html')).toMatchObject({
      type: 'text/html; charset=utf-8',
      cache: 'public, max-age=300',
    });
    expect(host.objects.has('/cars/_headers')).toBe(false);
    // The lock is gone.
    expect(host.objects.has('/cars/.deploying.json')).toBe(false);

    const { 'media/ab/o ld+1.jpg': _, ...left } = SITE;
    const next = { ...left, 'index.html': '<p>new' };
    await writeSite(folder.path, next);
    host.requests.length = 0;
    const second = await deploy(host, folder.path);
    expect(second).toMatchObject({ files: 1, unchanged: 5, removed: 1 });
    expect(host.work().filter((one) => !one.startsWith('GET'))).toEqual([
      'PUT /cars/index.html',
      'PUT /cars/.deployed.json',
      'DELETE /cars/media/ab/o ld+1.jpg',
    ]);
    expect(host.objects.has('/cars/other/file.txt')).toBe(true);
    host.objects.delete('/cars/other/file.txt');
    expect(textsOf(host.served())).toEqual(servedOf(next));
  });

  it('uses temporary keys with their token, in the region that Amazon’s tools use', async () => {
    await using folder = await temporaryFolder();
    const sessionToken = 'a-session/token+of=a-role';
    await using host = await startS3Host({ sessionToken });
    await writeSite(folder.path, SITE);
    const role = { ...host.environment(), S3_REGION: '', AWS_REGION: 'eu-west-1' };
    const lines: string[] = [];
    await deployTo({ ...clientOf(role), secret: sessionToken }, folder.path, { lines });
    expect(textsOf(host.served())).toEqual(servedOf(SITE));
    const without = { ...role, AWS_SESSION_TOKEN: '' };
    const refused = await failureOf(deployTo(clientOf(without), folder.path));
    expect(refused).toMatchObject({ code: 's3-refused', fix: expect.stringContaining('TOKEN') });
  });

  it('sends what the next build remembers by when it changed, and its times in every night', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const config = configFor(service, { media: { widths: [64] } });
    let site = '';
    const night = async (hours: number) => {
      const { error, output } = await build(config, folder.path, {
        now: Date.parse('2026-03-02T02:00:00Z') + hours * 3_600_000,
      });
      expect(error).toBeUndefined();
      host.requests.length = 0;
      const { requests } = await deploy(host, output);
      expect(requests).toBeLessThan(hours === 24 ? 20 : 1000);
      site = output;
      return host.work().filter((one) => one.startsWith('PUT') && !one.includes('.deployed'));
    };
    const id = service.data.dealers[0]?.id;
    const records = [`${id}.json`, `${id}.files.json`, 'times.json'];
    await night(0);
    for (const name of records) {
      // Never for ever, as thumbnails are: they change under their names.
      const stored = host.objects.get(`/cars/api/records/${name}`);
      expect(stored).toMatchObject({ type: 'application/json', cache: 'public, max-age=300' });
      // The next build reads them.
      expect(stored?.encoding).toBe(name === 'times.json' ? undefined : 'gzip');
      expect(() => gunzipSync(stored?.body ?? '')).toSatisfy(
        (unpack: () => void) => name === 'times.json' || Boolean(unpack() ?? true),
      );
    }
    expect(await night(24)).toEqual(['PUT /cars/api/records/times.json']);
    const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
    if (vehicle) vehicle.dateUpdated = '2026-03-03T12:00:00Z';
    const sent = await night(48);
    for (const name of records) expect(sent).toContain(`PUT /cars/api/records/${name}`);
    // What the bucket's own records say is enough to know what is unchanged, without any list of ours.
    host.objects.delete('/cars/.deployed.json');
    host.requests.length = 0;
    await deploy(host, site);
    const again = host.work().filter((one) => one.startsWith('PUT'));
    expect(again.filter((one) => one.includes('/media/'))).toEqual([]);
  });
});

describe('what else is in a bucket', () => {
  it("leaves somebody's files alone that have the names of ours", async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const put = (name: string, text: string) =>
      host.objects.set(`/cars/${name}`, { body: Buffer.from(text) });
    put('index.html', 'mine');
    put('two/index.html', 'mine');
    await writeSite(folder.path, SITE);
    const refused = await failureOf(deploy(host, folder.path));
    expect(refused).toMatchObject({ code: 'bucket-not-ours', exitCode: 2 });
    expect(String(refused)).toContain('index.html');
    expect(host.requests.filter((one) => one.startsWith('PUT'))).toEqual([]);
    // The same bytes are nobody's loss, such as what another tool once sent for us.
    put('index.html', SITE['index.html'] ?? '');
    await deploy(host, folder.path);
    // A page that comes later.
    await writeSite(folder.path, { ...SITE, 'two/index.html': '<p>new dealer' });
    expect(await failureOf(deploy(host, folder.path))).toMatchObject({ code: 'bucket-not-ours' });
    expect(host.objects.get('/cars/two/index.html')?.body.toString()).toBe('mine');
    // A deploy that was cut off knows what it may have sent.
    await writeSite(folder.path, { ...SITE, 'three/index.html': '<p>x', 'three/a.json': '{}' });
    host.refuse('PUT /cars/three/index.html');
    expect(await failureOf(deploy(host, folder.path))).toMatchObject({
      code: 's3-refused',
      exitCode: 3,
    });
    host.refuse(undefined);
    await writeSite(folder.path, { ...SITE, 'three/index.html': '<p>y', 'three/a.json': '[]' });
    await deploy(host, folder.path);
    // Somebody says that they may go.
    await writeSite(folder.path, { ...SITE, 'two/index.html': '<p>new dealer' });
    await deploy(host, folder.path, { takeOver: true });
    expect(host.objects.get('/cars/two/index.html')?.body.toString()).toBe('<p>new dealer');
  });

  it('refuses keys that may not list', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ mayList: false });
    host.objects.set('/cars/index.html', { body: Buffer.from('mine') });
    await writeSite(folder.path, SITE);
    expect(await failureOf(deploy(host, folder.path))).toMatchObject({
      code: 's3-refused',
      exitCode: 3,
      fix: expect.stringContaining('list the bucket'),
    });
    expect([...host.objects.keys()]).toEqual(['/cars/index.html']);
  });

  it('is listed in pages, and what others changed of ours is sent again', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    for (let number = 0; number < 2500; number++) {
      host.objects.set(`/cars/j/${number}.txt`, { body: Buffer.from('mine') });
    }
    await writeSite(folder.path, SITE);
    await deploy(host, folder.path);
    const lists = host.requests.filter((one) => one.includes('list-type'));
    expect(lists).toHaveLength(3);
    host.objects.set('/cars/one/index.html', { body: Buffer.from('another') });
    host.objects.delete('/cars/media/ab/cdef0123456789abcd-320-abcdef.webp');
    expect(await deploy(host, folder.path)).toMatchObject({ files: 2, removed: 0 });
    const served = textsOf(host.served());
    for (const [name, text] of servedOf(SITE)) expect(served.get(name), name).toBe(text);
    expect(host.objects.size).toBe(2500 + servedOf(SITE).size + 1);
  });

  it('tells a missing right to read, and leaves the list that it cannot read', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await writeSite(folder.path, SITE);
    await deploy(host, folder.path);
    const before = new Map(host.objects);
    await writeSite(folder.path, { 'index.html': '<p>other' });
    host.refuse('GET');
    expect(await failureOf(deploy(host, folder.path))).toMatchObject({
      code: 's3-refused',
      exitCode: 3,
    });
    expect(host.objects).toEqual(before);
  });

  it('uses a folder in the bucket, and bears passing faults', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ prefix: 'sites/cars' });
    await writeSite(folder.path, { 'index.html': 'x' });
    host.fail(503, 2);
    await deploy(host, folder.path);
    expect([...host.objects.keys()].sort()).toEqual([
      '/cars/sites/cars/.deployed.json',
      '/cars/sites/cars/index.html',
    ]);
  });

  it.each([
    ['a wrong key', { AWS_SECRET_ACCESS_KEY: 'another-secret' }, 3, 's3-refused'],
    ['no such bucket', { S3_BUCKET: 'nowhere' }, 3, 's3-no-bucket'],
    ['nobody there', { S3_ENDPOINT: 'http://127.0.0.1:1' }, 4, 's3-unreachable'],
  ] as const)('tells %s', async (_, change, exitCode, code) => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await writeSite(folder.path, { 'index.html': 'x' });
    const client = clientOf({ ...host.environment(), ...change });
    const error = await failureOf(deployTo(client, folder.path));
    expect(error).toMatchObject({ code, exitCode });
    const told = JSON.stringify(error) + String(error);
    expect(told).not.toContain(host.environment().AWS_SECRET_ACCESS_KEY);
    expect(told).not.toContain('another-secret');
    expect(host.objects.size).toBe(0);
  });
});
