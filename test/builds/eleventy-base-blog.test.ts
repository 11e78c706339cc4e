import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { startEleventy } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { visit } from '../support/page.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * The starter project of Eleventy (version 9.0.0, commit e37a55c) with its configuration and plugins, but
 * without files for hosts and its style sheet for feeds. It uses version 7 of eleventy-img instead of 6.
 */
const BLOG = 'test/fixtures/eleventy-base-blog';
const ROOT = path.resolve(import.meta.dirname, '../..');

const service = await forAllTests(
  startService({ dealers: 1, vehicles: 3, images: 2, pictureScale: 0.2 }),
);
const project = tempFolder();
const at = (...names: string[]) => path.join(project, ...names);

/** Code blocks of docs/eleventy.md, which a reader copies into the blog. */
const docs = await readFile('docs/eleventy.md', 'utf8');
const block = (start: RegExp): string => {
  const found = [...docs.matchAll(/```\w+\n([\s\S]*?)```/g)].find(([, text = '']) =>
    start.test(text),
  );
  if (!found?.[1]) throw new Error(`docs/eleventy.md has no example that begins with ${start}`);
  return found[1];
};

await cp(BLOG, project, { recursive: true });
await mkdir(at('node_modules'));
for (const name of await readdir('node_modules')) {
  await symlink(path.join(ROOT, 'node_modules', name), at('node_modules', name));
}
await symlink(ROOT, at('node_modules/vehicle-media-site'));
const eleventyConfig = await readFile(at('eleventy.config.js'), 'utf8');
const [imported = '', added = ''] = [
  /^import .*$/m.exec(block(/^\/\/ eleventy\.config\.js/))?.[0],
  /^ {2}await eleventyConfig.*$/m.exec(block(/^\/\/ eleventy\.config\.js/))?.[0],
];
await writeFilesBelow(project, {
  'eleventy.config.js': `${imported}\n${eleventyConfig.replace(/^export default .*$/m, (line) => `${line}\n${added}`)}`,
  'content/vehicle.njk': block(/^---\npagination: \{ data: vehicles/),
  'content/two.liquid':
    '---\npermalink: /two/\n---\n<html>{% for vehicle in vehicles %}{% vehicleMediaHead vehicle %}{% vehicleGallery vehicle %}{% endfor %}</html>',
  'content/cars.njk': block(/^---\neleventyNavigation:/),
  'content/cards.njk':
    '---\npermalink: /cards/\n---\n{{ dealers[0].css }}{% from "partials/card.njk" import cards %}{{ cards(dealers[0].cards) }}',
  'site.config.ts': `export default ${JSON.stringify({
    service: { baseUrl: service.baseUrl, timeout: '20s' },
    site: { title: 'Cars', url: 'https://blog.example/' },
    dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', apiKeyEnv: 'MEDIA_API_KEY' }],
    media: { widths: [160, 320] },
  })};`,
});

/** Folders of vehicles with a page. */
const plates = async () =>
  (await readdir(at('_site/northgate'), { recursive: true }).catch(() => []))
    .filter((file) => file.endsWith('/index.html'))
    .map((file) => path.dirname(file));

/** A page of a vehicle in the layout of the blog. */
function checkVehiclePage(html: string): void {
  expect(html).toContain('<a href="/" class="home-link">Eleventy Base Blog v9</a>');
  expect(html).toMatch(/<heading-anchors>[\s\S]*class="gallery"[\s\S]*<\/heading-anchors>/);
  expect(html).toContain('<a href="/cars/">Cars</a>');
}

it('shows vehicles in the layouts of eleventy-base-blog, beside its posts', async () => {
  const env = { MEDIA_API_KEY: service.mediaKey };
  const { exitCode, stdout, stderr } = await startEleventy([], { cwd: project, env }).ended;
  expect(exitCode).toBe(0);
  expect(stdout + stderr).not.toContain('Problem');
  const read = (...names: string[]) => readFile(at('_site', ...names), 'utf8');
  const [plate = ''] = await plates();
  const html = await read('northgate', plate, 'index.html');
  checkVehiclePage(html);
  for (const [, file = ''] of html.matchAll(/(?:src|href)="(\/(?:media|assets)\/[^"?#]+)/g)) {
    await readFile(at('_site', file));
  }
  // The transforms of its plugins do not change thumbnails and scripts of the plugin.
  expect(html).toMatch(/<img (?!eleventy)[^>]*src="\/media\//);
  expect(html).toMatch(/<script defer(?:="")? src="\/assets\//);
  const cards = await read('cards/index.html');
  expect(cards).toMatch(/\/assets\/site\.css\?v=/);
  expect(cards.match(/<img (?!eleventy)[^>]*src="\/media\//g)).toHaveLength(3);
  expect(await read('cars/index.html')).toContain(`href="/northgate/${plate}/"`);
  expect(await read('blog/fourthpost/index.html')).toContain('<picture>');
  expect(await read('feed/feed.xml')).toContain('<entry>');

  // The blog's rules for links and images do not change the gallery.
  await using server = await startStaticServer({ folder: at('_site'), port: 0 });
  await using page = await visit(await sharedBrowser(), `${server.url}northgate/${plate}/`, {
    expected: '404',
  });
  const look = `(({ color }, { height }) => color + ' ' + height)(
    getComputedStyle(document.querySelector('.strip a')),
    getComputedStyle(document.querySelector('.strip img')))`;
  expect(await page.evaluate(look)).toBe('rgb(255, 255, 255) 72px');
  await page.locator('.gallery .full').click();
  await expect.poll(() => page.locator('dialog[open] .slide img').count()).toBeGreaterThan(0);
  // Several galleries on a page move separately, and have different ids.
  await page.goto(`${server.url}two/`);
  expect(await page.locator('.gallery').count()).toBe(3);
  await page.locator('.gallery').nth(1).locator('.strip a').nth(1).click();
  const counters = page.locator('.gallery .counter');
  await expect.poll(() => counters.nth(1).textContent()).toMatch(/^2 of/);
  expect(await counters.first().textContent()).toMatch(/^1 of/);
});

/** Runs the blog with `--serve`, without a key. */
async function serve() {
  const running = startEleventy(['--serve', '--port=0'], { cwd: project });
  const { child, printed, prints, ended } = running;
  const [, origin] = await prints(/Server at (\S+)\/$/m);
  return {
    printed: () => printed.stdout + printed.stderr,
    text: async (page: string) => (await fetch(`${origin}${page}`)).text(),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

const POLL = { timeout: 60_000, interval: 250 };

it('reads everything again with --serve: .env after a failed first build, layouts, site.config.ts', async () => {
  await rm(at('_site'), { recursive: true, force: true });
  await rm(at('.vehicle-media'), { recursive: true, force: true });
  await using blog = await serve();
  expect(blog.printed()).toMatch(/MEDIA_API_KEY, which is not set[\s\S]*Save site\.config\.ts to/);
  expect(await blog.text('/about/')).toContain('I am a person that writes stuff.');
  await writeFile(at('.env'), `MEDIA_API_KEY=${service.mediaKey}\n`);
  const layout = at('_includes/layouts/base.njk');
  const html = await readFile(layout, 'utf8');
  // Several times, because the watcher may miss a change during its start.
  let times = 0;
  const firstPlate = async () => {
    await writeFile(layout, html + '\n'.repeat(times++));
    return (await plates())[0];
  };
  await expect.poll(firstPlate, { ...POLL, interval: 3000 }).toBeDefined();
  const vehicle = `/northgate/${(await plates())[0]}/`;
  checkVehiclePage(await blog.text(vehicle));
  // Files of the vehicles did not exist in the first run.
  const picture = async () =>
    blog.text(/src="(\/media\/[^"]+)/.exec(await blog.text(vehicle))?.[1] ?? '/');
  await expect.poll(picture, POLL).toContain('WEBP');
  await writeFile(layout, html.replace('<main id="main">', '<main id="main" class="wide">'));
  const page = () => blog.text(vehicle);
  await expect.poll(page, POLL).toContain('<main id="main" class="wide">');
  expect(await page()).toContain('Photos and videos');
  const config = await readFile(at('site.config.ts'), 'utf8');
  onTestFinished(() => writeFile(at('site.config.ts'), config));
  await writeFile(at('site.config.ts'), config.replace('"title"', '"locale":"de-DE","title"'));
  await expect.poll(page, POLL).toContain('Bilder und Videos');
});
