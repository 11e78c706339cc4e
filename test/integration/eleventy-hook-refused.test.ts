import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadExtension } from '../../src/render/extension/load.ts';
import { build, temporaryFolder } from '../support/build.ts';
import { withExtension } from '../support/extension.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { writeFilesBelow } from '../support/theme.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, media: 'none' }));
const configured = (folder: string) => withExtension(service, folder);

describe('a hook is refused', () => {
  const hook = (lines: string) => `export default {\n  eleventy(config) {\n${lines}\n  },\n};`;

  it.each<[string, string, place: RegExp, why: RegExp]>([
    [
      'that throws',
      'throw new Error("no such plugin");',
      /eleventy\(\), line 3\.$/,
      /^Error: no such plugin$/,
    ],
    [
      'whose plugin throws',
      'config.addPlugin(function broken() {\n throw new Error("broken"); });',
      /eleventy\(\), line 4\.$/,
      /^Error: broken$/,
    ],
    [
      'whose promise is rejected',
      'return Promise.reject(new Error("late"));',
      /eleventy\(\), line 3\.$/,
      /^Error: late$/,
    ],
    [
      'that adds an asynchronous filter',
      'config.addFilter("price", async () => 1);',
      /line 3\.$/,
      /"price" is asynchronous, and templates do not wait\. Fetch in data\(\)/,
    ],
    [
      'that adds an asynchronous shortcode',
      '\nconfig.addShortcode("now", async () => 1);',
      /line 4\.$/,
      /"now" is asynchronous/,
    ],
    [
      'that adds a paired one',
      'config.addPairedAsyncShortcode("now", () => 1);',
      /line 3\.$/,
      /"now" is asynchronous/,
    ],
    ['that adds data', 'config.addGlobalData("x", 1);', /line 3\.$/, /site\.data/],
    [
      'that adds a template',
      'config.addTemplate("x.njk", "x");',
      /line 3\.$/,
      /addTemplate\(\) acts on templates, files and commands of Eleventy's own/,
    ],
    ['that changes pages', 'config.addTransform("x", (x) => x);', /line 3\.$/, /addTransform\(\)/],
    ['that adds formats', 'config.setTemplateFormats("md");', /line 3\.$/, /setTemplateFormats/],
    ['that moves folders', 'config.setOutputDirectory("/");', /line 3\.$/, /setOutputDirectory/],
    ['that listens', 'config.on("eleventy.after", () => {});', /line 3\.$/, /on\(\) acts/],
    [
      'in a plugin that does so',
      'config.addPlugin((inner) => {\ninner.addPassthroughCopy("x"); });',
      /line 4\.$/,
      /addPassthroughCopy\(\)/,
    ],
    ['that gives no function', 'config.addFilter("x", 1);', /line 3\.$/, /Invalid definition/],
  ])('%s', async (_, lines, place, why) => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, { 'extend.js': hook(lines), 'theme/assets/theme.css': '' });
    const { error, exitCode } = await build(configured(folder.path), folder.path);
    expect(exitCode).toBe(2);
    expect(error).toMatchObject({
      code: 'extension-failed',
      message: expect.stringMatching(place),
      why: expect.stringMatching(why),
    });
    expect((error as Error).message).toContain(path.join(folder.path, 'extend.js'));
  });

  it('that never ends', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, { 'extend.js': hook('return new Promise(() => {});') });
    await expect(loadExtension(configured(folder.path), { deadline: 50 })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/was not done with eleventy\(\) after 0\.05 seconds/),
    });
  });
});

const base = await readFile('templates/layouts/base.njk', 'utf8');
/** Where `base.njk` includes the foot. */
const FRAME = base.slice(0, base.indexOf('partials/foot.njk')).split('\n').length;

describe('a function that fails is told with the line of the template and its own', () => {
  it.each<[string, work: string, use: string, why: string]>([
    [
      'a filter',
      'config.addFilter("price", (pence) => {\n return pence.toFixed(); });',
      '{{ "x" | price }}',
      'the filter "price" fails: TypeError: pence.toFixed is not a function (extend.js, line 2)',
    ],
    [
      'a shortcode',
      'config.addShortcode("year", () => { throw "no year"; });',
      '{% year %}',
      'the shortcode "year" fails: no year',
    ],
    [
      'a shortcode around text',
      'config.addPairedShortcode("box", (text) => text.trimm());',
      '{% box %}x{% endbox %}',
      'the shortcode "box" fails: TypeError: text.trimm is not a function (extend.js, line 1)',
    ],
    [
      'one that waits nevertheless',
      'config.addShortcode("later", () => Promise.resolve(1));',
      '{% later %}',
      'the shortcode "later" fails: it gives a promise, and templates do not wait',
    ],
    [
      'one that gives nothing',
      'config.addShortcode("empty", () => {});',
      '{% empty %}',
      'the shortcode "empty" fails: it gives nothing',
    ],
    [
      'one that tells a key',
      `config.addFilter("open", () => { throw new Error(${JSON.stringify(service.mediaKey)}); });`,
      '{{ 1 | open }}',
      'the filter "open" fails: Error: [secret] (extend.js, line 1)',
    ],
  ])('%s', async (_, work, use, why) => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      'extend.js': `export default { eleventy(config) { ${work} } };`,
      'theme/partials/foot.njk': `\n\n${use}`,
    });
    const { error, exitCode } = await build(configured(folder.path), folder.path);
    expect(exitCode).toBe(2);
    expect(error).toMatchObject({
      code: 'template-failed',
      message: expect.stringMatching(/partials\/foot\.njk cannot be rendered: line 3\.$/),
      why: `${why}, used in templates/layouts/base.njk, line ${FRAME}`,
    });
    expect((error as Error).stack).not.toContain(service.mediaKey);
  });
});
