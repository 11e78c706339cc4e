import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { headersFor } from '../../src/lib/static-server/headers-file.ts';
import { findCustomPages, makeCustomPages } from '../../src/render/custom-pages.ts';
import type { SitePlan } from '../../src/site/plan/site-plan.ts';
import { argumentsIn, build, buildSite, readTree, writeConfigIn } from '../support/build.ts';
import { eleventyIn } from '../support/command.ts';
import { buildFrom, configIn, customPagesExample, moduleOf } from '../support/custom-pages.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { commandHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { shippedTheme } from '../support/theme.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));
const withPictures = await forAllTests(
  startService({ dealers: 1, vehicles: 1, images: 2, pictureScale: 0.2 }),
);

it('publishes the unchanged example of docs/extending.md, with links and a sitemap', async () => {
  const folder = tempFolder();
  const files = await customPagesExample();
  expect(Object.keys(files).sort()).toEqual([
    'eleventy.config.js',
    'pages/_data/hours.json',
    'pages/about.njk',
    'pages/company.md',
  ]);
  await writeFilesBelow(folder, files);
  writeConfigIn(folder, service, {
    site: { title: 'Test Motors', url: 'https://cars.example/x' },
  });
  const { exitCode, stderr } = await commandHere('build', argumentsIn(folder), {
    MEDIA_API_KEY: service.mediaKey,
  });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  const published = await readTree(path.join(folder, 'site'));
  const about = await readFile(path.join(folder, 'site/about/index.html'), 'utf8');
  expect(about).toContain('<title>About us – Test Motors</title>');
  expect(about).toContain('<meta property="og:title" content="About us – Test Motors">');
  expect(about).toContain('<h1>About us</h1>');
  expect(about).toContain('<p>2 vehicles at');
  expect(about).toContain('<a href="/x/">');
  expect(about).toContain('<th scope="row">Saturday</th><td>9 am–4 pm</td>');
  expect(about).toContain('http-equiv="Content-Security-Policy"');
  expect(published.get('company/index.html')).toMatch(/<h1>The company<\/h1>\s*<p>Founded/);
  // Every page of the site has the link and its icons. Pages for frames have no link.
  for (const [file, text] of published) {
    if (!file.endsWith('.html') || file.endsWith('/sticker/index.html')) continue;
    const isFrame = file.startsWith('embed/');
    expect(text.includes('<a href="/x/about/">About us</a>'), file).toBe(!isFrame);
    if (text.includes('<use ')) expect(text, file).toContain('<symbol id="i-left"');
  }
  expect(published.get('sitemap-front.xml')).toContain('<loc>https://cars.example/x/about/</loc>');

  const { ended, output } = eleventyIn(folder, service.mediaKey);
  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(await readFile(path.join(output, 'about/index.html'), 'utf8')).toBe(about);
});

const OWN = '---\ntitle: Own\ndescription: A page\n';
const BODY = `---\n{% extends "layouts/base.njk" %}{% block content %}<h1>{{ page_.heading }}</h1><p>Text</p>`;
const page = (more = '', text = '') => `${OWN}${more}${BODY}${text}{% endblock %}`;

const lines = (...texts: string[]) =>
  [
    `${OWN}---`,
    '{% extends "layouts/base.njk" %}',
    '{% block content %}',
    ...texts,
    '{% endblock %}',
  ].join('\n');

