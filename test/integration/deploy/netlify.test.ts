import { describe, expect, it } from 'vitest';
import type { Site } from '../../support/hosts/change-set.ts';
import { NETLIFY } from '../../support/hosts/kinds.ts';
import type { NetlifyHost } from '../../support/hosts/netlify.ts';
import { FIRST, failureOf, PICTURE, SECOND, startWorld } from '../../support/hosts/world.ts';

const start = (options?: Parameters<typeof NETLIFY.start>[0]) => startWorld(NETLIFY, options);

const puts = ({ requests }: NetlifyHost) => requests.filter((line) => line.startsWith('PUT '));

const many = (count: number): Site =>
  Object.fromEntries(
    Array.from({ length: count }, (_one, at) => [`media/${at}.webp`, `picture ${at}`]),
  );

describe('a deploy to Netlify', () => {
  it('uploads every content once, under a title that identifies it', async () => {
    await using here = await start();
    const twice: Site = { ...FIRST, [PICTURE(4)]: 'picture' };
    const { release } = await here.night(twice);
    here.expectServed(twice);
    expect(puts(here.host)).toHaveLength(12);
    expect(here.host.requests[1]).toBe(
      'POST /sites/b0a1c2d3-site/deploys?title=vehicle-media-site%202026-03-01T02%3A00%3A00.000Z',
    );
    expect(here.host.deploys()).toMatchObject([{ id: release, state: 'ready', isLive: true }]);
  });

  it('waits until Netlify has compared the list and processed the files', async () => {
    await using here = await start({ preparing: 60_000, processing: 120_000 });
    const { messages, requests } = await here.night(FIRST);
    here.expectServed(FIRST);
    expect(messages).toContain('Netlify is processing the deploy (preparing)');
    expect(messages).toContain('Netlify is processing the deploy (uploaded)');
    // One request every two seconds.
    expect(requests).toBeLessThan(180 / 2 + 12 + 10);
  });

  it('stops waiting eventually and leaves no deploy at Netlify', async () => {
    await using here = await start({ preparing: 3_600_000 });
    const error = await failureOf(here.night(FIRST));
    expect(error).toMatchObject({ code: 'netlify-slow', exitCode: 4 });
    expect(here.host.deploys()).toMatchObject([{ state: 'error' }]);
  });

  it('reports that Netlify alters pages', async () => {
    await using here = await start();
    here.host.site.prettyUrls = true;
    const site = { ...FIRST, 'index.html': '<html><a href="one/index.html">front</a>' };
    const { messages, live } = await here.night(site);
    expect(messages.join()).toContain('Pretty URLs');
    expect(live).toBe('as-sent');
    expect(await (await fetch(`${here.host.siteUrl}/`)).text()).not.toBe(site['index.html']);
  });

  it('uploads lost content from an equal file with another name', async () => {
    await using here = await start();
    await here.night(FIRST);
    here.host.forget([PICTURE(2)]);
    const site: Site = { ...SECOND, [PICTURE(5)]: FIRST[PICTURE(2)] ?? '' };
    // Its live site cannot be read.
    await here.night(site, { former: FIRST, url: 'http://127.0.0.1:1', verify: false });
    here.expectServed(site);
  });

  it('is cancelled at Netlify if content is lost', async () => {
    await using here = await start();
    await here.night(FIRST);
    here.host.forget([PICTURE(2)]);
    const night = { former: FIRST, url: 'http://127.0.0.1:1' };
    const { code, why } = await failureOf(here.night(SECOND, night));
    expect([code, why]).toEqual(['deploy-content-lost', expect.stringContaining('was refused')]);
    expect(here.host.deploys()[0]).toMatchObject({ state: 'error', isLive: false });
  });

  it('is cancelled at Netlify if it is aborted', async () => {
    await using here = await start();
    const controller = new AbortController();
    here.host.onRequest = (request) => {
      if (request.startsWith('PUT')) controller.abort();
    };
    await expect(here.night(FIRST, { signal: controller.signal })).rejects.toThrow('aborted');
    expect(here.host.deploys()[0]).toMatchObject({ state: 'error', isLive: false });
  });

  it('rolls back neither to a failed deploy nor to one of another tool', async () => {
    await using here = await start();
    const { NETLIFY_AUTH_TOKEN: token, NETLIFY_API_URL: api } = here.host.environment();
    await fetch(`${api}/sites/b0a1c2d3-site/deploys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ files: { 'index.html': 'a'.repeat(40) } }),
    });
    await failureOf(here.night({ ...FIRST, _redirects: 'x' }));
    await here.night(FIRST, { day: 2 });
    expect(await failureOf(here.rollback())).toMatchObject({ code: 'deploy-no-release' });
    here.expectServed(FIRST);
  });
});

describe('limits of Netlify', () => {
  it('are respected without a request to wait', async () => {
    await using here = await start();
    const began = here.clock.time;
    const { messages, ms } = await here.night({ ...FIRST, ...many(600) });
    expect(ms).toBe(here.clock.time - began);
    expect(ms).toBeGreaterThan(59_000);
    expect(messages.some((text) => text.includes('Netlify limits the number of requests'))).toBe(
      true,
    );
    expect(here.served().size).toBe(611);
  });

  it('of parallel uploads are not exceeded', async () => {
    await using here = await start();
    here.host.delay = 20;
    await here.night({ ...FIRST, ...many(30) });
    const most = Math.max(...here.host.uploadsUnderWay);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(5);
  });
});

describe('a deploy that Netlify refuses', () => {
  it.each([
    ['succeeds after a single 401 during uploads', 'Files sent', 2, undefined],
    ['is reported without switching if all uploads are refused', 'Files sent: 1', 48, 3],
  ])('%s', async (_, text, times, exitCode) => {
    await using here = await start();
    await here.night(FIRST);
    let isFailing = false;
    const onEvent = (event: { text: string }) => {
      if (isFailing || !event.text.startsWith(text)) return;
      here.host.fail(401, times);
      isFailing = true;
    };
    const night = here.night(SECOND, { former: FIRST, onEvent });
    if (exitCode)
      expect(await failureOf(night)).toMatchObject({ code: 'netlify-refused', exitCode });
    else expect((await night).messages.join()).not.toContain('asks to wait');
    expect(isFailing).toBe(true);
    here.expectServed(exitCode ? FIRST : SECOND);
  });

  it('is reported without changes if rules in the site are wrong', async () => {
    await using here = await start();
    await here.night(FIRST);
    const site = { ...SECOND, _redirects: '/only-one\n' };
    const error = await failureOf(here.night(site, { former: FIRST }));
    expect(error).toMatchObject({ code: 'netlify-failed', exitCode: 5 });
    expect(error.why).toContain('_redirects');
    here.clock.time += 600_000;
    here.expectServed(FIRST);
  });

  it('is not tried if Netlify builds the site from a repository', async () => {
    await using here = await start();
    here.host.site.repository = 'https://github.com/somebody/cars';
    const error = await failureOf(here.night(FIRST));
    expect(error).toMatchObject({ code: 'deploy-host-builds', exitCode: 2 });
    expect(here.host.requests).toEqual(['GET /sites/b0a1c2d3-site']);
    await here.night(FIRST, { takeOver: true });
    here.expectServed(FIRST);
    here.host.site.stopsBuilds = true;
    await here.night(SECOND, { former: FIRST });
    here.expectServed(SECOND);
  });

  it('is not tried if Netlify does not publish new deploys', async () => {
    await using here = await start();
    await here.night(FIRST);
    here.host.site.isLocked = true;
    const error = await failureOf(here.night(SECOND, { former: FIRST }));
    expect(error).toMatchObject({ code: 'netlify-locked', exitCode: 2 });
    expect(here.host.deploys()).toHaveLength(1);
  });

  it('is reported if a gateway responds', async () => {
    await using here = await start();
    await here.night({ ...FIRST, 'api/v1/sites/b0a1c2d3-site/index.html': '<html>a proxy' });
    const environment = { NETLIFY_API_URL: `${here.host.siteUrl}/api/v1` };
    const error = await failureOf(here.night(SECOND, { environment, day: 2 }));
    expect(error.code).toMatch(/^netlify-(?:refused|unreachable)$/);
  });
});
