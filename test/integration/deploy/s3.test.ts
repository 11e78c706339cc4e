import { describe, expect, it } from 'vitest';
import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { Bucket } from '../../../src/deploy/hosts/s3/bucket.ts';
import { S3Host } from '../../../src/deploy/hosts/s3.ts';
import { fileHash, filesName, filesText } from '../../../src/record/files.ts';
import { RECORDS } from '../../../src/record/published-records.ts';
import type { Site } from '../../support/hosts/change-set.ts';
import { S3 } from '../../support/hosts/kinds.ts';
import { startRun } from '../../support/hosts/start-run.ts';
import { FIRST, failureOf, LEFT, PICTURE, SECOND, startWorld } from '../../support/hosts/world.ts';
import { serve } from '../../support/server.ts';

/** A bucket and deploys of full sites to it. */
async function start(options?: Parameters<typeof S3.start>[0]) {
  const here = await startWorld(S3, options);
  const { objects } = here.host;
  return {
    ...here,
    objects,
    put: (key: string, text: string) => objects.set(`/cars/${key}`, { body: Buffer.from(text) }),
    textAt: (key: string) => here.served().get(key),
    puts: () => here.host.work().filter((one) => one.startsWith('PUT')),
    fullNight: (site: Site, takeOver = false) => here.night(site, { form: 'whole', takeOver }),
  };
}

