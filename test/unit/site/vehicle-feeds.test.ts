import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type FeedConfig, feedsSchema } from '../../../src/config/feed-schema.ts';
import { type FeedRows, feedFiles, feedRows } from '../../../src/site/vehicle-feeds/feed.ts';
import type { Offer } from '../../../src/site/vehicle-feeds/offer.ts';
import { standardValue } from '../../../src/stock/values.ts';
import { googleViolations, metaViolations } from '../../support/feed-rules.ts';
import { offlineConfig } from '../../support/offline-config.ts';

const DEALER: Offer['dealer'] = {
  id: 1,
  name: 'North',
  slug: 'north',
  apiKeyEnv: 'KEY',
  storeCode: 'A-1',
  address: { street: 'High St', city: 'Leeds', region: 'York', postalCode: 'L1', country: 'GB' },
};

const FACTS: Offer['facts'] = {
  make: 'Albion',
  model: 'Wren',
  year: 2019,
  price: 9995,
  mileage: 12_000.4,
  colour: 'Blue',
  condition: 'used',
  body: 'Estate',
  fuel: 'Petrol',
  stockId: 'S-1',
  firstRegistration: '2019-03',
  vin: 'WVWZZZ1KZAW000001',
};

const offer = (facts: Offer['facts'] = {}, more: Partial<Offer> = {}): Offer => ({
  id: facts.stockId ?? 'S-1',
  plate: 'AB12 CDE',
  title: '2019 Albion Wren',
  url: 'https://cars.example/north/ab12cde/',
  images: ['https://cars.example/media/1.jpg'],
  facts: { ...FACTS, ...facts },
  standard: { body: 'estate', fuel: 'petrol' },
  currency: 'GBP',
  mileageUnit: 'mi',
  summary: 'An Albion',
  dealer: DEALER,
  ...more,
});

const feedsOf = (...feeds: object[]): FeedConfig[] => feedsSchema.parse(feeds);
const GOOGLE = (country: string, more = {}) => ({
  profile: 'google-vehicle-ads',
  country,
  ...more,
});
const META = { profile: 'meta-automotive' };

function fileOf(feed: object, offers: readonly Offer[]) {
  const feeds = feedsOf(feed);
  const dealers = [{ id: 1, slug: 'north' }] as never;
  const [file] = feedFiles({ feeds, dealers }, feedRows(feeds, 1, offers));
  if (!file) throw new Error('no file');
  const delimiter = file.file.endsWith('tsv') ? '\t' : ',';
  const options = { header: true as const, delimiter, skipEmptyLines: true };
  const { data } = Papa.parse<Record<string, string>>(file.content, options);
  return { ...file, rows: data };
}

describe('Google', () => {
  it.each([
    ['GB', { body: 'hatchback', fuel: 'petrol' }, { engine: 'gasoline', body_style: 'hatchback' }],
    ['DE', { fuel: 'plugin-hybrid' }, { engine: 'plug-in_hybrid', price: '9995.00 GBP' }],
    ['IT', { fuel: 'gas' }, { engine: 'natural_gas', mileage: '12000 Miles' }],
    ['FR', { fuel: 'hydrogen' }, { engine: 'other', date_first_registered: '2019-03' }],
    ['US', { body: 'pickup' }, { VIN: 'WVWZZZ1KZAW000001', body_style: 'truck' }],
  ])('in %s, %o becomes %o', (country, standard, expected) => {
    const { rows } = fileOf(GOOGLE(country), [offer({}, { standard })]);
    expect(googleViolations(rows, country)).toEqual([]);
    expect(rows).toEqual([expect.objectContaining(expected)]);
  });

  it.each([
    ['GB', { firstRegistration: undefined }, {}],
    ['DE', { firstRegistration: undefined }, { date_first_registered: 1 }],
    ['ES', { fuel: undefined }, { engine: 1 }],
    ['NL', { fuel: undefined }, {}],
    ['US', { vin: 'WVWZZZ1KZAW00000O' }, { VIN: 1 }],
    ['GB', { condition: 'new' }, { condition: 1 }],
    ['GB', { price: 0, colour: undefined }, { price: 1, color: 1 }],
  ] as const)('in %s, a car with %o is missing %o', (country, facts, missing) => {
    const complete = offer();
    const found = fileOf(GOOGLE(country), [
      { ...complete, facts: { ...complete.facts, ...facts } as Offer['facts'] },
    ]);
    expect(found.missing).toEqual(missing);
    expect(found.used).toBe(Object.keys(missing).length === 0 ? 1 : 0);
  });

  it('an optional VIN is only in a private feed', () => {
    expect(fileOf(GOOGLE('GB'), [offer()]).content).not.toContain('WVWZZZ');
    expect(fileOf(GOOGLE('GB', { public: false }), [offer()]).rows[0]?.VIN).toMatch(/^WVWZZZ/);
  });

  it('has at most ten additional pictures, and none in place of the first', () => {
    const images = Array.from({ length: 20 }, (_, at) => `https://cars.example/media/${at}.jpg`);
    const { rows } = fileOf(GOOGLE('GB'), [offer({}, { images })]);
    expect(rows[0]?.additional_image_link?.split(',')).toEqual(images.slice(1, 11));
    expect(fileOf(GOOGLE('GB'), [offer({}, { images: [] })]).missing).toEqual({ image_link: 1 });
  });
});

