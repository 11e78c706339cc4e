import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import { Secret } from '../../src/config/secret.ts';
import { PUBLISHED_TIMES } from '../../src/publish/records.ts';
import { bytesHash } from '../../src/record/files.ts';
import { writeLost } from '../../src/record/lost.ts';
import { build, readTree, temporaryFolder } from '../support/build.ts';
import { applied, changeSetOf, type Tree } from '../support/change-set.ts';
import { runCommand } from '../support/command.ts';
import { type Disk, type FirstNight, type Later, openFirstNight } from '../support/disks.ts';
import { withOtherMarks } from '../support/published-site.ts';
import { writeFilesBelow } from '../support/theme.ts';
import { FIRST_NIGHT } from '../support/world.ts';

/** Builds that leave what changed, on disks that have nothing of the published site. */

let first: FirstNight;
let later: Later;
let published: Tree;

beforeAll(async () => {
  first = await openFirstNight();
}, 120_000);
afterAll(() => first[Symbol.asyncDispose]());
beforeEach(async () => {
  later = await first.later();
  for (const id of later.service.data.pictures.keys()) {
    later.service.data.override(id, { deleted: false, revision: 0 });
  }
  published = await readTree(later.published);
  onTestFinished(() => later[Symbol.asyncDispose]());
});

type NightOptions = Parameters<Later['night']>[2];
type Night = Awaited<ReturnType<Later['night']>>;

const vehicles = (dealer = 0) => later.service.data.dealers[dealer]?.vehicles ?? [];
const vehicle = (index: number) => {
  const found = vehicles()[index];
  if (!found) throw new Error(`no vehicle ${index}`);
  return found;
};
const down = (status = 503) => later.service.faults.set({ route: 'media', dealerId: 7001, status });

/** What a report says, but for what is due to the form. */
const told = ({ report }: Night) => {
  const { exitCode, outcome, dealers, attention, pictureFailures, problem } = report;
  return { exitCode, outcome, dealers, attention, pictureFailures, problem };
};

interface Around {
  disk?: Disk;
  hours?: number;
  change?: Partial<UserConfig>;
  options?: NightOptions;
}

