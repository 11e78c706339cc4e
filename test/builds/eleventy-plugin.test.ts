import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEleventy } from '../support/command.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startPublishedSite } from '../support/published-site.ts';
import { startSampleService } from '../support/sample-service/index.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const service = await forAllTests(
  startSampleService({ dealers: 1, vehicles: 5, images: 2, pictureScale: 0.2 }),
);
const site = await forAllTests(startPublishedSite());
const project = tempFolder();
site.folder = path.join(project, 'live');
const vehicles = service.data.dealers[0]?.vehicles ?? [];

/** A user's site with a custom layout, custom pages and one page per vehicle. */
const FILES: Record<string, string> = {
  'eleventy.config.js': `
    import vehicleMedia from ${JSON.stringify(path.join(ROOT, 'src/eleventy-plugin/plugin.ts'))};
    export default async (eleventyConfig) => {
      await eleventyConfig.addPlugin(vehicleMedia, { config: 'site.config.json' });
      return { dir: { input: 'content', includes: '../includes', layouts: '../includes' } };
    };`,
  'includes/own.njk': '<!DOCTYPE html><title>Their own</title><body>{{ content | safe }}</body>',
  'content/index.njk':
    '---\nlayout: own.njk\n---\n{% from "partials/card.njk" import cards %}{{ cards(dealers[0].cards) }}',
  'content/about.md': '# About us',
  'content/theme/partials/head.njk': '<meta name="own">',
  'content/dealer.liquid':
    '---\nlayout: own.njk\npagination: { data: dealers, size: 1, alias: list }\npermalink: "{{ list.dealer.url }}"\n---\n<p>All of {{ list.dealer.name }}</p>',
  'content/vehicle.liquid':
    '---\nlayout: own.njk\npagination: { data: vehicles, size: 1, alias: vehicle }\npermalink: "{{ vehicle.url }}"\n---\n<meta property="og:image" content="{{ vehicle.share.image }}">{% vehicleMediaHead vehicle %}<h1>{{ vehicle.plate }}</h1>{% vehicleGallery vehicle %}',
};

const output = path.join(project, '_site');
await writeFilesBelow(project, FILES);
const config = {
  service: { baseUrl: service.baseUrl, timeout: '20s' },
  site: {
    title: 'Theirs',
    url: `${site.url}/`,
    timeZone: 'Europe/London',
    theme: 'content/theme',
  },
  dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', apiKeyEnv: 'MEDIA_API_KEY' }],
  media: { widths: [160, 320] },
};
await writeFile(path.join(project, 'site.config.json'), JSON.stringify(config));

/** Runs the user's Eleventy as a process in the folder of the site. */
async function eleventy(node: string[] = [], args: string[] = []) {
  const env = { MEDIA_API_KEY: service.mediaKey };
  const running = startEleventy(args, { cwd: project, env, node });
  const { exitCode, stdout, stderr } = await running.ended;
  return { exitCode, text: stdout + stderr };
}

const page = (...names: string[]) => readFile(path.join(output, ...names, 'index.html'), 'utf8');
const pagesOfVehicles = async () =>
  (await readdir(path.join(output, 'northgate'))).filter((name) => !name.includes('.')).sort();

