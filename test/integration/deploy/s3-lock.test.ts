import { describe, expect, it } from 'vitest';
import type { Site } from '../../support/hosts/change-set.ts';
import { S3 } from '../../support/hosts/kinds.ts';
import {
  FIRST,
  failureOf,
  type NightOptions,
  PICTURE,
  SECOND,
  startWorld,
  testClock,
} from '../../support/hosts/world.ts';

/** A bucket and deploys of full sites to it. */
async function start(options?: Parameters<typeof S3.start>[0]) {
  const here = await startWorld(S3, options);
  return {
    ...here,
    fullNight: (site: Site, night: NightOptions = {}) =>
      here.night(site, { form: 'whole', ...night }),
    lock: () => here.host.objects.get('/cars/.deploying.json'),
    putLock: (lock: object, secondsAgo = 0) =>
      here.host.objects.set('/cars/.deploying.json', {
        body: Buffer.from(JSON.stringify({ version: 1, ...lock })),
        at: here.clock.time - secondsAgo * 1000,
      }),
  };
}

/** A site with the record of a dealer. */
const recorded = (pages: Site, night: number): Site => ({
  ...pages,
  'index.html': `<p>night ${night}`,
  'robots.txt': 'same',
  'api/records/7001.json': `record ${night}`,
  'api/records/7001.files.json': `list ${night}`,
  'api/records/times.json': `times ${night}`,
  [PICTURE(night)]: `picture ${night}`,
});

describe('the file list of a bucket', () => {
  const nights = [
    recorded({ 'one/index.html': 'one', 'one/a/index.html': 'a', 'one/b/index.html': 'b' }, 1),
    recorded({ 'one/index.html': 'ONE', 'one/a/index.html': 'a', 'one/c/index.html': 'c' }, 2),
    recorded({ 'one/index.html': 'One' }, 3),
  ] as const;

  it('is complete after builds on kept and empty disks', async () => {
    await using here = await start();
    const [first, second, third] = nights;
    await here.fullNight(first);
    here.host.requests.length = 0;
    const night = await here.fullNight(second);
    expect(night).toMatchObject({ sent: { files: 7 }, unchanged: 2, removed: 2 });
    expect(here.host.work().filter((one) => one.includes('/one/a/'))).toEqual([]);
    here.expectServed(second);
    // Like a build on an empty disk with untrusted state: it has all pages.
    const last = await here.night(third, { day: 4 });
    expect(last).toMatchObject({ sent: { files: 6 }, unchanged: 1, removed: 3 });
    here.expectServed(third);
  });

  it('is complete after two interrupted deploys in succession', async () => {
    await using here = await start();
    const [first, second, third] = nights;
    await here.fullNight(first);
    here.host.refuse('PUT /cars/.deployed.json');
    expect(await failureOf(here.fullNight(second))).toMatchObject({ code: 's3-refused' });
    // This build knows the uploaded files of the first one.
    here.host.refuse('PUT /cars/index.html');
    const next = here.night({ ...second, 'index.html': 'next' }, { former: second });
    expect(await failureOf(next)).toMatchObject({ code: 's3-refused' });
    here.host.refuse(undefined);
    await here.night(third, { former: second });
    here.expectServed(third);
  });
});