describe('Meta', () => {
  it.each([
    ['Allradantrieb', 'AWD'],
    ['4x4', '4X4'],
    ['4 × 4', '4X4'],
    ['2.0 quattro', 'AWD'],
    ['Traction avant', 'FWD'],
    ['Vorderrad / FWD', 'FWD'],
    ['Heckantrieb', 'RWD'],
    ['two wheels', 'Other'],
  ])('the drivetrain "%s" becomes %s', (drivetrain, expected) => {
    const key = standardValue('drivetrain', drivetrain, 'en-GB')?.key;
    const standard = key === undefined ? {} : { drivetrain: key };
    const { rows } = fileOf(META, [offer({ drivetrain }, { standard })]);
    expect(metaViolations(rows)).toEqual([]);
    expect(rows[0]?.drivetrain).toBe(expected);
  });

  it('cuts long texts between characters', () => {
    const long = offer({ description: `${'a'.repeat(4998)}🚗🚗`, variant: 'x'.repeat(90) });
    const { rows } = fileOf(META, [long]);
    expect(metaViolations(rows)).toEqual([]);
    expect(rows[0]?.description).toBe(`${'a'.repeat(4998)}…`);
  });

  it('a body without a standard value is OTHER, and a dealer without an address has no vehicle', () => {
    expect(fileOf(META, [offer({}, { standard: {} })]).rows[0]?.body_style).toBe('OTHER');
    const { address: _, ...dealer } = DEALER;
    expect(Object.keys(fileOf(META, [offer({}, { dealer })]).missing)).toHaveLength(5);
  });
});

it('a file does not depend on the order of vehicles and processes, and a repeated id is omitted', () => {
  const feeds = feedsOf(META);
  const dealers = [1, 2].map((id) => ({ id, slug: `d${id}` })) as never;
  const cars = ['a', 'b', 'c'].map((name) =>
    offer({ stockId: `S-${name}` }, { id: `S-${name}`, url: `https://cars.example/${name}/` }),
  );
  const first = feedRows(feeds, 1, cars);
  const second = feedRows(feeds, 2, cars.slice(0, 1));
  const expected = feedFiles({ feeds, dealers }, [...first, ...second]);
  const turned: FeedRows[] = [...second, ...feedRows(feeds, 1, cars.reverse())];
  expect(feedFiles({ feeds, dealers }, turned)).toEqual(expected);
  expect(expected[0]).toMatchObject({ vehicles: 4, used: 3, missing: { 'unique id': 1 } });
});

it.each([
  [[META, META], 'feeds[1].name: is the name of feeds[0]'],
  [
    [{ profile: 'generic', format: 'xml', columns: { 'Two words': 'make' } }],
    'feeds[0].columns["Two words"]: must be the name of an XML element',
  ],
  [
    [{ profile: 'generic', columns: { VIN: 'vin' } }],
    'feeds[0].columns["VIN"]: would publish VINs although site.plates',
  ],
  [[{ profile: 'generic', columns: {} }], 'feeds[0].columns: must have at least one column'],
  [[META], 'dealers[0].slug: is the address of the public files of feeds'],
])('refuses feeds %j', (feeds, message) => {
  const resolve = (more: object) =>
    offlineConfig(
      { site: { plates: 'hide' }, dealers: [{ id: 1, name: 'N', slug: 'feeds' }], ...more },
      { env: { SITE_SECRET: 'q8Zt3LmX0vRb7Nc5Yw2KpHs9' } },
    );
  expect(() => resolve({ feeds })).toThrow(message);
  const unpublished = { profile: 'generic', columns: { VIN: 'vin' }, public: false };
  expect(() => resolve({ feeds: [unpublished] })).not.toThrow();
});
