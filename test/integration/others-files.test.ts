import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  build,
  buildSite,
  configFor,
  copyFolder,
  readTree,
  recordingConsole,
  writeConfigIn,
} from '../support/build.ts';
import { afterLine, runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { changesOf, treeOf, writeTree } from '../support/others-files.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));

const pair = await forAllTests(startService({ dealers: 2, vehicles: 3, media: 'none' }));

let folder: string;
const at = (...names: string[]) => path.join(folder, ...names);
beforeEach(() => {
  folder = tempFolder();
  mkdirSync(at('project'));
  writeConfigIn(at('project'), service);
});

/** A command run by the user in the folder `project`. */
const runThere = (script: string, args: readonly string[]) =>
  runHere([script, ...args], { cwd: at('project'), env: { MEDIA_API_KEY: service.mediaKey } });

/** The same in a separate process with that working directory. */
const run = (script: string, args: readonly string[], within: readonly string[] = []) =>
  runCommand(script, args, { MEDIA_API_KEY: service.mediaKey }, { cwd: at('project'), within });

/** Number of requests to the service. */
const asked = () => service.requests.list().length;

const configured = () =>
  configFor(service, {
    dealers: [{ id: 7001, name: 'One', slug: 'one' }],
    media: { widths: [64] },
  });
const base = (options: Parameters<typeof build>[2] = {}) => build(configured(), folder, options);

const built = tempFolder();
const { error: notBuilt } = await build(configured(), built);
if (notBuilt) throw notBuilt;
/** The folder after {@link base} in an empty place. */
const afterBase = () => copyFolder(built, folder);

it.each([
  ['a folder with user files', ['--output', 'public'], 'output-not-ours'],
  ['the working directory', ['--output', '.'], 'output-not-ours'],
  ['a folder above it', ['--output', '..'], 'output-not-ours'],
  ['the theme', ['--output', 'theme'], 'output-not-ours'],
  ['a folder of the theme that is not there', ['--output', 'theme/site'], 'output-not-ours'],
  ['a folder with a repository', ['--output', 'clone'], 'output-not-ours'],
  ['a folder with a package', ['--output', 'package'], 'output-not-ours'],
  ['the cache', ['--output', '.cache'], 'output-not-ours'],
  ['a folder of the cache', ['--output', '.cache/site'], 'output-not-ours'],
  ['the cache by other letters', ['--output', '.CACHE'], 'output-not-ours'],
  ['a folder that holds the cache', ['--output', 'new', '--cache', 'new/cache'], 'output-not-ours'],
  ['a link to a user folder', ['--output', 'link'], 'output-not-ours'],
  ['a folder whose working folder is taken', ['--output', 'taken'], 'output-not-ours'],
  ['a file', ['--output', 'notes.txt'], 'output-not-ours'],
  ['a user folder as cache', ['--cache', 'public'], 'cache-not-ours'],
  ['the working directory as cache', ['--cache', '.'], 'cache-not-ours'],
  ['a working folder as cache', ['--output', 'new', '--cache', '.new.work'], 'output-not-ours'],
  ['a user file as report', ['--report', 'notes.txt'], 'report-not-ours'],
  ['the configuration as report', ['--report', 'config.json'], 'report-not-ours'],
  ['a report in the site', ['--report', '_site/report.json'], 'report-not-ours'],
])('npm run build refuses %s before the first request', async (_, args, code) => {
  writeTree(at('project'), {
    'public/index.html': 'mine',
    'public/media/published/holiday.jpg': 'mine',
    'theme/words.json': '{}',
    'clone/.git/HEAD': 'ref: refs/heads/main',
    'package/package.json': '{}',
    '.taken.work/next/notes.txt': 'mine',
    'notes.txt': 'mine',
    link: { link: 'public' },
  });
  writeFileSync(at('beside.txt'), 'mine');
  const before = treeOf(folder);
  const asks = asked();
  const isAround = args.some((one) => one === '.' || one === '..');
  const ran = await (isAround ? run : runThere)('build', ['--config', 'config.json', ...args]);
  expect(ran).toMatchObject({ exitCode: 2 });
  expect(ran.stderr).toContain(`[${code}]`);
  expect(asked()).toBe(asks);
  const after = treeOf(folder);
  after.delete(at('project', 'build-report.json'));
  expect(after).toEqual(before);
});

describe('the published folder', () => {
  it('is replaced if it is empty or missing', async () => {
    mkdirSync(at('site'));
    expect((await base()).error).toBeUndefined();
    rmSync(at('site'), { recursive: true });
    expect((await base()).error).toBeUndefined();
  });

  it.each(['CNAME', '.well-known/security.txt', 'one/about/index.html', 'media/notes.txt'])(
    'is unchanged if you put %s into it',
    async (name) => {
      afterBase();
      const userFiles = writeTree(at('site'), { [name]: 'mine' });
      const { error } = await base();
      expect(error).toMatchObject({
        code: 'output-not-ours',
        exitCode: 2,
        message: expect.stringContaining(name),
      });
      expect(changesOf(userFiles)).toEqual([]);
      rmSync(at('site', name));
      expect((await base()).error).toBeUndefined();
    },
  );

  it('is unchanged if you put a file into it during a build', async () => {
    afterBase();
    const userFiles = new Map<string, string>();
    const console = recordingConsole();
    const { error } = await build(configured(), folder, {
      console: {
        ...console,
        // The first output is the number of vehicles.
        line: (text) => {
          for (const entry of writeTree(at('site'), { CNAME: 'mine' })) userFiles.set(...entry);
          console.line(text);
        },
      },
      config: configFor(service, { site: { title: 'New', url: 'https://cars.example' } }),
    });
    expect(error).toMatchObject({ code: 'output-not-ours' });
    expect(userFiles.size).toBe(1);
    expect(changesOf(userFiles)).toEqual([]);
    expect(readFileSync(at('site', 'index.html'), 'utf8')).not.toContain('<title>New');
  });

  it('may contain files that the operating system creates', async () => {
    afterBase();
    writeTree(at('site'), { '.DS_Store': 'x', 'one/Thumbs.db': 'x' });
    expect((await base()).error).toBeUndefined();
  });

  it.each([
    ['missing', 'site.files.json'],
    ['missing', '7001.files.json'],
    ['missing', 'times.json'],
    ['missing', ''],
    ['damaged', 'site.files.json'],
    ['damaged', '7001.files.json'],
    ['damaged', 'times.json'],
  ])('is recognised by its files if its lists are %s: api/records/%s', async (how, name) => {
    await base();
    const list = at('site', 'api/records', name);
    const harm = () =>
      how === 'damaged' ? writeFileSync(list, '{') : rmSync(list, { recursive: true });
    harm();
    const { error, report } = await base();
    expect(error).toBeUndefined();
    const isList = name.includes('files');
    expect(report.notes.some((note) => isList && note.includes(name))).toBe(isList);
    expect(readFileSync(at('site/api/records/site.files.json'), 'utf8')).toContain('404.html');
    harm();
    const userFiles = writeTree(at('site'), { 'blog/index.html': 'mine', 'one.txt': 'mine' });
    expect((await base()).error).toMatchObject({ code: 'output-not-ours' });
    expect(changesOf(userFiles)).toEqual([]);
  });

  it('is recognised without its lists with every kind of page, file and language', async () => {
    const config = configFor(pair, {
      file: at('config.json'),
      site: {
        title: 'Cars',
        url: 'https://cars.example',
        locales: ['fr-BE'],
        legal: { imprint: 'imprint.md', privacy: 'privacy.md' },
        indexNow: true,
        favourites: true,
        sticker: true,
        enquiry: { netlify: 'enquiry' },
      },
      dealers: [
        { id: 7001, name: 'One', slug: 'one' },
        { id: 7002, name: 'Two', slug: 'two' },
      ],
      feeds: [
        { profile: 'generic', columns: { Reg: 'plate' }, dealers: 'each' },
        { profile: 'meta-automotive' },
      ],
    });
    writeTree(at(), { 'imprint.md': 'We', 'privacy.md': 'Nothing' });
    const all = () => build(config, folder);
    expect((await all()).error).toBeUndefined();
    rmSync(at('site', 'api/records'), { recursive: true });
    expect((await all()).error).toBeUndefined();
  });

  it('is not replaced if only the list beside it is from a build', async () => {
    afterBase();
    rmSync(at('site'), { recursive: true });
    const userFiles = writeTree(at('site'), { 'index.html': 'mine' });
    expect((await base()).error).toMatchObject({ code: 'output-not-ours' });
    expect(changesOf(userFiles)).toEqual([]);
  });

  it('stays a link, and the linked folder is replaced', async () => {
    mkdirSync(at('elsewhere', 'www'), { recursive: true });
    symlinkSync(path.join('elsewhere', 'www'), at('site'));
    expect((await base()).error).toBeUndefined();
    expect(lstatSync(at('site')).isSymbolicLink()).toBe(true);
    const first = await readTree(at('elsewhere', 'www'));
    expect(first.get('index.html')).toContain('<title>');
    // The folder was replaced, not modified.
    const changed = configFor(service, { site: { title: 'New', url: 'https://cars.example' } });
    await buildSite(changed, folder);
    expect(lstatSync(at('site')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('elsewhere', 'www', 'index.html'), 'utf8')).toContain('New');
    expect(existsSync(at('elsewhere', '.www.work'))).toBe(true);
    expect(existsSync(at('.site.work'))).toBe(false);
  });

  it('is created at the target of a link', async () => {
    symlinkSync(at('later'), at('site'));
    expect((await base()).error).toBeUndefined();
    expect(lstatSync(at('site')).isSymbolicLink()).toBe(true);
    expect(existsSync(at('later', 'index.html'))).toBe(true);
  });

  it('is refused if its working folder is a link', async () => {
    mkdirSync(at('mine'));
    symlinkSync(at('mine'), at('.site.work'));
    expect((await base()).error).toMatchObject({ code: 'output-not-ours' });
    expect(treeOf(at('mine')).size).toBe(0);
  });
});

const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount'];
const [unshare = '', ...mountTmpfs] = [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt'];
const canMount = spawnSync(unshare, mountTmpfs).status === 0;

// Only Linux with user namespaces allows mounts in a test.
describe.runIf(canMount)('a mounted file system', () => {
  /** Builds `project` with a mount that only the build sees. */
  const mounted = (mount: string, args: readonly string[]) =>
    run('build', ['--config', 'config.json', ...args], [...UNSHARE, ...afterLine(mount)]);

  it('at the published folder is refused, because it cannot be renamed', async () => {
    mkdirSync(at('project', '_site'));
    const asks = asked();
    const ran = await mounted('mount -t tmpfs none _site', []);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('[output-immovable]');
    expect(asked()).toBe(asks);
  });

  it('is resolved if it is the working directory under another name', async () => {
    mkdirSync(at('other'));
    const ran = await mounted('mount --bind . ../other', [
      '--output',
      '../other',
      '--cache',
      '../c',
    ]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('[output-not-ours]');
    expect(ran.stderr).toContain('working directory');
  });
});

describe('a cache of the program', () => {
  it('may contain another cache', async () => {
    expect((await base({ cacheDir: at('cache', 'of', 'one') })).error).toBeUndefined();
    expect((await base({ output: at('whole') })).error).toBeUndefined();
  });

  it('is cleaned only of files that builds wrote', async () => {
    afterBase();
    const userFiles = writeTree(at('cache'), {
      'notes.txt': 'mine',
      'media/published/holiday.jpg': 'mine',
      'media/files/00/a.tmp': 'mine',
      'snapshots/dealer-7001.old.records': 'mine',
    });
    // A change of the stock, so that the previous records are removed.
    const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
    if (vehicle) vehicle.dateUpdated = '2026-03-02T23:00:00Z';
    expect((await base()).error).toBeUndefined();
    expect(changesOf(userFiles)).toEqual([]);
  });
});

it.each([
  ['start', ['--once', '--folder', 'public'], 'demo-not-ours'],
  ['start', ['--once', '--folder', '.'], 'demo-not-ours'],
  ['dev', ['--config', 'config.json', '--cache', 'public', '--port', '0'], 'cache-not-ours'],
  ['dev', ['--sample', '--port', '0'], 'demo-not-ours'],
  ['worker', ['--config', 'config.json', '--cache', 'public'], 'cache-not-ours'],
])('%s %s keeps user files', async (script, args, code) => {
  writeTree(at('project'), {
    'public/index.html': 'mine',
    'public/site.config.json': 'mine',
    '.demo/stock-7001.csv': 'mine',
    'notes.txt': 'mine',
  });
  const before = treeOf(folder);
  const ran = await (args.includes('.') ? run : runThere)(script, args);
  expect(ran.stderr).toContain(`[${code}]`);
  // Only `npm start` has the option --folder.
  if (code === 'demo-not-ours') expect(ran.stderr).toContain('Do:  Move its files elsewhere.');
  expect(ran.exitCode).toBe(2);
  expect(treeOf(folder)).toEqual(before);
});