describe('the lock of a bucket', () => {
  it('is given up by an aborted deploy, so the next one need not wait', async () => {
    await using here = await start();
    const controller = new AbortController();
    here.host.onRequest = (request) => {
      if (request === 'PUT /cars/one/index.html') controller.abort();
    };
    await expect(here.fullNight(FIRST, { signal: controller.signal })).rejects.toThrow('aborted');
    expect(String(here.lock()?.body)).toContain('"ended":true');
    here.host.onRequest = undefined;
    await here.fullNight(FIRST, { verify: false });
    expect(here.clock.slept).toEqual([]);
    here.expectServed(FIRST);
  });

  it('blocks a deploy during another one', async () => {
    await using here = await start();
    const { host, clock } = here;
    let other: Promise<{ code: string }> | undefined;
    /** Rewrites the lock, which counts as a beat. */
    const beat = (from: RegExp | string, to: string) => {
      const stored = here.lock();
      if (stored) stored.body = Buffer.from(stored.body.toString().replace(from, to));
    };
    host.onRequest = async (request) => {
      if (request !== 'PUT /cars/one/index.html') return;
      host.onRequest = undefined;
      const otherClock = testClock(clock.time);
      // While the other deploy checks the lock, this one renews it.
      otherClock.onSleep = () => beat(/"beat":\d+/, '"beat":9');
      other = failureOf(here.fullNight(FIRST, { clock: otherClock }));
      expect(await other).toMatchObject({ code: 'deploy-under-way', exitCode: 5 });
      beat('"beat":9', '"beat":1');
    };
    await here.fullNight(FIRST);
    expect(other).toBeDefined();
    here.expectServed(FIRST);
  });

  it('is taken over from a dead deploy after 90 s of silence', async () => {
    await using here = await start();
    const { host, clock } = here;
    const lock = { id: 'dead', beat: 3, keys: ['odd/one.html', '../../other'] };
    host.objects.set('/cars/odd/one.html', { body: Buffer.from('half') });
    host.objects.set('/other', { body: Buffer.from('not ours') });
    here.putLock(lock, 10);
    const began = clock.time;
    const { messages } = await here.fullNight(FIRST, { verify: false });
    expect(clock.time - began).toBe(80_000);
    expect(messages.filter((text) => !text.startsWith('Files'))).toEqual([
      expect.stringContaining('90 s'),
    ]);
    // Its unfinished uploads are deleted, because the site has no such file. Files outside the folder stay.
    here.expectServed(FIRST);
    expect(host.objects.has('/other')).toBe(true);
    here.putLock(lock, 3600);
    const then = clock.time;
    await here.fullNight(FIRST);
    expect(clock.time).toBe(then);
  });

  it.each([
    ['while files are uploaded', 'PUT /cars/two/index.html', 1],
    ['while files are deleted', 'DELETE /cars/gone/index.html', 2],
  ])(
    'is renewed during a deploy, which ends if another takes over %s',
    async (_, moment, night) => {
      await using here = await start();
      const { host, clock } = here;
      await here.fullNight(FIRST);
      const beats = new Set<string>();
      host.onRequest = (request) => {
        if (request.startsWith('GET') || request.includes('.deploy')) return;
        clock.time += 31_000;
        beats.add(String(here.lock()?.body));
        if (request === moment) here.putLock({ id: 'other', beat: 0, keys: [] });
      };
      const error = await failureOf(here.fullNight(SECOND));
      expect(error).toMatchObject({ code: 'deploy-overtaken', exitCode: 5 });
      expect(beats.size).toBeGreaterThan(1);
      // Nothing more was changed: the other deploy's lock exists.
      expect(String(here.lock()?.body)).toContain('"other"');
      expect(here.served().get('api/records/times.json')).toBe(`{"night":${night}}`);
      expect(host.objects.has(`/cars/${PICTURE(9)}`)).toBe(true);
    },
  );

  it('ends with an error that names the cause if the host refuses conditions like wrong requests', async () => {
    await using here = await start({ conditions: 'invalid' });
    const error = await failureOf(here.fullNight(FIRST));
    expect(error).toMatchObject({
      code: 's3-refused',
      message: 'The S3 host refused conditional PUT of .deploying.json (status 400).',
      fix: expect.stringMatching(
        / A host that refuses only conditional requests cannot be used\.$/,
      ),
    });
    expect(here.host.objects.size).toBe(0);
  });

  it.each([
    ['obeyed', false],
    ['unquoted', false],
    ['ignored', true],
    ['refused', true],
  ] as const)('works if conditions are %s', async (conditions, isReported) => {
    await using here = await start({ conditions });
    here.host.onRequest = () => {
      here.clock.time += 4000;
    };
    for (const site of [FIRST, SECOND]) {
      here.host.conflicts = 2;
      await here.fullNight(site);
      here.expectServed(site);
      expect(here.lock()).toBeUndefined();
    }
    expect(here.messages.some((line) => line.includes('ignores conditional writes'))).toBe(
      isReported,
    );
  });
});
