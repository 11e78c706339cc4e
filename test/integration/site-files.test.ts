import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Parser } from 'htmlparser2';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { dealerMediaSchema, vehicleMediaSchema } from '../../src/site/documents/media-json.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { openShowroom, PLATES } from '../support/showroom.ts';

const showroom = await forAllTests(openShowroom({ locale: 'de-DE', sticker: false }));

const read = (file: string) => readFile(path.join(showroom.output, file), 'utf8');
const json = async (file: string) => JSON.parse(await read(file));

/** Texts of all elements of a name. Throws if the XML is not properly nested. */
function elements(xml: string, name: string): string[] {
  const texts: string[] = [];
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentag(tag) {
        open.push(tag);
        if (tag === name) texts.push('');
      },
      ontext(text) {
        if (open.at(-1) === name) texts.push(`${texts.pop()}${text}`);
      },
      onclosetag(tag, implied) {
        if (implied && !/\/>/.test(xml)) throw new Error(`<${tag}> is not closed`);
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
  return texts;
}

const exists = async (url: string) => (await fetch(url)).status === 200;

describe('files beside the pages', () => {
  it('media.json of every vehicle and dealer matches its schema, and its URLs exist', async () => {
    const dealer = dealerMediaSchema.parse(await json('northgate/media.json'));
    expect(dealer.vehicles).toHaveLength(21);
    for (const { media } of dealer.vehicles.slice(0, 6)) {
      const vehicle = vehicleMediaSchema.parse(await (await fetch(media)).json());
      expect(await exists(vehicle.url)).toBe(true);
      expect(await exists(vehicle.embed)).toBe(true);
      for (const item of vehicle.media) {
        if (item.kind !== 'picture') continue;
        expect(await exists(item.src)).toBe(true);
        for (const { url } of item.sources.flatMap(({ files }) => files)) {
          expect(await exists(url)).toBe(true);
        }
      }
    }
    const mixed = vehicleMediaSchema.parse(await json('northgate/ab12cde/media.json'));
    expect(mixed.media.map(({ kind }) => kind)).toEqual([
      'video',
      ...Array(5).fill('picture'),
      'video',
    ]);
    expect(mixed).toMatchObject({
      name: '2021 Albion Wren',
      price: '14.995\u00a0£',
      vrm: PLATES.mixed,
    });
  });

  it('sitemaps list every indexed page with pictures, videos and correct dates', async () => {
    const files = elements(await read('sitemap.xml'), 'loc');
    expect(files).toHaveLength(3);
    const xml = await read('northgate/sitemap.xml');
    const pages = elements(xml, 'loc');
    expect(pages).toHaveLength(4 + 21 + 3);
    expect(elements(xml, 'image:loc')).toHaveLength(36);
    // Without a still there is no entry, because it is required.
    expect(elements(xml, 'video:player_loc')).toHaveLength(3);
    expect(elements(xml, 'video:thumbnail_loc')).toHaveLength(3);
    expect(elements(xml, 'lastmod')).toContain('2026-02-28T10:00:00Z');
    for (const page of pages) expect(await exists(page), page).toBe(true);
    expect(pages.some((page) => /zz99old|embed/.test(page))).toBe(false);
    // Stored state is only for builds.
    expect(await exists(`${showroom.server.url}api/records/times.json`)).toBe(true);
    for (const file of [
      'robots.txt',
      'sitemap.xml',
      'sitemap-front.xml',
      'northgate/sitemap.xml',
    ]) {
      expect(await read(file), file).not.toContain('/api/');
    }
  });

  it('feeds hold the newest vehicles, with the dates of the data', async () => {
    const atom = await read('northgate/feed.xml');
    expect(elements(atom, 'id')).toHaveLength(22);
    expect(elements(atom, 'updated')[0]).toBe('2026-03-01T10:00:00.000Z');
    // The author is required, titles are HTML, and the type of a picture is its media type.
    expect(elements(atom, 'name')).toEqual(['Northgate Cars']);
    expect(atom).toContain('<![CDATA[&lt;/script&gt;&lt;b&gt;');
    expect(new Set(atom.match(/type="image[^"]*"/g))).toEqual(new Set(['type="image/jpeg"']));
    const feed = await json('northgate/feed.json');
    expect(JSON.stringify(feed.items)).toContain('"title":"</script><b>');
    expect(feed.items[0]).toMatchObject({
      title: '2021 Albion Wren, AB12 CDE, 14.995\u00a0£',
      url: `${showroom.server.url}northgate/ab12cde/`,
    });
  });

  it('the report lists rows and vehicles without a match', () => {
    const [dealer] = showroom.result.report.dealers;
    expect(dealer?.facts).toMatchObject({
      rows: 6,
      matched: 5,
      rowsWithoutVehicle: 1,
      vehiclesWithoutRow: 16,
      unmatchedRows: ['ZZ99ZZZ'],
      problems: [
        '"Year": 1 value is not a year: "20x1" (row 4)',
        '"Price": 1 value is not a price: "ask us" (row 4)',
      ],
      unusedColumns: ['Bay'],
    });
  });
});

describe('pages', () => {
  it('are entirely in German, with the facts of the list', async () => {
    const html = await read('northgate/ab12cde/index.html');
    expect(html).toContain('<html lang="de-DE">');
    expect(html).toContain('Laufleistung');
    expect(html).toContain('2021 Albion Wren, AB12 CDE, Bild 1 von 5');
    expect(html).toContain('Aktualisiert am 1. März 2026');
    expect(html).not.toMatch(/\b(?:Updated|Full screen|Number plate|Show photo|Copy)\b/);
  });

  it('describe a car for search engines, and no video that they would refuse', async () => {
    const html = await read('northgate/ab12cde/index.html');
    const [, text = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
    const [car, trail] = JSON.parse(text);
    expect(car).toMatchObject({
      '@type': ['Car', 'Product'],
      name: '2021 Albion Wren',
      sku: 'AB12 CDE',
      vehicleModelDate: '2021',
      mileageFromOdometer: { value: 21000, unitCode: 'SMI' },
      bodyType: 'Kombi',
      offers: { price: 14995, priceCurrency: 'GBP' },
      image: Array(5).fill({ '@type': 'ImageObject' }),
    });
    expect(trail['@type']).toBe('BreadcrumbList');
    expect(text).not.toContain('VideoObject');
    // A Product without a price would be a fault.
    const unpriced = await read('northgate/cd34efg/index.html');
    expect(unpriced).toContain('"@type":"Car"');
    expect(unpriced).not.toContain('"Product"');
    expect(await read('northgate/ef56ghj/index.html')).not.toContain('"image":');
  });

  it.each([
    ['northgate/ab12cde/index.html', '/northgate/ab12cde/card.jpg'],
    ['northgate/index.html', '/northgate/card.jpg'],
    // Of the dealer with the newest vehicle.
    ['index.html', '/northgate/front.jpg'],
  ])('%s has a card of 1200 × 630 for shared links', async (file, card) => {
    const html = await read(file);
    const [, image = ''] = /property="og:image" content="([^"]+)"/.exec(html) ?? [];
    const { pathname } = new URL(image);
    expect(pathname).toBe(card);
    const { width, height } = await sharp(
      path.join(showroom.output, decodeURI(pathname)),
    ).metadata();
    const [, named] = /og:image:width" content="(\d+)"/.exec(html) ?? [];
    const [, high] = /og:image:height" content="(\d+)"/.exec(html) ?? [];
    expect([width, height, Number(named), Number(high)]).toEqual([1200, 630, 1200, 630]);
  });

  it('have no sheets for windows if these are switched off', async () => {
    const files = await readdir(showroom.output, { recursive: true });
    expect(files.filter((file) => file.includes('sticker'))).toEqual([]);
  });

  it('escape every text of the service', async () => {
    const folders = await readdir(path.join(showroom.output, 'northgate'));
    const hostile = folders.find((name) => name.startsWith('script-b'));
    const html = await read(`northgate/${hostile}/index.html`);
    expect(html).not.toContain(PLATES.hostile);
    expect(html).toContain('\\u003c/script>');
    expect((await json(`northgate/${hostile}/oembed.json`)).html).not.toContain('<b>');
    expect(elements(await read('northgate/sitemap.xml'), 'urlset')).toHaveLength(1);
  });
});
