import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { s3SettingsOf } from '../../../src/config/deploy-settings.ts';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import type { Sent } from '../../../src/deploy/host-api/types.ts';
import { s3Host } from '../../../src/deploy/hosts/s3.ts';
import { fingerprintOf } from '../../../src/images/fingerprint.ts';
import { writeRecord } from '../../../src/record/file.ts';
import { bytesHash, fileHash, filesText } from '../../../src/record/files.ts';
import { writeTimes } from '../../../src/record/times.ts';
import { startSampleService } from '../../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../../support/build.ts';
import { forAllTests } from '../../support/for-all-tests.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import { type DeployToOptions, deployTo, testClock } from '../../support/hosts/deploy-to.ts';
import { type S3Host, startS3Host } from '../../support/s3-host.ts';

const service = await forAllTests(startSampleService({ dealers: 1, vehicles: 1, images: 1 }));

const SITE: Site = {
  'index.html': '<p>front',
  'one/index.html': '<p>dealer',
  'one/media.json': '{}',
  'assets/site.css': 'p{}',
  'api/records/times.json': 'night 1',
  'media/ab/cdef0123456789abcd-320-abcdef.webp': 'picture',
  'media/ab/o ld+1.jpg': 'old picture',
  _headers: '/*',
};

const deploy = (host: S3Host, folder: string, options: DeployToOptions = {}) =>
  deployTo(s3Host(s3SettingsOf(host.environment())), folder, options);

/** What it says where it fails. */
const failing = async (deploying: Promise<Sent>): Promise<{ code: string; exitCode: number }> => {
  const error = await deploying.then(
    () => new Error('It succeeded.'),
    (reason: unknown) => reason,
  );
  return error as { code: string; exitCode: number } & Error;
};

/** The site as the bucket has it; rules for hosts are no files there. */
const bucketOf = (site: Site) => servedOf(site);

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
    expect(textsOf(host.served())).toEqual(bucketOf(next));
  });

  it('sends what the next build remembers by when it changed, and its times in every night', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const config = configFor(service, { media: { widths: [64], fallbackWidth: 64 } });
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

  it('knows the list of an earlier version, and sends no picture again', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await writeSite(folder.path, SITE);
    await deploy(host, folder.path);
    const files = Object.fromEntries(
      [...servedOf(SITE).keys(), 'gone/index.html'].map((name) => [
        name,
        'd41d8cd98f00b204e9800998ecf8427e',
      ]),
    );
    host.objects.set('/cars/gone/index.html', { body: Buffer.from('x') });
    host.objects.delete('/cars/api/records/times.json');
    const list = JSON.stringify({ version: 1, files });
    host.objects.set('/cars/.deployed.json', { body: Buffer.from(list) });
    host.requests.length = 0;
    await writeSite(folder.path, { ...SITE, 'index.html': '<p>new' });
    const sent = await deploy(host, folder.path);
    expect(sent.removed).toBe(1);
    expect(host.work()).not.toContain('PUT /cars/media/ab/cdef0123456789abcd-320-abcdef.webp');
    expect(textsOf(host.served())).toEqual(bucketOf({ ...SITE, 'index.html': '<p>new' }));
  });
});

const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;
/** Nights of a site whose pages name their pictures. */
const NIGHTS = [
  {
    'index.html': `<p>1 ${PICTURE(1)}`,
    'one/index.html': `<p>one ${PICTURE(1)} ${PICTURE(2)}`,
    'two/index.html': `<p>two ${PICTURE(2)}`,
    'one/media.json': '{}',
    'api/records/times.json': 'night 1',
    [PICTURE(1)]: 'picture 1',
    [PICTURE(2)]: 'picture 2',
  },
  {
    'index.html': `<p>2 ${PICTURE(1)} ${PICTURE(3)}`,
    'one/index.html': `<p>one ${PICTURE(1)} ${PICTURE(3)}`,
    'one/media.json': '{}',
    'api/records/times.json': 'night 2',
    'three/index.html': `<p>three ${PICTURE(3)}`,
    [PICTURE(1)]: 'picture 1',
    [PICTURE(3)]: 'picture 3',
  },
] satisfies [Site, Site];
const [FIRST, SECOND] = NIGHTS;

/** No page lacks a picture that it names. */
function expectPictures(host: S3Host): void {
  const served = textsOf(host.served());
  for (const [name, text] of served) {
    if (!name.endsWith('.html')) continue;
    for (const picture of text.match(/media\/\S+/g) ?? []) {
      expect(served.has(picture), `${name} names ${picture}`).toBe(true);
    }
  }
}

