import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Folder } from '../../../src/deploy/hosts/folder.ts';
import { lockFolder } from '../../../src/lib/files/folder-lock.ts';
import { afterLine, runCommand } from '../../support/command.ts';
import { type Site, writeSite } from '../../support/hosts/change-set.ts';
import { FOLDER } from '../../support/hosts/kinds.ts';
import {
  FIRST,
  failureOf,
  type NightOptions,
  PICTURE,
  SECOND,
  startWorld,
} from '../../support/hosts/world.ts';
import { refusing } from '../../support/refusing.ts';
import { runHere } from '../../support/run-here.ts';
import { smallDisk } from '../../support/temp-folder.ts';

/** A folder of a web server, and deploys to it. */
async function start() {
  const here = await startWorld(FOLDER);
  const env = here.host.environment();
  const { DEPLOY_FOLDER: place = '' } = env;
  const night = (site: Site, options: NightOptions = {}) =>
    here.night(site, { verify: false, ...options });
  return {
    ...here,
    env,
    into: place,
    at: (...names: string[]) => path.join(place, ...names),
    night,
    fullNight: (site: Site, options: NightOptions = {}) =>
      night(site, { form: 'whole', ...options }),
    front: () => here.served().get('index.html'),
    command: (...args: string[]) => runHere(['deploy', '--to', 'folder', ...args], { env }),
  };
}

/** Milliseconds. Two changes of files within about 4 ms can have the same time. */
const TICK = 20;

const ENTRIES = ['.vehicle-media-site', 'current', 'lock', 'releases'];

