import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cloudflareSettingsOf } from '../../../src/config/deploy-settings.ts';
import { deploy, releases, rollback } from '../../../src/deploy/deploy.ts';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import {
  CLOUDFLARE_HTTP,
  cloudflareWorkersHost,
} from '../../../src/deploy/hosts/cloudflare-workers.ts';
import { summaryOf } from '../../../src/deploy/report.ts';
import { AppError, describeError } from '../../../src/errors.ts';
import { temporaryFolder } from '../../support/build.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import {
  type CloudflareWorkersHost,
  startCloudflareWorkersHost,
} from '../../support/hosts/cloudflare-workers.ts';
import { deployFolder, type HostRun, quickClock } from '../../support/hosts/deploys.ts';

const HEADERS = ['/*', '  X-Frame: no', '/media/*', '  Cache-Control: public, immutable', ''];

const FIRST: Site = {
  'index.html': '<p>front',
  'one/index.html': '<p>dealer',
  'one/media.json': '{"vehicles":[]}',
  'one/car/index.html': '<p>car',
  'gone/index.html': '<p>gone',
  'assets/site.css': 'p{}',
  'media/ab/cd-320-x.webp': 'picture',
  'media/ab/cd-640-x.webp': 'larger picture',
  '404.html': '<p>nothing here',
  'api/records/times.json': '{"night":1}',
  _headers: HEADERS.join('\n'),
};

const { 'gone/index.html': _, ...LEFT } = FIRST;
const SECOND: Site = {
  ...LEFT,
  'index.html': '<p>front, new',
  'two/index.html': '<p>another dealer',
  'media/ef/gh-320-x.webp': 'new picture',
  'api/records/times.json': '{"night":2}',
};

const served = (host: CloudflareWorkersHost) => textsOf(host.served());
const builtOn = (day: number) => `2026-03-${String(day).padStart(2, '0')}T02:00:00.000Z`;

interface Night extends Pick<Partial<HostRun>, 'takeOver' | 'signal' | 'look'> {
  now: Site;
  former?: Site;
  day?: number;
  environment?: Record<string, string>;
  url?: string;
}