it('adds a page with the header of a dealer; without a sitemap it is not listed', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'pages/own.njk': page(
      'dealer: dealer-1\nsitemap: false\n',
      '{{ "<b>" }}{{ vehicles[0].plate }}',
    ),
    'pages/note.liquid':
      '---\npermalink: /note.txt\n---\n{{ vehicles.size }} of {{ site.title | shout }}',
    'pages/robots.liquid': '---\npermalink: /robots.txt\n---\nUser-agent: GPTBot\nDisallow: /\n',
    'pages/old.liquid': '---\npermalink: /_redirects\n---\n/old.php /own/ 301\n',
    'pages/style.css': 'p { margin: 0 }',
    'pages/posts.njk': page(
      'posts: [A, B]\npagination: { data: posts, size: 1 }\npermalink: "/blog/tags/cars/{{ pagination.pageNumber + 1 }}/"\n',
      '{{ pagination.items[0] }}',
    ),
    'eleventy.config.cjs': `module.exports = (config) => { config.addPassthroughCopy({ "nothing/": "." }); config.addFilter("shout", (text) => text + "!");
        config.addTransform("minify", (text) => text.replace('name="robots" content="noindex"', "content=noindex name=robots"));
        return { dir: { input: "sites", output: "site" } }; };`,
  });
  const config = configIn(service, folder);
  const { output } = await buildSite(config, folder);
  const files = await readTree(output);
  const customPage = files.get('own/index.html') ?? '';
  expect(customPage).toContain('<a class="home" href="/">');
  expect(customPage).toContain('<meta content=noindex name=robots>');
  expect(customPage).toContain('&lt;b&gt;');
  expect(files.get('sitemap-front.xml')).not.toContain('/own/');
  expect(files.get('note.txt')).toBe('2 of Test Motors!');
  expect(files.get('robots.txt')).toBe('User-agent: GPTBot\nDisallow: /\n');
  expect(files.get('_redirects')).toBe('/old.php /own/ 301\n');
  expect(files.get('blog/tags/cars/2/index.html')).toContain('<p>Text</p>B');
  const headers = headersFor(files.get('_headers') ?? '', '/blog/tags/cars/2/');
  expect(headers.get('cache-control')).toContain('stale-while-revalidate');
  // Equal pages are equal files, and a deleted page is removed.
  const again = await build(config, folder);
  expect(again.report).toMatchObject({ outcome: 'unchanged' });
  await writeFilesBelow(folder, { 'pages/note.liquid': '---\npermalink: false\n---\n' });
  await build(config, folder);
  expect((await readTree(output)).has('note.txt')).toBe(false);
});

it('makes a page in another language of the site, and links it only on pages in that language', async () => {
  const folder = tempFolder();
  const german = 'lang: de_AT\npermalink: /de/wir/\neleventyNavigation: { key: Wir }\n';
  await writeFilesBelow(folder, {
    'pages/wir.njk': page(german, '{{ words.allVehicles }}'),
    'pages/own.njk': page(
      'lang: en\neleventyNavigation: { key: Own }\n',
      '{{ words.allVehicles }}',
    ),
  });
  const site = { title: 'Test', url: 'https://cars.example', locales: ['de-DE'] };
  const buildWith = (more: object) => {
    writeConfigIn(folder, service, { site: { ...site, ...more } });
    const key = { MEDIA_API_KEY: service.mediaKey };
    return commandHere('build', argumentsIn(folder), key);
  };
  expect(await buildWith({})).toMatchObject({ stderr: '', exitCode: 0 });
  const files = await readTree(path.join(folder, 'site'));
  const textOf = (file: string) => files.get(file) ?? '';
  expect(textOf('de/wir/index.html')).toMatch(
    /<html lang="de-DE">[\s\S]*Zum Inhalt springen[\s\S]*<p>Text<\/p>Fahrzeuge/,
  );
  expect(textOf('own/index.html')).toMatch(/<html lang="en-GB">[\s\S]*<p>Text<\/p>Vehicles/);
  const links = ['<a href="/own/">Own</a>', '<a href="/de/wir/">Wir</a>'];
  const linksOn = (file: string) => links.map((link) => textOf(file).includes(link));
  expect(linksOn('index.html')).toEqual([true, false]);
  expect(linksOn('de/index.html')).toEqual([false, true]);
  expect(linksOn('de/wir/index.html')).toEqual([false, true]);
  const { stderr } = await buildWith({ locales: [] });
  expect(stderr).toContain('The site is not in the language de_AT: add it to site.locales.');
});

