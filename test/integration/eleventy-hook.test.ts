import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDevSite } from '../../src/dev/site.ts';
import { prepareSite, stockForTemplates } from '../../src/publish/build/prepare.ts';
import { readOwnFiles } from '../../src/render/own-files.ts';
import { build, readTree, temporaryFolder } from '../support/build.ts';
import { runEleventy } from '../support/command.ts';
import { withExtension } from '../support/extension.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { writeFilesBelow } from '../support/theme.ts';

const service = await forAllTests(startService({ dealers: 3, vehicles: 2, images: 1 }));

/** A hook with one of everything: a filter with an import, shortcodes, a name, plugins of both kinds. */
const EXTENSION = `import { shout } from './shout.js';
function marks(config, { mark }) {
  config.addShortcode('mark', (times) => \`<i>\${mark.repeat(times)}</i>\`);
}
export default {
  eleventy(config) {
    config.addFilter('shout', shout);
    config.addFilter('slug_of', config.getFilter('slugify'));
    config.addPairedShortcode('box', function (text, kind) {
      return \`<div class="\${kind}" data-page="\${this.ctx.page_.canonical ?? ''}">\${text}</div>\`;
    });
    config.addNunjucksGlobal('firm', 'Motors & Sons');
    config.addPlugin(marks, { mark: '*' });
    config.addPlugin(async (inner) => { inner.addShortcode('late', () => '<b>late</b>'); });
  },
};`;
const SHOUT = `export const shout = (text, mark = '!') => text.toUpperCase() + mark;`;
const ICONS = `<footer>{{ "a<b" | shout }}{{ "x" | shout("?") }} {{ "One Two" | slug_of }} {{ firm }}
{% mark 3 %}{% late %}
{% box "wide" %}{{ site.title }} {% include "partials/inner.njk" %}{% for n in [1, 2] %}{% mark n %}{{ loop.index }}{% endfor %}{% endbox %}</footer>`;
const FILES = {
  'extend.js': EXTENSION,
  'shout.js': SHOUT,
  'theme/partials/foot.njk': ICONS,
  'theme/partials/inner.njk': '<u>{{ firm | shout }}</u>',
};
const footerOf = (canonical: string) => `<footer>A&lt;B!X? one-two Motors &amp; Sons
<i>***</i><b>late</b>
<div class="wide" data-page="${canonical}">Test Motors <u>MOTORS &amp; SONS!</u><i>*</i>1<i>**</i>2</div></footer>`;

const configured = (folder: string) => withExtension(service, folder);

const footerIn = (page: string | undefined) => /<footer>.*<\/footer>/s.exec(page ?? '')?.[0];

/** The pages of a site with their footers, but for those without any. */
const footers = (files: ReadonlyMap<string, string>) =>
  new Map(
    [...files].flatMap(([name, text]) => {
      const footer = footerIn(text);
      return name.endsWith('.html') && footer !== undefined ? [[name, footer] as const] : [];
    }),
  );

