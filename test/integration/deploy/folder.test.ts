import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LostContent } from '../../../src/deploy/host-api/lost-content.ts';
import { folderHost } from '../../../src/deploy/hosts/folder.ts';
import { lockFolder } from '../../../src/lib/files/folder-lock.ts';
import { temporaryFolder } from '../../support/build.ts';
import { runCommand } from '../../support/command.ts';
import {
  type Site,
  servedOf,
  textsOf,
  writeChanges,
  writeSite,
} from '../../support/hosts/change-set.ts';
import { type DeployRun, deployFolder, failureOf, testClock } from '../../support/hosts/world.ts';
import { runHere } from '../../support/run-here.ts';

const PICTURE = (digit: number) => `media/ab/${`${digit}`.repeat(18)}-320-abcdef.webp`;
const FIRST: Site = {
  'index.html': '<p>1',
  'one/index.html': '<p>one',
  'two/index.html': '<p>two',
  'api/records/times.json': 'night 1',
  'a file of mine.txt': 'mine',
  [PICTURE(1)]: 'picture 1',
  [PICTURE(2)]: 'picture 2',
  _headers: '/*',
};
const SECOND: Site = {
  'index.html': '<p>2',
  'one/index.html': '<p>one',
  'three/index.html': '<p>three',
  'api/records/times.json': 'night 2',
  'a file of mine.txt': 'mine',
  [PICTURE(1)]: 'picture 1',
  [PICTURE(3)]: 'picture 3',
};

async function deploy(into: string, folder: string, options: Partial<DeployRun> = {}) {
  const run = { host: folderHost({ into }), secrets: [], clock: testClock(), verify: false };
  const report = await deployFolder(folder, { ...run, ...options });
  return { ...report, ...report.sent };
}

/** What a web server shows of it. */
async function shown(into: string): Promise<Map<string, string>> {
  const root = path.join(into, 'current');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(root, file).split(path.sep).join('/'), await readFile(file));
  }
  return textsOf(files);
}

/** Change sets have no names of somebody's own in their list. */
const { 'a file of mine.txt': _mine, _headers: _rules, ...LISTED_FIRST } = FIRST;
const { 'a file of mine.txt': _other, ...LISTED_SECOND } = SECOND;