describe('a deploy of a change set to S3', () => {
  const thin = async (
    folder: string,
    host: S3Host,
    site: Site,
    former?: Site,
    built = '2026-03-02T02:00:00.000Z',
  ) => {
    await writeChanges(folder, site, { url: host.siteUrl, built, former });
    return folder;
  };

  it('sends what is on this disk and removes what is gone, and asks for nothing else', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const first = await deploy(host, await thin(folder.path, host, FIRST));
    expect(first.files).toBe(7);
    host.requests.length = 0;
    const second = await deploy(host, await thin(folder.path, host, SECOND, FIRST));
    expect(second).toMatchObject({ files: 5, removed: 2, unchanged: 2 });
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
    const work = host.work();
    // Pages are sent at the same time.
    expect([...work.slice(0, 3), ...work.slice(3, 6).sort(), ...work.slice(6)]).toEqual([
      'GET /cars/.deployed.json',
      'GET /cars/.deployed.json',
      `PUT /cars/${PICTURE(3)}`,
      'PUT /cars/index.html',
      'PUT /cars/one/index.html',
      'PUT /cars/three/index.html',
      'PUT /cars/api/records/times.json',
      'PUT /cars/.deployed.json',
      'DELETE /cars/two/index.html',
      `DELETE /cars/${PICTURE(2)}`,
    ]);
    // A night without changes: the times, and what says so.
    const third = { ...SECOND, 'api/records/times.json': 'night 3' };
    const { requests, files } = await deploy(host, await thin(folder.path, host, third, SECOND));
    expect(files).toBe(1);
    expect(requests).toBeLessThanOrEqual(12);
    expect(textsOf(host.served())).toEqual(servedOf(third));
  });

  it('carries out what a plan said, and plans again where the bucket has changed since', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await deploy(host, await thin(`${folder.path}/1`, host, FIRST));
    const changes = await thin(`${folder.path}/2`, host, SECOND, FIRST);
    const other = await thin(`${folder.path}/3`, host, { ...FIRST, 'four/index.html': '<p>4' });
    const sent = await deploy(host, changes, {
      onPlan: async () => void (await deploy(host, other)),
    });
    expect(sent.plan.remove).not.toContain('four/index.html');
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
  });

  it('takes content that is not on this disk from the live site, where it is by its hash', async () => {
    await using folder = await temporaryFolder();
    await using old = await startS3Host();
    await using host = await startS3Host();
    await deploy(old, await thin(folder.path, old, FIRST));
    // The build knows the old host's site; the new one has nothing of it.
    const sent = await deploy(host, await thin(folder.path, old, SECOND, FIRST));
    expect(sent.fetched).toEqual({ files: 2, bytes: Buffer.byteLength('picture 1{}') });
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
  });

  it('neither sends nor removes anything where content is lost, and names all of it', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await deploy(host, await thin(folder.path, host, FIRST));
    const before = textsOf(host.served());
    const third = { ...SECOND, 'two/index.html': '<p>2', 'index.html': 'x' };
    // Of a base that is not what the bucket has: it knows nothing of two/ as it was then.
    const changes = await thin(folder.path, host, third, {
      ...third,
      'api/records/times.json': 'another night',
    });
    host.requests.length = 0;
    const error = await failing(deploy(host, changes));
    expect(error).toMatchObject({ code: 'deploy-content-lost', exitCode: 5 });
    expect((error as unknown as LostContent).files.map((file) => file.path)).toEqual([
      'index.html',
      PICTURE(3),
      'one/index.html',
      'three/index.html',
      'two/index.html',
    ]);
    expect(textsOf(host.served())).toEqual(before);
    expect(host.work().filter((one) => !/^(?:GET|HEAD)/.test(one))).toEqual([]);
    expect(host.objects.has('/cars/.deploying.json')).toBe(false);
  });

  it('leaves a newer site alone, unless somebody takes it over', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const later = '2026-03-03T02:00:00.000Z';
    await deploy(host, await thin(folder.path, host, SECOND, undefined, later));
    const changes = await thin(folder.path, host, FIRST);
    expect(await failing(deploy(host, changes))).toMatchObject({
      code: 'deploy-older',
      exitCode: 5,
    });
    expect(textsOf(host.served())).toEqual(servedOf(SECOND));
    await deploy(host, changes, { takeOver: true });
    expect(textsOf(host.served())).toEqual(servedOf(FIRST));
  });

  it.each([
    ['not carried out', 'the same one', false],
    ['carried out, its answer lost', 'the same one', true],
    ['not carried out', 'the former one', false],
    ['carried out, its answer lost', 'the former one', true],
    ['not carried out', 'a whole one', false],
  ])(
    'is ended by the next after a cut at any request (%s; next is %s)',
    async (_, then, carriesOut) => {
      await using folder = await temporaryFolder();
      for (let request = 1; ; request++) {
        const clock = testClock();
        await using host = await startS3Host({ now: clock.now });
        const first = await thin(`${folder.path}/1`, host, FIRST);
        const second = await thin(`${folder.path}/2`, host, SECOND, FIRST);
        await deploy(host, first, { clock });
        const controller = new AbortController();
        let isCut = false;
        const onCut = () => {
          isCut = true;
          controller.abort();
        };
        host.cut({ request, carriesOut, onCut });
        await deploy(host, second, { clock, signal: controller.signal }).catch(() => {});
        host.cut(undefined);
        expectPictures(host);
        clock.time += 120_000;
        let next = second;
        if (then === 'the former one') next = first;
        if (then === 'a whole one') {
          next = `${folder.path}/3`;
          await writeSite(next, SECOND);
        }
        await deploy(host, next, { clock, takeOver: true });
        expectPictures(host);
        const site = then === 'the former one' ? FIRST : SECOND;
        expect(textsOf(host.served()), `cut at request ${request}`).toEqual(servedOf(site));
        expect(host.objects.has('/cars/.deploying.json')).toBe(false);
        host.requests.length = 0;
        await deploy(host, next, { clock, takeOver: true });
        expect(textsOf(host.served())).toEqual(servedOf(site));
        expect(host.work().filter((one) => one.startsWith('DELETE'))).toEqual([]);
        if (!isCut) {
          expect(request).toBeGreaterThan(12);
          return;
        }
      }
    },
  );
});

