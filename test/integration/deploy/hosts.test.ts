import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../../src/deploy/report.ts';
import { describeError } from '../../../src/errors.ts';
import { type Site, servedOf } from '../../support/hosts/change-set.ts';
import { ALL_KINDS, REMOTE_KINDS } from '../../support/hosts/kinds.ts';
import { FIRST, failureOf, LEFT, PICTURE, SECOND, startWorld } from '../../support/hosts/world.ts';

/** Guarantees of every host. Each host has its own tests for its specifics. */

describe.each(ALL_KINDS)('a deploy to $id', (kind) => {
  const isFolder = kind.id === 'folder';

  it('uploads every file at first, then only changed files', async () => {
    await using here = await startWorld(kind);
    const { host } = here;
    const first = await here.night(FIRST, { verify: !isFolder });
    here.expectServed(FIRST);
    // Netlify reads the rules for hosts as a file.
    const rules = kind.id === 'netlify' ? 1 : 0;
    const site = { files: 11 + rules };
    expect(first).toMatchObject({ site, sent: site, unchanged: 0 });
    expect(first.requests).toBe(host.requests.length);
    if (!isFolder) expect(host.bytes.up).toBe(first.sent?.bytes);

    host.requests.length = 0;
    const up = host.bytes.up;
    const changed = ['index.html', 'two/index.html', PICTURE(3), 'api/records/times.json'];
    const bytes = changed.reduce((sum, name) => sum + (SECOND[name] ?? '').length, 0);
    const second = await here.night(SECOND, { former: FIRST, verify: !isFolder });
    here.expectServed(SECOND);
    expect(second).toMatchObject({
      form: 'thin',
      site,
      sent: { files: 4, bytes },
      unchanged: 7 + rules,
      fetched: { files: 0, bytes: 0 },
      live: isFolder ? 'not-looked-at' : 'as-sent',
    });
    if (!isFolder) expect(host.bytes.up - up).toBe(bytes);
    expect(second.requests).toBe(host.requests.length);
    expect(second.requests).toBeLessThanOrEqual(20);
    const removed = await fetch(`${host.siteUrl}/gone/`);
    expect(removed.status).toBe(404);

    const times = { ...SECOND, 'api/records/times.json': '{"night":3}' };
    const third = await here.night(times, { former: SECOND, day: 3, verify: !isFolder });
    here.expectServed(times);
    expect(third).toMatchObject({ sent: { files: 1 }, unchanged: 10 + rules });
    expect(third.requests).toBeLessThanOrEqual(12);
    const same = await here.night(times, { former: times, day: 4, verify: !isFolder });
    expect(same).toMatchObject({ sent: { files: 0, bytes: 0 }, unchanged: 11 + rules });
  });

  it('uploads a full folder, including names that URLs encode', async () => {
    await using here = await startWorld(kind);
    const odd = { 'own files/Prüfung 100% (1)+[2].txt': 'mine', '.well-known/x': '' };
    const site: Site = { ...FIRST, ...odd, _redirects: '/old /one/ 301\n' };
    const whole = await here.night(site, { form: 'whole' });
    expect(whole).toMatchObject({ form: 'whole', live: 'not-looked-at' });
    expect(whole.messages.join()).toContain('its URL is unknown');
    here.expectServed(site);
    const address = encodeURI('/own files/Prüfung 100% (1)+[2].txt');
    expect(await (await fetch(here.host.siteUrl + address)).text()).toBe('mine');
    const { unchanged } = await here.night(site, { form: 'whole', day: 2 });
    expect(unchanged).toBeGreaterThan(10);
  });

  it('changes nothing if content is lost, and reports how much', async () => {
    await using here = await startWorld(kind);
    const { host } = here;
    await here.night(FIRST, { verify: false });
    const lost = [PICTURE(1), 'one/car/index.html'];
    if (!isFolder) host.forget(lost);
    // A build that trusted bytes which the site does not have.
    const altered = Object.fromEntries(lost.map((name) => [name, `other ${name}`]));
    const site = { ...SECOND, ...altered };
    const up = host.bytes.up;
    const error = await failureOf(here.night(site, { former: { ...FIRST, ...altered } }));
    expect(error).toMatchObject({
      code: 'deploy-content-lost',
      exitCode: 5,
      message: expect.stringContaining(`${PICTURE(1)} and 1 more`),
    });
    here.expectServed(FIRST);
    expect(host.bytes.up).toBe(up);
    // After a rebuild, it is live.
    await here.night(site, { former: LEFT, verify: false });
    here.expectServed(site);
  });

  it('only reads in a dry run', async () => {
    await using here = await startWorld(kind);
    await here.night(FIRST, { verify: false });
    const { host } = here;
    host.requests.length = 0;
    const { planned, ...report } = await here.night(SECOND, { former: FIRST, dryRun: true });
    const known = kind.id === 's3' || isFolder;
    expect(planned).toMatchObject(
      known ? { send: { files: 4 }, remove: 2, unchanged: 7 } : { send: null },
    );
    expect(summaryOf({ ...report, planned })).toMatch(
      known
        ? /4 files \(\d+ B\) would be sent/
        : /: missing files of 1[12] \(\d+ B\)\. The host reports/,
    );
    expect(host.requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
    here.expectServed(FIRST);
  });
});

it.each(ALL_KINDS)('files that $id does not have are copied from the live site', async (kind) => {
  await using old = await startWorld(kind);
  await using here = await startWorld(kind);
  await old.night(FIRST, { verify: false });
  // The build has the state of the old host.
  const night = { former: FIRST, url: old.host.siteUrl, verify: false };
  const { sent, fetched } = await here.night(SECOND, night);
  // Four changed files. The 404 page and the rules are always on this disk.
  expect(fetched?.files).toBe(6);
  expect(sent?.files).toBe(kind.id === 'netlify' ? 12 : 11);
  here.expectServed(SECOND);
});

describe.each(ALL_KINDS.filter(({ isAtomic }) => isAtomic))('a rollback on $id', (kind) => {
  it('shows the previous release or the given one', async () => {
    await using here = await startWorld(kind);
    const third: Site = { ...SECOND, 'one/index.html': '<p>third' };
    const sites = [FIRST, SECOND, third];
    for (const [index, site] of sites.entries()) {
      await here.night(site, { former: sites[index - 1], day: index + 1, verify: false });
      here.clock.time += 86_400_000;
    }
    const listed = await here.releases();
    expect(listed.map(({ isLive }) => isLive)).toEqual([true, false, false]);
    expect(await here.rollback()).toEqual({ ...listed[1], isLive: true });
    here.expectServed(SECOND);
    await here.rollback();
    here.expectServed(FIRST);
    for (const to of [undefined, 'nothing']) {
      const error = await failureOf(here.rollback(to));
      expect(error).toMatchObject({ code: 'deploy-no-release', exitCode: 2 });
    }
    here.expectServed(FIRST);
    await here.rollback(listed[0]?.id);
    here.expectServed(third);
    // The next night continues from there.
    await here.rollback(listed[2]?.id);
    await here.night(third, { former: FIRST, day: 4, verify: false });
    here.expectServed(third);
  });
});

it.each([
  ['netlify', 'NETLIFY_AUTH_TOKEN', 'netlify-refused', 'Access Denied'],
  ['netlify', 'NETLIFY_SITE_ID', 'netlify-refused', 'Not Found'],
  ['cloudflare-workers', 'CLOUDFLARE_API_TOKEN', 'cloudflare-refused', 'Invalid access token'],
  ['cloudflare-workers', 'CLOUDFLARE_ACCOUNT_ID', 'cloudflare-refused', 'Authentication error'],
  ['s3', 'AWS_SECRET_ACCESS_KEY', 's3-refused', 'SignatureDoesNotMatch – Check your key'],
  ['s3', 'S3_BUCKET', 's3-refused', 'NoSuchBucket'],
])('%s: a wrong %s is refused and not shown', async (id, name, code, reason) => {
  const kind = REMOTE_KINDS.find((one) => one.id === id) ?? REMOTE_KINDS[0];
  if (!kind) throw new Error(id);
  await using here = await startWorld(kind);
  const wrong = 'another-one-that-nobody-may-see';
  const error = await failureOf(here.night(FIRST, { environment: { [name]: wrong } }));
  expect(error).toMatchObject({ code, exitCode: 3 });
  const shown = [
    describeError(error, { debug: true }),
    JSON.stringify(error),
    ...here.messages,
  ].join();
  expect(shown).toContain(reason);
  expect(shown).not.toContain(wrong);
  expect(here.served()).toEqual(servedOf({}));
});

it.each(REMOTE_KINDS)('$id: names the setting of its address if nothing responds', async (kind) => {
  await using here = await startWorld(kind);
  const names = Object.keys(here.host.environment());
  const name = names.find((one) => /API_URL|ENDPOINT/.test(one)) ?? '';
  const environment = { [name]: 'http://127.0.0.1:1' };
  const error = await failureOf(here.night(FIRST, { environment }));
  expect(error).toMatchObject({
    code: expect.stringMatching(/^(?:netlify|cloudflare|s3)-unreachable$/),
    exitCode: 4,
    fix: expect.stringContaining(`Check ${name} if it is set.`),
  });
});