describe('a deploy to a folder', () => {
  it('puts releases beside each other, that share what has not changed, and switches a link', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www', 'cars');
    const built = path.join(folder.path, 'built');
    const clock = testClock();
    await writeSite(built, FIRST);
    const first = await deploy(into, built, { clock });
    expect(first).toMatchObject({ files: 7, unchanged: 0, removed: 0, requests: 0 });
    expect(await shown(into)).toEqual(servedOf(FIRST));
    expect(readlinkSync(path.join(into, 'current'))).toBe(
      path.join('releases', first.release ?? ''),
    );
    clock.time += 86_400_000;
    await writeSite(built, SECOND);
    const second = await deploy(into, built, { clock });
    expect(second).toMatchObject({ files: 5, unchanged: 2, removed: 2 });
    expect(await shown(into)).toEqual(servedOf(SECOND));
    const inode = (release = '', file = '') =>
      statSync(path.join(into, 'releases', release, file)).ino;
    expect(inode(second.release, PICTURE(1))).toBe(inode(first.release, PICTURE(1)));
    expect(inode(second.release, 'index.html')).not.toBe(inode(first.release, 'index.html'));
    // Nothing of the work is left, and a dry run writes nothing.
    expect((await readdir(into)).sort()).toEqual([
      '.vehicle-media-site',
      'current',
      'lock',
      'releases',
    ]);
  });

  it('needs only what is new on this disk, and takes the rest from the release that is shown', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www');
    const changes = path.join(folder.path, 'changes');
    const set = { url: 'http://127.0.0.1:1', built: '2026-03-02T02:00:00.000Z' };
    await writeChanges(changes, LISTED_FIRST, set);
    await deploy(into, changes);
    await writeChanges(changes, LISTED_SECOND, { ...set, former: LISTED_FIRST });
    expect(await deploy(into, changes)).toMatchObject({ files: 4, unchanged: 2 });
    expect(await shown(into)).toEqual(servedOf(LISTED_SECOND));
    // A release that nothing is known of is read instead.
    const [, list = ''] = (await readdir(path.join(into, 'releases'))).filter((one) =>
      one.endsWith('.ndjson'),
    );
    await appendFile(path.join(into, 'releases', list), 'x');
    const third = { ...LISTED_SECOND, 'index.html': '<p>3' };
    await writeChanges(changes, third, { ...set, former: LISTED_SECOND });
    await deploy(into, changes);
    expect(await shown(into)).toEqual(servedOf(third));
  });

  it('switches nothing where content is lost, and names all of it', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www');
    const changes = path.join(folder.path, 'changes');
    const set = { url: 'http://127.0.0.1:1', built: '2026-03-02T02:00:00.000Z' };
    await writeChanges(changes, LISTED_FIRST, set);
    await deploy(into, changes);
    const before = await shown(into);
    await rm(path.join(into, 'current', PICTURE(1)));
    await writeFile(path.join(into, 'current', 'one/index.html'), 'of another size');
    await writeChanges(changes, LISTED_SECOND, { ...set, former: LISTED_FIRST });
    const error = await failureOf(deploy(into, changes));
    expect(error).toMatchObject({ code: 'deploy-content-lost', exitCode: 5 });
    expect((error as LostContent).files.map((file) => file.path)).toEqual([
      PICTURE(1),
      'one/index.html',
    ]);
    expect((await shown(into)).get('index.html')).toBe(before.get('index.html'));
  });

  it('keeps three, and goes back to the one before, or to one that is named', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www');
    const built = path.join(folder.path, 'built');
    const clock = testClock();
    const ids: string[] = [];
    for (let night = 1; night <= 5; night++) {
      await writeSite(built, { 'index.html': `night ${night}`, 'same.txt': 'same' });
      ids.push((await deploy(into, built, { clock })).release ?? '');
      clock.time += 86_400_000;
    }
    const kept = ids.slice(2);
    const entries = async () => (await readdir(path.join(into, 'releases'))).sort();
    expect(await entries()).toEqual(kept.flatMap((id) => [id, `${id}.ndjson`]));
    const run = async (...args: string[]) => {
      const ran = await runHere(['deploy', '--to', 'folder', '--into', into, '--json', ...args]);
      expect(ran.stderr).toBe('');
      return JSON.parse(ran.stdout);
    };
    expect(await run('--releases')).toEqual(
      kept.toReversed().map((id, index) => ({
        id,
        at: id.replace(/^\d+-(.*T\d+)-(\d+)-(\d+)-/, '$1:$2:$3.'),
        isLive: index === 0,
      })),
    );
    expect(await run('--rollback')).toMatchObject({ id: kept[1], isLive: true });
    expect((await shown(into)).get('index.html')).toBe('night 4');
    expect(await run('--rollback')).toMatchObject({ id: kept[0] });
    expect((await shown(into)).get('index.html')).toBe('night 3');
    const none = await runHere(['deploy', '--to', 'folder', '--into', into, '--rollback']);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('[deploy-no-release]');
    expect(await run('--rollback', kept[2] ?? '')).toMatchObject({ id: kept[2] });
    expect((await shown(into)).get('index.html')).toBe('night 5');
    // What is shown is never removed, however old it is.
    await run('--rollback', kept[0] ?? '');
    await writeSite(built, { 'index.html': 'night 6', 'same.txt': 'same' });
    const { release } = await deploy(into, built, { clock, takeOver: true });
    expect(await entries()).toEqual(
      [...kept.slice(1), release].flatMap((id) => [id, `${id}.ndjson`]),
    );
  });

  it('keeps the order of releases and their times after a deploy with a clock ahead', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www');
    const built = path.join(folder.path, 'built');
    const years = ['2026', '2030', '2026'];
    for (const [index, year] of years.entries()) {
      await writeSite(built, { 'index.html': `deploy ${index}` });
      await deploy(into, built, { clock: testClock(Date.parse(`${year}-03-02T02:00:00Z`)) });
    }
    const ran = await runHere(['deploy', '--to', 'folder', '--into', into, '--json', '--releases']);
    const found: { at: string }[] = JSON.parse(ran.stdout);
    expect(found.map(({ at }) => at.slice(0, 4))).toEqual(years.toReversed());
    await runHere(['deploy', '--to', 'folder', '--into', into, '--rollback']);
    expect((await shown(into)).get('index.html')).toBe('deploy 1');
  });

  it('refuses to go on while another deploy is under way', async () => {
    await using folder = await temporaryFolder();
    const into = path.join(folder.path, 'www');
    const built = path.join(folder.path, 'built');
    await writeSite(built, FIRST);
    await deploy(into, built);
    using _lock = lockFolder(into);
    expect(await failureOf(deploy(into, built))).toMatchObject({
      code: 'deploy-under-way',
      exitCode: 5,
    });
  });

  it("touches no folder of somebody's, and none where the link is no link", async () => {
    await using folder = await temporaryFolder();
    const built = path.join(folder.path, 'built');
    await writeSite(built, FIRST);
    const theirs = path.join(folder.path, 'theirs');
    await writeSite(theirs, { 'index.html': 'theirs' });
    const refused = await runHere([
      'deploy',
      ...['--to', 'folder', '--into', theirs, '--folder', built],
    ]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('[folder-not-ours]');
    expect(await readdir(theirs)).toEqual(['index.html']);
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    expect(await failureOf(deploy(file, built))).toMatchObject({ code: 'folder-not-ours' });
    const into = path.join(folder.path, 'www');
    await deploy(into, built);
    await rm(path.join(into, 'current'));
    await mkdir(path.join(into, 'current'));
    await writeFile(path.join(into, 'current', 'mine.txt'), 'mine');
    expect(await failureOf(deploy(into, built))).toMatchObject({ code: 'folder-not-ours' });
    expect(existsSync(path.join(into, 'current', 'mine.txt'))).toBe(true);
  });

  it('follows a link to the folder, which stays one, and writes through none in it', async () => {
    await using folder = await temporaryFolder();
    const built = path.join(folder.path, 'built');
    await writeSite(built, FIRST);
    const real = path.join(folder.path, 'disk', 'www');
    await mkdir(real, { recursive: true });
    const into = path.join(folder.path, 'www');
    await symlink(real, into);
    await deploy(into, built);
    expect(lstatSync(into).isSymbolicLink()).toBe(true);
    expect(await shown(real)).toEqual(servedOf(FIRST));
    // A link that leads elsewhere is none of ours: nothing is taken from there.
    const elsewhere = path.join(folder.path, 'elsewhere');
    await writeSite(elsewhere, { 'index.html': 'elsewhere' });
    await rm(path.join(real, 'current'));
    await symlink(elsewhere, path.join(real, 'current'));
    await writeSite(built, SECOND);
    await deploy(into, built);
    expect(await shown(real)).toEqual(servedOf(SECOND));
    expect(await readFile(path.join(elsewhere, 'index.html'), 'utf8')).toBe('elsewhere');
  });
});

