import { describe, expect, it } from 'vitest';
import { releases, rollback } from '../../../src/deploy/deploy.ts';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import { type Site, servedOf, textsOf, writeSite } from '../../support/hosts/change-set.ts';
import { deployFolder, failureOf } from '../../support/hosts/deploys.ts';
import { startNetlifyHost } from '../../support/hosts/netlify.ts';
import {
  clock,
  FIRST_NIGHT,
  folder,
  hostForEachTest,
  isServed,
  NEW,
  night,
  OLD,
  puts,
  replaceHost,
  runOf,
  SECOND_NIGHT,
  server,
  THIRD_NIGHT,
} from '../../support/hosts/netlify-deploys.ts';

hostForEachTest();

describe('a deploy to Netlify', () => {
  it('sends every content once, and ends when it is live', async () => {
    const { report } = await night(OLD, { built: FIRST_NIGHT });
    isServed(OLD);
    // Two pictures have the same bytes.
    expect(report).toMatchObject({ sent: { files: 9 }, unchanged: 0, live: 'as-sent' });
    expect(report.fetched).toEqual({ files: 0, bytes: 0 });
    expect(puts()).toHaveLength(9);
    expect(server.requests[1]).toBe(
      'POST /sites/b0a1c2d3-site/deploys?title=vehicle-media-site%202026-03-01T02%3A00%3A00.000Z',
    );
    expect(report.requests).toBe(server.requests.length);
    expect(server.bytes.up).toBe(report.sent?.bytes);
    expect(server.deploys()).toMatchObject([{ id: report.release, state: 'ready', isLive: true }]);
  });

  it('sends only what a night changed, and what is gone is gone', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.requests.length = 0;
    const { report, said } = await night(NEW, { former: OLD });
    isServed(NEW);
    expect(report).toMatchObject({ sent: { files: 4 }, unchanged: 7, fetched: { files: 0 } });
    expect(puts().map((line) => line.split('/files/')[1])).toEqual(
      expect.arrayContaining(['one/index.html', 'media/ef/three-320.webp']),
    );
    expect(said).toContain('Files sent: 4 of 4');
    const sold = await fetch(`${server.siteUrl}/one/1001/`);
    expect([sold.status, await sold.text()]).toEqual([404, '<html>not here']);
  });

  it('sends nothing where nothing changed, in few requests', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const { report } = await night(OLD, { former: OLD });
    isServed(OLD);
    expect(report).toMatchObject({ sent: { files: 0, bytes: 0 }, unchanged: 10 });
    expect(report.requests).toBeLessThanOrEqual(6);
  });

  it('deploys a whole folder, with names that addresses write in another way', async () => {
    const site = { ...OLD, 'own files/Prüfung 100% (1)+[2].txt': 'mine', '.well-known/x': '' };
    await writeSite(folder.path, site);
    await deployFolder(folder.path, runOf());
    isServed(site);
    const address = encodeURI('/own files/Prüfung 100% (1)+[2].txt');
    expect(await (await fetch(server.siteUrl + address)).text()).toBe('mine');
  });

  it('waits until Netlify has compared the list and is done with the files', async () => {
    await replaceHost({ preparing: 60_000, processing: 120_000 });
    const { said, report } = await night(OLD);
    isServed(OLD);
    expect(said).toContain('Netlify works on the deploy (preparing)');
    expect(said).toContain('Netlify works on the deploy (uploaded)');
    // A look each two seconds.
    expect(report.requests).toBeLessThan(180 / 2 + 9 + 10);
  });

  it('does not wait for ever, and leaves nothing behind at Netlify', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const { siteUrl } = server;
    await replaceHost({ preparing: 3_600_000 });
    const error = await failureOf(night(NEW, { former: OLD, url: siteUrl }));
    expect(error).toMatchObject({ code: 'netlify-slow', exitCode: 4 });
    expect(server.deploys()).toMatchObject([{ state: 'error' }]);
  });

  it('says that pages are altered where Netlify does so', async () => {
    server.site.prettyUrls = true;
    const { said, report } = await night(OLD);
    expect(said.join()).toContain('Pretty URLs');
    expect(report.live).toBe('as-sent');
    const front = await (await fetch(`${server.siteUrl}/`)).text();
    expect(front).not.toBe(OLD['index.html']);
  });
});

