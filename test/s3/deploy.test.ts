import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { Bucket } from '../../src/deploy/hosts/s3/bucket.ts';
import { Lock } from '../../src/deploy/hosts/s3/lock.ts';
import { S3Host } from '../../src/deploy/hosts/s3.ts';
import { temporaryFolder } from '../support/build.ts';
import { openBucket, openCeph } from '../support/ceph.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startFront } from '../support/front.ts';
import { type Site, servedOf, writeChanges } from '../support/hosts/change-set.ts';
import { startRun } from '../support/hosts/start-run.ts';
import * as night from '../support/hosts/world.ts';

const ceph = openCeph();
const proxy = await forAllTests(startFront(ceph.origin));
let buckets = 0;

const record = (night: number) => ({ 'api/records/7001.json': `{"record": ${night}}` });
const FIRST: Site = { ...night.FIRST, ...record(1) };
const SECOND: Site = { ...night.SECOND, ...record(2) };

/** A separate bucket, reached through the proxy. */
async function freshBucket() {
  proxy.decide = () => undefined;
  const bucket = `sites-${buckets++}`;
  const env = await ceph.bucket(bucket, proxy.url);
  const settings = {
    endpoint: proxy.url,
    bucket,
    region: 'us-east-1',
    prefix: 'site',
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: new Secret(env.AWS_SECRET_ACCESS_KEY ?? ''),
    sessionToken: undefined,
  };
  const deploy = (folder: string, options: Partial<night.DeployRun> = {}) =>
    night.deployFolder(folder, {
      host: new S3Host(settings),
      secrets: [settings.secretAccessKey.reveal()],
      clock: night.testClock(),
      verify: false,
      ...options,
    });
  /** All objects of the bucket, decompressed. */
  const there = async (): Promise<Map<string, string>> => {
    await using opened = openBucket(env);
    const names = await opened.names();
    await using deploying = startRun('s3');
    const objects = new Bucket(settings, deploying.http);
    const files = new Map<string, string>();
    for (const name of names) files.set(name, String(await objects.getFile(name)));
    return files;
  };
  return { settings, deploy, there };
}

/** The list of a deploy, in addition to the site. */
async function siteIn(there: () => Promise<Map<string, string>>): Promise<Map<string, string>> {
  const files = await there();
  expect([...files.keys()].filter((name) => name.startsWith('.deploy'))).toEqual([
    '.deployed.json',
  ]);
  files.delete('.deployed.json');
  return files;
}

const SET = { url: 'http://127.0.0.1:1', built: '2026-03-02T02:00:00.000Z' };