/** The same night twice, whole and thin: what is served after either is the same, and so is the report. */
async function bothForms({ disk = 'empty', hours = 24, change, options = {} }: Around = {}) {
  const whole = await later.night(disk, hours, options, change);
  later.site.asked.length = 0;
  later.service.requests.clear();
  const thin = await later.night(disk, hours, { ...options, form: 'thin' }, change);
  const asked = [...later.site.asked].sort();
  expect(told(thin)).toEqual(told(whole));
  if (!whole.files || !thin.files) throw new Error(whole.report.problem?.what);
  const set = await changeSetOf(thin.files);
  const served = applied(set, published);
  const expected = new Map([...whole.files, [PUBLISHED_TIMES, whole.times ?? '']]);
  expect([...served.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(served).toEqual(expected);
  const pictures = later.service.requests.list('picture').filter(({ status }) => status === 200);
  return { whole, thin, set, served, asked, pictures: pictures.length };
}

const records = (...names: string[]) => names.map((name) => `api/records/${name}`);
const MEMORY = records(
  '7001.files.json',
  '7001.json',
  '7002.files.json',
  '7002.json',
  'times.json',
);
const ofDealers = (files: Iterable<string>) =>
  [...files].filter((file) => /^(?:dealer-\d|embed\/|media\/|api\/records\/\d)/.test(file)).sort();

describe('on an empty disk, a thin build', () => {
  it('asks for what is remembered, and makes what speaks of all dealers, where nothing changed', async () => {
    const { set, asked, pictures, thin } = await bothForms();
    expect(asked).toEqual(MEMORY);
    expect(pictures).toBe(0);
    expect(ofDealers(set.files.keys())).toEqual([]);
    expect(set.files.size).toBeLessThan(40);
    expect(set.list).toMatchObject({
      site: later.site.url,
      built: new Date(FIRST_NIGHT + 24 * 3_600_000).toISOString(),
      base: bytesHash(Buffer.from(published.get(PUBLISHED_TIMES) ?? '', 'latin1')),
      ...{ gone: [], changed: [] },
    });
    expect(thin.report.media).toMatchObject({ outputsMade: 0, outputsRestored: 0, failed: 0 });
  });

  it('names the key by which search engines are told, where they are to be', async () => {
    const { title, url, timeZone } = later.config().site;
    const change = { site: { title, url, timeZone, indexNow: true } as UserConfig['site'] };
    const { set, served } = await bothForms({ change });
    expect(served.get(`${set.list.indexNow}.txt`)).toBe(set.list.indexNow);
  });

  it('makes the pages and the thumbnails of what changed, and asks for no published one', async () => {
    const { vrm, mediaList } = vehicle(0);
    const image = mediaList.find(({ type }) => type === 'Image');
    later.service.data.touch(image?.id ?? 0);
    vehicle(0).dateUpdated = '2026-03-02T09:00:00Z';
    const { set, asked, pictures } = await bothForms();
    expect(asked).toEqual(MEMORY);
    expect(pictures).toBe(1);
    const own = `dealer-1/${vrm.toLowerCase()}/`;
    expect(set.list.changed).toEqual(expect.arrayContaining([`${own}index.html`, 'index.html']));
    const others = ofDealers(set.files.keys()).filter((file) => {
      return /^(?:embed\/)?dealer-\d\/[a-z0-9]+xyz\//.test(file) && !file.includes(own);
    });
    expect(others).toEqual([]);
    const thumbnails = (files: Iterable<string>) =>
      [...files].filter((file) => file.startsWith('media/'));
    // Each of the new ones takes the place of a former one.
    expect(thumbnails(set.files.keys()).length).toBeGreaterThan(0);
    expect(thumbnails(set.list.gone).length).toBe(thumbnails(set.files.keys()).length);
    expect(set.list.gone).toEqual(thumbnails(set.list.gone));
  });

  it('says which files are gone', async () => {
    const [gone] = vehicles().splice(1, 1);
    const { set, served } = await bothForms({ hours: 24 });
    const isGone = [...published.keys()].filter((file) => !served.has(file)).sort();
    expect(isGone.filter((file) => file.startsWith('media/')).length).toBeGreaterThan(0);
    expect(set.list.gone).toEqual(isGone);
    // Its page stays for a while, and says so.
    expect(set.list.changed).toContain(`dealer-1/${gone?.vrm.toLowerCase()}/index.html`);
  });

  it('makes the same bytes again of the same', async () => {
    vehicles().splice(1, 1);
    const one = await later.night('empty', 24, { form: 'thin' });
    const other = await later.night('empty', 24, { form: 'thin' });
    expect(one.files?.size).toBeGreaterThan(10);
    expect(other.files).toEqual(one.files);
  });

  it('makes the same in many batches, by several processes', async () => {
    vehicles().splice(1, 1);
    const one = await later.night('empty', 24, { form: 'thin' });
    const { set, asked, thin } = await bothForms({ options: { batchVehicles: 1 } });
    expect(thin.files).toEqual(one.files);
    expect(set.list.base).not.toBeNull();
    expect([...new Set(asked)]).toEqual(MEMORY);
  });

  it('makes again what is lost, whatever it is', async () => {
    const lost = ['index.html', 'dealer-1/index.html', ...MEMORY];
    const isKind = (pattern: RegExp) => [...published.keys()].find((file) => pattern.test(file));
    lost.push(isKind(/^media\/.*webp$/) ?? '', isKind(/^dealer-2\/ab\w+\/index\.html$/) ?? '');
    const { set } = await bothForms();
    later.site.instead = (file) =>
      lost.includes(file) && file.startsWith('media/') ? { status: 404 } : undefined;
    const again = await later.night('empty', 24, { form: 'thin', lost });
    const remade = await changeSetOf(again.files ?? new Map());
    expect([...remade.files.keys()]).toEqual(expect.arrayContaining(lost));
    expect(remade.list).toEqual(set.list);
    expect(applied(remade, published)).toEqual(applied(set, published));
    // Nothing else of the dealers.
    expect(ofDealers(remade.files.keys())).toEqual(ofDealers(lost));
  });

  it('has all of it where an extension speaks of every vehicle', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      'theme/pages/all.njk':
        '{% extends "layouts/base.njk" %}{% block content %}<h1>All</h1><p>{{ page_.data | dump }}</p>{% endblock %}',
      'extend.js':
        "export default { pages: ({ vehicles }) => [{ path: '/all/', template: 'pages/all.njk', title: 'All', description: 'All', data: { all: JSON.parse(JSON.stringify(vehicles)) } }] };",
    });
    const [theme, extend] = ['theme', 'extend.js'].map((name) => path.join(folder.path, name));
    const { title, url, timeZone } = later.config().site;
    const change = { site: { title, url, timeZone, theme, extend } as UserConfig['site'] };
    await later.live(24, {}, change);
    published = await readTree(later.published);
    vehicles().splice(1, 1);
    const { set, served, asked } = await bothForms({ hours: 48, change });
    expect(asked).toEqual(MEMORY);
    expect(served.get('all/index.html')).toContain('media/');
    expect(set.list.changed).toContain('all/index.html');
    expect(set.list.base).not.toBeNull();
    expect([...set.files.keys()].filter((file) => file.startsWith('media/'))).toEqual([]);
  });
});

