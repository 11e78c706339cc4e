import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSiteData } from '../../src/publish/build/site-data.ts';
import { build, buildSite, readTree, recordingConsole } from '../support/build.ts';
import { buildFrom, configIn, moduleOf } from '../support/custom-pages.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));

const OWN = '---\ntitle: Own\ndescription: A page\n';

it('accepts layouts, data, handlers and plugins of the configuration, which cannot change the published site', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    '_site/index.html': 'Published',
    'pages/own.md': `${OWN}layout: post.njk\neleventyNavigation: { key: Own }\n---\nText`,
    '_layouts/post.njk': '---\nlayout: page.njk\n---\n<p>{{ mood }}</p>{{ content | safe }}',
    'eleventy.config.mjs': `
      import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
      export const config = { dir: { layouts: '../_layouts' } };
      export default (eleventyConfig) => {
        eleventyConfig.addGlobalData('eleventyComputed', { mood: ({ title }) => title + '!' });
        eleventyConfig.on('eleventy.before', ({ dir, directories }) => {
          for (const { output } of [dir, directories]) rmSync(output, { recursive: true, force: true });
        });
        // Plugins like eleventy-plugin-webc write bundles there.
        eleventyConfig.addTransform('bundle', (content) => {
          mkdirSync(eleventyConfig.dir.output, { recursive: true });
          writeFileSync(eleventyConfig.dir.output + '/bundle.css', '');
          return content;
        });
      };`,
  });
  const { output } = await buildFrom(folder, configIn(service, folder));
  const files = await readTree(output);
  expect(files.get('own/index.html')).toMatch(/<h1>Own<\/h1>\s*<p>Own!<\/p><p>Text/);
  expect(files.has('bundle.css')).toBe(true);
  expect((await readTree(folder)).get('_site/index.html')).toBe('Published');
});

it('replaces the layout page.njk by one of the theme or of the project', async () => {
  const folder = tempFolder();
  const layout = (name: string) =>
    `{% extends "layouts/base.njk" %}{% block content %}<h1>${name}</h1>{{ content | safe }}{% endblock %}`;
  const htmlWith = async (files: Record<string, string>) => {
    await writeFilesBelow(folder, { 'pages/own.md': `${OWN}layout: page\n---\nText`, ...files });
    const { output } = await buildSite(configIn(service, folder), folder);
    return (await readTree(output)).get('own/index.html');
  };
  expect(await htmlWith({ 'theme/layouts/page.njk': layout('Theme') })).toContain('<h1>Theme</h1>');
  expect(await htmlWith({ 'pages/_includes/page.njk': layout('Mine') })).toContain('<h1>Mine</h1>');
});

it('keeps addresses below the path of the site with plugins that add it', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'pages/own.md': `${OWN}layout: page.njk\ntags: posts\n---\n[A](/own/) [B](/x/own/)`,
    'eleventy.config.mjs': `
      import { feedPlugin } from ${moduleOf('eleventy-plugin-rss/.eleventy.js')};
      export default (eleventyConfig) => {
        eleventyConfig.addPlugin(feedPlugin, {
          type: 'atom',
          outputPath: '/feed.xml',
          collection: { name: 'posts' },
          metadata: { title: 'News', language: 'en', base: 'https://cars.example/', author: {} },
        });
      };`,
  });
  const config = configIn(service, folder);
  const site = { ...config.site, url: 'https://cars.example/x' };
  const { output } = await buildSite({ ...config, site }, folder);
  const files = await readTree(output);
  expect(files.get('own/index.html')).toContain('<a href="/x/own/">A</a> <a href="/x/own/">B</a>');
  expect(files.get('feed.xml')).toContain('href=&quot;https://cars.example/x/own/&quot;&gt;B');
});

it('while pages are edited, eleventy-img does not make its pictures again', async () => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'pages/own.html': '<img src="a.webp" alt="">',
    'pages/a.webp': await readFile('docs/images/vehicle-desktop-light.webp'),
    'eleventy.config.mjs': `
      import { eleventyImageTransformPlugin } from ${moduleOf('eleventy-img/img.js')};
      export default (eleventyConfig) => eleventyConfig.addPlugin(eleventyImageTransformPlugin);`,
  });
  const load = async () => configIn(service, folder);
  const cacheDir = path.join(folder, 'cache');
  const { read } = await openSiteData({ load, cacheDir, console: recordingConsole() });
  const picture = async () => {
    const { files } = await read('serve');
    return files.find(({ file }) => /^\/own\/.*webp$/.test(file))?.content() as Buffer;
  };
  (await picture()).fill(0);
  expect((await picture())[0]).toBe(0);
});

it.each([
  ['addAsyncFilter', 'async () => { await 1; throw new Error("no hours"); }'],
  ['addNunjucksAsyncFilter', '(_, done) => setTimeout(() => done(new Error("no hours")))'],
])('names the line of a template whose asynchronous filter fails (%s)', async (add, filter) => {
  const folder = tempFolder();
  await writeFilesBelow(folder, {
    'pages/own.njk': `${OWN}layout: page.njk\n---\n<p>\n{{ 1 | no }}`,
    'eleventy.config.mjs': `export default (c) => { c.${add}('no', ${filter}) };`,
  });
  const { error } = await build(configIn(service, folder), folder);
  expect(error).toMatchObject({
    why: expect.stringMatching(/own\.njk\) \[Line 7\].*no hours \(eleventy\.config\.mjs:1\)$/),
  });
});
