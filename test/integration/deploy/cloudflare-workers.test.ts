import { describe, expect, it } from 'vitest';
import type { Site } from '../../support/hosts/change-set.ts';
import type { CloudflareWorkersHost } from '../../support/hosts/cloudflare-workers.ts';
import { CLOUDFLARE } from '../../support/hosts/kinds.ts';
import {
  FIRST,
  failureOf,
  LEFT,
  SECOND,
  startWorld,
  testClock,
} from '../../support/hosts/world.ts';

const start = (options?: Parameters<typeof CLOUDFLARE.start>[0]) => startWorld(CLOUDFLARE, options);

const switches = ({ requests }: CloudflareWorkersHost) =>
  requests.filter((line) => /^(?:PUT|POST \S+\/(?:deployments|versions))/.test(line));

const uploads = ({ requests }: CloudflareWorkersHost) =>
  requests.filter((line) => line.includes('/assets/upload'));

describe('a deploy to Cloudflare Workers', () => {
  it('creates the Worker with all files and gives it a URL', async () => {
    await using here = await start();
    const { host, messages } = here;
    // The live check reads it at /a, where Cloudflare serves it.
    await here.night({ 'a.html': '<p>of the user', ...FIRST });
    expect(messages).toContain('There is no Worker our-cars yet. The deploy creates it.');
    expect(host.worker.subdomain).toEqual({ enabled: true, previews: false });
    expect(messages).toContain(
      'The Worker our-cars is served at https://our-cars.our-account.workers.dev.',
    );
    const get = async (path: string) => {
      const answer = await fetch(host.siteUrl + path, { redirect: 'manual' });
      return [answer.status, await answer.text()];
    };
    expect(await get('/one/')).toEqual([200, FIRST['one/index.html']]);
    expect(await get('/nowhere/')).toEqual([404, '<p>nothing here']);
    // Rules are applied and not served as files.
    expect(await get('/_headers')).toEqual([404, '<p>nothing here']);
    const { headers } = await fetch(`${host.siteUrl}/media/ab/${'1'.repeat(18)}-320-abcdef.webp`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, immutable',
      'x-frame': 'no',
    });
  });

  it('treats equal bytes of another type as different content', async () => {
    await using here = await start();
    const names = ['index.html', 'same.txt', 'same.css', 'same'];
    await here.night(Object.fromEntries(names.map((name) => [name, 'same'])));
    const types = ['/', '/same.txt', '/same.css', '/same'].map(async (path) =>
      (await fetch(here.host.siteUrl + path)).headers.get('content-type'),
    );
    expect(await Promise.all(types)).toEqual([
      'text/html; charset=utf-8',
      'text/plain; charset=utf-8',
      'text/css; charset=utf-8',
      null,
    ]);
  });

  it('does not replace a newer site that was deployed during the upload', async () => {
    await using here = await start();
    const { host } = here;
    await here.night(FIRST);
    host.beforeUpload = async () => {
      host.beforeUpload = undefined;
      await here.night(LEFT, { former: FIRST, day: 3 });
    };
    const error = await failureOf(here.night(SECOND, { former: FIRST, day: 2 }));
    expect(error).toMatchObject({ code: 'deploy-older', exitCode: 5 });
    here.expectServed(LEFT);
  });

  it('never replaces another Worker without --take-over', async () => {
    await using here = await start({ hasDomain: true });
    const { host } = here;
    host.putForeign('our shop');
    const error = await failureOf(here.night(FIRST));
    expect(error).toMatchObject({ code: 'worker-not-ours', exitCode: 2 });
    expect(host.requests.every((line) => line.startsWith('GET'))).toBe(true);
    await here.night(FIRST, { takeOver: true });
    here.expectServed(FIRST);
    // It has a custom domain, so the deploy does not enable workers.dev.
    expect(host.worker.subdomain.enabled).toBe(false);
    await here.night(SECOND, { former: FIRST });
    here.expectServed(SECOND);
  });

  it('does not roll back to a version that was never served', async () => {
    await using here = await start();
    const { host } = here;
    const third: Site = { ...SECOND, 'one/index.html': '<p>third' };
    await here.night(FIRST);
    await here.night(SECOND, { former: FIRST });
    // A deploy interrupted before its switch leaves such a version.
    await here.interrupted(8, (signal) => here.night(third, { former: SECOND, day: 3, signal }));
    expect(host.versions().length).toBe(3);
    await here.night(third, { former: SECOND, day: 4 });
    here.expectServed(third);
    const ours = await here.releases();
    expect(ours.map(({ isLive }) => isLive)).toEqual([true, false, false]);
    await here.rollback();
    here.expectServed(SECOND);
  });

  it('advises the user if the account has no name on workers.dev', async () => {
    await using here = await start();
    here.host.worker.accountHasSubdomain = false;
    await here.night(FIRST, { verify: false });
    expect(here.messages.join('\n')).toContain('has no address yet');
    here.expectServed(FIRST);
  });
});