describe('what cannot be believed', () => {
  const all = (tree: Tree) => [...tree.keys()].filter((file) => !file.startsWith('media/')).sort();

  it('is made again: a site without good marks', async () => {
    later.site.instead = (file, bytes) =>
      file === PUBLISHED_TIMES ? { body: withOtherMarks(String(bytes)) } : undefined;
    const { set, served } = await bothForms();
    expect(set.list).toMatchObject({ base: null, gone: [] });
    expect([...set.files.keys()].sort()).toEqual([...served.keys()].sort());
  });

  it('is made again: pages that were not searched for a key that is new', async () => {
    const account = { name: 'new', customerId: 'c', cakeId: '1', apiKeyEnv: 'NEW' };
    const apiKey = new Secret('99999999-8888-4777-8666-fedcba987654');
    const config = { ...later.config(), accounts: [{ ...account, apiKey }] as never };
    const { set, asked, pictures } = await bothForms({ options: { config } });
    expect(set.list).toMatchObject({ base: null, gone: [] });
    expect(all(set.files)).toEqual(all(published));
    // The records are believed, and so are the thumbnails.
    expect([pictures, asked]).toEqual([0, records('7001.json', '7002.json', 'times.json')]);
    expect([...set.files.keys()].filter((file) => file.startsWith('media/'))).toEqual([]);
  });

  it('is made again: a list that is not the one that was published', async () => {
    const name = 'api/records/7001.files.json';
    later.site.instead = (file) =>
      file === name
        ? { body: Buffer.from(published.get(name)?.replace('dealer-1', 'dealer-9') ?? '') }
        : undefined;
    const { set, thin } = await bothForms();
    expect(set.list.base).toBeNull();
    expect(thin.report.notes.join()).toContain('(7001.files.json)');
    const isMade = (slug: string) =>
      [...set.files.keys()].filter((file) => file.startsWith(`${slug}/`)).length;
    expect([isMade('dealer-1') > 20, isMade('dealer-2')]).toEqual([true, 0]);
  });

  it('is made again: a record of another night', async () => {
    const name = 'api/records/7001.json';
    later.site.instead = (file) =>
      file === name
        ? { body: Buffer.from(published.get(name)?.replace('AB10XYZ', 'AB99XYZ') ?? '') }
        : undefined;
    const { set } = await bothForms();
    expect(set.list.base).toBeNull();
    expect(set.files.has(name)).toBe(true);
  });

  it('is not known to be gone: files of a dealer that is no longer configured', async () => {
    const change = { dealers: [{ id: 7002, name: 'Two', slug: 'dealer-2' }] };
    const { set, served } = await bothForms({ change });
    expect(set.list).toMatchObject({ base: null, gone: [] });
    expect([...served.keys()].filter((file) => file.startsWith('dealer-1/'))).toEqual([]);
  });
});