describe('a deploy to S3', () => {
  it('uploads pictures first and pages last, for browsers and caches', async () => {
    await using here = await start();
    const { objects } = here;
    expect(await here.fullNight(FIRST)).toMatchObject({ sent: { files: 11 }, removed: 0 });
    const sent = here.puts().map((one) => one.replace('PUT /cars/', ''));
    expect(sent.slice(0, 3).every((one) => one.startsWith('media/'))).toBe(true);
    expect(sent.slice(3, 5).sort()).toEqual(['assets/site.css', 'one/media.json']);
    expect(sent.slice(5, 10).every((one) => one.endsWith('.html'))).toBe(true);
    expect(sent.slice(10)).toEqual(['api/records/times.json', '.deployed.json']);
    expect(objects.get(`/cars/${PICTURE(1)}`)).toMatchObject({
      type: 'image/webp',
      cache: 'public, max-age=31536000, immutable',
    });
    expect(objects.get('/cars/index.html')).toMatchObject({
      type: 'text/html; charset=utf-8',
      cache: 'public, max-age=300',
    });
    expect(objects.has('/cars/_headers')).toBe(false);
    // The lock is deleted.
    expect(objects.has('/cars/.deploying.json')).toBe(false);
  });

  it('uploads changed files, deletes removed ones of the site, and makes no other request', async () => {
    await using here = await start();
    here.put('other/file.txt', 'x');
    const former: Site = { ...FIRST, 'media/ab/o ld+1.jpg': 'old picture' };
    await here.fullNight(former);
    here.host.requests.length = 0;
    const { sent, removed } = await here.night(SECOND, { former: FIRST });
    expect([sent?.files, removed]).toEqual([4, 3]);
    const work = here.host.work();
    // Pages are uploaded in parallel, and pictures deleted.
    const [pages, pictures] = [work.slice(4, 6).sort(), work.slice(-2).sort()];
    expect([...work.slice(0, 4), ...pages, ...work.slice(6, -2), ...pictures]).toEqual([
      'GET /cars/.deployed.json',
      'GET /cars?list-type=2&prefix=',
      'GET /cars/.deployed.json',
      `PUT /cars/${PICTURE(3)}`,
      'PUT /cars/index.html',
      'PUT /cars/two/index.html',
      'PUT /cars/api/records/times.json',
      'PUT /cars/.deployed.json',
      'DELETE /cars/gone/index.html',
      `DELETE /cars/${PICTURE(9)}`,
      'DELETE /cars/media/ab/o ld+1.jpg',
    ]);
    expect(here.objects.delete('/cars/other/file.txt')).toBe(true);
    here.expectServed(SECOND);
  });

  it('follows a plan, and plans again if the bucket has changed', async () => {
    await using here = await start();
    await here.night(FIRST);
    class ChangedAfterPlan extends S3Host {
      override async plan(...args: Parameters<S3Host['plan']>) {
        const made = await super.plan(...args);
        await here.night({ ...FIRST, 'four/index.html': '<p>4' });
        return made;
      }
    }
    const host = new ChangedAfterPlan(deploySettings('s3', here.host.environment()));
    const changes = await here.write(SECOND, { former: FIRST });
    const { planned } = await here.deploy(changes, { dryRun: true });
    await here.deploy(changes, { host });
    expect(planned).toMatchObject({ remove: 2 });
    here.expectServed(SECOND);
  });

  it('uses temporary keys with their token in the region that Amazon’s tools use', async () => {
    const sessionToken = 'a-session/token+of=a-role';
    await using here = await start({ sessionToken });
    const role = { S3_REGION: '', AWS_REGION: 'eu-west-1' };
    await here.night(FIRST, { environment: role });
    here.expectServed(FIRST);
    // An error never contains the token, even if the host repeats it.
    for (const token of ['', 'another-one-that-nobody-may-see']) {
      const environment = { ...role, AWS_SESSION_TOKEN: token };
      const refused = await failureOf(here.night(FIRST, { environment }));
      expect(refused).toMatchObject({ code: 's3-refused', fix: expect.stringContaining('TOKEN') });
    }
  });

  it('uses a folder in the bucket', async () => {
    await using here = await start({ prefix: 'sites/cars' });
    await here.fullNight({ 'index.html': 'x' });
    expect([...here.objects.keys()].sort()).toEqual([
      '/cars/sites/cars/.deployed.json',
      '/cars/sites/cars/index.html',
    ]);
  });

  it('compresses pages, scripts and records, but no files that other programs read', async () => {
    await using here = await start();
    const records = { 'api/records/7001.json': '{}', 'api/records/7001.files.json': '[]' };
    const site = { ...FIRST, ...records, 'assets/list.js': '1', 'one/feed.xml': '<feed/>' };
    await here.fullNight(site);
    const plain = [...here.objects].filter(([, { encoding }]) => encoding !== 'gzip');
    const names = plain.map(([key]) => key).filter((key) => !/media|\.deployed/.test(key));
    expect(names.sort()).toEqual([
      '/cars/404.html',
      '/cars/api/records/times.json',
      '/cars/one/feed.xml',
    ]);
    for (const name of Object.keys(records)) {
      // Unlike thumbnails, they change under their names.
      const stored = { type: 'application/json', cache: 'public, max-age=300' };
      expect(here.objects.get(`/cars/${name}`)).toMatchObject(stored);
    }
    here.expectServed(site);
    await using run = startRun('s3');
    const bucket = new Bucket(deploySettings('s3', here.host.environment()), run.http);
    expect(String(await bucket.getFile('index.html', 8))).toBe(FIRST['index.html']);
    // An unrelated object cannot fill the memory.
    expect(await bucket.getFile('index.html', 5)).toEqual(
      here.objects.get('/cars/index.html')?.body,
    );
  });

  it('recognises unchanged files without its list', async () => {
    await using here = await start();
    await here.fullNight(FIRST);
    here.objects.delete('/cars/.deployed.json');
    here.host.requests.length = 0;
    expect(await here.fullNight(FIRST)).toMatchObject({ sent: { files: 0 }, unchanged: 11 });
    expect(here.puts()).toEqual(['PUT /cars/.deployed.json']);
  });

  it('uploads files again that another program changed or deleted', async () => {
    await using here = await start();
    await here.fullNight(FIRST);
    here.put('one/index.html', 'another');
    here.objects.delete(`/cars/${PICTURE(1)}`);
    expect(await here.fullNight(FIRST)).toMatchObject({ sent: { files: 2 }, removed: 0 });
    here.expectServed(FIRST);
  });

  it('recognises files of the site without its list, by the records', async () => {
    await using here = await start();
    const row = { key: 'key', hash: fileHash(''), size: 0, uses: [] };
    const names = Object.keys(FIRST).filter((name) => name.endsWith('.html'));
    const rows = new Map(names.map((name) => [name, row]));
    await here.fullNight({ ...FIRST, [RECORDS + filesName('site')]: filesText({ rows }) });
    here.objects.delete('/cars/.deployed.json');
    here.put('own.html', 'mine');
    expect(await here.fullNight(SECOND)).toMatchObject({ removed: 3 });
    expect(here.textAt('gone/index.html')).toBeUndefined();
    expect(here.textAt('own.html')).toBe('mine');
    here.objects.delete('/cars/own.html');
    here.expectServed(SECOND);
  });

  it('does not take files of a site with other dealers for its own without the list', async () => {
    await using here = await start();
    const row = { key: 'key', hash: fileHash(''), size: 0, uses: [] };
    const rows = new Map([['index.html', row]]);
    const other = {
      [`${RECORDS}9.json`]: '{}',
      [RECORDS + filesName('site')]: filesText({ rows }),
    };
    await here.fullNight({ ...FIRST, ...other });
    here.objects.delete('/cars/.deployed.json');
    const next = { ...SECOND, [`${RECORDS}7.json`]: '{}' };
    await expect(here.fullNight(next)).rejects.toMatchObject({ code: 'bucket-not-ours' });
    expect(here.textAt('index.html')).toBe(FIRST['index.html']);
  });
});

