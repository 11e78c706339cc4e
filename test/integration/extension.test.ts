import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadExtension } from '../../src/render/extension/load.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';
import { type Ran, runCommand, runEleventy } from '../support/command.ts';
import { extensionExample } from '../support/extension.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { writeFilesBelow } from '../support/theme.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));

/** Writes files beside a configuration that names them, and builds by the command. */
async function buildWith(
  folder: string,
  files: Record<string, string>,
  site: Record<string, unknown> = {},
): Promise<Ran> {
  await writeFilesBelow(folder, {
    ...files,
    'config.json': JSON.stringify({
      service: { baseUrl: service.baseUrl },
      site: { title: 'Test Motors', url: 'https://cars.example', extend: 'extend.ts', ...site },
      dealers: service.data.dealers.map(({ id, name }) => ({ id, name, slug: 'one' })),
      media: { widths: [160] },
    }),
  });
  const named = (name: string, file: string) => [name, path.join(folder, file)];
  return runCommand(
    'build',
    [
      ...named('--config', 'config.json'),
      ...named('--output', 'site'),
      ...named('--cache', 'cache'),
      ...named('--report', 'report.json'),
    ],
    { MEDIA_API_KEY: service.mediaKey },
  );
}

/** The example lies in a checkout: what it imports is found there. */
async function likeCheckout(folder: string): Promise<void> {
  for (const name of ['src', 'node_modules', 'package.json'])
    await symlink(path.resolve(name), `${folder}/${name}`);
}

it('the example of docs/extending.md is published as it stands, with links to it and a sitemap', async () => {
  await using folder = await temporaryFolder();
  await likeCheckout(folder.path);
  const files = await extensionExample();
  expect(Object.keys(files).sort()).toEqual([
    'extend.ts',
    'hours.json',
    'theme/pages/about.njk',
    'theme/partials/foot.njk',
  ]);
  const { exitCode, stderr } = await buildWith(folder.path, files);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  const read = (file: string) => readFile(path.join(folder.path, 'site', file), 'utf8');
  const about = await read('about/index.html');
  expect(about).toContain('<title>About us – Test Motors</title>');
  expect(about).toContain('<h1>About us</h1>');
  expect(about).toContain('<p>2 vehicles at');
  expect(about).toContain('<a href="/one/">');
  expect(about).toContain('<th scope="row">Saturday</th><td>09:00–16:00</td>');
  // Every page of the site has the link and its icons; pages for frames elsewhere have no link.
  for (const [file, text] of await readTree(path.join(folder.path, 'site'))) {
    if (!file.endsWith('.html') || file.endsWith('/sticker/index.html')) continue;
    const isFrame = file.startsWith('embed/');
    expect(text.includes('<a href="/about/">About us</a>'), file).toBe(!isFrame);
    if (text.includes('<use ')) expect(text, file).toContain('<symbol id="i-left"');
  }
  expect(await read('sitemap-front.xml')).toContain('<loc>https://cars.example/about/</loc>');

  const byEleventy = await runEleventy(folder.path, service.mediaKey);
  expect(await readFile(path.join(byEleventy, 'about/index.html'), 'utf8')).toBe(about);
});

const TEMPLATE = {
  'theme/pages/own.njk':
    '{% extends "layouts/base.njk" %}{% block content %}<h1>{{ page_.heading }}</h1><p>{{ page_.data | dump }}</p>{% endblock %}',
};

const page = (more = '') =>
  `export default { pages: () => [{ path: '/own/', template: 'pages/own.njk', title: 'Own', description: 'A page', ${more} }] };`;