describe('deploys to a real S3 service', () => {
  it('upload changed files, delete removed ones and compress records', async () => {
    await using folder = await temporaryFolder();
    const { deploy, there, settings } = await freshBucket();
    await writeChanges(folder.path, FIRST, SET);
    expect(await deploy(folder.path)).toMatchObject({ sent: { files: 12 } });
    expect(await siteIn(there)).toEqual(servedOf(FIRST));
    await writeChanges(folder.path, SECOND, { ...SET, former: FIRST });
    const report = await deploy(folder.path);
    expect(report).toMatchObject({ sent: { files: 5 }, removed: 2, unchanged: 7 });
    expect(report.requests).toBeLessThanOrEqual(30);
    // It respects conditions.
    expect(report.messages.filter((text) => !text.startsWith('Files'))).toEqual([]);
    expect(await siteIn(there)).toEqual(servedOf(SECOND));
    await using deploying = startRun('s3');
    const found = await new Bucket(settings, deploying.http).get('api/records/7001.json');
    expect(found?.bytes.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  });

  it('run one after the other if eight begin at once', async () => {
    await using folder = await temporaryFolder();
    const { deploy, there } = await freshBucket();
    const sites = Array.from({ length: 8 }, (_, index) => ({
      'index.html': `<p>${index}`,
      [`only-${index}/index.html`]: `${index}`,
      'api/records/times.json': `${index}`,
    }));
    const results = await Promise.allSettled(
      sites.map(async (site, index) => {
        await writeChanges(`${folder.path}/${index}`, site, SET);
        const clock = night.testClock();
        // A deploy is faster than the 18 checks that declare it dead.
        clock.onSleep = () => new Promise((resolve) => setTimeout(resolve, 1000));
        return deploy(`${folder.path}/${index}`, { clock });
      }),
    );
    const done = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(done.length).toBeGreaterThanOrEqual(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('deploy-under-way');
    }
    const site = await siteIn(there);
    expect(done.map((index) => servedOf(sites[index] ?? {}))).toContainEqual(site);
  });

  it('are taken over by only one of eight that find a dead one', async () => {
    const { settings } = await freshBucket();
    await using first = startRun('s3', { clock: night.testClock() });
    const dead = await Lock.take(new Bucket(settings, first.http), first.run);
    await dead.intend(['one/index.html']);
    const others = new AbortController();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, async () => {
        const { signal } = others;
        await using deploying = startRun('s3', { clock: night.testClock(), signal });
        const lock = await Lock.take(new Bucket(settings, deploying.http), deploying.run);
        // Deploys that were too late would declare this one dead by their clocks.
        others.abort();
        return lock.adopted;
      }),
    );
    const winners = results.filter(({ status }) => status === 'fulfilled');
    expect(winners).toEqual([{ status: 'fulfilled', value: ['one/index.html'] }]);
  });

  it('renew their lock and end if another deploy takes over', async () => {
    const { settings } = await freshBucket();
    const clock = night.testClock();
    await using deploying = startRun('s3', { clock });
    const bucket = new Bucket(settings, deploying.http);
    const lock = await Lock.take(bucket, deploying.run);
    const before = (await bucket.get('.deploying.json'))?.etag;
    clock.time += 31_000;
    await lock.check();
    const after = await bucket.get('.deploying.json');
    expect(after?.etag).not.toBe(before);
    expect(after?.age).toBeLessThan(60_000);
    await bucket.put('.deploying.json', '{"version":1,"id":"other","beat":0,"keys":[]}');
    clock.time += 31_000;
    await expect(lock.check()).rejects.toMatchObject({ code: 'deploy-overtaken' });
    await lock.abandon(bucket);
    expect(String((await bucket.get('.deploying.json'))?.bytes)).toContain('other');
  });

  it('list a bucket of several pages', async () => {
    await using folder = await temporaryFolder();
    const { deploy, there } = await freshBucket();
    const pages = Array.from({ length: 1200 }, (_, index) => [`p/${index}.txt`, `${index}`]);
    const site: Site = { ...FIRST, ...Object.fromEntries(pages) };
    await writeChanges(folder.path, site, SET);
    expect(await deploy(folder.path)).toMatchObject({ sent: { files: 1212 } });
    expect(await deploy(folder.path)).toMatchObject({ sent: { files: 0 }, unchanged: 1212 });
    await writeChanges(folder.path, FIRST, SET);
    expect(await deploy(folder.path)).toMatchObject({ sent: { files: 0 }, removed: 1200 });
    expect(await siteIn(there)).toEqual(servedOf(FIRST));
  });

  it.each(['cut-request', 'cut-answer'] as const)(
    'are completed by the next one after an interruption at any request (%s)',
    async (fault) => {
      await using folder = await temporaryFolder();
      for (let request = 1; ; request++) {
        const { deploy, there } = await freshBucket();
        await writeChanges(folder.path, FIRST, SET);
        await deploy(folder.path);
        await writeChanges(folder.path, SECOND, { ...SET, former: FIRST });
        const controller = new AbortController();
        let seen = 0;
        proxy.decide = () => {
          seen += 1;
          if (seen < request) return undefined;
          if (seen === request) setTimeout(() => controller.abort(), 50);
          return fault;
        };
        await deploy(folder.path, { signal: controller.signal }).catch(() => {});
        proxy.decide = () => undefined;
        await deploy(folder.path);
        expect(await siteIn(there), `cut at request ${request}`).toEqual(servedOf(SECOND));
        if (seen >= request) continue;
        expect(request).toBeGreaterThan(12);
        return;
      }
    },
  );
});
