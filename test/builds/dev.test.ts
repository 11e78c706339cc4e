import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { freshClone } from '../support/checkout.ts';
import { runDev, startDev } from '../support/dev.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { freePort } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 1 }));
const configOf = (site: object, dealer: object = {}) => ({
  service: { baseUrl: service.baseUrl },
  site: { url: 'https://cars.example', ...site },
  dealers: service.data.dealers.map(({ id, name }) => ({ id, name, slug: 'one', ...dealer })),
  media: { widths: [160] },
});
const PAGE = `---
title: About us
permalink: /about/
---
{% extends "layouts/base.njk" %}
{% block content %}<h1>{{ page_.heading }}</h1><p>{{ hours.text }}</p>{{ note }}{% include "part.njk" %}{% endblock %}
`;
const NOTE = `import { readFileSync } from 'node:fs';
export default () => readFileSync(import.meta.dirname + '/../../notes/one.txt', 'utf8');`;
// The example of https://www.11ty.dev/docs/config-preprocessors/, and files outside of pages/.
const DRAFTS = `export const config = { dir: { includes: '../parts' } };
export default (eleventyConfig) => {
  eleventyConfig.addWatchTarget(import.meta.dirname + '/notes/**/*.txt');
  eleventyConfig.addPreprocessor('drafts', '*', (data, content) => {
    if (data.draft && process.env.ELEVENTY_RUN_MODE === 'build') return false;
  });
};`;
/** The kernel's error if too many files are watched. */
const NO_WATCHERS = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.watch = (path) => {
  const text = 'ENOSPC: System limit for number of file watchers reached';
  throw Object.assign(new Error(text), { code: 'ENOSPC', path });
};
syncBuiltinESMExports();`;
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>';
const hours = (text: string) => ({ 'pages/_data/hours.json': JSON.stringify({ text }) });

it('shows changes and mistakes of a custom page, its data and the configuration, without watchers of the system', async () => {
  const folder = tempFolder();
  let dev: Awaited<ReturnType<typeof startDev>> | undefined;
  try {
    const config = (...settings: Parameters<typeof configOf>) =>
      `export default ${JSON.stringify(configOf(...settings))};`;
    const write = (files: Record<string, string>) => writeFilesBelow(folder, files);
    const at = (name: string) => path.join(folder, name);
    await write({
      'hook.mjs': NO_WATCHERS,
      'site.config.js': config({ title: 'First Cars' }),
      'pages/about.njk': PAGE,
      'pages/draft.md': '---\nlayout: page.njk\ntitle: A draft\ndraft: true\n---\nNot yet.',
      'eleventy.config.js': DRAFTS,
      'pages/_data/note.mjs': NOTE,
      'notes/one.txt': 'First note',
      'parts/part.njk': 'First part',
      ...hours('nine to five'),
    });
    const hook = `--import ${pathToFileURL(at('hook.mjs')).href}`;
    dev = await startDev(at('site.config.js'), service.mediaKey, 0, { NODE_OPTIONS: hook });
    const { origin, printed } = dev;
    const text = async (page: string) => (await fetch(`${origin}${page}`)).text();
    const shows = (page: string) => expect.poll(() => text(page));

    await shows('/about/').toContain('<p>nine to five</p>');
    expect(await text('/draft/')).toContain('Not yet.');
    await write({ 'notes/one.txt': 'Second note' });
    await shows('/about/').toContain('Second note');
    await write({ 'parts/part.njk': 'Second part' });
    await shows('/about/').toContain('Second part');
    await write(hours('ten to four'));
    await shows('/about/').toContain('<p>ten to four</p>');

    await write({ 'pages/about.njk': PAGE.replace('About us', 'Who we are') });
    await shows('/about/').toContain('<h1>Who we are</h1>');
    // The links in the footer of built-in pages change as well.
    const linked = PAGE.replace('---\n', '---\neleventyNavigation: { key: Who }\n');
    await write({ 'pages/about.njk': linked });
    await shows('/one/').toContain('<a href="/about/">Who</a>');
    await write({ 'pages/about.njk': linked.replace('key: Who', 'key: People') });
    await shows('/one/').toContain('<a href="/about/">People</a>');
    await write({ 'pages/about.njk': PAGE.replace('/about/', '/one/about/') });
    await shows('/about/').toContain('below /one/ belong');
    await write({ 'pages/about.njk': PAGE.replace('hours.text', 'hours.nothing') });
    await shows('/about/').toContain('about.njk');
    await write({ 'pages/about.njk': PAGE, 'pages/_data/hours.json': '{"text":' });
    await shows('/about/').toContain('hours.json');
    await write(hours('always'));
    await shows('/about/').toContain('<p>always</p>');

    // The previous page is shown until the next one is made.
    const slow = 'export default () => new Promise((done) => setTimeout(done, 500));';
    await write({ 'pages/_data/slow.mjs': slow, ...hours('seldom') });
    for (let shown = ''; !shown.includes('<p>seldom</p>'); ) {
      shown = await text('/about/');
      expect(shown).toContain('<h1>About us</h1>');
    }

    await write({ 'site.config.js': config({ title: 'Second Cars' }) });
    await shows('/').toContain(' – Second Cars</title>');
    // Files that a changed configuration names are watched even if they cannot be used.
    await write({ 'site.config.js': config({ title: 'Second Cars' }, { logo: 'logo.svg' }) });
    await shows('/').toContain('The logo logo.svg cannot be used.');
    // Saved again and again, because the new list of files is watched a moment after the error is shown.
    const saved = (logo: string) =>
      expect.poll(() => write({ 'logo.svg': logo }).then(() => text('/')), {
        timeout: 30_000,
        interval: 1000,
      });
    await saved(LOGO).toContain('/assets/logo-');
    await saved('No picture').toContain('Its size cannot be read.');
    await write({ 'site.config.js': config({ title: 7 }) });
    await shows('/').toContain('site.title');
    // The mistake stays visible when other files are saved.
    await write(hours('never'));
    await shows('/').toContain('site.title');
    await write({
      'site.config.js': config({ title: 'Third Cars', url: 'https://cars.example/cars' }),
    });
    await shows('/cars/about/').toContain('<p>never</p>');
    await shows('/cars/').toContain(' – Third Cars</title>');
    expect(printed.stdout).toContain('The configuration changed');
    expect(printed.stdout + printed.stderr).not.toContain('watchers');
    await write({ 'theme/pages/front.njk': '{{ page_.nothing }}' });
    await shows('/cars/').toContain('front.njk cannot be rendered: line 1');
    expect(printed.stderr).toContain('front.njk cannot be rendered: line 1');
  } finally {
    await dev?.close();
  }
});

it('shows a broken theme and a mistyped key at the start until they are corrected', async () => {
  const cwd = tempFolder();
  const write = (files: Record<string, string>) => writeFilesBelow(cwd, files);
  await write({
    'site.config.json': JSON.stringify(configOf({ title: 'First Cars' })),
    'theme/partials/head.njk': '<meta name="{% if %}">',
    '.env': `MEDIA_API_KEY=${'0'.repeat(32)}\n`,
  });
  const dev = await runDev(['--config', 'site.config.json'], { cwd });
  try {
    const shows = () =>
      expect.poll(async () => (await fetch(dev.origin)).text(), { timeout: 30_000 });
    await shows().toContain('head.njk cannot be rendered: line 1');
    await write({ 'theme/partials/head.njk': '<meta name="corrected">' });
    await shows().toContain('The service refused the request');
    await write({ '.env': `MEDIA_API_KEY=${service.mediaKey}\n` });
    await shows().toContain('<meta name="corrected">');
    expect(dev.printed.stderr).not.toMatch(/^\s+at /m);
  } finally {
    await dev.close();
  }
});

it('shows changes of the default templates from another folder', async () => {
  const folder = tempFolder();
  const clone = path.join(folder, 'a/clone');
  const cwd = path.join(folder, 'b');
  await freshClone(clone, 'to run');
  const hoursFrom = (text: string) => ({ 'pages/_data/hours.mjs': `export default '${text}';` });
  await writeFilesBelow(cwd, {
    'theme/partials/head.njk': '<meta name="own">',
    'pages/about.md': '---\nlayout: page.njk\ntitle: About us\n---\n{{ hours }}',
    ...hoursFrom('nine to five'),
  });
  const dev = await runDev(['--sample', '--vehicles', '1'], { cwd, clone });
  try {
    const shows = (page = '') =>
      expect.poll(async () => (await fetch(dev.origin + page)).text(), { timeout: 30_000 });
    await shows().toContain('<meta name="own">');
    await writeFilesBelow(clone, { 'templates/partials/foot.njk': '<p>Changed</p>' });
    await shows().toContain('<p>Changed</p>');
    await writeFilesBelow(cwd, { 'theme/partials/head.njk': '<meta name="other">' });
    await shows().toContain('<meta name="other">');
    await shows('/about/').toContain('<p>nine to five</p>');
    await writeFilesBelow(cwd, hoursFrom('ten to four'));
    await shows('/about/').toContain('<p>ten to four</p>');
  } finally {
    await dev.close();
  }
});

it('shows custom pages and a theme of the working folder with --sample, also new ones', async () => {
  const folder = tempFolder();
  const cwd = path.join(folder, 'our [cars] (2) {new}');
  const write = (files: Record<string, string>) => writeFilesBelow(cwd, files);
  // As in an installed project, the program is below the working folder.
  const clone = path.join(cwd, 'program');
  await freshClone(clone, 'to run');
  const dev = await runDev(['--sample', '--vehicles', '1'], { cwd, clone });
  try {
    const shows = (page: string) =>
      expect.poll(async () => (await fetch(`${dev.origin}${page}`)).text(), { timeout: 30_000 });
    await write({
      'eleventy.config.js':
        'export default (config) => { config.addFilter("shout", (text) => text.toUpperCase()); };',
      'pages/about.md': '---\nlayout: page.njk\ntitle: About us\n---\n{{ title | shout }}',
    });
    await shows('/about/').toContain('<p>ABOUT US</p>');
    await write({ 'theme/partials/foot.njk': '<p id="foot">Our foot</p>' });
    await shows('/about/').toContain('Our foot');
    await write({ 'theme/partials/foot.njk': '<p id="foot">Your foot</p>' });
    await shows('/').toContain('Your foot');
    await expect.poll(() => dev.printed.stdout).toMatch(/^theme\/partials\/foot\.njk: \d+ ms$/m);
  } finally {
    await dev.close();
  }
});

it('two sites that are started at the same time use two ports, also if the service of one is down', async () => {
  const folder = tempFolder();
  const port = await freePort();
  const titles = ['First Cars', 'Second Cars'];
  const down = { service: { baseUrl: 'http://127.0.0.1:1', timeout: '2s' } };
  const configs = titles.map((title, index) => [
    `${title}/site.config.json`,
    JSON.stringify({ ...configOf({ title }), ...(index === 1 && down) }),
  ]);
  await writeFilesBelow(folder, Object.fromEntries(configs));
  const start = (title: string) =>
    startDev(path.join(folder, title, 'site.config.json'), service.mediaKey, port);
  const running = await Promise.all(titles.map(start));
  try {
    const texts = running.map(async ({ origin }) => (await fetch(origin)).text());
    for (const [index, text] of (await Promise.all(texts)).entries()) {
      expect(text).toContain(`${titles[index]}</title>`);
    }
    expect(running[1]?.printed.stdout).toMatch(/\[service-unreachable\]\s+Why: After \d/);
  } finally {
    await Promise.all(running.map(({ close }) => close()));
  }
});