describe('the gates of a thin build are those of a whole one', () => {
  it.each<[string, () => void, Around?]>([
    ['a dealer is down', () => down()],
    ['a dealer is refused', () => down(403)],
    ['a dealer sells too much at once', () => vehicles().splice(1), { options: { strict: true } }],
    ['a dealer sells', () => vehicles().splice(8)],
    ['pictures are gone', () => later.service.faults.set({ route: 'picture', status: 404 })],
    ['nobody reaches the site', () => {}, { disk: 'alone', options: { strict: true } }],
    [
      'nobody reaches the site, on a first day',
      () => {},
      { disk: 'alone', options: { first: true } },
    ],
    ['a cache came back', () => vehicles().splice(8), { disk: 'cached' }],
    ['a cache came back, and a dealer is down', () => down(), { disk: 'cached', hours: 80 }],
  ])('%s', async (_, given, around) => {
    given();
    await bothForms(around);
  });

  it.each<[string, () => void, Disk]>([
    ['a dealer is down, and nobody reaches the site', () => down(), 'alone'],
    ['all are refused', () => later.service.faults.set({ route: 'media', status: 401 }), 'alone'],
  ])('%s: nothing is left', async (_, given, disk) => {
    given();
    const [whole, thin] = [
      await later.night(disk, 24),
      await later.night(disk, 24, { form: 'thin' }),
    ];
    expect(thin.exitCode).toBeGreaterThan(2);
    expect(told(thin)).toEqual(told(whole));
    expect(thin.files).toBeUndefined();
  });
});