describe('content that Netlify has forgotten', () => {
  it('comes from the live site where this disk has it not', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.forget(['media/cd/two-320.webp', 'two/index.html', '_headers']);
    const { report } = await night(NEW, { former: OLD });
    isServed(NEW);
    expect(report).toMatchObject({ sent: { files: 7 }, fetched: { files: 2 } });
    expect(server.visits).toContain('GET /two/');
  });

  it('comes from this disk where a file of another name has it', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.forget(['media/cd/two-320.webp']);
    const elsewhere = await startNetlifyHost({ now: clock.now });
    const site = { ...NEW, 'media/zz/again-320.webp': 'picture two' };
    // The site is at another place than its address says, and that is all.
    const error = await failureOf(night(site, { former: OLD, url: elsewhere.siteUrl }));
    await elsewhere.close();
    expect(error.code).toBe('live-differs');
    isServed(site);
  });

  it('is told where nobody has it any more, and nothing is switched', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.forget(['media/cd/two-320.webp', 'two/index.html']);
    const elsewhere = await startNetlifyHost({ now: clock.now });
    server.requests.length = 0;
    const error = await failureOf(night(NEW, { former: OLD, url: elsewhere.siteUrl }));
    await elsewhere.close();
    expect(error).toMatchObject({ code: 'deploy-content-lost', exitCode: 5 });
    expect((error as LostContent).files.map((file) => file.path)).toEqual([
      'media/cd/two-320.webp',
      'two/index.html',
    ]);
    isServed(OLD);
    expect(server.deploys()[0]).toMatchObject({ state: 'error', isLive: false });
    // What is on this disk has come: made again, the rest is all that is left to send.
    expect(puts()).toHaveLength(4);
    const { 'media/cd/two-320.webp': _1, 'two/index.html': _2, ...known } = OLD;
    const { report } = await night(NEW, { former: { ...known, ...NEW, 'two/index.html': 'x' } });
    isServed(NEW);
    expect(report).toMatchObject({ sent: { files: 2 }, fetched: { files: 1 } });
  });
});

describe('two deploys to Netlify at once', () => {
  it('are harmless: at any moment one whole site is served, and both succeed', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const other: Site = { ...NEW, 'one/index.html': '<html>another', 'three/index.html': '3' };
    const whole = [OLD, NEW, other].map((site) => JSON.stringify([...servedOf(site)]));
    const seen = new Set<number>();
    const onEvent = () => {
      const now = JSON.stringify([...textsOf(server.served())]);
      seen.add(whole.indexOf(now));
    };
    const results = await Promise.all([
      night(NEW, { former: OLD, run: { onEvent, verify: false } }),
      night(other, { former: OLD, run: { onEvent, verify: false } }),
    ]);
    onEvent();
    expect(results.every(({ report }) => report.release !== undefined)).toBe(true);
    expect([...seen]).not.toContain(-1);
    expect(whole.slice(1)).toContain(JSON.stringify([...textsOf(server.served())]));
  });
});

describe('going back at Netlify', () => {
  const options = () => ({
    ...runOf(),
    takeOver: false,
    signal: new AbortController().signal,
    onEvent: () => {},
  });
  const back = (to?: string) => rollback(to, options());

  it('publishes the deploy before the live one, or the one that is named', async () => {
    const first = await night(OLD, { built: FIRST_NIGHT });
    const second = await night(NEW, { former: OLD });
    const third = { ...NEW, 'one/index.html': '<html>third' };
    await night(third, { former: NEW, built: THIRD_NIGHT });
    const shown = await releases(options());
    expect(shown.map(({ at, isLive }) => [at, isLive])).toEqual([
      [THIRD_NIGHT, true],
      [SECOND_NIGHT, false],
      [FIRST_NIGHT, false],
    ]);
    expect(await back()).toEqual({
      id: second.report.release,
      at: SECOND_NIGHT,
      isLive: true,
    });
    isServed(NEW);
    await back();
    isServed(OLD);
    expect(await failureOf(back())).toMatchObject({ code: 'deploy-no-release', exitCode: 2 });
    isServed(OLD);
    await back(second.report.release);
    isServed(NEW);
    expect(await failureOf(back('nothing'))).toMatchObject({ code: 'deploy-no-release' });
    await back(first.report.release);
    isServed(OLD);
    // The next night goes on from there.
    await night(third, { former: OLD, built: THIRD_NIGHT });
    isServed(third);
  });

  it('does not go to a deploy that failed, nor to one of another tool', async () => {
    const { NETLIFY_AUTH_TOKEN: token, NETLIFY_API_URL: api } = server.environment();
    await fetch(`${api}/sites/b0a1c2d3-site/deploys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ files: { 'index.html': 'a'.repeat(40) } }),
    });
    await failureOf(night({ ...OLD, _redirects: 'x' }, { built: FIRST_NIGHT }));
    await night(OLD);
    expect(await failureOf(back())).toMatchObject({ code: 'deploy-no-release' });
    isServed(OLD);
  });
});

describe('what Netlify shows to visitors', () => {
  it('is the published deploy, packed where they ask for it, with the headers of the site', async () => {
    await night(OLD);
    const get = (address: string, headers = {}) =>
      fetch(server.siteUrl + address, { headers, redirect: 'manual' });
    const times = await get('/api/records/times.json', { 'accept-encoding': 'gzip' });
    expect(times.headers.get('content-encoding')).toBe('gzip');
    expect(await times.text()).toBe(OLD['api/records/times.json']);
    const plain = await get('/api/records/times.json', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const etag = plain.headers.get('etag') ?? '';
    expect((await get('/api/records/times.json', { 'if-none-match': etag })).status).toBe(304);
    const picture = await get('/media/ab/one-320.webp');
    expect(picture.headers.get('cache-control')).toContain('immutable');
    expect(picture.headers.get('content-type')).toBe('image/webp');
    const folder = await get('/one');
    expect([folder.status, folder.headers.get('location')]).toEqual([301, '/one/']);
    expect((await get('/_headers')).status).toBe(404);
  });
});
