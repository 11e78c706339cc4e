import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimCache } from '../../src/publish/folder-checks/check.ts';
import { recordsFolder } from '../../src/record/published-records.ts';
import {
  argumentsIn,
  build,
  configFor,
  readTree,
  recordingConsole,
  writeConfigIn,
} from '../support/build.ts';
import { afterLine, runCommand, startCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { smallDisk, tempFolder } from '../support/temp-folder.ts';

const shape = { dealers: 1, vehicles: 2, images: 1 };
const service = await forAllTests(startService(shape));
/** Its pictures fill a small disk. */
const large = await forAllTests(startService({ ...shape, pictureScale: 1 }));
const env = { MEDIA_API_KEY: service.mediaKey };

/** A configuration in a folder and the arguments of a build there, with replacements. */
function settingsIn(folder: string, change?: Record<string, string>, from = service): string[] {
  writeConfigIn(folder, from);
  return argumentsIn(folder, change);
}

const asksOfMedia = () => service.requests.list('media').length;

/** Root may write anywhere except in kernel file systems. */
const FORBIDDEN = process.platform === 'linux' && process.getuid?.() === 0 ? '/sys' : undefined;

function forbiddenFolder(folder: string): string {
  if (FORBIDDEN) return FORBIDDEN;
  const made = path.join(folder, 'forbidden');
  mkdirSync(made);
  chmodSync(made, 0o555);
  return made;
}

describe('an unusable path stops a build before its first request', () => {
  it.each([
    ['an output below a file', 'output', 'FILE/site', 'folder-unusable'],
    ['an unwritable output', 'output', 'FORBIDDEN/site', 'folder-unusable'],
    ['a cache below a file', 'cache', 'FILE/cache', 'folder-unusable'],
    ['an unwritable cache', 'cache', 'FORBIDDEN/cache', 'folder-unusable'],
    [
      'an output with a long path',
      'output',
      `FOLDER${`/${'d'.repeat(120)}`.repeat(4)}`,
      'folder-unusable',
    ],
    ['a report that is a folder', 'report', 'FOLDER', 'report-unusable'],
    ['a report below a file', 'report', 'FILE/report.json', 'report-unusable'],
    ['an unwritable report', 'report', 'FORBIDDEN/report.json', 'report-unusable'],
    ['a report that is a device', 'report', '/dev/null', 'report-unusable'],
    ['an unreadable report', 'report', 'LOOP', 'report-unusable'],
  ])('%s', async (_, option, place, code) => {
    const folder = tempFolder();
    const file = path.join(folder, 'somebodys.txt');
    writeFileSync(file, 'mine');
    // Root may read every file, but no link to itself.
    const loop = path.join(folder, 'loop');
    symlinkSync('loop', loop);
    const value = place
      .replace('FILE', file)
      .replace('LOOP', loop)
      .replace('FOLDER', folder)
      .replace('FORBIDDEN', () => forbiddenFolder(folder));
    const before = asksOfMedia();
    const ran = await runHere(['build', ...settingsIn(folder, { [option]: value })], { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain(`[${code}]`);
    expect(ran.stderr).toContain(value);
    expect(ran.stderr).toContain(`--${option}`);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect(asksOfMedia()).toBe(before);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  // Only Linux has /proc. Below it, Node's recursive mkdir loops forever.
  it.skipIf(process.platform !== 'linux').each([
    ['build', 'output', '/proc/nope/x'],
    ['start', 'folder', '/proc/nope/x'],
  ])('%s --%s %s is reported without an endless loop', async (command, option, place) => {
    const folder = tempFolder();
    const all = settingsIn(folder, { [option]: place });
    const args = {
      build: all,
      start: ['--port', '0', '--service-port', '0', `--${option}`, place],
    }[command];
    const ran = await runCommand(command, args ?? [], env, { timeout: 240_000 });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain('/proc/nope');
  });
});

describe('a lock path', () => {
  it('with another file is reported and unchanged', async () => {
    const folder = tempFolder();
    const config = configFor(service);
    const lock = path.join(folder, 'cache', 'lock');
    mkdirSync(path.dirname(lock));
    writeFileSync(lock, 'x\n');
    const { exitCode, report } = await build(config, folder);
    expect([exitCode, report.problem?.code]).toEqual([2, 'lock-unusable']);
    expect(`${report.problem?.what} ${report.problem?.why}`).toContain(lock);
    expect(report.problem?.why).not.toContain('holds');
    expect(readFileSync(lock, 'utf8')).toBe('x\n');
    rmSync(lock);
    expect((await build(config, folder)).exitCode).toBe(0);
  });

  it('that is a folder is reported as a folder', async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, '.site.work', 'lock'), { recursive: true });
    const { exitCode, report } = await build(configFor(service), folder);
    expect([exitCode, report.problem?.code]).toEqual([2, 'lock-unusable']);
  });
});

/** A console that acts once: by default when pages are rendered, so everything is read and nothing is published. */
function consoleThat(plants: () => void, step = 'Pages: ') {
  const console = recordingConsole();
  let planted = false;
  return {
    ...console,
    progress: (text: string, share?: number) => {
      console.progress(text, share);
      if (planted || !text.startsWith(step)) return;
      planted = true;
      plants();
    },
  };
}

const recordsOf = (folder: string): string =>
  recordsFolder(path.join(folder, 'cache'), configFor(service));

describe('a failure after publishing', () => {
  it('keeps the site published if the picture journal cannot be deleted', async () => {
    const folder = tempFolder();
    const [dealer] = service.data.dealers;
    const journal = path.join(recordsOf(folder), `${dealer?.id}.journal`);
    const console = consoleThat(() => {
      // A non-empty folder uses the name.
      rmSync(journal, { force: true });
      mkdirSync(path.join(journal, 'x'), { recursive: true });
    });
    const { exitCode, report, output } = await build(configFor(service), folder, { console });
    expect(existsSync(path.join(output, 'index.html'))).toBe(true);
    expect([exitCode, report.outcome, report.problem]).toEqual([0, 'published', undefined]);
    expect(report.notes.join()).toContain('The site was published, but');
    expect(report.notes.join()).toContain(journal);
    const messages = console.lines.join('');
    expect(messages).toContain('Warning: The site was published, but');
    expect(JSON.stringify(report) + messages).not.toMatch(/is unchanged|hit a bug/);
  });

  it.each([
    ['a record', (folder: string) => path.join(recordsOf(folder), '7001.json')],
    ['the list of files', () => '.site.work/next/api/records/site.files.json'],
  ])('publishes nothing without %s, so the next build is not misled', async (_, nameIn) => {
    const folder = tempFolder();
    const file = path.resolve(folder, nameIn(folder));
    const console = consoleThat(() => mkdirSync(path.join(file, 'x'), { recursive: true }));
    const { exitCode, report, output } = await build(configFor(service), folder, { console });
    expect([exitCode, report.outcome]).toEqual([2, 'not-published']);
    expect(report.problem?.what).toContain(file);
    expect(existsSync(output)).toBe(false);
    rmSync(file, { recursive: true, force: true });
    expect((await build(configFor(service), folder)).exitCode).toBe(0);
  });

  it('keeps the site published if the job summary or the report cannot be written', async () => {
    const folder = tempFolder();
    const report = path.join(folder, 'reports', 'report.json');
    service.faults.set({ route: 'media', delayMs: 1500 });
    const running = startCommand('build', settingsIn(folder, { report }), {
      ...env,
      GITHUB_STEP_SUMMARY: path.join(folder, 'nowhere', 'summary.md'),
    });
    await expect.poll(() => existsSync(path.dirname(report)), { timeout: 60_000 }).toBe(true);
    await expect.poll(() => existsSync(path.join(folder, 'cache', 'lock'))).toBe(true);
    rmSync(path.dirname(report), { recursive: true });
    symlinkSync('/nowhere', path.dirname(report));
    const ran = await running.ended;
    service.faults.clear();
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(existsSync(path.join(folder, 'site', 'index.html'))).toBe(true);
    expect(ran.stdout).toContain('Built into');
    expect(ran.stdout).toMatch(/Warning: The report \S+report\.json could not be written\./);
    expect(ran.stdout).toMatch(/Warning: The job summary .* could not be written/);
    expect(ran.stdout + ran.stderr).not.toMatch(/as it was|^\s+at /m);
  });
});

it.each([
  ['cache', 'Images: 0', undefined],
  ['cache', 'Pages: ', 'file-enoent'],
  ['.site.work', 'Pages: ', 'file-enoent'],
])('another program that removes %s at "%s" stops at most this build', async (name, step, code) => {
  const folder = tempFolder();
  // An earlier build marked it.
  claimCache(path.join(folder, 'cache'), configFor(service));
  const console = consoleThat(() => rmSync(path.join(folder, name), { recursive: true }), step);
  const { exitCode, report } = await build(configFor(service), folder, { console });
  expect([exitCode, report.problem?.code]).toEqual([code ? 5 : 0, code]);
  if (code) expect(report.problem?.what).toContain(path.join(folder, name));
  expect((await build(configFor(service), folder)).exitCode).toBe(0);
});

it('names a file system that is mounted in the previous site, which no build can remove', async () => {
  const folder = tempFolder();
  const place = path.join(folder, '.site.work', 'former', 'media');
  await build(configFor(service), folder);
  mkdirSync(place, { recursive: true });
  using mounted = smallDisk(place, 40);
  if (!mounted) return expect(process.getuid?.()).not.toBe(0);
  const { exitCode, report } = await build(configFor(service), folder);
  expect([exitCode, report.problem?.code]).toEqual([5, 'file-ebusy']);
  return expect(report.problem?.what).toContain(place);
});

describe('a full disk', () => {
  const expectFullDisk = (ran: Awaited<ReturnType<typeof runHere>>, folder: string) => {
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 5 });
    expect(ran.stderr).toContain('[disk-full]');
    expect(ran.stderr).toMatch(new RegExp(`disk is full: ${folder}`));
    expect(ran.stderr).toMatch(
      /\d+(\.\d)? ([kMG]?B) are free, (about \d+(\.\d)? [kMG]B are|but more is) needed/,
    );
  };

  it.each([
    // Its content has 284 kB.
    ['cache', 200],
    ['cache', 40],
    ['output', 60],
  ] as const)(
    'of the %s (%i kB) is reported with its folder and the required and free space',
    async (which, kilobytes) => {
      const folder = tempFolder();
      const disk = path.join(folder, 'disk');
      mkdirSync(disk);
      using mounted = smallDisk(disk, kilobytes);
      if (!mounted) return expect(process.getuid?.()).not.toBe(0);
      const args = settingsIn(folder, { [which]: path.join(disk, which) }, large);
      const ran = await runHere(['build', ...args], { env });
      expectFullDisk(ran, disk);
      const report = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8'));
      expect(report).toMatchObject({ outcome: 'not-published', problem: { code: 'disk-full' } });
      return undefined;
    },
  );

  it('is named by a deploy to it, and by build and doctor if it has the temporary files', async () => {
    const folder = tempFolder();
    const disk = path.join(folder, 'disk');
    mkdirSync(disk);
    using mounted = smallDisk(disk, 40);
    if (!mounted) return expect(process.getuid?.()).not.toBe(0);
    expect(() => writeFileSync(path.join(disk, 'x'), Buffer.alloc(100_000))).toThrow('ENOSPC');
    const args = settingsIn(folder);
    expect(await runHere(['build', ...args], { env })).toMatchObject({ exitCode: 0 });
    const site = ['--to', 'folder', '--folder', path.join(folder, 'site')];
    const host = { DEPLOY_FOLDER: path.join(disk, 'cars') };
    const deployed = await runHere(['deploy', ...site], { env: { ...env, ...host } });
    expect(deployed, deployed.stderr).toMatchObject({ exitCode: 5 });
    expect(deployed.stderr).toContain(`The disk is full: ${path.join(disk, 'cars')}. [disk-full]`);
    const onFullDisk = { ...env, TMPDIR: disk };
    const other = settingsIn(folder, { output: 'other', cache: 'other-cache' });
    expectFullDisk(await runCommand('build', other, onFullDisk), disk);
    const examined = await startCommand('doctor', args, onFullDisk).ended;
    expect(examined, examined.stderr).toMatchObject({ exitCode: 2 });
    expect(examined.stdout).toMatch(
      new RegExp(`ERROR .* on the disk of ${disk}\\..*\\[disk-full\\]`),
    );
    return undefined;
  });

  it('leaves the published site unchanged, and a build works again once there is space', async () => {
    const folder = tempFolder();
    const args = settingsIn(folder);
    expect(await runHere(['build', ...args], { env })).toMatchObject({ exitCode: 0 });
    const site = path.join(folder, 'site');
    const before = await readTree(site);
    // Like ulimit in a shell: files cannot exceed a kilobyte.
    const other = settingsIn(folder, { cache: path.join(folder, 'other') });
    const limited = await runCommand('build', other, env, { within: afterLine('ulimit -f 1') });
    expect(limited, limited.stdout + limited.stderr).toMatchObject({ exitCode: 5 });
    expect(limited.stderr).toContain('[disk-full]');
    expect(await readTree(site)).toEqual(before);
    expect(await runHere(['build', ...args], { env })).toMatchObject({ exitCode: 0 });
  });
});
