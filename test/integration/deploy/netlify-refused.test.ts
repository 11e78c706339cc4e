import { describe, expect, it } from 'vitest';
import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { netlifyHost } from '../../../src/deploy/hosts/netlify.ts';
import type { Site } from '../../support/hosts/change-set.ts';
import { failureOf } from '../../support/hosts/deploys.ts';
import {
  clock,
  FIRST_NIGHT,
  hostForEachTest,
  isServed,
  NEW,
  night,
  OLD,
  puts,
  restart,
  server,
} from '../../support/hosts/netlify-deploys.ts';

hostForEachTest();

describe('a deploy to Netlify that is cut off', () => {
  it.each([
    ['not carried out', false],
    ['carried out, its answer lost', true],
  ])(
    'at any request (%s) leaves the old site or the new one, and the next deploy ends it',
    async (_name, carriesOut) => {
      for (let request = 1; ; request++) {
        await server.close();
        await restart();
        await night(OLD, { built: FIRST_NIGHT });
        server.requests.length = 0;
        const killed = new AbortController();
        let isCut = false;
        const onCut = () => {
          isCut = true;
          killed.abort();
        };
        server.cut({ request, carriesOut, onCut });
        await night(NEW, { former: OLD, run: { signal: killed.signal } }).catch(() => {});
        await server.idle();
        server.cut(undefined);
        const why = `cut at request ${request}`;
        const isComplete = puts().length === 4;
        if (!isComplete) isServed(OLD, why);
        // Whatever it still does by itself: it switches once it has all, and only then.
        clock.time += 600_000;
        isServed(isComplete ? NEW : OLD, why);
        const before = puts().length;
        const { report } = await night(NEW, { former: OLD });
        isServed(NEW, why);
        expect(report.sent?.files, why).toBe(4 - before);
        if (isCut) continue;
        // Look, list, a look at least before and after, four files.
        expect(request).toBeGreaterThan(8);
        return;
      }
    },
  );

  it('by a network that is gone is told, and the next one ends it', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.cut({ request: 5, carriesOut: false, onCut: () => {} });
    const error = await failureOf(night(NEW, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-unreachable', exitCode: 4 });
    server.cut(undefined);
    isServed(OLD);
    await night(NEW, { former: OLD });
    isServed(NEW);
  });
});

describe('limits of Netlify', () => {
  const many = (count: number): Site =>
    Object.fromEntries(
      Array.from({ length: count }, (_one, at) => [`media/${at}.webp`, `picture ${at}`]),
    );

  it('are kept to by itself', async () => {
    const start = clock.time;
    const { said } = await night({ ...OLD, ...many(600) });
    expect(clock.time - start).toBeGreaterThan(59_000);
    expect(said.some((text) => text.includes('Netlify takes so many requests only'))).toBe(true);
    expect(server.served().size).toBe(609);
  });

  it('are waited for as it asks, where others use the same token', async () => {
    server.limit = { requests: 20, seconds: 60 };
    const start = clock.time;
    const { said } = await night({ ...OLD, ...many(60) });
    expect(clock.time - start).toBeGreaterThan(3 * 59_000);
    expect(said.filter((text) => /^Netlify asks to wait/.test(text)).length).toBeGreaterThan(2);
    expect(server.served().size).toBe(69);
  });

  it('of uploads at once are not reached', async () => {
    server.delay = 20;
    await night({ ...OLD, ...many(30) });
    expect(server.most.uploads).toBeGreaterThan(1);
    expect(server.most.uploads).toBeLessThanOrEqual(5);
  });

  it('of deploys a minute are waited for, those of a day are told', async () => {
    const start = clock.time;
    for (let number = 0; number < 100; number++) await night(OLD);
    expect(clock.time - start).toBeGreaterThan(32 * 59_000);
    const error = await failureOf(night(NEW));
    expect(error).toMatchObject({ code: 'deploy-limit', exitCode: 4 });
    isServed(OLD);
  });
});

describe('a site that Netlify does not take', () => {
  it('is told before anything is asked of it', async () => {
    const pictures = Array.from({ length: 54_001 }, (_one, at) => [`media/${at}.webp`, 'same']);
    const site: Site = { ...OLD, ...Object.fromEntries(pictures) };
    const error = await failureOf(night(site, { former: { ...site, 'index.html': '' } }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(error.message).toContain('54001');
    expect(server.requests).toEqual([]);
  });
});

describe('what Netlify refuses', () => {
  it('is told: a token', async () => {
    const settings = deploySettings('netlify', {
      ...server.environment(),
      NETLIFY_AUTH_TOKEN: 'nfp_AnotherTokenOfSomebody',
    });
    const run = { host: netlifyHost(settings), secret: 'nfp_AnotherTokenOfSomebody' };
    const error = await failureOf(night(OLD, { run }));
    expect(error).toMatchObject({ code: 'netlify-refused', exitCode: 3 });
    expect(error.why).toContain('Access Denied');
    expect(error.fix).toContain('NETLIFY_AUTH_TOKEN');
    expect(server.deploys()).toEqual([]);
  });

  it('is told: a site that is not there', async () => {
    const settings = { ...deploySettings('netlify', server.environment()), site: 'nowhere' };
    const error = await failureOf(night(OLD, { run: { host: netlifyHost(settings) } }));
    expect(error).toMatchObject({ code: 'netlify-refused', exitCode: 3 });
  });

  it('passes where it is a 401 of an upload that comes once', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    let isFailing = false;
    const onEvent = ({ text }: { text: string }) => {
      if (isFailing || !text.startsWith('Files sent')) return;
      server.fail(401, 2);
      isFailing = true;
    };
    await night(NEW, { former: OLD, run: { onEvent } });
    expect(isFailing).toBe(true);
    isServed(NEW);
  });

  it('is told, and nothing is switched, where all uploads are', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const onEvent = ({ text }: { text: string }) => {
      if (text.startsWith('Files sent: 1')) server.fail(401, 12);
    };
    const error = await failureOf(night(NEW, { former: OLD, run: { onEvent } }));
    expect(error).toMatchObject({ code: 'netlify-refused', exitCode: 3 });
    isServed(OLD);
  });

  it('is told, and nothing is switched, where rules in the site are wrong', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const error = await failureOf(night({ ...NEW, _redirects: '/only-one\n' }, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-failed', exitCode: 5 });
    expect(error.why).toContain('_redirects');
    clock.time += 600_000;
    isServed(OLD);
  });

  it('is not tried where Netlify builds the site by itself', async () => {
    server.site.repository = 'https://github.com/somebody/cars';
    const error = await failureOf(night(OLD));
    expect(error).toMatchObject({ code: 'deploy-host-builds', exitCode: 2 });
    expect(server.requests).toEqual(['GET /sites/b0a1c2d3-site']);
    await night(OLD, { run: { takeOver: true } });
    isServed(OLD);
  });

  it('is not tried where new deploys are not published', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.site.isLocked = true;
    const error = await failureOf(night(NEW, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-locked', exitCode: 2 });
    expect(server.deploys()).toHaveLength(1);
  });

  it('is told where something else answers', async () => {
    const api = `${server.siteUrl}/api/v1`;
    await night({ ...OLD, 'api/v1/sites/b0a1c2d3-site/index.html': '<html>a proxy' });
    const settings = { ...deploySettings('netlify', server.environment()), api };
    const error = await failureOf(night(NEW, { run: { host: netlifyHost(settings) } }));
    expect(error.code).toMatch(/^netlify-(?:refused|unreachable)$/);
  });
});