describe('with a configuration in memory', () => {
  const configured = (folder: string, extend = 'extend.js') =>
    configFor(service, {
      site: {
        title: 'Test Motors',
        url: 'https://cars.example',
        theme: path.join(folder, 'theme'),
        extend: path.join(folder, extend),
      },
    });

  it('a page in the frame of a dealer; without sitemap, search engines are kept away', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      ...TEMPLATE,
      'extend.js': page(`dealer: 'dealer-1', sitemap: false, data: { text: '<b>' }`),
    });
    const { error, output } = await build(configured(folder.path), folder.path);
    expect(error).toBeUndefined();
    const files = await readTree(output);
    const own = files.get('own/index.html') ?? '';
    expect(own).toContain('<a class="home" href="/dealer-1/">');
    expect(own).toContain('content="noindex"');
    expect(own).not.toContain('<b>');
    expect(files.get('sitemap-front.xml')).not.toContain('/own/');
  });

  it.each<[string, string, RegExp, RegExp]>([
    [
      'of a dealer',
      page(`path: '/dealer-1/team/'`),
      /cannot be made: \/dealer-1\/team\/\.$/,
      /belong to the dealer's vehicles/,
    ],
    ['of ours', page(`path: '/media/x/'`), /cannot be made: \/media\/x\//, /program's own/],
    ['the front page', page(`path: '/'`), /cannot be made: \/\./, /must be an address/],
    ['out of the folder', page(`path: '/../x/'`), /cannot be made/, /must be an address/],
    ['of a device', page(`path: '/con/'`), /cannot be made/, /must be an address/],
    [
      'given twice',
      page().replace(/\[(.*)\]/s, '[$1, $1]'),
      /cannot be made: \/own\//,
      /Pages number 1 and 2/,
    ],
    [
      'without template',
      page(`template: 'pages/none.njk'`),
      /cannot be made/,
      /no template pages\/none/,
    ],
    [
      'a layout as template',
      page(`template: 'layouts/base.njk'`),
      /cannot be made/,
      /no template layouts/,
    ],
    ['no such dealer', page(`dealer: 'none'`), /cannot be made/, /No dealer has the slug none/],
    ['a misspelled field', page(`tilte: 'x'`), /cannot be made/, /tilte: no page has this/],
    [
      'a date as data',
      page(`data: { from: new Date(0) }`),
      /not plain JSON/,
      /data of the page \/own\/\.from is of the kind Date/,
    ],
    [
      'a circle as data',
      'const a = {}; a.list = [a]; export default { data: () => a };',
      /not plain JSON/,
      /data\(\)\.list\[0\] leads back/,
    ],
    [
      'no number',
      'export default { data: () => ({ n: NaN }) };',
      /not plain JSON/,
      /data\(\)\.n is NaN/,
    ],
    [
      'a list as data',
      'export default { data: () => [1] };',
      /not plain JSON/,
      /no object with names/,
    ],
    [
      'a failure',
      '\n\nexport default { data() {\n throw new Error("no hours") } };',
      /failed in data\(\), line 4\.$/,
      /Error: no hours/,
    ],
    [
      'a failure in pages',
      'export default { pages() { return null.x } };',
      /failed in pages\(\), line 1\.$/,
      /TypeError/,
    ],
    [
      'pages that wait',
      'export default { pages: async () => [] };',
      /no list of pages/,
      /returned a promise/,
    ],
    ['no default export', 'export const x = 1;', /exports no extension/, /The default export/],
    [
      'a misspelled part',
      'export default { page: () => [] };',
      /exports no extension/,
      /It has page;/,
    ],
    ['no JavaScript', 'export default {', /failed in its first lines/, /SyntaxError|Error/],
  ])('refused: %s', async (_, source, what, why) => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, { ...TEMPLATE, 'extend.js': source });
    const { error, exitCode } = await build(configured(folder.path), folder.path);
    expect(error).toMatchObject({
      message: expect.stringMatching(what),
      why: expect.stringMatching(why),
      fix: expect.stringMatching(/./),
    });
    expect((error as Error).message).toContain(path.join(folder.path, 'extend.js'));
    expect(exitCode).toBe(2);
  });

  it('one that is missing is told with its path', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, TEMPLATE);
    const { error, exitCode } = await build(configured(folder.path, 'none.js'), folder.path);
    expect(exitCode).toBe(2);
    expect(error).toMatchObject({ message: expect.stringMatching(/none\.js does not exist\.$/) });
  });

  it('data that never comes ends with its deadline, or with the build', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      ...TEMPLATE,
      'extend.js': 'export default { data: () => new Promise(() => {}) };',
    });
    const config = configured(folder.path);
    await expect(loadExtension(config, { deadline: 50 })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/was not done with data\(\) after 0\.05 seconds/),
    });
    const stop = new AbortController();
    const reason = new Error('interrupted');
    setTimeout(() => stop.abort(reason), 50);
    await expect(loadExtension(config, { signal: stop.signal })).rejects.toBe(reason);
    const stopped = AbortSignal.abort(reason);
    await expect(loadExtension(config, { signal: stopped })).rejects.toBe(reason);
  }, 30_000);

  it('a broken link and an empty page are found like those of any page', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      'theme/pages/own.njk':
        '{% extends "layouts/base.njk" %}{% block content %}<a href="/no/">No</a>{% endblock %}',
      'extend.js': page(),
    });
    const { error, exitCode } = await build(configured(folder.path), folder.path);
    expect(exitCode).toBe(5);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /own\/index\.html is empty[\s\S]*own\/index\.html links to \/no\//,
      ),
    });
  });

  it('is told no key, and a key that it has nevertheless is neither published nor said', async () => {
    await using folder = await temporaryFolder();
    const key = JSON.stringify(service.mediaKey);
    await writeFilesBelow(folder.path, {
      ...TEMPLATE,
      'extend.js': `export default { data: ({ config }) => { throw new Error(JSON.stringify(config) + ${key}) } };`,
    });
    const told = await build(configured(folder.path), folder.path);
    expect(told.error).toMatchObject({
      why: expect.stringMatching(/"slug":"dealer-1".*\[secret\]$/),
    });
    expect(JSON.stringify(told.report) + String((told.error as Error).stack)).not.toContain(
      service.mediaKey,
    );
    expect((told.error as { why: string }).why).not.toMatch(/apiKey|baseUrl|accounts/i);

    await writeFilesBelow(folder.path, { 'other.js': page(`data: { key: ${key} }`) });
    const { error, exitCode } = await build(configured(folder.path, 'other.js'), folder.path);
    expect(exitCode).toBe(6);
    expect(error).toMatchObject({ code: 'secret-in-site' });
  });
});