/** A host, and deploys of nights to it, on a clock that need not be waited for. */
async function world(options: Parameters<typeof startCloudflareWorkersHost>[0] = {}) {
  const waits: number[] = [];
  const clock = quickClock();
  const { sleep } = clock;
  clock.sleep = (ms, signal) => {
    waits.push(ms);
    return sleep(ms, signal);
  };
  const folder = await temporaryFolder();
  const host = await startCloudflareWorkersHost({ now: clock.now, ...options });
  const said: string[] = [];
  const runOf = (environment: Record<string, string> = {}): HostRun => {
    const all = { ...host.environment(), ...environment };
    return {
      host: cloudflareWorkersHost(cloudflareSettingsOf(all)),
      words: CLOUDFLARE_HTTP,
      clock,
      secret: all.CLOUDFLARE_API_TOKEN ?? '',
    };
  };
  /** Tokens of uploads are secrets, too: they begin as all JSON does. */
  const noTokens = (value: unknown) =>
    expect(inspect(value, { depth: 8, maxStringLength: null })).not.toContain('eyJ');
  let number = 0;
  /** A thin build of a site on an empty disk, and its deploy. */
  const night = async ({ now, former, day = 1, environment, url, ...run }: Night) => {
    const changes = `${folder.path}/night-${++number}`;
    await writeChanges(changes, now, { url: url ?? host.siteUrl, built: builtOn(day), former });
    const onEvent = ({ text }: { text: string }) => void said.push(text);
    try {
      return (await deployFolder(changes, { ...runOf(environment), onEvent, ...run })).report;
    } catch (error) {
      noTokens(error);
      throw error;
    } finally {
      noTokens(said);
    }
  };
  return {
    folder: folder.path,
    clock,
    waits,
    host,
    said,
    night,
    runOf,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The error of something that must fail. */
async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

/** Until so many uploads have come: so none is answered before. */
const underWay = (host: CloudflareWorkersHost, count: number) =>
  expect.poll(() => host.uploadsUnderWay.length).toBeGreaterThanOrEqual(count);

const switches = (requests: readonly string[]) =>
  requests.filter((line) => /^(?:PUT|POST \S+\/(?:deployments|versions))/.test(line));
const uploads = (requests: readonly string[]) =>
  requests.filter((line) => line.includes('/assets/upload'));

describe('a deploy to Cloudflare Workers', () => {
  it('makes the Worker with all files at first, and gives it an address', async () => {
    await using here = await world();
    const { host } = here;
    const report = await here.night({ now: FIRST });
    expect(report).toMatchObject({ sent: { files: 10 }, unchanged: 0, fetched: { files: 0 } });
    expect(here.said).toContain('There is no Worker our-cars yet: it is made.');
    expect(served(host)).toEqual(servedOf(FIRST));
    expect(host.worker.subdomain).toEqual({ enabled: true, previews: false });
    expect(here.said).toContain(
      'The Worker our-cars is served at https://our-cars.our-account.workers.dev.',
    );
    const get = async (path: string, init?: RequestInit) =>
      fetch(host.siteUrl + path, { redirect: 'manual', ...init });
    const picture = await get('/media/ab/cd-320-x.webp');
    expect([picture.status, await picture.text()]).toEqual([200, 'picture']);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, immutable',
      'x-frame': 'no',
    });
    const page = await get('/one/');
    expect([page.status, await page.text()]).toEqual([200, '<p>dealer']);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await get('/one')).headers.get('location')).toBe('/one/');
    const missing = await get('/nowhere/');
    expect([missing.status, await missing.text()]).toEqual([404, '<p>nothing here']);
    // Rules are obeyed, and are no files.
    expect((await get('/_headers')).status).toBe(404);
  });

  it('sends only what changed in a night, and switches once all of it is there', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.requests.length = 0;
    const before = { ...host.bytes };
    const seen: Map<string, string>[] = [];
    host.onRequest = () => void seen.push(served(host));
    const report = await here.night({ now: SECOND, former: FIRST, day: 2 });
    expect(seen.length).toBe(host.requests.length);
    for (const before of seen) expect(before).toEqual(servedOf(FIRST));
    expect(served(host)).toEqual(servedOf(SECOND));
    const changed = ['index.html', 'two/index.html', 'media/ef/gh-320-x.webp'].concat(
      'api/records/times.json',
    );
    const bytes = changed.reduce((sum, name) => sum + (SECOND[name] ?? '').length, 0);
    expect(report).toMatchObject({ sent: { files: 4, bytes }, removed: 1, unchanged: 7 });
    expect(host.bytes.up - before.up).toBe(bytes);
    expect(host.requests.length).toBeLessThanOrEqual(10);
    expect(report.live).toBe('as-sent');
    expect(report.release).toBe(host.versions()[0]?.id);
  });

  it('asks little where nothing changed', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.requests.length = 0;
    const before = host.bytes.up;
    const report = await here.night({ now: FIRST, former: FIRST, day: 2 });
    expect(report).toMatchObject({ sent: { files: 0 }, unchanged: 10 });
    expect(host.requests.length).toBeLessThanOrEqual(8);
    expect([uploads(host.requests), host.bytes.up - before]).toEqual([[], 0]);
    expect(served(host)).toEqual(servedOf(FIRST));
  });

  it('knows equal bytes of another type as another content', async () => {
    await using here = await world();
    const same: Site = {
      'index.html': 'same',
      'same.txt': 'same',
      'same.css': 'same',
      same: 'same',
    };
    await here.night({ now: same });
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

  it('takes content that the host has forgotten from the live site', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.forget();
    const report = await here.night({ now: SECOND, former: FIRST, day: 2 });
    // What changed, and 404.html, are on this disk.
    expect(report).toMatchObject({ sent: { files: 11 }, fetched: { files: 6 } });
    expect(served(host)).toEqual(servedOf(SECOND));
  });

  it('switches nothing where content is lost, and names all of it', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    const lost = ['media/ab/cd-320-x.webp', 'one/car/index.html'];
    host.forget(lost);
    // A build that believed in bytes which the site does not have: neither is there what it calls new.
    const altered: Site = {
      ...SECOND,
      ...Object.fromEntries(lost.map((name) => [name, 'other'])),
    };
    host.requests.length = 0;
    const error = await failureOf(here.night({ now: altered, former: altered, day: 2 }));
    expect(error).toMatchObject({ code: 'deploy-content-lost', exitCode: 5 });
    expect((error as LostContent).files.map(({ path }) => path)).toEqual(
      [...lost, 'index.html', 'media/ef/gh-320-x.webp', 'two/index.html'].sort(),
    );
    expect([switches(host.requests), uploads(host.requests)]).toEqual([[], []]);
    expect(served(host)).toEqual(servedOf(FIRST));
  });

  it('goes on in a new session where one ends midway, by its clock or by what the host says', async () => {
    for (const isTold of [false, true]) {
      const hostClock = quickClock();
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
        look: false,
      });
      // With a domain of one's own, nobody needs that of workers.dev: a person may have switched it off.
      expect(host.worker.subdomain.enabled).toBe(domain.endsWith('.workers.dev'));
      expect(served(host)).toEqual(servedOf(FIRST));
    }
  });

  it('says what to do where the account has no name on workers.dev', async () => {
    await using here = await world();
    here.host.worker.accountHasSubdomain = false;
    await here.night({ now: FIRST, look: false });
    expect(here.said.join('\n')).toContain('has no address yet');
    expect(served(here.host)).toEqual(servedOf(FIRST));
  });

  it('is harmless twice at once: what is served is the one site or the other', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.bucketBytes = 12;
    host.beforeUpload = () => wait(5);
    const other: Site = { ...FIRST, 'index.html': '<p>the other', 'b/index.html': '<p>b' };
    const sites = [FIRST, SECOND, other].map(servedOf);
    const seen: Map<string, string>[] = [];
    host.onRequest = () => void seen.push(served(host));
    const results = await Promise.allSettled([
      here.night({ now: SECOND, former: FIRST, day: 2 }),
      here.night({ now: other, former: FIRST, day: 3 }),
    ]);
    expect(seen.length).toBeGreaterThan(10);
    for (const one of seen) expect(sites).toContainEqual(one);
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(sites.slice(1)).toContainEqual(served(host));
  });

  it('does not take the place of a newer site that came while it was sending', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST });
    host.beforeUpload = async () => {
      host.beforeUpload = undefined;
      await here.night({ now: LEFT, former: FIRST, day: 3 });
    };
    const error = await failureOf(here.night({ now: SECOND, former: FIRST, day: 2 }));
    expect(error).toMatchObject({ code: 'deploy-older', exitCode: 5 });
    expect(served(host)).toEqual(servedOf(LEFT));
  });

  it('refuses an older site before it sends anything, unless a person says so', async () => {
    await using here = await world();
    const { host } = here;
    await here.night({ now: FIRST, day: 3 });
    host.requests.length = 0;
    const older: Night = { now: SECOND, former: FIRST, day: 2 };
    expect(await failureOf(here.night(older))).toMatchObject({ code: 'deploy-older', exitCode: 5 });
    expect(host.requests.every((line) => line.startsWith('GET'))).toBe(true);
    await here.night({ ...older, takeOver: true });
    expect(served(host)).toEqual(servedOf(SECOND));
  });

  it("leaves somebody's own Worker alone, unless a person says so", async () => {
    await using here = await world();
    const { host } = here;
    host.putForeign('our shop');
    host.worker.hasDomain = true;
    const error = await failureOf(here.night({ now: FIRST }));
    expect(error).toMatchObject({ code: 'worker-not-ours', exitCode: 2 });
    expect(host.requests.every((line) => line.startsWith('GET'))).toBe(true);
    await here.night({ now: FIRST, takeOver: true });
    expect(served(host)).toEqual(servedOf(FIRST));
    // It has addresses of its own: nothing is switched on there.
    expect(host.worker.subdomain.enabled).toBe(false);
    await here.night({ now: SECOND, former: FIRST, day: 2 });
    expect(served(host)).toEqual(servedOf(SECOND));
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

  it('goes back to releases that were served, and forward again', async () => {
    await using here = await world();
    const { host } = here;
    const third: Site = { ...SECOND, 'one/index.html': '<p>third' };
    await here.night({ now: FIRST });
    await here.night({ now: SECOND, former: FIRST, day: 2 });
    // A deploy that is cut off before its switch leaves a version that nobody has seen.
    const controller = new AbortController();
    host.cut({ request: 8, carriesOut: false, onCut: () => controller.abort() });
    const { signal } = controller;
    await here.night({ now: third, former: SECOND, day: 3, signal }).catch(() => undefined);
    host.cut(undefined);
    expect(host.versions().length).toBe(3);
    await here.night({ now: third, former: SECOND, day: 4 });
    expect(served(host)).toEqual(servedOf(third));

    const run = {
      ...here.runOf(),
      takeOver: false,
      signal: new AbortController().signal,
      onEvent: () => {},
    };
    const ours = await releases(run);
    expect(ours.map(({ isLive }) => isLive)).toEqual([true, false, false]);
    expect(await rollback(undefined, run)).toMatchObject({ id: ours[1]?.id, isLive: true });
    expect(served(host)).toEqual(servedOf(SECOND));
    await rollback(undefined, run);
    expect(served(host)).toEqual(servedOf(FIRST));
    for (const to of [undefined, 'nothing']) {
      expect(await failureOf(rollback(to, run))).toMatchObject({ code: 'deploy-no-release' });
    }
    await rollback(ours[0]?.id, run);
    expect(served(host)).toEqual(servedOf(third));
    // The next night goes on from there.
    await here.night({ now: SECOND, former: third, day: 5 });
    expect(served(host)).toEqual(servedOf(SECOND));
  });

  it('only reads in a dry run', async () => {
    await using here = await world();
    const { host } = here;
    const changes = `${here.folder}/dry`;
    await writeChanges(changes, FIRST, { url: host.siteUrl, built: builtOn(1) });
    const { report, error } = await deploy({
      ...here.runOf(),
      takeOver: false,
      look: true,
      signal: new AbortController().signal,
      folder: changes,
      site: async () => undefined,
      dryRun: true,
      indexNow: 'http://127.0.0.1:1',
      onEvent: () => {},
    });
    expect(error).toBeUndefined();
    expect(report.planned).toEqual({ send: null, remove: 0, unchanged: 0 });
    // Neither that nothing is unchanged nor that all of it is to be sent: nobody knows.
    expect(summaryOf(report)).toMatch(
      /: what it lacks of 11 \(\d+ B\); it says so once it has the list\.$/,
    );
    expect(host.requests.every((line) => line.startsWith('GET'))).toBe(true);
  });

  it('deploys a whole folder, with names that addresses write in another way', async () => {
    await using here = await world();
    const odd = { 'own files/Prüfung 100% (1)+[2].txt': 'mine', '.well-known/x': '' };
    const site: Site = { ...FIRST, ...odd, _redirects: '/old /one/ 301\n' };
    await writeSite(`${here.folder}/_site`, site);
    await deployFolder(`${here.folder}/_site`, here.runOf());
    expect(served(here.host)).toEqual(servedOf(site));
    const address = encodeURI('/own files/Prüfung 100% (1)+[2].txt');
    expect(await (await fetch(here.host.siteUrl + address)).text()).toBe('mine');
  });
});