/** A site with the record of a dealer, and the list of its pages. */
function recorded(pages: Site, night: number): Site {
  const thumbnail = PICTURE(night);
  const dealer = 7001;
  const outputs = { [thumbnail.slice(27)]: fingerprintOf(Buffer.from(`picture ${night}`)) };
  const record = writeRecord({
    dealer,
    counts: {
      vehicles: { received: night, accepted: night, quarantined: 0, duplicates: 0 },
      items: { received: 0, accepted: 0, quarantined: 0, unknownType: 0 },
    },
    withdrawn: [],
    vehicles: [],
    contents: [[`ab${`${night}`.repeat(18)}`, 640, 480, 'abcdef', outputs]],
    sources: [],
  });
  const rows = Object.entries(pages).map(([name, text]) => {
    const row = { key: text, hash: fileHash(text), size: Buffer.byteLength(text), uses: [] };
    return [name, row] as const;
  });
  const list = filesText({ rows: new Map(rows) });
  const confirmed = `2026-03-0${night}T02:00:00.000Z`;
  const entry = { confirmed, record: record.hash, files: bytesHash(list) };
  return {
    ...pages,
    'index.html': `<p>night ${night}`,
    'robots.txt': 'same',
    'api/records/7001.json': record.pieces[0]?.text ?? '',
    'api/records/7001.files.json': list,
    'api/records/times.json': writeTimes(new Map([[dealer, entry]])),
    [thumbnail]: `picture ${night}`,
  };
}

describe('what lies in a bucket', () => {
  const nights = [
    recorded({ 'one/index.html': 'one', 'one/a/index.html': 'a', 'one/b/index.html': 'b' }, 1),
    recorded({ 'one/index.html': 'ONE', 'one/a/index.html': 'a', 'one/c/index.html': 'c' }, 2),
    recorded({ 'one/index.html': 'One' }, 3),
  ] as const;

  it('is known from its own records, whatever the build began with', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const [first, second, third] = nights;
    await writeSite(folder.path, first);
    await deploy(host, folder.path);
    // Neither pages of dealers nor thumbnails are listed anew.
    const list = JSON.parse(String(host.objects.get('/cars/.deployed.json')?.body));
    expect(Object.keys(list.extra)).toEqual(['index.html', 'robots.txt']);
    host.requests.length = 0;
    await writeSite(folder.path, second);
    expect(await deploy(host, folder.path)).toMatchObject({ files: 7, unchanged: 2, removed: 2 });
    expect(host.work().filter((one) => one.includes('/one/a/'))).toEqual([]);
    expect(textsOf(host.served())).toEqual(servedOf(second));
    // As the build on an empty disk that did not believe what it read: it has all pages.
    await writeChanges(folder.path, third, {
      url: host.siteUrl,
      built: '2026-03-04T02:00:00.000Z',
    });
    expect(await deploy(host, folder.path)).toMatchObject({ files: 6, unchanged: 1, removed: 3 });
    expect(textsOf(host.served())).toEqual(servedOf(third));
  });

  it.each(['times.json', '7001.json', '7001.files.json'])(
    'is all found where a deploy was cut off at %s',
    async (name) => {
      await using folder = await temporaryFolder();
      await using host = await startS3Host();
      const [first, second, third] = nights;
      await writeSite(folder.path, first);
      await deploy(host, folder.path);
      host.refuse(`PUT /cars/api/records/${name}`);
      await writeSite(folder.path, second);
      expect(await failing(deploy(host, folder.path))).toMatchObject({ code: 's3-refused' });
      host.refuse(undefined);
      // One that was neither sent nor removed by the night that was cut off is gone, too.
      await writeSite(folder.path, third);
      await deploy(host, folder.path);
      expect(textsOf(host.served())).toEqual(servedOf(third));
    },
  );
});