it('shows thumbnails and pictures of the theme on a custom page, also with eleventy-img, and with unique ids', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'pages/own.njk': page(
      '',
      '{% from "partials/card.njk" import cards %}{{ cards(vehicles) }}{% vehicleGallery vehicles[0] %}{% vehicleGallery vehicles[0] %}<img src="{{ assets[\'mark.svg\'] }}" alt="">',
    ),
    'theme/assets/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    'eleventy.config.js': `
      import { IdAttributePlugin } from ${moduleOf('eleventy/src/Eleventy.js')};
      import { eleventyImageTransformPlugin } from ${moduleOf('eleventy-img/img.js')};
      export default (config) => {
        // It refuses two elements with the same id.
        config.addPlugin(IdAttributePlugin);
        config.addPlugin(eleventyImageTransformPlugin);
      };`,
  });
  const { output } = await buildSite(configIn(withPictures, folder), folder);
  const customPage = (await readTree(output)).get('own/index.html') ?? '';
  expect(customPage).toMatch(/<span class="cover">\s*<img class="c[^>]* src="\/media\//);
  expect(customPage).toMatch(/<img src="\/assets\/mark\.svg\?v=\w+"/);
  expect(customPage).not.toContain('eleventy:ignore');
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const MARKDOWN = '---\nlayout: page.njk\ntitle: Team\ndescription: Our team\n---\n\n';

it('publishes a picture next to a page with the line of docs/extending.md, also in a subfolder', async () => {
  const folder = tempFolder();
  const [line] = /^eleventyConfig\.addPassthroughCopy.*$/m.exec(
    await readFile('docs/extending.md', 'utf8'),
  ) ?? [''];
  await writeFilesBelow(folder, {
    'sites/pages/team.md': `${MARKDOWN}![We](team.svg)`,
    'sites/pages/team.svg': SVG,
  });
  const config = configIn(service, path.join(folder, 'sites'));
  const { error } = await build(config, folder);
  expect(error).toMatchObject({
    message: expect.stringContaining('team/index.html links to team.svg, which does not exist'),
    fix: expect.stringMatching(/addPassthroughCopy \(docs\/extending.md#files\), .* eleventy-img/),
  });
  await writeFilesBelow(folder, {
    'sites/eleventy.config.js': `export default (eleventyConfig) => { ${line} };`,
  });
  const built = await buildFrom(folder, config);
  expect((await readTree(built.output)).get('team/team.svg')).toBe(SVG);
});

it('names a missing picture, although the copies of others are still running', async () => {
  const folder = tempFolder();
  const pictures = Array.from({ length: 40 }, (_, at) => `${at}.svg`);
  const links = (names: string[]) => names.map((name) => `![A](${name})\n`).join('');
  await writeFilesBelow(folder, {
    'pages/team.md': MARKDOWN + links([...pictures, 'missing.svg']),
    ...Object.fromEntries(pictures.map((name) => [`pages/${name}`, SVG])),
    'eleventy.config.js':
      "export default (config) => { config.addPassthroughCopy('**/*.svg', { mode: 'html-relative' }); };",
  });
  // Vitest fails at an error that nothing awaits. In a build, it would end the program.
  const { error } = await buildFrom(folder, configIn(service, folder));
  expect(error).toMatchObject({ why: expect.stringMatching(/team\.md.*pages\/missing\.svg$/) });
});

describe('refuses', () => {
  const own = (...texts: string[]) => ({ 'pages/own.njk': page(...texts) });
  const at = (permalink: string) => own(`permalink: ${permalink}\n`);
  const njk = (text: string) => ({
    'pages/own.njk': `${MARKDOWN}{% from "a.njk" import no %}\n<p>\n${text}`,
    'pages/_includes/a.njk': '{% macro no() %}{% endmacro %}',
  });
  it.each<[string, Record<string, string>, RegExp, field?: string]>([
    ['its address in a language', at('/de/dealer-1/team/'), /below \/de\/dealer-1\/ belong/],
    ['a file at an address of the program', at('/media/a.txt'), /into another folder/, 'fix'],
    ['capital letters', at('/About/'), /Pages have addresses such as/],
    ['a name of a device', at('/con/'), /Pages have addresses such as/],
    ['a file of the program', at('/sitemap.xml'), /replace the other/],
    ['a file name with a space', at('"/our cars.txt"'), /store its name/],
    ['data with the name of ours', { 'pages/_data/site.json': '{"a":1}' }, /"site" \(site\.json\)/],
    [
      'global data of the configuration with the name of ours',
      {
        ...at('/a/'),
        'eleventy.config.mjs': 'export default (c) => { c.addGlobalData("vehicles", []) };',
      },
      /The data "vehicles" \(addGlobalData\) has a name/,
    ],
    ['front matter that sets ours', at('/a/\nsite: { title: A }'), /^Front.* sets "title" in/],
    ['front matter that adds to ours', at('/a/\nwords: { my: A }'), /^Front.* sets "my" in/],
    ['the front page', at('/index.html'), /Pages have addresses such as/],
    ['a permalink out of the site', at('a/../../../x.html'), /leads out of the site/],
    [
      'an address given twice',
      { ...at('/a/'), 'pages/a.md': '# A' },
      /conflict.* `\/a\/index\.html`/,
    ],
    ['an unknown dealer', own('dealer: none\n'), /No dealer has the slug none/],
    [
      'a path of the site',
      { ...at('/a/'), 'eleventy.config.mjs': 'export default () => ({ pathPrefix: "/repo/" });' },
      /Remove pathPrefix from the configuration/,
    ],
    ['the page for a wrong URL', at('404.html'), /write theme\/pages\/404\.njk/, 'fix'],
    [
      'a name without value, also with options of Nunjucks',
      {
        ...own('', '\n{{ nothing.at }}'),
        'eleventy.config.mjs': 'export default (c) => c.setNunjucksEnvironmentOptions({});',
      },
      /own\.njk\) \[Line 6\] \{\{ nothing\.at \}\} has no value$/,
    ],
    [
      'an unknown filter, in its line',
      { 'pages/own.njk': lines('<p>', '{{ 1 | nothing }}') },
      /own\.njk\) \[Line 8\] Error: filter not found: nothing$/,
    ],
    ['wrong front matter', own('sitemap: a: b\n'), /front matter.*own\.njk [^|]*\(4:\d+\)$/],
    [
      'data that fails, with the line of its script',
      { ...at('/a/'), 'pages/_data/hours.mjs': 'export default () => {\n  nothing();\n};' },
      /nothing is not defined \(pages\/_data\/hours\.mjs:2\)$/,
    ],
    [
      'a wrong template',
      { 'pages/own.njk': '---json\r\n{"title":"X"}\r\n---\r\nx\r\n{% nothing %}' },
      /own\.njk\) \[Line 5\] unknown block tag/,
    ],
    [
      'a gallery of nothing',
      own('', '{% vehicleGallery nothing %}'),
      /own\.njk\) \[Line 5\].*vehicleGallery.*needs an entry of "vehicles"/,
    ],
    ['an unknown filter without a block', njk('{{ 1 | nothing }}'), /own\.njk\) \[Line 9\] Error/],
    ['a tag without an end', njk('{% if 1 %}\n'), /own\.njk\) \[Line 9\] parseIf: .* end of file$/],
    ['a missing template', njk('{% include "no.njk" %}'), /\[Line 9\] .*not found: no\.njk$/],
    [
      'a name without value in a macro',
      {
        ...njk('{{ no() }}'),
        'pages/_includes/a.njk': '{% macro no() %}\n{{ b.c }}{% endmacro %}',
      },
      /own\.njk\) a name in a macro or in data, line 2, has no value$/,
    ],
    [
      'a name without value after a filter that takes time',
      njk('{{ "<p>" | renderTransforms({}) }}{{ nothing.at }}'),
      /own\.njk\).*has no value$/,
    ],
    [
      'a wrong script',
      { ...at('/a/'), 'pages/_data/a.mjs': 'x;\nf(;' },
      /\(pages\/_data\/a\.mjs:2\)$/,
    ],
    ['wrong data', { ...at('/a/'), 'pages/_data/a.json': '[\n}]' }, /\(pages\/_data\/a\.json:2\)$/],
    [
      'a wrong text',
      { 'pages/own.md': '---\ntitle: X\nlayout: page.njk\n---\n{{ 1 | nothing }}' },
      /own\.md, line:5,/,
    ],
    [
      'a filter that fails',
      {
        'pages/own.njk': lines('<p>', '{{ 1 | no }}'),
        'eleventy.config.mjs':
          'export default (c) => { c.addFilter("no", () => { throw new Error("no hours") }) };',
      },
      /own\.njk\) \[Line 8\].*no hours \(eleventy\.config\.mjs:1\)$/,
    ],
    [
      'a wrong configuration',
      { ...at('/a/'), 'eleventy.config.ts': 'export default {' },
      /\(eleventy\.config\.ts:1\)$/,
    ],
    [
      'a broken link or an empty page, as on any page',
      {
        'pages/own.njk': `${OWN}---\n{% extends "layouts/base.njk" %}{% block content %}<a href="/no/">No</a>{% endblock %}`,
      },
      /own\/index\.html is empty: it has no <h1>[\s\S]*own\/index\.html links to \/no\//,
      'message',
    ],
    [
      'a page in Markdown without a layout, which it needs',
      { 'pages/team.md': '# Our team\n\nWe sell cars.' },
      /needs "layout: page\.njk" in its front matter/,
      'fix',
    ],
  ])('%s', async (_, files, text, field = 'why') => {
    const folder = tempFolder();
    await writeFilesBelow(folder, files);
    const config = configIn(service, folder);
    const site = { ...config.site, locales: ['de-DE'] };
    const { error, exitCode } = await build({ ...config, site }, folder);
    expect(error).toMatchObject({ [field]: expect.stringMatching(text) });
    expect([2, 5]).toContain(exitCode);
  });

  it('data that never arrives: the build ends', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, {
      'pages/own.njk': page(),
      'pages/_data/hours.mjs': 'export default () => new Promise(() => {});',
    });
    const config = configIn(service, folder);
    const site = { home: '/', words: {}, assets: {} };
    const plan = {
      site,
      sites: [site],
      views: () => ({ site, dealers: [], vehicles: [] }),
    } as unknown as SitePlan;
    const options = { config, plan, theme: await shippedTheme() };
    const pages = findCustomPages(config);
    await expect(makeCustomPages(pages, { ...options, timeout: 100 })).rejects.toMatchObject({
      why: 'They took longer than 0.1 s.',
      fix: expect.stringContaining('If eleventy-img makes pictures, use smaller ones'),
    });
    const reason = new Error('interrupted');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 100);
    await expect(makeCustomPages(pages, { ...options, signal: stop.signal })).rejects.toBe(reason);
    const signal = AbortSignal.abort(reason);
    await expect(makeCustomPages(pages, { ...options, signal })).rejects.toBe(reason);
  });

  it('folders that Eleventy cannot read: it would make no pages', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, { 'a (b)/pages/own.njk': page(), '100%/x': '' });
    const config = configIn(service, path.join(folder, 'a (b)'));
    const problem = { code: 'folder-name', message: expect.stringContaining('has "("') };
    expect(await build(config, folder)).toMatchObject({ exitCode: 2, error: problem });
    const { error } = await buildFrom(path.join(folder, '100%'), configIn(service, folder));
    expect(error).toMatchObject({ code: 'folder-name', message: expect.stringContaining('"%"') });
  });

  it('a leaked key, which is neither published nor reported', async () => {
    const folder = tempFolder();
    const config = configIn(service, folder);
    const failing = `export default (c) => { throw new Error("${service.mediaKey}") };`;
    await writeFilesBelow(folder, { 'pages/own.njk': page(), 'eleventy.config.js': failing });
    const reported = await build(config, folder);
    expect(reported.error).toMatchObject({ why: expect.stringContaining('[secret]') });
    const text = JSON.stringify(reported.report) + String((reported.error as Error).stack);
    expect(text).not.toContain(service.mediaKey);
    await writeFilesBelow(folder, { 'other/pages/own.njk': page('', service.mediaKey) });
    const other = configIn(service, path.join(folder, 'other'));
    const { error, exitCode } = await build(other, folder);
    expect(exitCode).toBe(6);
    expect(error).toMatchObject({ code: 'secret-in-site' });
  });
});