it('names the endpoint of a bucket in another region', async () => {
  await using here = await startWorld(S3);
  const right = 'cars.s3.eu-central-1.amazonaws.com';
  // Amazon's response (docs.aws.amazon.com/AmazonS3/latest/userguide/Redirects.html).
  await using elsewhere = await serve((_, response) =>
    response
      .writeHead(301, { 'content-type': 'application/xml' })
      .end(
        `<Error><Code>PermanentRedirect</Code><Message>Use the endpoint.</Message><Endpoint>${right}</Endpoint></Error>`,
      ),
  );
  const error = await failureOf(here.night(FIRST, { environment: { S3_ENDPOINT: elsewhere.url } }));
  expect(error).toMatchObject({ code: 's3-refused', why: expect.stringContaining(right) });
  expect(error.fix).toContain('S3_REGION');
});

it('a bucket stores no earlier deploys, but the folder of an earlier site can be deployed', async () => {
  await using here = await startWorld(S3);
  const earlier = await here.write(FIRST, { form: 'whole' });
  await here.deploy(earlier);
  await here.night(SECOND, { former: FIRST });
  const { code, fix } = await failureOf(here.rollback());
  expect([code, fix]).toEqual(['deploy-no-release', expect.stringContaining('--take-over')]);
  await here.deploy(earlier, { takeOver: true });
  here.expectServed(FIRST);
});

describe('unrelated files in a bucket', () => {
  it('are kept if they have names of the site', async () => {
    await using here = await start();
    here.put('index.html', 'mine');
    here.put('two/index.html', 'mine');
    const refused = await failureOf(here.fullNight(FIRST));
    expect(refused).toMatchObject({ code: 'bucket-not-ours', exitCode: 2 });
    expect(String(refused)).toContain('index.html');
    expect(here.puts()).toEqual([]);
    // Overwriting identical bytes loses nothing, such as an earlier upload by another tool.
    here.put('index.html', FIRST['index.html'] ?? '');
    await here.fullNight(FIRST);
    // A page that is added later.
    expect(await failureOf(here.fullNight(SECOND))).toMatchObject({ code: 'bucket-not-ours' });
    expect(here.textAt('two/index.html')).toBe('mine');
    // A deploy may overwrite uploads of an interrupted deploy.
    here.host.refuse('PUT /cars/three/index.html');
    const third = { ...FIRST, 'three/index.html': '<p>x', 'three/a.json': '{}' };
    expect(await failureOf(here.fullNight(third))).toMatchObject({
      code: 's3-refused',
      exitCode: 3,
    });
    here.host.refuse(undefined);
    await here.fullNight({ ...FIRST, 'three/index.html': '<p>y', 'three/a.json': '[]' });
    // The user permits the overwrite.
    await here.fullNight(SECOND, true);
    expect(here.textAt('two/index.html')).toBe(SECOND['two/index.html']);
  });

  it('are kept, and a missing permission to read is reported', async () => {
    await using here = await start();
    await here.fullNight(FIRST);
    const before = new Map(here.objects);
    here.host.refuse('GET');
    expect(await failureOf(here.fullNight(LEFT))).toMatchObject({
      code: 's3-refused',
      exitCode: 3,
    });
    expect(here.objects).toEqual(before);
  });
});