describe('an Eleventy site with the plugin', () => {
  it('shows vehicles in its own layouts with every linked file', async () => {
    const { exitCode, text } = await eleventy();
    expect(text).not.toContain('Problem');
    expect(text).not.toContain('pathPrefix');
    expect(exitCode).toBe(0);
    const plates = await pagesOfVehicles();
    expect(plates).toHaveLength(vehicles.length);
    expect(await page('about')).toContain('About us');
    expect(await page('northgate')).toContain('All of Northgate');
    // The card is our partial for Nunjucks. The gallery is a shortcode, here in Liquid.
    expect((await page()).match(/<li[ >]/g)).toHaveLength(vehicles.length);
    const first = await page('northgate', plates[0] ?? '');
    expect(first).toContain('<title>Their own</title>');
    expect(first).toContain('class="gallery"');
    expect(first).not.toContain('eleventy:ignore');
    const named = [...first.matchAll(/(?:src|href)="(\/(?:media|assets)\/[^"?]+)/g)];
    expect(named.length).toBeGreaterThan(4);
    for (const [, file = ''] of named) await readFile(path.join(output, file));
    const [, picture = ''] = /og:image" content="([^"?]+)/.exec(first) ?? [];
    await readFile(path.join(output, new URL(picture).pathname));
    // Built-in pages and the theme are not published: the site has its own layouts.
    expect((await readdir(output)).sort()).toEqual(
      ['about', 'api', 'assets', 'index.html', 'media', 'northgate'].sort(),
    );
    expect(await readdir(path.join(output, 'api/records'))).toEqual(['7001.json', 'times.json']);
    await cp(output, site.folder, { recursive: true });
  });

  it('puts its files into the folder that Vite publishes unchanged, also if its plugin is added later', async () => {
    const vite = `eleventyConfig.addPlugin((late) => { late.ignores.add('.11ty-vite/**') }); return`;
    const text = (FILES['eleventy.config.js'] ?? '').replace('return', vite);
    await writeFile(path.join(project, 'vite.config.js'), text);
    await eleventy([], ['--config=vite.config.js', '--output=vite']);
    const [made, unchanged] = [path.join(project, 'vite'), path.join(project, 'vite/public')];
    expect((await readdir(unchanged)).sort()).toEqual(['api', 'assets', 'media', 'northgate']);
    expect(await readdir(made)).not.toContain('media');
  });

  it('keeps its vehicles if the service is down, also on an empty disk', async () => {
    const before = await pagesOfVehicles();
    await rm(output, { recursive: true });
    await rm(path.join(project, '.vehicle-media'), { recursive: true });
    service.faults.set({ route: 'media', status: 503 });
    const { exitCode, text } = await eleventy();
    service.faults.clear();
    expect(text).toContain('0 made');
    expect(text).toContain('degraded: snapshot used');
    expect(exitCode).toBe(0);
    expect(await pagesOfVehicles()).toEqual(before);
    expect(await readdir(path.join(output, 'media'))).toEqual(
      await readdir(path.join(site.folder, 'media')),
    );
  });

  it('keeps its vehicles if most of them are missing from a response', async () => {
    const before = await pagesOfVehicles();
    const lost = vehicles.splice(1);
    const { exitCode, text } = await eleventy([], ['--pathprefix=/shop/']);
    vehicles.push(...lost);
    expect(exitCode).toBe(0);
    expect(await pagesOfVehicles()).toEqual(before);
    // Addresses of vehicles do not have it.
    expect(text).toContain('Warning: The pathPrefix "/shop/" of Eleventy is not part of');
  });

  it('ends with the reason if publishing is not allowed', async () => {
    await rm(path.join(project, '.vehicle-media'), { recursive: true });
    site.instead = () => ({ status: 404 });
    service.faults.set({ route: 'picture', status: 404 });
    const { exitCode, text } = await eleventy();
    service.faults.clear();
    site.instead = undefined;
    expect(exitCode).toBe(1);
    expect(text).toContain('[publish-too-many-pictures-failed]');
    expect(text).not.toContain(service.mediaKey);
  });

  it.each([
    ['node', '20.20.2', 'vehicle-media-site needs Node 24 or newer. This is 20.20.2.'],
    ['pnp', '3', 'vehicle-media-site needs its packages in node_modules.'],
  ])(
    'ends with one message before reading other code if %s is %s',
    async (name, value, message) => {
      const source = await readFile(path.join(ROOT, 'src/eleventy-plugin/plugin.ts'), 'utf8');
      expect(source.match(/^(?:import|export) (?!type|default).*$/gm)).toEqual([
        "import { wrongNode } from '../lib/wrong-node.ts';",
      ]);
      const old = `Object.defineProperty(process.versions, '${name}', { value: '${value}' })`;
      const { exitCode, text } = await eleventy([`--import=data:text/javascript,${old}`]);
      expect(exitCode).toBe(1);
      expect(text).toContain(message);
      expect(text).not.toContain('plugin.ts:');
    },
  );

  it.each([
    ["{ conf: 'site.config.json' }", 'has unknown names: conf'],
    ["{ config: 'site.config.json', folder: 'content' }", 'folder: has other files'],
    ["{ config: 'other.config.ts' }", '[config-'],
  ])('ends with the reason and its fix if the options are %s', async (options, reason) => {
    const file = path.join(project, 'eleventy.config.js');
    const text = FILES['eleventy.config.js'] ?? '';
    await writeFile(file, text.replace("{ config: 'site.config.json' }", options));
    const ended = await eleventy();
    await writeFile(file, text);
    expect(ended.exitCode).toBe(1);
    expect(ended.text).toContain(reason);
    expect(ended.text).toMatch(/^\[11ty\] +Do: /m);
    expect(ended.text).not.toContain('src/eleventy-plugin');
  });
});
