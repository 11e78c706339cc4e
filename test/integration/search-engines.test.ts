import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { plateText } from '../../src/site/i18n/text.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { buildSite, configFor } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 5, media: 'none' }));
const folder = tempFolder();
const vrms = service.data.dealers[0]?.vehicles.map(({ vrm }) => vrm) ?? [];
const [plate = ''] = vrms;
const stock = { file: path.join(folder, 'stock.csv') };

/** Facts of the first vehicle. The others only have a make. */
const FACTS = 'Wren,9000,21000,Diesel,Manual,Red,';
const NO_FACTS = ',,,,,,';

const NOW = Date.parse('2026-03-10T12:00:00Z');

/** Publishes the dealers' vehicles with a stock list, on a site in two languages with two vehicles on a page. */
async function publish({ facts = FACTS, skoda = NO_FACTS, now = NOW }) {
  const head = 'plate,make,model,price,mileage,fuel,transmission,colour,status';
  const rows = vrms.map((vrm, at) =>
    (at < 4 ? [vrm, 'Albion', at === 0 ? facts : NO_FACTS] : [vrm, 'Škoda', skoda]).join(','),
  );
  await writeFile(stock.file, [head, ...rows, ''].join('\n'));
  const [north, river] = service.data.dealers;
  const config = configFor(service, {
    site: { title: 'Group', url: 'https://cars.example', locales: ['de-DE'], perPage: 2 },
    dealers: [
      {
        id: north?.id ?? 0,
        name: 'Northgate',
        slug: 'north',
        stock,
        address: { street: '1 Way', city: 'Leeds', country: 'GB' },
      },
      {
        id: river?.id ?? 0,
        name: 'York Motors',
        slug: 'river',
        address: { street: '2 Way', city: 'York', country: 'GB' },
      },
    ],
  });
  const { output } = await buildSite(config, folder, { now });
  return (file: string) => readFileSync(path.join(output, file), 'utf8');
}

let read = await publish({});
const vehicle = `north/${vehicleSlug(plate)}/index.html`;
const titleOf = (page: string) => /<title>(.*?)<\/title>/.exec(read(page))?.[1];
const descriptionOf = (page: string) =>
  /<meta name="description" content="(.*?)">/.exec(read(page))?.[1];

describe('search results', () => {
  it('show price, facts and town of a vehicle', () => {
    expect(descriptionOf(vehicle)).toBe(
      `Albion Wren, ${plateText(plate, '')}, £9,000, 21,000 miles, Diesel, Manual, Red at Northgate, Leeds: Photos coming soon.`,
    );
    expect(descriptionOf(`de/${vehicle}`)).toContain('Diesel, Schaltgetriebe, Rot bei Northgate');
  });

  it('name the town of lists once', () => {
    expect(titleOf('north/index.html')).toBe('Northgate, Leeds – Group');
    expect(titleOf('north/make/albion/index.html')).toBe('Albion at Northgate, Leeds');
    expect(titleOf('river/index.html')).toBe('York Motors – Group');
    expect(titleOf('index.html')).toBe('Group – Leeds, York');
  });

  it('name makes, and differ for each page of a list', () => {
    const first = 'Photos and videos of vehicles at Northgate, Leeds: 5 vehicles. Albion, Škoda.';
    expect(descriptionOf('north/index.html')).toBe(first);
    expect(descriptionOf('north/page/2/index.html')).toBe(`${first} Page 2 of 3.`);
    expect(descriptionOf('north/make/albion/page/2/index.html')).toMatch(/4 vehicles\. Page 2/);
    expect(descriptionOf('index.html')).toBe('Photos and videos of 10 vehicles. Albion.');
  });
});

/** The JSON-LD of a page. */
const jsonLdOf = (page: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(read(page))?.[1] ?? '{}');

describe('search engines get', () => {
  it('the name of the site from front pages', () => {
    const site = { '@type': 'WebSite', name: 'Group' };
    expect(jsonLdOf('index.html')).toMatchObject({ ...site, url: 'https://cars.example/' });
    expect(jsonLdOf('de/index.html')).toMatchObject({ ...site, url: 'https://cars.example/de/' });
  });

  it('a description of a vehicle that has none in the stock list', () => {
    expect(jsonLdOf(vehicle)[0].description).toBe(descriptionOf(vehicle));
  });

  it('breadcrumbs and a picture of a page of a make', () => {
    expect(jsonLdOf('make/albion/index.html').itemListElement).toEqual([
      { '@type': 'ListItem', position: 1, name: 'Group', item: 'https://cars.example/' },
      { '@type': 'ListItem', position: 2, name: 'Albion' },
    ]);
    expect(read('make/albion/index.html')).toContain(
      '<meta property="og:image" content="https://cars.example/north/front.jpg',
    );
  });
});

it('the sitemap and the feeds have the time of a new price, until the next change', async () => {
  const dates = () => {
    const sitemap = read('north/sitemap.xml');
    const dateOf = (page: string) => new RegExp(`/${page}</loc><lastmod>(.*?)<`).exec(sitemap)?.[1];
    const [other = ''] = vrms.slice(1).map(vehicleSlug);
    const feed = JSON.parse(read('north/feed.json')).items.find(({ url }: { url: string }) =>
      url.endsWith(`/${vehicleSlug(plate)}/`),
    );
    return {
      vehicle: dateOf(`north/${vehicleSlug(plate)}/`),
      other: dateOf(`north/${other}/`),
      list: dateOf('north/'),
      make: dateOf('north/make/albion/page/2/'),
      feed: feed.date_modified,
    };
  };
  const before = dates();
  const media = service.data.dealers[0]?.vehicles ?? [];
  expect(before.vehicle).toBe(media[0]?.dateUpdated);
  const facts = FACTS.replace('9000', '8500');
  const changed = '2026-03-11T12:00:00.000Z';
  const albion = { vehicle: changed, make: changed, feed: changed };
  const night = { ...albion, other: before.other, list: changed };
  read = await publish({ facts, now: NOW + 86_400_000 });
  expect(dates()).toEqual(night);
  read = await publish({ facts, now: NOW + 2 * 86_400_000 });
  expect(dates()).toEqual(night);
  // A vehicle of another make does not change the page of a make.
  read = await publish({ facts, skoda: 'Fabia,,,,,,', now: NOW + 3 * 86_400_000 });
  expect(dates()).toEqual({ ...night, list: '2026-03-13T12:00:00.000Z' });
});

it.each([
  ['', 'InStock'],
  ['reserved', 'Reserved'],
  ['sold', 'SoldOut'],
])(
  'structured data of a vehicle with the status "%s" have the availability %s',
  async (status, availability) => {
    const readNext = await publish({ facts: FACTS + status, now: NOW + 4 * 86_400_000 });
    const offer = /"offers":(\{.*?\})/.exec(readNext(vehicle))?.[1];
    expect(offer).toContain(`"availability":"https://schema.org/${availability}"`);
  },
);