describe('the lock of a bucket', () => {
  it('refuses a deploy while another is under way', async () => {
    await using folder = await temporaryFolder();
    const clock = testClock();
    await using host = await startS3Host({ now: clock.now });
    await writeSite(folder.path, FIRST);
    let other: Promise<{ code: string }> | undefined;
    host.onRequest = async (request) => {
      if (request !== 'PUT /cars/one/index.html') return;
      host.onRequest = undefined;
      const its = testClock(clock.time);
      // While the other looks, this one says that it goes on.
      its.onSleep = () => {
        const stored = host.objects.get('/cars/.deploying.json');
        if (stored)
          stored.body = Buffer.from(stored.body.toString().replace(/"beat":\d+/, '"beat":9'));
      };
      other = failing(deploy(host, folder.path, { clock: its }));
      expect(await other).toMatchObject({ code: 'deploy-under-way', exitCode: 5 });
      const stored = host.objects.get('/cars/.deploying.json');
      if (stored) stored.body = Buffer.from(stored.body.toString().replace('"beat":9', '"beat":1'));
    };
    await deploy(host, folder.path, { clock });
    expect(other).toBeDefined();
    expect(textsOf(host.served())).toEqual(servedOf(FIRST));
  });

  it('lets one of eight go first, and the others after it or not at all', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const sites = Array.from({ length: 8 }, (_, index) => ({
      'index.html': `<p>${index}`,
      [`only-${index}/index.html`]: 'x',
      'api/records/times.json': `${index}`,
    }));
    const begun: string[] = [];
    host.onRequest = (request) => {
      if (request.startsWith('PUT') && request.includes('only-')) begun.push(request);
    };
    const results = await Promise.allSettled(
      sites.map(async (site, index) => {
        await writeSite(`${folder.path}/${index}`, site);
        return deploy(host, `${folder.path}/${index}`);
      }),
    );
    const done = results.filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeGreaterThanOrEqual(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.code).toBe('deploy-under-way');
    }
    // Whoever was last: its site whole, and nothing of the others.
    const served = textsOf(host.served());
    expect(sites.map((site) => [...servedOf(site)])).toContainEqual([...served]);
    expect(begun).toHaveLength(done.length);
  });

  it('is taken over from a deploy that is dead, after 90 s of silence', async () => {
    await using folder = await temporaryFolder();
    const clock = testClock();
    await using host = await startS3Host({ now: clock.now });
    await writeSite(folder.path, FIRST);
    const lock = { version: 1, id: 'dead', beat: 3, keys: ['odd/one.html', '../../other'] };
    host.objects.set('/cars/odd/one.html', { body: Buffer.from('half') });
    host.objects.set('/other', { body: Buffer.from('not ours') });
    const put = (secondsAgo: number) =>
      host.objects.set('/cars/.deploying.json', {
        body: Buffer.from(JSON.stringify(lock)),
        at: clock.time - secondsAgo * 1000,
      });
    put(10);
    const began = clock.time;
    const lines: string[] = [];
    await deploy(host, folder.path, { clock, lines });
    expect(clock.time - began).toBe(80_000);
    expect(lines).toEqual([expect.stringContaining('90 s')]);
    // What it had in hand is gone, as the site has no such file; and nothing beyond the folder.
    expect(textsOf(host.served())).toEqual(servedOf(FIRST));
    expect(host.objects.has('/other')).toBe(true);
    put(3600);
    const then = clock.time;
    await deploy(host, folder.path, { clock });
    expect(clock.time).toBe(then);
  });

  it('is renewed while a deploy goes on, which ends where somebody took it over', async () => {
    await using folder = await temporaryFolder();
    const clock = testClock();
    await using host = await startS3Host({ now: clock.now });
    await writeSite(folder.path, FIRST);
    await deploy(host, folder.path, { clock });
    await writeSite(folder.path, SECOND);
    const beats = new Set<string>();
    const lock = () => host.objects.get('/cars/.deploying.json');
    host.onRequest = (request) => {
      if (!request.startsWith('PUT') || request.includes('.deploy')) return;
      clock.time += 31_000;
      beats.add(String(lock()?.body));
      if (!request.includes('three')) return;
      host.objects.set('/cars/.deploying.json', {
        body: Buffer.from('{"version":1,"id":"other","beat":0,"keys":[]}'),
        at: clock.time,
      });
    };
    const error = await failing(deploy(host, folder.path, { clock }));
    expect(error).toMatchObject({ code: 'deploy-overtaken', exitCode: 5 });
    expect(beats.size).toBeGreaterThan(1);
    // Nothing more was changed: the other one's lock lies there, the times are those of the night before.
    expect(String(lock()?.body)).toContain('"other"');
    expect(textsOf(host.served()).get('api/records/times.json')).toBe('night 1');
    expect(host.objects.has('/cars/two/index.html')).toBe(true);
  });

  it.each([
    ['obeyed', false],
    ['unquoted', false],
    ['ignored', true],
    ['refused', true],
  ] as const)('works where conditions are %s', async (conditions, isTold) => {
    await using folder = await temporaryFolder();
    const clock = testClock();
    await using host = await startS3Host({ conditions, now: clock.now });
    const lines: string[] = [];
    host.onRequest = () => {
      clock.time += 4000;
    };
    for (const site of [FIRST, SECOND]) {
      await writeSite(folder.path, site);
      host.conflicts = 2;
      await deploy(host, folder.path, { clock, lines });
      expect(textsOf(host.served())).toEqual(servedOf(site));
      expect(host.objects.has('/cars/.deploying.json')).toBe(false);
    }
    expect(lines.some((line) => line.includes('ignores conditions'))).toBe(isTold);
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
    const refused = await failing(deploy(host, folder.path));
    expect(refused).toMatchObject({ code: 'bucket-not-ours', exitCode: 2 });
    expect(String(refused)).toContain('index.html');
    expect(host.requests.filter((one) => one.startsWith('PUT'))).toEqual([]);
    // The same bytes are nobody's loss, such as what another tool once sent for us.
    put('index.html', SITE['index.html'] ?? '');
    await deploy(host, folder.path);
    // A page that comes later.
    await writeSite(folder.path, { ...SITE, 'two/index.html': '<p>new dealer' });
    expect(await failing(deploy(host, folder.path))).toMatchObject({ code: 'bucket-not-ours' });
    expect(host.objects.get('/cars/two/index.html')?.body.toString()).toBe('mine');
    // A deploy that was cut off knows what it may have sent.
    await writeSite(folder.path, { ...SITE, 'three/index.html': '<p>x', 'three/a.json': '{}' });
    host.refuse('PUT /cars/three/index.html');
    expect(await failing(deploy(host, folder.path))).toMatchObject({
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

  it('takes a 403 for what is not there as missing, with keys that may not list', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host({ maySee: false });
    await writeSite(folder.path, SITE);
    expect(await deploy(host, folder.path)).toMatchObject({ files: 7 });
    expect([...host.objects.keys()].filter((key) => key.includes('.deploy'))).toEqual([
      '/cars/.deployed.json',
    ]);
    expect(await deploy(host, folder.path)).toMatchObject({ files: 0 });
  });

  it('tells a missing right to read, and leaves the list that it cannot read', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    await writeSite(folder.path, SITE);
    await deploy(host, folder.path);
    const before = new Map(host.objects);
    await writeSite(folder.path, { 'index.html': '<p>other' });
    host.refuse('GET');
    expect(await failing(deploy(host, folder.path))).toMatchObject({
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
    const settings = s3SettingsOf({ ...host.environment(), ...change });
    const error = await failing(deployTo(s3Host(settings), folder.path));
    expect(error).toMatchObject({ code, exitCode });
    const told = JSON.stringify(error) + String(error);
    expect(told).not.toContain(host.environment().AWS_SECRET_ACCESS_KEY);
    expect(told).not.toContain('another-secret');
    expect(host.objects.size).toBe(0);
  });
});
