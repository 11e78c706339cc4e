import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deploy, releases, rollback } from '../../../src/deploy/deploy.ts';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import { summaryOf } from '../../../src/deploy/report.ts';
import { type Site, servedOf, writeChanges, writeSite } from '../../support/hosts/change-set.ts';
import {
  builtOn,
  FIRST,
  LEFT,
  SECOND,
  served,
  switches,
  uploads,
  world,
} from '../../support/hosts/cloudflare-deploys.ts';
import { deployFolder, failureOf } from '../../support/hosts/deploys.ts';

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
    expect(report).toMatchObject({ sent: { files: 4, bytes }, unchanged: 7 });
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
      verify: true,
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