describe('an interrupted deploy to Cloudflare Workers', () => {
  it('continues in a new session if one expires, by its clock or by a response', async () => {
    for (const isAnnounced of [false, true]) {
      const hostClock = testClock();
      await using here = await startWorld(CLOUDFLARE, { now: hostClock.now });
      const { host } = here;
      host.bucketBytes = 10;
      let count = 0;
      host.onRequest = (line) => {
        if (line.includes('/assets/upload') && ++count === 4) {
          (isAnnounced ? hostClock : here.clock).time += 61 * 60_000;
        }
      };
      await here.night(FIRST);
      here.expectServed(FIRST);
      const sessions = host.requests.filter((line) => line.endsWith('/assets-upload-session'));
      expect(sessions.length).toBe(2);
      // Only uploads in flight at its end were sent twice.
      expect(uploads(host).length).toBeLessThanOrEqual(11 + 3);
    }
  });

  it.each(['our-cars.our-account.workers.dev', 'our-cars.test'])(
    'before it had a URL has one after the next deploy: %s',
    async (domain) => {
      await using here = await start();
      const { host } = here;
      // Live check, list, files, live check, Worker, then the URL.
      await here.interrupted(6, (signal) => here.night(FIRST, { signal }));
      expect(host.requests.at(-1)).toMatch(/^PUT /);
      expect([host.versions().length, host.worker.subdomain.enabled]).toEqual([1, false]);
      await here.night(FIRST, { former: FIRST, url: `https://${domain}`, verify: false });
      // With a custom domain, workers.dev is unnecessary and may be switched off.
      expect(host.worker.subdomain.enabled).toBe(domain.endsWith('.workers.dev'));
      here.expectServed(FIRST);
    },
  );
});

describe('limits of Cloudflare Workers', () => {
  it('of a plan are reported before anything is sent', async () => {
    await using here = await start();
    await here.night(FIRST);
    const pictures = Array.from({ length: 20_000 }, (_, index) => [`media/${index}.webp`, 'one']);
    const large: Site = { ...FIRST, ...Object.fromEntries(pictures) };
    const error = await failureOf(here.night(large, { former: large }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(error.message).toContain('20011');
    expect(error.why).toContain('more than 20000 entries');
    here.expectServed(FIRST);
  });

  it.each([
    ['rules', Array.from({ length: 101 }, (_, index) => `/${index}\n  X-A: b`).join('\n')],
    ['characters in a line', `/*\n  X-A: ${'b'.repeat(2000)}`],
  ])('reports %s of _headers that the host would ignore', async (_, text) => {
    await using here = await start();
    const error = await failureOf(here.night({ ...FIRST, _headers: text }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(here.host.requests.every((line) => line.startsWith('GET'))).toBe(true);
  });
});

it('retries a limited number of times if Cloudflare sends an empty result', async () => {
  await using here = await start();
  const { host } = here;
  host.nullSessions = 2;
  await here.night(FIRST);
  here.expectServed(FIRST);
  host.nullSessions = 1000;
  host.requests.length = 0;
  const error = await failureOf(here.night(SECOND, { former: FIRST }));
  expect(error).toMatchObject({ code: 'cloudflare-unreachable', exitCode: 4 });
  expect(switches(host)).toEqual([]);
  here.expectServed(FIRST);
});