const HOOK = pathToFileURL(path.resolve(import.meta.dirname, '../../support/kill-publish.ts')).href;

describe('a deploy to a folder that is killed', () => {
  it.each([
    ['before the release has its name', '^rename \\S+/\\.incoming-', 'old'],
    ['before the link is switched', '^rename \\S+ \\S+/current$', 'old'],
    ['before it is known what is in the release', 'ndjson$', 'new'],
    ['while an old release is removed', '^remove \\S+/releases/\\S+\\d\\d\\dZ$', 'new'],
  ] as const)(
    '%s shows the old site or the new one, and the next ends it',
    async (_, moment, which) => {
      await using folder = await temporaryFolder();
      const into = path.join(folder.path, 'www');
      const changes = path.join(folder.path, 'changes');
      const set = { url: 'http://127.0.0.1:1', built: '2026-03-02T02:00:00.000Z' };
      const clock = testClock();
      for (let night = 0; night < 3; night++) {
        await writeChanges(changes, LISTED_FIRST, set);
        await deploy(into, changes, { clock });
        clock.time += 86_400_000;
      }
      await writeChanges(changes, LISTED_SECOND, { ...set, former: LISTED_FIRST });
      const args = ['--to', 'folder', '--into', into, '--folder', changes, '--no-check'];
      const killed = await runCommand('deploy', args, {
        NODE_OPTIONS: `--import ${HOOK}`,
        KILL_BEFORE: moment,
      });
      expect(killed.exitCode).toBe(null);
      expect(await shown(into)).toEqual(servedOf(which === 'old' ? LISTED_FIRST : LISTED_SECOND));
      expect(await runHere(['deploy', ...args])).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await shown(into)).toEqual(servedOf(LISTED_SECOND));
      expect((await readdir(into)).sort()).toEqual([
        '.vehicle-media-site',
        'current',
        'lock',
        'releases',
      ]);
      // Only sites that were shown can be gone back to.
      const back = await runHere(['deploy', '--to', 'folder', '--into', into, '--rollback']);
      expect(back).toMatchObject({ exitCode: 0, stderr: '' });
      const before = which === 'new' && !moment.includes('ndjson') ? LISTED_SECOND : LISTED_FIRST;
      expect(await shown(into)).toEqual(servedOf(before));
    },
  );
});
