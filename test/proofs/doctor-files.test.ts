import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import type { Finding } from '../../src/setup/findings.ts';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import type { Ran } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { commandHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 3, images: 1 }));

const NORTH = { id: 7001, name: 'North', slug: 'north' };
const SOUTH = { id: 7002, name: 'South', slug: 'south' };

type Told = Finding & { what: string; why: string; fix: string };

/** A configuration with its files, checked by the doctor and by a build. */
async function compare(
  files: Readonly<Record<string, string>>,
  change: { site?: object; dealers?: object[] } = {},
  env: Record<string, string> = {},
): Promise<{ doctor: Ran; findings: Told[]; build: Ran }> {
  const folder = tempFolder();
  await writeFilesBelow(folder, files);
  writeConfigIn(folder, service, {
    dealers: [NORTH],
    ...change,
    site: { title: 'Cars', url: 'https://cars.test', ...change.site },
  } as Partial<UserConfig>);
  const keys = { MEDIA_API_KEY: service.mediaKey, ...env };
  const args = argumentsIn(folder);
  const doctor = await commandHere('doctor', ['--json', ...args], keys);
  const build = await commandHere('build', args, keys);
  expect(doctor.stdout, doctor.stderr).not.toBe('');
  return { doctor, findings: JSON.parse(doctor.stdout).findings, build };
}

const csv = { ...NORTH, stock: { file: 'stock.csv' } };
type Mistake = [string, Record<string, string>, Parameters<typeof compare>[1], string];
const FILES: Mistake[] = [
  ['no stock list', {}, { dealers: [csv] }, 'stock-file-unreadable'],
  [
    'a stock list without its column',
    { 'stock.csv': 'name,make\nAB12CDE,Ford\n' },
    { dealers: [csv] },
    'stock-file-column',
  ],
  [
    'a logo that is not a picture',
    { 'l.png': 'text' },
    { dealers: [{ ...NORTH, logo: 'l.png' }] },
    'logo-unusable',
  ],
  ['no text of site.legal', {}, { site: { legal: { privacy: 'p.md' } } }, 'legal-file-unusable'],
  ['no theme', {}, { site: { theme: 'mine' } }, 'theme-missing'],
  ['wrong words', { 'theme/words.json': '{"en":{"shair":"x"}}' }, {}, 'theme-words-invalid'],
  ['a file that nothing uses', { 'theme/layouts/car.njk': 'x' }, {}, 'theme-file-unused'],
  [
    'a template that cannot be read',
    { 'theme/partials/card.njk': '{% if %}' },
    {},
    'template-failed',
  ],
  [
    'a script that cannot be read',
    { 'theme/assets/share.js': 'let let = 1' },
    {},
    'script-unreadable',
  ],
  [
    'a style sheet with a missing file',
    { 'theme/assets/theme.css': 'a { background: url("no.png") }' },
    {},
    'theme-asset-missing',
  ],
];
const PAGES: Mistake[] = [
  [
    'a name without a value, on a vehicle',
    { 'theme/pages/vehicle.njk': '{{ page_.nothing.here }}' },
    {},
    'template-failed',
  ],
  [
    'a name without a value, on the front page',
    { 'theme/pages/front.njk': '{{ nothing }}' },
    {},
    'template-failed',
  ],
  [
    'a configuration of custom pages that does not load',
    { 'pages/own.md': '# Own', 'eleventy.config.ts': 'throw new Error("no");' },
    {},
    'custom-pages-failed',
  ],
  [
    'a custom page at the address of a dealer',
    { 'pages/team.md': '---\npermalink: /north/team/\n---\n# Team' },
    {},
    'custom-pages-failed',
  ],
];

