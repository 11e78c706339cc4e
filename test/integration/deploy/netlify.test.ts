import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { netlifySettingsOf } from '../../../src/config/deploy-settings.ts';
import { releases, rollback } from '../../../src/deploy/deploy.ts';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import { NETLIFY_HTTP, netlifyHost } from '../../../src/deploy/hosts/netlify.ts';
import { AppError } from '../../../src/errors.ts';
import { temporaryFolder } from '../../support/build.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import {
  deployFolder,
  type HostRun,
  type QuickClock,
  quickClock,
} from '../../support/hosts/deploys.ts';
import { type NetlifyHost, startNetlifyHost } from '../../support/hosts/netlify.ts';

const OLD: Site = {
  'index.html': '<html><a href="one/index.html">front</a>',
  '404.html': '<html>not here',
  _headers: '/media/*\n  Cache-Control: public, max-age=31536000, immutable\n',
  'one/index.html': '<html>dealer one',
  'one/1001/index.html': '<html>a car that is sold tonight',
  'two/index.html': '<html>dealer two',
  'api/records/times.json': '{"night":1}',
  'media/ab/one-320.webp': 'picture one',
  'media/ab/same-320.webp': 'picture one',
  'media/cd/two-320.webp': 'picture two',
};
const { 'one/1001/index.html': _, ...left } = OLD;
const NEW: Site = {
  ...left,
  'one/index.html': '<html>dealer one, a car less',
  'one/1002/index.html': '<html>a new car',
  'api/records/times.json': '{"night":2}',
  'media/ef/three-320.webp': 'picture three',
};
const [FIRST_NIGHT, SECOND_NIGHT, THIRD_NIGHT] = [
  '2026-03-01T02:00:00.000Z',
  '2026-03-02T02:00:00.000Z',
  '2026-03-03T02:00:00.000Z',
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let clock: QuickClock;
let server: NetlifyHost;

async function restart(): Promise<void> {
  clock = quickClock();
  server = await startNetlifyHost({ now: clock.now });
}
beforeEach(async () => {
  folder = await temporaryFolder();
  await restart();
});
afterEach(async () => {
  await server.close();
  await folder[Symbol.asyncDispose]();
});

const runOf = (more: Partial<HostRun> = {}): HostRun => {
  const environment = server.environment();
  return {
    host: netlifyHost(netlifySettingsOf(environment)),
    words: NETLIFY_HTTP,
    clock,
    secret: environment.NETLIFY_AUTH_TOKEN ?? '',
    ...more,
  };
};
interface Night {
  former?: Site;
  built?: string;
  url?: string;
  run?: Partial<HostRun>;
}
/** A thin build of a site on an empty disk, and its deploy. */
async function night(site: Site, { former, built = SECOND_NIGHT, url, run }: Night = {}) {
  const made = path.join(folder.path, `changes-${Math.random()}`);
  await writeChanges(made, site, { url: url ?? server.siteUrl, built, former });
  return deployFolder(made, runOf(run));
}
const failure = async (asked: Promise<unknown>): Promise<AppError> => {
  const error = await asked.then(
    () => new Error('It succeeded.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw error;
};
const isServed = (site: Site, why?: string) =>
  expect(textsOf(server.served()), why).toEqual(servedOf(site));
const puts = () => server.requests.filter((line) => line.startsWith('PUT '));

describe('a deploy to Netlify', () => {
  it('sends every content once, and ends when it is live', async () => {
    const { report } = await night(OLD, { built: FIRST_NIGHT });
    isServed(OLD);
    // Two pictures have the same bytes.
    expect(report).toMatchObject({ sent: { files: 9 }, removed: 0, unchanged: 0, live: 'as-sent' });
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
    await server.close();
    server = await startNetlifyHost({ now: clock.now, preparing: 60_000, processing: 120_000 });
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
    await server.close();
    server = await startNetlifyHost({ now: clock.now, preparing: 3_600_000 });
    const error = await failure(night(NEW, { former: OLD, url: siteUrl }));
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
    const error = await failure(night(site, { former: OLD, url: elsewhere.siteUrl }));
    await elsewhere.close();
    expect(error.code).toBe('live-differs');
    isServed(site);
  });

  it('is told where nobody has it any more, and nothing is switched', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.forget(['media/cd/two-320.webp', 'two/index.html']);
    const elsewhere = await startNetlifyHost({ now: clock.now });
    server.requests.length = 0;
    const error = await failure(night(NEW, { former: OLD, url: elsewhere.siteUrl }));
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
    const error = await failure(night(NEW, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-unreachable', exitCode: 4 });
    server.cut(undefined);
    isServed(OLD);
    await night(NEW, { former: OLD });
    isServed(NEW);
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
      night(NEW, { former: OLD, run: { onEvent, look: false } }),
      night(other, { former: OLD, run: { onEvent, look: false } }),
    ]);
    onEvent();
    expect(results.every(({ report }) => report.release !== undefined)).toBe(true);
    expect([...seen]).not.toContain(-1);
    expect(whole.slice(1)).toContain(JSON.stringify([...textsOf(server.served())]));
  });

  it('do not put an older site over a newer one, unless a person says so', async () => {
    await night(NEW, { built: SECOND_NIGHT });
    const error = await failure(night(OLD, { built: FIRST_NIGHT }));
    expect(error).toMatchObject({ code: 'deploy-older', exitCode: 5 });
    isServed(NEW);
    await night(OLD, { built: FIRST_NIGHT, run: { takeOver: true } });
    isServed(OLD);
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
    const error = await failure(night(NEW));
    expect(error).toMatchObject({ code: 'deploy-limit', exitCode: 4 });
    isServed(OLD);
  });
});

describe('a site that Netlify does not take', () => {
  it('is told before anything is asked of it', async () => {
    const pictures = Array.from({ length: 54_001 }, (_one, at) => [`media/${at}.webp`, 'same']);
    const site: Site = { ...OLD, ...Object.fromEntries(pictures) };
    const error = await failure(night(site, { former: { ...site, 'index.html': '' } }));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(error.message).toContain('54001');
    expect(server.requests).toEqual([]);
  });
});

describe('what Netlify refuses', () => {
  it('is told: a token', async () => {
    const settings = netlifySettingsOf({
      ...server.environment(),
      NETLIFY_AUTH_TOKEN: 'nfp_AnotherTokenOfSomebody',
    });
    const run = { host: netlifyHost(settings), secret: 'nfp_AnotherTokenOfSomebody' };
    const error = await failure(night(OLD, { run }));
    expect(error).toMatchObject({ code: 'netlify-refused', exitCode: 3 });
    expect(error.why).toContain('Access Denied');
    expect(error.fix).toContain('NETLIFY_AUTH_TOKEN');
    expect(server.deploys()).toEqual([]);
  });

  it('is told: a site that is not there', async () => {
    const settings = { ...netlifySettingsOf(server.environment()), site: 'nowhere' };
    const error = await failure(night(OLD, { run: { host: netlifyHost(settings) } }));
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
    const error = await failure(night(NEW, { former: OLD, run: { onEvent } }));
    expect(error).toMatchObject({ code: 'netlify-refused', exitCode: 3 });
    isServed(OLD);
  });

  it('is told, and nothing is switched, where rules in the site are wrong', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    const error = await failure(night({ ...NEW, _redirects: '/only-one\n' }, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-failed', exitCode: 5 });
    expect(error.why).toContain('_redirects');
    clock.time += 600_000;
    isServed(OLD);
  });

  it('is not tried where Netlify builds the site by itself', async () => {
    server.site.repository = 'https://github.com/somebody/cars';
    const error = await failure(night(OLD));
    expect(error).toMatchObject({ code: 'deploy-host-builds', exitCode: 2 });
    expect(server.requests).toEqual(['GET /sites/b0a1c2d3-site']);
    await night(OLD, { run: { takeOver: true } });
    isServed(OLD);
  });

  it('is not tried where new deploys are not published', async () => {
    await night(OLD, { built: FIRST_NIGHT });
    server.site.isLocked = true;
    const error = await failure(night(NEW, { former: OLD }));
    expect(error).toMatchObject({ code: 'netlify-locked', exitCode: 2 });
    expect(server.deploys()).toHaveLength(1);
  });

  it('is told where something else answers', async () => {
    const api = `${server.siteUrl}/api/v1`;
    await night({ ...OLD, 'api/v1/sites/b0a1c2d3-site/index.html': '<html>a proxy' });
    const settings = { ...netlifySettingsOf(server.environment()), api };
    const error = await failure(night(NEW, { run: { host: netlifyHost(settings) } }));
    expect(error.code).toMatch(/^netlify-(?:refused|unreachable)$/);
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
    expect(await failure(back())).toMatchObject({ code: 'deploy-no-release', exitCode: 2 });
    isServed(OLD);
    await back(second.report.release);
    isServed(NEW);
    expect(await failure(back('nothing'))).toMatchObject({ code: 'deploy-no-release' });
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
    await failure(night({ ...OLD, _redirects: 'x' }, { built: FIRST_NIGHT }));
    await night(OLD);
    expect(await failure(back())).toMatchObject({ code: 'deploy-no-release' });
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
