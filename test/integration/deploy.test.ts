import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { changesLines } from '../../src/change-set/change-set.ts';
import { deployReportSchema } from '../../src/deploy/report.ts';
import { readLost } from '../../src/publish/change-set/lost.ts';
import { fileHash } from '../../src/record/files.ts';
import {
  FIRST,
  newWorld,
  night,
  SECOND,
  startListener,
  type World,
} from '../support/deploy-command.ts';
import { type Site, servedOf, writeSite } from '../support/hosts/change-set.ts';
import { runHere } from '../support/run-here.ts';

describe('npm run deploy', () => {
  it('sends what the host lacks, looks at the live site, and says what it did', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    const first = await world.deploy();
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(world.served()).toEqual(servedOf(FIRST));
    await world.build(SECOND, FIRST);
    const second = await world.deploy(['--json']);
    expect(second.exitCode, second.stderr).toBe(0);
    const report = deployReportSchema.parse(JSON.parse(second.stdout));
    expect(report).toMatchObject({
      to: 'netlify',
      form: 'thin',
      site: { files: 9 },
      sent: { files: 3 },
      fetched: { files: 0 },
      live: 'as-sent',
    });
    expect(report.requests).toBeLessThan(30);
    expect(world.served()).toEqual(servedOf(SECOND));
    const { NETLIFY_AUTH_TOKEN: token = '' } = world.host.environment();
    expect(first.stdout + second.stdout + second.stderr).not.toContain(token);
  });

  it('deploys a whole site through the same door', async () => {
    await using world = await newWorld();
    await writeSite(path.join(world.folder, '_site'), FIRST);
    const ran = await world.deploy(['--folder', path.join(world.folder, '_site')], {
      SITE_CONFIG: path.join(world.folder, 'none.ts'),
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('its URL is unknown');
    expect(world.served()).toEqual(servedOf(FIRST));
  });

  it('deploys files of somebody’s own that lie beside those that were built', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    await writeSite(path.join(world.changes, 'files', '.well-known'), { 'security.txt': 'me' });
    expect((await world.deploy()).exitCode).toBe(0);
    expect(world.served()).toEqual(servedOf({ ...FIRST, '.well-known/security.txt': 'me' }));
  });

  it('only says what it would do with --dry-run', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    const ran = await world.deploy(['--dry-run']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('Nothing was sent');
    expect(world.host.requests.every((one) => one.startsWith('GET '))).toBe(true);
    expect(world.served().size).toBe(0);
  });

  it('goes back to a former deploy, and lists them', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    await world.deploy();
    await world.build(SECOND, FIRST);
    await world.deploy();
    const listed = await world.deploy(['--releases', '--json']);
    expect(listed.exitCode, listed.stderr).toBe(0);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ isLive: true }, { isLive: false }]);
    const back = await world.deploy(['--rollback']);
    expect(back).toMatchObject({ exitCode: 0, stderr: '' });
    expect(world.served()).toEqual(servedOf(FIRST));
    const [newest] = JSON.parse(listed.stdout) as { id: string }[];
    expect((await world.deploy(['--rollback', newest?.id ?? ''])).exitCode).toBe(0);
    expect(world.served()).toEqual(servedOf(SECOND));
  });

  it.each<[string, (world: World) => Promise<unknown>, number, string]>([
    [
      'a list that is torn',
      async ({ changes }) => {
        const file = path.join(changes, 'changes.ndjson');
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.slice(0, -40));
      },
      5,
      'changes-damaged',
    ],
    [
      'a file with other bytes than the list names',
      ({ changes }) => writeFile(path.join(changes, 'files/one/index.html'), '<p>evil'),
      5,
      'changes-damaged',
    ],
    [
      'nothing',
      ({ changes }) => rm(changes, { recursive: true, force: true }),
      5,
      'deploy-no-site',
    ],
    [
      'a link',
      ({ changes }) => symlink('/etc/hostname', path.join(changes, 'files/own.txt')),
      2,
      'deploy-file',
    ],
    [
      'a name that no address has',
      ({ changes }) => writeFile(path.join(changes, 'files/a#b.txt'), ''),
      2,
      'deploy-file',
    ],
  ])('refuses %s before it asks the host', async (_, damage, exitCode, code) => {
    await using world = await newWorld();
    await world.build(FIRST);
    await damage(world);
    const ran = await world.deploy();
    expect(ran).toMatchObject({ exitCode });
    expect(ran.stderr).toContain(`[${code}]`);
    expect(world.host.requests).toEqual([]);
  });

  it('asks which one, where two sites are there', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    await writeSite(path.join(world.folder, '_site'), FIRST);
    const script = path.resolve('scripts/run.ts');
    const env = { PATH: process.env.PATH, ...world.host.environment(), DEPLOY_TO: 'netlify' };
    const run = () =>
      promisify(execFile)(process.execPath, [script, 'deploy'], { cwd: world.folder, env });
    await expect(run()).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[deploy-which]'),
    });
    await rm(path.join(world.folder, '_site'), { recursive: true });
    await run();
    expect(world.served()).toEqual(servedOf(FIRST));
  });

  it('lists all content that nobody has any more, and switches nothing', async () => {
    await using world = await newWorld();
    await world.build(FIRST);
    await world.deploy();
    // The live site has other bytes there than the build believes.
    const gone = { 'media/ab/cd.webp': 'lost 1', 'one/index.html': 'lost 2' };
    await world.build({ ...SECOND, ...gone }, { ...FIRST, ...gone });
    const ran = await world.deploy(['--json']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('[deploy-content-lost]');
    const list = path.join(world.folder, 'lost.json');
    expect(JSON.parse(ran.stdout)).toMatchObject({
      lost: list,
      problem: { code: 'deploy-content-lost' },
    });
    expect(readLost(await readFile(list, 'utf8'))).toEqual(Object.keys(gone));
    expect(world.served()).toEqual(servedOf(FIRST));
    await world.build(SECOND, FIRST);
    expect((await world.deploy()).exitCode).toBe(0);
    expect(existsSync(list)).toBe(false);
  });

  it.each([
    [200, 0],
    [403, 1],
    [422, 1],
  ])('tells search engines what changed; status %d fails nothing', async (status, warnings) => {
    await using world = await newWorld();
    await using engines = await startListener(status);
    await world.build(FIRST);
    await world.deploy();
    await world.build(SECOND, FIRST);
    await withKey(world, SECOND);
    const ran = await world.deploy([], { INDEXNOW_URL: engines.url });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const { host } = new URL(world.host.siteUrl);
    expect(engines.bodies.map((body) => JSON.parse(body))).toEqual([
      {
        host,
        key: 'a'.repeat(32),
        keyLocation: `${world.host.siteUrl}/${'a'.repeat(32)}.txt`,
        urlList: [`${world.host.siteUrl}/one/car/`],
      },
    ]);
    expect(ran.stdout.split('Search engines were not notified').length - 1).toBe(warnings);
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['no host', [], {}, 'deploy-to'],
    ['a host with a tool of its own', [], { DEPLOY_TO: 'github' }, 'deploy-to'],
    ['an unknown host', ['--to', 'github'], {}, 'argument-invalid'],
    ['variables that are not set', ['--to', 'netlify'], {}, 'deploy-settings'],
    ['--into for another host', ['--to', 'netlify', '--into', 'x'], {}, 'argument-into'],
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
  });
});

/** Writes the list anew with a key of IndexNow. */
async function withKey(world: World, site: Site): Promise<void> {
  const files = Object.entries(site)
    .map(([name, text]) => ({ path: name, size: Buffer.byteLength(text), hash: fileHash(text) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const head = {
    site: world.host.siteUrl,
    built: night(2),
    base: null,
    indexNow: 'a'.repeat(32),
  };
  const changed = ['404.html', 'embed/one/car/index.html', 'one/car/index.html'];
  const lines = [...changesLines(head, files, { gone: [], changed })];
  await writeFile(path.join(world.changes, 'changes.ndjson'), lines.join(''));
}