describe('a deploy to a folder', () => {
  it('stores releases that share unchanged files and switches a link', async () => {
    await using here = await start();
    const { release: first = '' } = await here.fullNight(FIRST);
    expect(readlinkSync(here.at('current'))).toBe(path.join('releases', first));
    here.clock.time += 86_400_000;
    const { release: second = '', removed } = await here.fullNight(SECOND);
    expect(removed).toBe(2);
    here.expectServed(SECOND);
    const inode = (release: string, file: string) =>
      statSync(here.at('releases', release, file)).ino;
    expect(inode(second, PICTURE(1))).toBe(inode(first, PICTURE(1)));
    expect(inode(second, 'index.html')).not.toBe(inode(first, 'index.html'));
    // No temporary files are left.
    expect((await readdir(here.into)).sort()).toEqual(ENTRIES);
  });

  it('makes no release for the site that is live, so that a repeated deploy removes no earlier one', async () => {
    await using here = await start();
    const site = { ...SECOND, 'own files/Prüfung.pdf': 'mine' };
    await here.fullNight(FIRST);
    await here.fullNight(site);
    for (let again = 0; again < 3; again++) {
      here.clock.time += 60_000;
      const { sent, release } = await here.fullNight(site);
      expect([sent, release]).toEqual([{ files: 0, bytes: 0 }, undefined]);
    }
    here.expectServed(site);
    // An edited file of the same size and time is replaced.
    const front = here.at('current', 'index.html');
    const { atime, mtime } = statSync(front);
    await setTimeout(TICK);
    await writeFile(front, '<p>FRONT, NEW');
    await utimes(front, atime, mtime);
    expect(await here.fullNight(site)).toMatchObject({ sent: { files: 1 } });
    here.expectServed(site);
    await here.rollback();
    await here.rollback();
    here.expectServed(FIRST);
    await here.fullNight(site);
    expect(await here.fullNight(SECOND)).toMatchObject({ sent: { files: 0 }, removed: 1 });
    here.expectServed(SECOND);
  });

  it('reads a release without stored state', async () => {
    await using here = await start();
    await here.night(FIRST);
    const names = await readdir(here.at('releases'));
    const list = names.find((name) => name.endsWith('.ndjson')) ?? '';
    await appendFile(here.at('releases', list), 'x');
    await here.night(SECOND, { former: FIRST });
    here.expectServed(SECOND);
  });

  it('does not switch if files of the release were removed or altered, and counts them', async () => {
    await using here = await start();
    await here.night(FIRST);
    await rm(here.at('current', PICTURE(1)));
    await writeFile(here.at('current', 'one/index.html'), 'of another size');
    await setTimeout(TICK);
    await writeFile(here.at('current', 'assets/site.css'), 'a{}');
    const { code, message } = await failureOf(here.night(SECOND, { former: FIRST }));
    expect(code).toBe('deploy-content-lost');
    expect(message).toContain('assets/site.css and 2 more');
    expect(here.front()).toBe(FIRST['index.html']);
  });

  it('keeps three releases and rolls back to the previous or a given one', async () => {
    await using here = await start();
    const ids: string[] = [];
    for (let night = 1; night <= 5; night++) {
      const site = { 'index.html': `night ${night}`, same: 'same' };
      const { release = '' } = await here.fullNight(site);
      ids.push(release);
      here.clock.time += 86_400_000;
    }
    const remaining = ids.slice(2);
    const entries = async () => (await readdir(here.at('releases'))).sort();
    expect(await entries()).toEqual(remaining.flatMap((id) => [id, `${id}.ndjson`]));
    const run = async (...args: string[]) => {
      const ran = await here.command('--json', ...args);
      expect(ran.stderr).toBe('');
      return JSON.parse(ran.stdout);
    };
    expect(await run('--releases')).toEqual(
      remaining.toReversed().map((id, index) => ({
        id,
        at: id.replace(/^\d+-(.*T\d+)-(\d+)-(\d+)-/, '$1:$2:$3.'),
        isLive: index === 0,
      })),
    );
    expect(await run('--rollback')).toMatchObject({ id: remaining[1], isLive: true });
    expect(here.front()).toBe('night 4');
    const { stdout } = await here.command('--rollback', remaining[2] ?? '');
    expect(stdout).toMatch(new RegExp(`${remaining[2]} .* until the next deploy\\.`));
    expect(here.front()).toBe('night 5');
    // Another deploy can remove a release after it was listed.
    const gone = { id: ids[0] ?? '', at: '', isLive: false };
    const missing = new Folder({ into: here.into }).show(gone);
    expect(await failureOf(missing)).toMatchObject({ code: 'deploy-no-release' });
    // The served release is never deleted, at any age.
    await run('--rollback', remaining[0] ?? '');
    const none = await here.command('--rollback');
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('[deploy-no-release]');
    const { release } = await here.fullNight(
      { 'index.html': 'night 6', same: 'same' },
      { takeOver: true },
    );
    expect(await entries()).toEqual(
      [...remaining.slice(1), release].flatMap((id) => [id, `${id}.ndjson`]),
    );
  });

  it('switches the link on Windows, which replaces no link to a folder', async () => {
    await using here = await start();
    await here.fullNight({ 'index.html': 'night 1' });
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    using _refused = refusing('renameSync', (_, to) => to === here.at('current') && existsSync(to));
    await here.fullNight({ 'index.html': 'night 2' });
    expect(here.front()).toBe('night 2');
  });

  it('is not stopped by an old release that cannot be removed', async () => {
    await using here = await start();
    const { release = '' } = await here.fullNight({ 'index.html': 'night 1' });
    await mkdir(here.at('releases', release, 'mounted'));
    using _mounted = smallDisk(here.at('releases', release, 'mounted'), 40);
    for (const night of ['night 2', 'night 3', 'night 4', 'night 5']) {
      await here.fullNight({ 'index.html': night });
      expect(here.front()).toBe(night);
    }
  });

  it('keeps the order and times of releases after a deploy with a clock ahead', async () => {
    await using here = await start();
    const years = ['2026', '2030', '2026'];
    for (const [index, year] of years.entries()) {
      here.clock.time = Date.parse(`${year}-03-02T02:00:00Z`);
      await here.fullNight({ 'index.html': `deploy ${index}` });
    }
    const found = await here.releases();
    expect(found.map(({ at }) => at.slice(0, 4))).toEqual(years.toReversed());
    await here.rollback();
    expect(here.front()).toBe('deploy 1');
  });

  const manyFiles = Object.fromEntries(Array.from({ length: 20 }, (_, id) => [`p/${id}.txt`, '']));
  it.skipIf(process.platform === 'win32').each([
    ['a file', { large: 'x'.repeat(4096) }],
    ['only the list of files', manyFiles],
  ])(
    'frees the space that it used if the disk is full, and shows the old site: %s does not fit',
    async (_, files) => {
      await using here = await start();
      await here.fullNight(FIRST);
      const entries = await readdir(here.at('releases'));
      const full = await here.write({ ...SECOND, ...files }, { form: 'whole' });
      // Like a full disk: files cannot exceed a kilobyte.
      const args = ['--to', 'folder', '--folder', full, '--no-check', '--json'];
      const ran = await runCommand('deploy', args, here.env, { within: afterLine('ulimit -f 1') });
      expect(ran.stderr).toContain('[disk-full]');
      expect(ran.exitCode).toBe(5);
      expect(JSON.parse(ran.stdout)).toMatchObject({ problem: { code: 'disk-full' } });
      here.expectServed(FIRST);
      expect((await readdir(here.into)).sort()).toEqual(ENTRIES);
      expect(await readdir(here.at('releases'))).toEqual(entries);
    },
  );

  it('names DEPLOY_FOLDER if its lock cannot be used', async () => {
    await using here = await start();
    await mkdir(here.at('lock'), { recursive: true });
    const error = await failureOf(here.fullNight(FIRST));
    expect(error).toMatchObject({ code: 'lock-unusable', exitCode: 2 });
    expect(error).toMatchObject({ fix: expect.stringContaining('(DEPLOY_FOLDER)') });
  });

  it('refuses to start during another deploy', async () => {
    await using here = await start();
    await here.fullNight(FIRST);
    using _lock = lockFolder(here.into);
    const refused = { code: 'deploy-under-way', exitCode: 5 };
    expect(await failureOf(here.fullNight(SECOND))).toMatchObject(refused);
  });

  it('changes no unrelated folder and no folder with a file in place of its link', async () => {
    await using here = await start();
    const refused = { code: 'folder-not-ours', exitCode: 2 };
    await writeSite(here.into, { 'index.html': 'theirs' });
    // It may also be the folder of a build, so the message names no other program.
    expect(await failureOf(here.fullNight(FIRST))).toMatchObject({
      ...refused,
      message: `The folder ${here.into} cannot be used: it is used for another purpose.`,
      why: 'There are other files in it: index.html.',
    });
    expect(await readdir(here.into)).toEqual(['index.html']);
    await rm(here.into, { recursive: true });
    await writeFile(here.into, '');
    expect(await failureOf(here.fullNight(FIRST))).toMatchObject(refused);
    await rm(here.into);
    await here.fullNight(FIRST);
    await rm(here.at('current'));
    await writeSite(here.at('current'), { 'mine.txt': 'mine' });
    expect(await failureOf(here.fullNight(FIRST))).toMatchObject(refused);
    expect(existsSync(here.at('current', 'mine.txt'))).toBe(true);
  });

  it('loses no file that a user added to the live site', async () => {
    await using here = await start();
    await here.fullNight({ ...FIRST, 'own/plain.txt': '', 'own/à b.txt': '' });
    const mine = here.at('current', 'mine.txt');
    await writeFile(mine, 'mine');
    await writeFile(here.at('current', '.DS_Store'), '');
    expect(await failureOf(here.fullNight(SECOND))).toMatchObject({
      code: 'folder-not-ours',
      exitCode: 2,
      message: `${here.at('current')} holds files that no deploy of this program wrote: mine.txt.`,
    });
    expect(await readFile(mine, 'utf8')).toBe('mine');
    await here.fullNight(SECOND, { takeOver: true });
    here.expectServed(SECOND);
  });

  it('follows a link to the folder, keeps it, and writes through no link inside', async () => {
    await using here = await start();
    const real = path.join(here.folder, 'disk', 'www');
    await mkdir(real, { recursive: true });
    await symlink(real, here.into);
    await here.fullNight(FIRST);
    expect(lstatSync(here.into).isSymbolicLink()).toBe(true);
    here.expectServed(FIRST);
    // A link to another place is unrelated: no file is read from it.
    const elsewhere = path.join(here.folder, 'elsewhere');
    await writeSite(elsewhere, { 'index.html': 'elsewhere' });
    await rm(path.join(real, 'current'));
    await symlink(elsewhere, path.join(real, 'current'));
    await here.fullNight(SECOND);
    here.expectServed(SECOND);
    expect(await readFile(path.join(elsewhere, 'index.html'), 'utf8')).toBe('elsewhere');
  });
});

