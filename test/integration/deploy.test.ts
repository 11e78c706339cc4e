import { rmSync, writeFileSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { changesLines } from '../../src/change-set/change-set.ts';
import { nextStep } from '../../src/cli/shared.ts';
import { deployReportSchema } from '../../src/deploy/report.ts';
import { fileHash } from '../../src/record/files.ts';
import { siteSitemaps } from '../../src/site/documents/sitemap.ts';
import { siteAddress } from '../../src/site/views/site-url.ts';
import { writeSite } from '../support/hosts/change-set.ts';
import { CLOUDFLARE, FOLDER, NETLIFY, S3 } from '../support/hosts/kinds.ts';
import { builtOn, FIRST, failureOf, SECOND, startWorld } from '../support/hosts/world.ts';
import { runHere } from '../support/run-here.ts';
import { serve } from '../support/server.ts';

/** An instant host, and the command that deploys to it. */
async function start() {
  const here = await startWorld(NETLIFY, { preparing: 0, processing: 0, now: Date.now });
  const command = (folder: string, ...args: string[]) =>
    runHere(['deploy', '--to', 'netlify', '--folder', folder, ...args], {
      env: here.host.environment(),
    });
  return { ...here, command };
}

describe('npm run deploy', () => {
  it('sends missing files, verifies the live site, and reports the result', async () => {
    await using here = await start();
    const made = await here.write(FIRST);
    const dry = await here.command(made, '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dry.stdout).toContain('Nothing was sent');
    expect(here.served().size).toBe(0);
    const first = await here.command(made);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    here.expectServed(FIRST);
    const second = await here.command(await here.write(SECOND, { former: FIRST }), '--json');
    expect(second.exitCode, second.stderr).toBe(0);
    const report = deployReportSchema.parse(JSON.parse(second.stdout));
    expect(report).toMatchObject({
      to: 'netlify',
      form: 'thin',
      site: { files: 12 },
      sent: { files: 4 },
      fetched: { files: 0 },
      live: 'as-sent',
    });
    expect(report.requests).toBeLessThan(30);
    here.expectServed(SECOND);
    const { NETLIFY_AUTH_TOKEN: token = '' } = here.host.environment();
    expect(first.stdout + second.stdout + second.stderr).not.toContain(token);
  });

  it.each<[string, RegExp, (made: string) => void]>([
    ['changes', /: (\d+) of \1$/, (made) => writeFileSync(path.join(made, 'index.html'), 'x')],
    ['disappears before it is sent', /: (\d+) of \1$/, (made) => rmSync(made, { recursive: true })],
    ['disappears before it is read', /: 1 of/, (made) => rmSync(made, { recursive: true })],
  ])('stops if a file %s, as by a build at the same time', async (_, when, change) => {
    await using here = await start();
    const made = await here.write(FIRST, { form: 'whole' });
    const onEvent = ({ text }: { text: string }) => {
      if (text.startsWith('Files read') && when.test(text)) change(made);
    };
    expect(await failureOf(here.deploy(made, { onEvent }))).toMatchObject({
      code: 'deploy-file-changed',
      exitCode: 5,
    });
  });

  it('verifies a full site at the URL in its sitemap, not in the configuration', async () => {
    await using here = await start();
    const made = path.join(here.folder, '_site/north');
    const url = here.host.siteUrl;
    // The user's robots.txt names no sitemap.
    const robots = { 'robots.txt': 'User-agent: GPTBot\nDisallow: /\n' };
    const sitemaps = Object.fromEntries(
      Array.from(siteSitemaps([], [], [], siteAddress(url)), ({ file, content }) => [
        file.slice(1),
        String(content),
      ]),
    );
    await writeSite(made, { ...FIRST, ...robots, ...sitemaps });
    await writeFile(path.join(here.folder, 'site.config.json'), '{}');
    const run = await runHere(['deploy', '--to', 'netlify', '--folder', made, '--json'], {
      cwd: here.folder,
      env: here.host.environment(),
    });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ form: 'whole', live: 'as-sent' });
  });

  it.each<[string, (folder: string) => Promise<unknown>, string]>([
    [
      'a list that is torn',
      async (folder) => {
        const file = path.join(folder, 'changes.ndjson');
        await writeFile(file, (await readFile(file, 'utf8')).slice(0, -40));
      },
      'changes-damaged',
    ],
    [
      'a file with other bytes than the list names',
      (folder) => writeFile(path.join(folder, 'files/one/index.html'), '<p>evil'),
      'changes-damaged',
    ],
    ['nothing', (folder) => rm(folder, { recursive: true, force: true }), 'deploy-no-site'],
  ])('refuses %s before a request to the host', async (_, damage, code) => {
    await using here = await start();
    const made = await here.write(FIRST);
    await damage(made);
    expect(await failureOf(here.deploy(made))).toMatchObject({ code, exitCode: 5 });
    expect(here.host.requests).toEqual([]);
  });

  it('names every file that cannot be deployed, before a request to the host', async () => {
    await using here = await start();
    const made = await here.write(FIRST);
    await symlink('/etc/hostname', path.join(made, 'files/own.txt'));
    await writeFile(path.join(made, 'files/a#b.txt'), '');
    await writeFile(path.join(made, 'files/c?.txt'), '');
    expect(await failureOf(here.deploy(made))).toMatchObject({
      code: 'deploy-file',
      exitCode: 2,
      message: 'Files cannot be deployed: own.txt, a#b.txt, c?.txt.',
    });
    expect(here.host.requests).toEqual([]);
  });

  it('asks for the folder if there are two sites', async () => {
    await using here = await start();
    await writeSite(path.join(here.folder, '_site'), FIRST);
    await writeSite(path.join(here.folder, '_changes'), FIRST);
    const env = { ...here.host.environment(), DEPLOY_TO: 'netlify' };
    const run = () => runHere(['deploy'], { cwd: here.folder, env });
    const unclear = await run();
    expect(unclear.exitCode).toBe(2);
    expect(unclear.stderr).toContain('[deploy-which]');
    // The advice of a build is right in both cases.
    const advice = () => nextStep(path.join(here.folder, '_site'), { cwd: here.folder }, true);
    expect(advice()).toBe('Next, put it online: npm run deploy -- --folder _site');
    const spaced = path.join(here.folder, "Bob's site");
    expect(nextStep(spaced, { cwd: here.folder }, false)).toMatch(/ --output 'Bob'\\''s site'$/);
    await rm(path.join(here.folder, '_changes'), { recursive: true });
    expect(advice()).toBe('Next, put it online: npm run deploy');
    expect(await run()).toMatchObject({ exitCode: 0 });
    here.expectServed(FIRST);
  });

  it.each([
    [200, 0],
    [403, 1],
    [422, 1],
  ])('reports changed pages to search engines, and ignores status %d', async (status, warnings) => {
    const bodies: unknown[] = [];
    await using engines = await serve(async (request, response) => {
      bodies.push(JSON.parse(String(await buffer(request))));
      response.writeHead(status).end();
    });
    await using here = await start();
    const hidden = { 'embed/one/car/index.html': '<p>1', 'one/car/sticker/index.html': '<p>2' };
    await here.night(FIRST);
    const key = 'a'.repeat(32);
    const night = { former: FIRST, key, indexNow: engines.url };
    const { messages } = await here.night({ ...SECOND, ...hidden }, night);
    const { siteUrl } = here.host;
    const urlList = ['gone/', '', 'two/'].map((page) => `${siteUrl}/${page}`);
    expect(bodies).toEqual([
      { host: new URL(siteUrl).host, key, keyLocation: `${siteUrl}/${key}.txt`, urlList },
    ]);
    const failed = messages.filter((text) => text.startsWith('Search engines were not notified'));
    expect(failed).toHaveLength(warnings);
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['no host', [], {}, 'deploy-to'],
    ['a host that is deployed by another tool', [], { DEPLOY_TO: 'github' }, 'deploy-to'],
    ['a URL with a password as host', [], { DEPLOY_TO: 'sftp://ann:pa55w0rd@x' }, 'deploy-to'],
    ['an unknown host', ['--to', 'github'], {}, 'argument-invalid'],
    ['variables that are not set', ['--to', 'netlify'], {}, 'deploy-settings'],
    [
      'an address for search engines that is not https',
      ['--to', 'netlify'],
      {
        NETLIFY_SITE_ID: 'x',
        NETLIFY_AUTH_TOKEN: 'x',
        INDEXNOW_URL: 'http://search.example',
      },
      'deploy-settings',
    ],
  ])('refuses %s', async (_, args, env, code) => {
    const ran = await runHere(['deploy', ...args], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stderr).not.toContain('pa55w0rd');
  });

  it('reports limits of a host before the first request', async () => {
    await using here = await startWorld(CLOUDFLARE);
    const made = await here.write(FIRST);
    const huge = { path: 'media/ab/huge.webp', size: 26 * 2 ** 20, hash: fileHash('') };
    const head = { site: here.host.siteUrl, built: builtOn(1), changed: [] };
    const lines = [...changesLines(head, [huge])];
    await writeFile(path.join(made, 'changes.ndjson'), lines.join(''));
    const error = await failureOf(here.deploy(made));
    expect(error).toMatchObject({ code: 'deploy-too-large', exitCode: 5 });
    expect(error.message).toContain(
      '27.3 MB in one file (media/ab/huge.webp), at most 26.2 MB in one file',
    );
    expect(here.host.requests).toEqual([]);
  });
});

const NOWHERE = 'http://127.0.0.1:1';

describe('the live check', () => {
  it('waits until it equals the sent site, otherwise reports the difference', async () => {
    await using here = await startWorld(NETLIFY);
    // A cache that serves the former times for a while.
    let stale = 3;
    let answers = 0;
    await using cache = await serve(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://cache');
      const answer = await fetch(here.host.siteUrl + pathname);
      const isOld = ++answers <= stale && pathname.endsWith('times.json');
      response.writeHead(answer.status).end(isOld ? '{"night":0}' : await answer.text());
    });
    expect(await here.night(FIRST, { url: cache.url })).toMatchObject({ live: 'as-sent' });
    stale = Number.POSITIVE_INFINITY;
    const began = here.clock.time;
    const error = await failureOf(here.night(SECOND, { former: FIRST, url: cache.url }));
    expect(error).toMatchObject({
      code: 'live-differs',
      exitCode: 5,
      message: expect.stringContaining('times.json'),
      fix: expect.stringContaining('--rollback'),
    });
    expect(here.clock.time - began).toBeGreaterThan(60_000);
    expect(here.clock.time - began).toBeLessThan(120_000);
    // The host accepted it anyway.
    here.expectServed(SECOND);
  });

  const OBFUSCATED = '<a href="/cdn-cgi/l/email-protection#a1">[email&#160;protected]</a>';

  it.each([
    ['a redirect', () => true, 301, '', 'Set it to the address that the browser then shows.'],
    ['addresses without a slash', (path: string) => /.\/$/.test(path), 308, '', 'with a slash'],
    ['a password', () => true, 401, '', 'Remove it, or deploy with --no-check.'],
    ['pictures that are not public', (path: string) => /media/.test(path), 403, '', 'public'],
    ['no index document', (path: string) => path.endsWith('/'), 404, '', 'Set index.html as the'],
    [
      'pages altered by Cloudflare',
      (path: string) => path === '/',
      200,
      OBFUSCATED,
      'Email Address',
    ],
  ])('names the cause and the addresses: %s', async (_, isAffected, status, text, fix) => {
    await using here = await startWorld(NETLIFY);
    await using front = await serve(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://front');
      if (isAffected(pathname)) return response.writeHead(status, { location: '/other' }).end(text);
      const answer = await fetch(here.host.siteUrl + pathname);
      return response.writeHead(answer.status).end(await answer.text());
    });
    const error = await failureOf(here.night(FIRST, { url: front.url }));
    expect(error).toMatchObject({ code: 'live-differs', fix: expect.stringContaining(fix) });
    expect(error.message).toContain(`upload: ${front.url}/`);
    expect(error.why).toMatch(/^(?:The live site refused|Cloudflare altered) /);
    expect(error.why).not.toContain('older files');
  });

  it('reports that the site is unreachable and that the host accepted it', async () => {
    await using here = await startWorld(NETLIFY);
    const error = await failureOf(here.night(FIRST, { url: NOWHERE }));
    // No advice to roll back after the first deploy.
    const fix = 'Check site.url and where its name points.';
    expect(error).toMatchObject({ code: 'live-unreachable', exitCode: 4, fix });
    // Reported also if the host then lists no releases, which the advice is made from.
    const onEvent = ({ text }: { text: string }) => {
      if (text.startsWith('Waiting until')) here.host.fail(403, 100);
    };
    const night = { former: FIRST, url: NOWHERE, onEvent };
    expect(await failureOf(here.night(FIRST, night))).toMatchObject({ code: 'live-unreachable' });
    // It was asked for a minute and a half.
    expect(error.why).toMatch(/^After 1\d tries: /);
    here.expectServed(FIRST);
  });

  it('ends early and explains after the first deploy to a folder without a website', async () => {
    await using here = await startWorld(FOLDER);
    const began = here.clock.time;
    const { fix, why } = await failureOf(here.night(FIRST, { url: NOWHERE }));
    expect(here.clock.time - began).toBeLessThan(10_000);
    expect(fix).toContain('Set up the web server to show its folder "current"');
    expect(fix).not.toContain('--rollback');
    expect(why).not.toContain('..');
    const second = await failureOf(here.night(SECOND, { former: FIRST, url: NOWHERE }));
    expect(second.fix).toContain('--rollback');
  });

  it('waits for the cache of a CDN only if a bucket had a site before', async () => {
    await using here = await startWorld(S3);
    const waited = async (night: Promise<unknown>) => {
      const began = here.clock.time;
      await failureOf(night);
      return here.clock.time - began;
    };
    expect(await waited(here.night(FIRST, { url: NOWHERE }))).toBeLessThan(120_000);
    const second = here.night(SECOND, { former: FIRST, url: NOWHERE });
    expect(await waited(second)).toBeGreaterThan(300_000);
  });
});