describe('the folder of a change set', () => {
  let folder: string;
  let output: string;
  beforeEach(async () => {
    const own = await temporaryFolder();
    onTestFinished(() => own[Symbol.asyncDispose]());
    folder = own.path;
    output = path.join(folder, 'changes');
  });
  /** A build on a disk that stays. */
  const thin = (hours: number, options: NightOptions = {}) =>
    build(later.config(), folder, {
      ...{
        now: FIRST_NIGHT + hours * 3_600_000,
        output,
        form: 'thin',
        fromPublished: true,
        ...options,
      },
    });
  const files = async () => (await changeSetOf(await readTree(output))).files;

  it('is replaced by the next one, which begins with what is published', async () => {
    vehicles().splice(1, 1);
    expect((await thin(24)).error).toBeUndefined();
    const first = await readTree(output);
    // Nobody has deployed it.
    expect((await thin(24)).error).toBeUndefined();
    expect(await readTree(output)).toEqual(first);
    await writeFile(path.join(output, 'files/own.txt'), 'mine, for one deploy');
    expect((await thin(25)).error).toBeUndefined();
    expect((await files()).has('own.txt')).toBe(false);
  });

  it('leaves a cache that knows what a whole build knows', async () => {
    vehicles().splice(1, 1);
    await using other = await temporaryFolder();
    const whole = await build(later.config(), other.path, {
      ...{ now: FIRST_NIGHT + 24 * 3_600_000, fromPublished: true },
    });
    expect(whole.error).toBeUndefined();
    expect((await thin(24)).error).toBeUndefined();
    const remembered = async (at: string) => {
      const tree = await readTree(path.join(at, 'cache/records'));
      return new Map([...tree].filter(([name]) => !name.endsWith('times.json')));
    };
    expect((await remembered(folder)).size).toBe(4);
    expect(await remembered(folder)).toEqual(await remembered(other.path));
    // So it stands in where nobody reaches the site any more.
    later.site.instead = () => ({ status: 503, headers: { 'retry-after': 3600 } });
    down();
    const alone = await thin(48);
    expect(alone.report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a site', () => cp(later.published, output, { recursive: true })],
    ['other files', () => writeFilesBelow(output, { 'notes.txt': 'mine' })],
    [
      'other files beside a change set',
      async () => {
        await thin(24);
        await writeFile(path.join(output, 'notes.txt'), 'mine');
      },
    ],
    ['what only has the name', () => writeFilesBelow(output, { 'changes.ndjson': 'mine' })],
  ])('may not be one with %s', async (_, given) => {
    await given();
    const before = await readTree(output);
    const { exitCode, report } = await thin(24);
    expect([exitCode, report.problem?.code]).toEqual([2, 'output-not-ours']);
    expect(await readTree(output)).toEqual(before);
  });

  it('does not become a site', async () => {
    await thin(24);
    const { exitCode, report } = await thin(24, { form: 'whole' });
    expect([exitCode, report.problem?.code]).toEqual([2, 'output-not-ours']);
    expect(report.problem?.what).toContain('change set');
  });

  it('is as it was where a build stops', async () => {
    await thin(24);
    const before = await readTree(output);
    vehicles().splice(1);
    down(401);
    later.service.faults.set({ route: 'media', status: 401 });
    expect((await thin(48)).exitCode).toBe(3);
    expect(await readTree(output)).toEqual(before);
  });
});

describe('npm run build', () => {
  const HOOK = pathToFileURL(path.resolve(import.meta.dirname, '../support/kill-publish.ts')).href;
  let folder: string;
  const at = (name: string) => path.join(folder, name);
  beforeEach(async () => {
    const own = await temporaryFolder();
    onTestFinished(() => own[Symbol.asyncDispose]());
    folder = own.path;
    const { service: its, site: about, dealers, media } = later.config();
    await writeFilesBelow(folder, {
      'config.json': JSON.stringify({
        service: { baseUrl: its.baseUrl },
        site: { title: about.title, url: about.url, timeZone: about.timeZone },
        dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
        media: { widths: media.widths, fallbackWidth: media.fallbackWidth },
      }),
    });
  });
  const command = (flags: readonly string[], env: Record<string, string> = {}) => {
    const files = { config: 'config.json', output: 'out', cache: 'cache', report: 'report.json' };
    const named = Object.entries(files).flatMap(([name, file]) => [`--${name}`, at(file)]);
    const now = ['--now', new Date(FIRST_NIGHT + 24 * 3_600_000).toISOString()];
    const key = { MEDIA_API_KEY: later.service.mediaKey };
    return runCommand('build', [...named, ...now, ...flags], { ...key, ...env });
  };

  it.each<[string[], Record<string, string>, 'thin' | 'whole', string]>([
    [[], { CI: 'true', DEPLOY_TO: 'netlify' }, 'thin', '--whole makes the whole site'],
    [['--whole'], { CI: 'true', DEPLOY_TO: 'netlify' }, 'whole', 'npm run preview'],
    [['--thin'], {}, 'thin', 'npm run deploy'],
    [[], { DEPLOY_TO: 's3' }, 'whole', '--thin does that here'],
    [[], { CI: 'true', DEPLOY_TO: 'github' }, 'whole', 'npm run preview'],
  ])('%j with %j leaves it %s, and says so', async (flags, env, form, said) => {
    const ran = await command(flags, env);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain(said);
    const has = ['changes.ndjson', 'index.html'].map((name) => existsSync(at(`out/${name}`)));
    expect(has).toEqual([form === 'thin', form === 'whole']);
  });

  it('takes what a deploy lost', async () => {
    const lost = 'dealer-1/index.html';
    await writeFile(at('lost.json'), writeLost([lost]));
    expect(await command(['--thin', '--lost', at('lost.json')])).toMatchObject({ exitCode: 0 });
    expect(existsSync(at(`out/files/${lost}`))).toBe(true);
    expect(existsSync(at('out/files/dealer-2/index.html'))).toBe(false);
  });

  it('that is killed leaves what was there, and the next one ends it', async () => {
    const env = { NODE_OPTIONS: `--import ${HOOK}`, KILL_BEFORE: '/next \\S+/out$' };
    expect((await command(['--thin'], env)).exitCode).not.toBe(0);
    expect(existsSync(at('out'))).toBe(false);
    expect(await command(['--thin'])).toMatchObject({ exitCode: 0, stderr: '' });
    const before = await readTree(at('out'));
    vehicles().splice(1, 1);
    expect((await command(['--thin'], { ...env, KILL_BEFORE: '/former$' })).exitCode).not.toBe(0);
    expect(await readTree(at('out'))).toEqual(before);
    expect((await command(['--thin'], env)).exitCode).not.toBe(0);
    expect(await command(['--thin'])).toMatchObject({ exitCode: 0, stderr: '' });
    const set = await changeSetOf(await readTree(at('out')));
    expect(set.list.changed).toContain('dealer-1/index.html');
    applied(set, published);
  });
});
