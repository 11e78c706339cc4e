import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import { build, buildSite, configFor, readSite } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 16, media: 'none' }));
/** Vehicles identified only by their plate. */
const north = service.data.dealers[0]?.vehicles.filter(({ vrm }) =>
  /^[A-Z]{2}\d{2}[A-Z]{3}$/.test(vrm),
);
const MAKES = ['Škoda', 'Škoda', 'SKODA', 'Audi', 'Audi', 'Audi', 'Audi', 'Lada', 'Lada'];
const site = { title: 'Group', url: 'https://cars.example', perPage: 3 };

/** A site of two dealers, the first with a stock list. */
async function world() {
  const folder = tempFolder();
  const list = (makes: readonly string[]) =>
    writeFile(
      path.join(folder, 'stock.csv'),
      ['plate,make', ...makes.map((make, at) => `${north?.[at]?.vrm},${make}`)].join('\n'),
    );
  const configOf = (dealers: number, more: Partial<UserConfig['site']> = {}) =>
    configFor(service, {
      site: { ...site, ...more },
      dealers: service.data.dealers.slice(0, dealers).map(({ id, name }, index) => ({
        id,
        name,
        slug: `dealer-${index + 1}`,
        ...(index === 0 && { stock: { file: path.join(folder, 'stock.csv') } }),
        address: { street: '1 Way', city: `Town ${index + 1}`, country: 'GB' },
        openingHours: { week: ['Mo-Fr 09:00-18:00'] },
      })),
    });
  await list(MAKES);
  return { folder, list, configOf };
}

const linksIn = (html = '') =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, address = '']) => address);
const makesOf = (files: Map<string, string>) =>
  [...files.keys()].filter((file) => /(?:^|\/)make\//.test(file)).sort();
const changed = (before: Map<string, string>, after: Map<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => file.endsWith('.html') && before.get(file) !== after.get(file))
    .sort();

describe('a make', () => {
  it('has listed pages at its dealer and in the group, linked from three vehicles, with breadcrumbs', async () => {
    const made = await world();
    const { output } = await buildSite(made.configOf(2), made.folder);
    const files = await readSite(output);
    expect(makesOf(files)).toEqual([
      'dealer-1/make/audi/index.html',
      'dealer-1/make/audi/page/2/index.html',
      'dealer-1/make/lada/index.html',
      'dealer-1/make/skoda/index.html',
      'make/audi/index.html',
      'make/lada/index.html',
      'make/skoda/index.html',
    ]);
    const read = (file: string) => readFile(path.join(output, file), 'utf8');
    const list = await read('dealer-1/index.html');
    const makes = linksIn(list).filter((link) => link.includes('/make/'));
    expect(makes).toEqual(['/dealer-1/make/audi/', '/dealer-1/make/skoda/']);
    expect(await read('dealer-2/index.html')).not.toContain('class="makes');
    const page = await read('dealer-1/make/skoda/index.html');
    expect(page).toContain(
      '<link rel="canonical" href="https://cars.example/dealer-1/make/skoda/">',
    );
    expect(page).toContain('"@type":"BreadcrumbList"');
    const vehicles = linksIn(page).filter((link) => /^\/dealer-1\/[^/]+\/$/.test(link));
    expect(vehicles).toHaveLength(3);
    for (const vehicle of vehicles) {
      const page = await read(`${vehicle.slice(1)}index.html`);
      expect(linksIn(page)).toContain('/dealer-1/make/skoda/');
      expect(page).toContain('"position":3');
    }
    const hub = await read('make/skoda/index.html');
    // In the footer of the vehicle pages, dealers have a heading.
    expect(hub).toMatch(/<h2 id="dealers">Dealers<\/h2>\s*<ul class="dealers"/);
    expect(await read('dealer-1/sitemap.xml')).toContain('/dealer-1/make/audi/page/2/</loc>');
    expect(await read('sitemap-front.xml')).toContain('https://cars.example/make/audi/</loc>');
    expect(files.get('index.html')).toContain('Town 2');
  });

  it('keeps its page below three vehicles, and only its vehicles and lists change', async () => {
    const made = await world();
    const before = await readSite((await buildSite(made.configOf(2), made.folder)).output);
    await made.list(MAKES.with(0, 'Seat'));
    const { output, report } = await buildSite(made.configOf(2), made.folder);
    expect(report.outcome).toBe('published');
    const after = await readSite(output);
    expect(after.get('index.html')).not.toContain('/make/skoda/');
    expect(linksIn(after.get('make/skoda/index.html'))).toContain('/dealer-1/make/skoda/');
    expect(after.get('dealer-1/make/skoda/index.html')).toContain('2 vehicles');
    expect(
      changed(before, after).filter(
        (file) => file.includes('make/') || file.startsWith('dealer-2'),
      ),
    ).toEqual(
      ['dealer-1', ''].flatMap((folder) =>
        ['seat', 'skoda'].map((make) => path.join(folder, 'make', make, 'index.html')),
      ),
    );
    // Reused pages equal a build from nothing, which does not know when facts changed.
    const fresh = tempFolder();
    const again = await build(made.configOf(2), fresh);
    expect(changed(after, await readSite(again.output))).toEqual([]);
  });
});

describe('the front page of a site with one dealer', () => {
  it('is its list, with one canonical URL', async () => {
    const made = await world();
    const config = made.configOf(1, { locales: ['de-DE'] });
    const { output } = await buildSite(config, made.folder);
    const files = await readSite(output);
    expect(files.get('index.html')).toBe(files.get('dealer-1/index.html'));
    expect(files.get('index.html')).toMatch(/"@type":"WebSite","name":"Group".*"AutoDealer"/);
    expect(files.get('index.html')).toContain(
      '<link rel="canonical" href="https://cars.example/">',
    );
    expect(files.get('de/dealer-1/index.html')).toContain(
      'hreflang="en-GB" href="https://cars.example/">',
    );
    expect(makesOf(files)).not.toContain('make/skoda/index.html');
    // No page links to its other URL.
    for (const [file, html] of files) {
      if (file.endsWith('.html')) expect(linksIn(html), file).not.toContain('/dealer-1/');
    }
    expect(linksIn(files.get('dealer-1/page/2/index.html'))).toContain('/');
    expect(files.get('dealer-1/page/2/index.html')).toContain('<link rel="prev" href="/">');
    expect(files.get('dealer-1/page/2/index.html')).toContain(
      '<link rel="canonical" href="https://cars.example/dealer-1/page/2/">',
    );
    expect(files.get('dealer-1/sitemap.xml')).not.toContain('<loc>https://cars.example/dealer-1/<');
    expect(files.get('sitemap-front.xml')).toContain('<loc>https://cars.example/</loc>');
  });

  it('is the page of the theme if it has one, with links to the makes of its dealer', async () => {
    const made = await world();
    const shipped = await readFile('templates/pages/front.njk', 'utf8');
    const own = '$&<h1>Own</h1>{{ page_.dealers.length }} {{ page_.vehiclesText }}';
    const front = shipped.replace('{% block content %}', own);
    await writeFilesBelow(made.folder, { 'own/pages/front.njk': front });
    const config = made.configOf(1, { theme: path.join(made.folder, 'own') });
    const { output } = await buildSite(config, made.folder);
    const files = await readSite(output);
    expect(files.get('index.html')).toContain('<h1>Own</h1>1 16 vehicles');
    expect(files.get('dealer-1/index.html')).toContain('href="https://cars.example/dealer-1/">');
    expect(linksIn(files.get('index.html'))).toContain('/dealer-1/make/skoda/');
  });
});
