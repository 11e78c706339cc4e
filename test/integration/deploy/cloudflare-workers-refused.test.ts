import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/errors.ts';
import { type Site, servedOf } from '../../support/hosts/change-set.ts';
import {
  builtOn,
  FIRST,
  SECOND,
  served,
  switches,
  underWay,
  uploads,
  world,
} from '../../support/hosts/cloudflare-deploys.ts';
import { failureOf, testClock } from '../../support/hosts/deploys.ts';

describe('a deploy to Cloudflare Workers that is cut off or refused', () => {
  it('goes on in a new session where one ends midway, by its clock or by what the host says', async () => {
    for (const isTold of [false, true]) {
      const hostClock = testClock();
      await using here = await world({ now: hostClock.now });
      const { host } = here;
      host.bucketBytes = 10;
      let count = 0;
      host.onRequest = (line) => {
        if (line.includes('/assets/upload') && ++count === 4) {
          (isTold ? hostClock : here.clock).time += 61 * 60_000;
        }
      };
      await here.night({ now: FIRST });
      expect(served(host)).toEqual(servedOf(FIRST));
      const sessions = host.requests.filter((line) => line.endsWith('/assets-upload-session'));
      expect(sessions.length).toBe(2);
      // Nothing was sent twice but what was under way when it ended.
      expect(uploads(host.requests).length).toBeLessThanOrEqual(10 + 3);
    }
  });

  it.each([
    ['not carried out', false],
    ['carried out, its answer lost', true],
  ])('is ended by the next one after a cut at any request (%s)', async (_, carriesOut) => {
    let cuts = 0;
    for (let request = 1, isCut = true; isCut; request++) {
      await using here = await world();
      const { host } = here;
      host.bucketBytes = 12;
      await here.night({ now: FIRST });
      isCut = false;
      const controller = new AbortController();
      host.cut({
        request,
        carriesOut,
        onCut: () => {
          isCut = true;
          controller.abort();
        },
      });
      const { signal } = controller;
      await here.night({ now: SECOND, former: FIRST, day: 2, signal }).catch(() => undefined);
      host.cut(undefined);
      const line = `cut at request ${request}`;
      const isSwitched = host
        .versions()
        .find(({ isLive }) => isLive)
        ?.message.includes(builtOn(2));
      expect(served(host), line).toEqual(servedOf(isSwitched ? SECOND : FIRST));
      // The next night begins with what is served.
      const third: Site = { ...SECOND, 'one/index.html': '<p>third' };
      await here.night({ now: third, former: isSwitched ? SECOND : FIRST, day: 3 });
      expect(served(host), line).toEqual(servedOf(third));
      cuts += isCut ? 1 : 0;
    }
    expect(cuts).toBeGreaterThan(7);
  });

  it('has an address after the first deploy was cut off before it had one', async () => {
    for (const domain of ['our-cars.our-account.workers.dev', 'our-cars.test']) {
      await using here = await world();
      const { host } = here;
      const controller = new AbortController();
      // A look, the list, the files, a look again, the Worker; then the address.
      host.cut({ request: 6, carriesOut: false, onCut: () => controller.abort() });
      await here.night({ now: FIRST, signal: controller.signal }).catch(() => undefined);
      host.cut(undefined);
      expect(host.requests.at(-1)).toMatch(/^PUT /);
      expect([host.versions().length, host.worker.subdomain.enabled]).toEqual([1, false]);
      await here.night({
        now: FIRST,
        former: FIRST,
        day: 2,
        url: `https://${domain}`,
        verify: false,
      });
      // With a domain of one's own, nobody needs that of workers.dev: a person may have switched it off.
      expect(host.worker.subdomain.enabled).toBe(domain.endsWith('.workers.dev'));
      expect(served(host)).toEqual(servedOf(FIRST));
    }
  });

  it('says what to do where the account has no name on workers.dev', async () => {
    await using here = await world();
    here.host.worker.accountHasSubdomain = false;
    await here.night({ now: FIRST, verify: false });
    expect(here.said.join('\n')).toContain('has no address yet');
    expect(served(here.host)).toEqual(servedOf(FIRST));
  });

  it('waits as the host asks where it takes no more requests, and says so', async () => {
    await using here = await world();
    const { host, waits, said } = here;
    host.limit = { requests: 4, seconds: 300 };
    await here.night({ now: FIRST });
    expect(served(host)).toEqual(servedOf(FIRST));
    expect(waits.some((ms) => ms > 200_000 && ms <= 300_000)).toBe(true);
    expect(said.join('\n')).toMatch(/Cloudflare asks to wait/);
  });

  it.each([
    ['counts them as others', true],
    ['does not count them', false],
  ])(
    'sends one file in each request where the host wants that, which %s',
    async (_, isCounted) => {
      await using here = await world();
      const { host, waits } = here;
      host.singleUploads = 7;
      if (!isCounted) host.limit = undefined;
      host.beforeUpload = () => underWay(host, 7);
      const many: Record<string, string> = { ...FIRST };
      for (let index = 0; index < 1300; index++) many[`media/${index}.webp`] = `picture ${index}`;
      const report = await here.night({ now: many });
      expect(report.sent?.files).toBe(1310);
      expect(uploads(host.requests).length).toBe(1310);
      expect(uploads(host.requests).every((line) => /\/upload\/[0-9a-f]{32}$/.test(line))).toBe(
        true,
      );
      expect(served(host)).toEqual(servedOf(many));
      expect(Math.max(...host.uploadsUnderWay)).toBe(7);
      expect((await fetch(`${host.siteUrl}/media/7.webp`)).headers.get('content-type')).toBe(
        'image/webp',
      );
      // It waits as it is told, once; seven at once do so, each for itself on this clock.
      const waited = waits.reduce((sum, ms) => sum + ms, 0);
      expect([waited > 0, waited <= 7 * 300_000]).toEqual([isCounted, true]);
    },
    120_000,
  );

  it('goes slower where a gateway gives up', async () => {
    await using here = await world();
    const { host, waits } = here;
    host.bucketBytes = 10;
    host.beforeUpload = () => underWay(host, 3);
    host.gatewayErrors = 3;
    await here.night({ now: FIRST });
    expect(served(host)).toEqual(servedOf(FIRST));
    expect(waits.filter((ms) => ms >= 5000).length).toBeGreaterThanOrEqual(1);
    expect(host.uploadsUnderWay.slice(0, 3)).toEqual([1, 2, 3]);
    expect(new Set(host.uploadsUnderWay.slice(3))).toEqual(new Set([1]));
  });

  it('gives up where a gateway always does, and has switched nothing', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.gatewayErrors = 1000;
    host.requests.length = 0;
    const error = await failureOf(here.night({ now: SECOND, former: FIRST, day: 2 }));
    expect(error).toMatchObject({ code: 'cloudflare-unreachable', exitCode: 4 });
    expect(switches(host.requests)).toEqual([]);
    expect(served(host)).toEqual(servedOf(FIRST));
  });

  it('asks again where the host answers with nothing, and not for ever', async () => {
    await using here = await world();
    const { host } = here;
    host.nullSessions = 2;
    await here.night({ now: FIRST });
    expect(served(host)).toEqual(servedOf(FIRST));
    host.nullSessions = 1000;
    const error = await failureOf(here.night({ now: SECOND, former: FIRST, day: 2 }));
    expect(error).toMatchObject({ code: 'cloudflare-unreachable', exitCode: 4 });
    expect(served(host)).toEqual(servedOf(FIRST));
  });

  it.each([
    ['token', { CLOUDFLARE_API_TOKEN: 'cf_AnotherTokenThatNobodyMaySee' }, 'Invalid access token'],
    ['account', { CLOUDFLARE_ACCOUNT_ID: 'another-account' }, 'Authentication error'],
  ])('tells that a %s is refused, without the token', async (_, environment, reason) => {
    await using here = await world();
    const error = await failureOf(here.night({ now: FIRST, environment }));
    expect(error).toMatchObject({ code: 'cloudflare-refused', exitCode: 3 });
    const told = [
      describeError(error, { debug: true }),
      JSON.stringify(error),
      ...here.said,
    ].join();
    expect(told).toContain(reason);
    expect(told).not.toContain('NobodyMaySee');
    expect(here.host.versions()).toEqual([]);
  });

  it('tells a site that is larger than the plan, and has sent nothing', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    const many: Record<string, string> = { ...FIRST };
    for (let index = 0; index < 20_000; index++) many[`media/${index}.webp`] = 'one';
    const error = await failureOf(here.night({ now: many, former: many, day: 2 }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(error.message).toContain('20010');
    expect(error.why).toContain('more than 20000 entries');
    expect(served(host)).toEqual(servedOf(FIRST));
  });

  it.each([
    ['rules', Array.from({ length: 101 }, (_, index) => `/${index}\n  X-A: b`).join('\n')],
    ['characters in a line', `/*\n  X-A: ${'b'.repeat(2000)}`],
  ])('tells %s of _headers that the host would leave out', async (_, text) => {
    await using here = await world();
    const error = await failureOf(here.night({ now: { ...FIRST, _headers: text } }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(here.host.requests.every((line) => line.startsWith('GET'))).toBe(true);
  });
});
