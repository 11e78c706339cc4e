import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../src/images/fingerprint.ts';
import { writeRecord } from '../../../src/record/file.ts';
import { bytesHash, fileHash, filesText } from '../../../src/record/files.ts';
import { writeTimes } from '../../../src/record/times.ts';
import { temporaryFolder } from '../../support/build.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import { failureOf, testClock } from '../../support/hosts/deploys.ts';
import { deploy, FIRST, PICTURE, SECOND } from '../../support/hosts/s3-deploys.ts';
import { startS3Host } from '../../support/hosts/s3.ts';

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

  it('is known, whatever the build began with', async () => {
    await using folder = await temporaryFolder();
    await using host = await startS3Host();
    const [first, second, third] = nights;
    await writeSite(folder.path, first);
    await deploy(host, folder.path);
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
      expect(await failureOf(deploy(host, folder.path))).toMatchObject({ code: 's3-refused' });
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
      other = failureOf(deploy(host, folder.path, { clock: its }));
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
    const error = await failureOf(deploy(host, folder.path, { clock }));
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