describe('every problem that stops a build with exit code 2 is an error of the doctor', () => {
  it.each([
    ...FILES.map((mistake) => [...mistake, 'files-wrong'] as const),
    ...PAGES.map((mistake) => [...mistake, 'pages-wrong'] as const),
  ])('%s', async (_, files, change, problem, code) => {
    const { doctor, findings, build } = await compare(files, change);
    expect(build.stderr).toContain(`[${problem}]`);
    expect(build.exitCode).toBe(2);
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ code, args: { problem } }]);
    expect(doctor.exitCode).toBe(2);
    const [reported] = errors;
    for (const text of [reported?.what, reported?.why, reported?.fix])
      expect(text?.length).toBeGreaterThan(5);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a user folder as output', { 'site/mine.txt': 'x' }, 'output-not-ours'],
    ['a user folder as cache', { 'cache/mine.txt': 'x' }, 'cache-not-ours'],
    ['a user file as report', { 'report.json': '{"mine":1}' }, 'report-not-ours'],
    ['a report that is a folder', { 'report.json/x': '' }, 'report-unusable'],
  ])('%s', async (_, files, problem) => {
    const { doctor, findings, build } = await compare(files);
    expect(build.stderr).toContain(`[${problem}]`);
    expect(build.exitCode).toBe(2);
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ code: 'places-wrong', args: { problem } }]);
    expect(doctor.exitCode).toBe(2);
  });

  it('an unusable queue', async () => {
    const { doctor, findings, build } = await compare({}, {}, { QUEUE_URL: 'http://queue' });
    expect(build.exitCode).toBe(2);
    expect(findings).toMatchObject([
      { code: 'config-wrong', args: { problem: 'engines-invalid' } },
    ]);
    expect(doctor.exitCode).toBe(2);
  });

  it('a broken link of a custom page, and a page without a heading', async () => {
    const page = (text: string) => `---\nlayout: page.njk\n---\n${text}`;
    const { doctor, findings, build } = await compare({
      'pages/team.md': page('[North](/north/) [Jobs](/jobs/)'),
      'pages/plain.md': 'Plain',
    });
    const reported = findings.find(({ args }) => args.problem === 'verify-failed');
    for (const text of [reported?.what, build.stderr]) {
      expect(text).toContain('team/index.html links to /jobs/, which does not exist');
      expect(text).toContain('plain/index.html is empty');
      expect(text).not.toContain('/north/');
    }
    expect(doctor.exitCode).toBe(2);
  });

  it('a template of withdrawn vehicles, before any vehicle is withdrawn', async () => {
    const { findings } = await compare({ 'theme/pages/withdrawn.njk': '{{ nothing }}' });
    expect(findings.map(({ code }) => code)).toContain('pages-wrong');
  });

  it('reports all of them at once', async () => {
    const { findings } = await compare(
      { 'theme/words.json': '{' },
      { dealers: [csv, { ...SOUTH, stock: { file: 'other.csv' } }] },
    );
    const problems = findings.filter(({ code }) => code === 'files-wrong');
    expect(problems.map(({ args }) => args.problem)).toEqual([
      'stock-file-unreadable',
      'stock-file-unreadable',
      'theme-words-invalid',
    ]);
  });

  it('reports each logo and each legal text, and a logo of two owners once', async () => {
    const { findings } = await compare(
      {},
      {
        dealers: [
          { ...NORTH, logo: 'north.svg' },
          { ...SOUTH, logo: 'group.svg' },
        ],
        site: { logo: 'group.svg', legal: { imprint: 'imprint.md', privacy: 'privacy.md' } },
      },
    );
    const problems = findings.filter(({ code }) => code === 'files-wrong');
    expect(problems.map(({ what }) => what)).toEqual([
      expect.stringContaining('site.legal.imprint'),
      expect.stringContaining('site.legal.privacy'),
      expect.stringContaining('group.svg'),
      expect.stringContaining('north.svg'),
    ]);
  });
});

it('leaves no files if folders do not exist yet', async () => {
  const folder = tempFolder();
  writeConfigIn(folder, service, { site: { title: 'Cars', url: 'https://cars.test' } });
  const places = { output: 'not/yet/site', cache: 'not/yet/cache', report: 'not/yet/r.json' };
  const { exitCode, stderr } = await commandHere('doctor', argumentsIn(folder, places), {
    MEDIA_API_KEY: service.mediaKey,
  });
  expect(exitCode, stderr).toBe(0);
  expect(await readdir(folder)).toEqual(['config.json']);
});

describe('a problem that stops no build', () => {
  it('is not an error: a correct project', async () => {
    const [vehicle] = service.data.dealers[0]?.vehicles ?? [];
    const { doctor, findings, build } = await compare(
      {
        'stock.csv': `plate,make,year\n${vehicle?.vrm},Ford,2019\n`,
        'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>',
        'company.md': 'North Ltd',
        'theme/words.json': '{"en":{"share":"Send"}}',
        'pages/_data/n.json': '1',
        'pages/team.md': '---\ntitle: Team\nlayout: page.njk\n---\nOf {{ n }}',
      },
      {
        site: { legal: { imprint: 'company.md' } },
        dealers: [{ ...csv, logo: 'logo.svg' }],
      },
    );
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(doctor.exitCode).toBe(0);
    expect(build, build.stderr).toMatchObject({ exitCode: 0 });
  });

  it('is a warning: unusable rows, with the first of them', async () => {
    const { findings, doctor } = await compare(
      { 'stock.csv': 'plate,year\nAB12CDE,soon\n,2019\n' },
      { dealers: [csv] },
    );
    const reported = findings.find(({ code }) => code === 'stock-rows');
    expect(reported?.what).toContain('North: 2 problems in the 1 row');
    expect(reported?.what).toContain('"year": 1 value is not a year: "soon" (row 2)');
    expect(doctor.exitCode).toBe(0);
  });

  it('is not reported for pages of a dealer without a response', async () => {
    const { findings } = await compare(
      { 'pages/own.njk': '{{ vehicles[5].title }}' },
      { dealers: [NORTH, { ...SOUTH, id: 9 }] },
    );
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).toEqual(['dealer-fails']);
  });
});

it('reports that no dealer has vehicles, which also stops a build', async () => {
  service.faults.set({ route: 'media', body: '[]' });
  try {
    const { findings, build } = await compare({});
    expect(build.exitCode).toBe(5);
    expect(findings.map(({ code, args }) => args.problem ?? code)).toContain('publish-nothing');
  } finally {
    service.faults.clear();
  }
});

describe('a locale without texts', () => {
  it.each([
    ['is-IS', '"is" into theme/words.json'],
    ['xx-YY', 'another site.locale'],
  ])('%s is a warning with a fix', async (locale, fix) => {
    const { findings, doctor } = await compare({}, { site: { locale } });
    const reported = findings.find(({ code }) => code === 'words-missing');
    expect(reported?.severity).toBe('warning');
    expect(reported?.what).toContain(locale);
    expect(reported?.fix).toContain(fix);
    expect(doctor.exitCode).toBe(0);
  });
});