const HOOK = pathToFileURL(path.resolve(import.meta.dirname, '../../support/kill-publish.ts')).href;

it.each([
  ['before the content of the release is recorded', 'ndjson$', 'old'],
  ['before the release has its name', '^rename \\S+/\\.incoming-\\S+Z ', 'old'],
  ['before the link is switched', '^rename \\S+ \\S+/current$', 'old'],
  ['before the record has its name', '^rename \\S+ \\S+/releases/\\S+ndjson$', 'new'],
  ['while an old release is removed', '^remove \\S+/releases/\\S+\\d\\d\\dZ$', 'new'],
] as const)(
  'a deploy to a folder that is killed %s shows the old or the new site, and the next deploy completes it',
  async (_, moment, which) => {
    await using here = await start();
    for (let night = 0; night < 3; night++) {
      await here.fullNight({ ...FIRST, ...(night < 2 && { 'index.html': `night ${night}` }) });
      here.clock.time += 86_400_000;
    }
    const changes = await here.write(SECOND, { former: FIRST });
    const args = ['--folder', changes, '--no-check'];
    const killed = await runCommand('deploy', ['--to', 'folder', ...args], {
      ...here.env,
      NODE_OPTIONS: `--import ${HOOK}`,
      KILL_BEFORE: moment,
    });
    expect(killed.exitCode).toBe(null);
    here.expectServed(which === 'old' ? FIRST : SECOND);
    expect((await here.releases())[0]?.isLive).toBe(true);
    expect(await here.command(...args)).toMatchObject({ exitCode: 0, stderr: '' });
    here.expectServed(SECOND);
    expect((await readdir(here.into)).sort()).toEqual(ENTRIES);
    // Rollbacks only reach sites that were served.
    expect(await here.releases()).toHaveLength(3);
    await here.rollback();
    here.expectServed(FIRST);
  },
);