describe('what a hook adds can be called by every template', () => {
  it('in a build, by one process and by several, and in npm run dev', async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, FILES);
    const config = configured(folder.path);
    const at = (name: string) => path.join(folder.path, name);

    const whole = await build(config, folder.path);
    expect(whole.error).toBeUndefined();
    const expected = footers(await readTree(whole.output));
    expect(expected.get('index.html')).toBe(footerOf('https://cars.example/'));
    expect(expected.get('dealer-2/index.html')).toBe(footerOf('https://cars.example/dealer-2/'));
    // The front page, the page of what is not found, three lists and pages of lines for other websites,
    // and the page of each vehicle. Pages for frames have no foot.
    expect(expected.size).toBe(2 + 2 * 3 + 6);

    const several = { ...config, service: { ...config.service, concurrency: 3 } };
    const shared = await build(several, at('several'), { chunkVehicles: 1 });
    expect(shared.error).toBeUndefined();
    expect(footers(await readTree(shared.output))).toEqual(expected);

    const cacheDir = at('cache');
    const now = Date.now();
    const own = await readOwnFiles(config, {});
    const { stock, pictures } = await stockForTemplates(config, { cacheDir, now });
    const prepared = await prepareSite(config, stock, { cacheDir, now, own, pictures });
    const dev = await readDevSite(config, stock, prepared);
    for (const [name, footer] of expected) expect(footerIn(dev.page(`/${name}`))).toBe(footer);
  }, 60_000);

  it('as docs/extending.md has it', async () => {
    await using folder = await temporaryFolder();
    const text = await readFile('docs/extending.md', 'utf8');
    const section = text.slice(text.indexOf('## Filters, shortcodes'));
    const [, code = ''] = /```ts\n(.*?)```/s.exec(section) ?? [];
    const [, use = ''] = /```html\n(.*?)```/s.exec(section) ?? [];
    // What it imports is found as in a checkout.
    for (const name of ['src', 'package.json']) {
      await symlink(path.resolve(name), path.join(folder.path, name));
    }
    await writeFilesBelow(folder.path, {
      'extend.ts': code,
      'theme/partials/foot.njk': `<footer>\n${use}{{ 'A B' | anchor }}</footer>`,
    });
    const config = configured(folder.path);
    const site = { ...config.site, extend: path.join(folder.path, 'extend.ts') };
    const { error, output } = await build({ ...config, site }, folder.path);
    expect(error).toBeUndefined();
    const front = await readFile(path.join(output, 'index.html'), 'utf8');
    expect(footerIn(front)).toBe(
      `<footer>\n£19,950.00 <a href="tel:+441134960000">+441134960000</a>\n<p class="small">Only at Test Motors.</p>\na-b</footer>`,
    );
  });

  it("in Eleventy's own command", async () => {
    await using folder = await temporaryFolder();
    await writeFilesBelow(folder.path, {
      ...FILES,
      'config.json': JSON.stringify({
        service: { baseUrl: service.baseUrl },
        site: { title: 'Test Motors', url: 'https://cars.example', extend: 'extend.js' },
        dealers: service.data.dealers.map(({ id, name }) => ({ id, name, slug: `dealer-${id}` })),
        media: { widths: [160] },
      }),
    });
    const output = await runEleventy(folder.path, service.mediaKey);
    const front = await readFile(path.join(output, 'index.html'), 'utf8');
    expect(footerIn(front)).toBe(footerOf('https://cars.example/'));
  }, 60_000);

  it('in checks before anything is fetched, where the doctor and a build look for names', async () => {
    await using folder = await temporaryFolder();
    const wrong = { ...FILES, 'theme/partials/inner.njk': '\n{{ firm | shuot }}' };
    await writeFilesBelow(folder.path, wrong);
    const requests = service.requests.list('media').length;
    const { error, exitCode } = await build(configured(folder.path), folder.path);
    expect(exitCode).toBe(2);
    expect(error).toMatchObject({
      message: expect.stringMatching(/inner\.njk cannot be rendered: line 2\.$/),
      why: 'filter not found: shuot',
    });
    expect(service.requests.list('media').length).toBe(requests);
  });
});

it('pages are made again when the extension, or a file that it imports or watches, changes', async () => {
  await using folder = await temporaryFolder();
  const extend = EXTENSION.replace('export default {', "export default { watch: ['words.txt'],");
  await writeFilesBelow(folder.path, { ...FILES, 'extend.js': extend, 'words.txt': 'one' });
  const config = configured(folder.path);
  const rendered = async (change: Record<string, string>) => {
    await writeFilesBelow(folder.path, change);
    const { error, report } = await build(config, folder.path);
    expect(error).toBeUndefined();
    return report.rendered;
  };
  const all = await rendered({});
  expect(all).toBeGreaterThan(12);
  expect(await rendered({})).toBe(0);
  expect(await rendered({ 'extend.js': `${extend}\n` })).toBe(all);
  expect(await rendered({ 'shout.js': `${SHOUT}\n` })).toBe(all);
  expect(await rendered({ 'words.txt': 'two' })).toBe(all);
  expect(await rendered({ 'other.js': SHOUT })).toBe(0);
}, 60_000);
