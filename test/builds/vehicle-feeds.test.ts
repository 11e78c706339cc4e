import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DomUtils, parseDocument } from 'htmlparser2';
import Papa from 'papaparse';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { CHANGES } from '../../src/change-set/change-set.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { examine } from '../../src/setup/doctor/doctor.ts';
import { build, buildSite, readTree } from '../support/build.ts';
import { googleViolations, metaViolations } from '../support/feed-rules.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { NORTHGATE, openSite, pictures, type Site, vehicle } from '../support/site.ts';

const COUNT = 20;
const plate = (index: number) => `VF${String(index + 10)} ABC`;

/** Values that break careless writers. */
const TEXTS = [
  'Plain',
  'With "quotes", commas; and | bars',
  '=1+1',
  'Two\tcolumns',
  'Škoda “Žluť” 🚗 & <b>bold</b>',
];
const BODIES = ['Estate', 'SUV', '5 door hatchback', 'Saloon', ''];
const FUELS = ['Petrol', 'Diesel', 'Plug-in hybrid', 'Steam'];

const HEAD =
  'plate,stockId,vin,make,model,variant,year,price,mileage,fuel,transmission,colour,body,condition,drivetrain,description,status,firstRegistration';

const cell = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`;

const stockIdOf = (index: number) => (index === 7 ? '' : `S-${index}`);

/** The row of a vehicle. Each 5th has no body, 1 and 2 no colour, 3 no price, 4 is new, 5 is sold, 6 is reserved. */
const rowOf = (index: number) =>
  [
    ...[plate(index), stockIdOf(index), `WVWZZZ1KZAW0000${10 + index}`, 'Škoda', TEXTS[index % 5]],
    ...['1.0 "Titanium", 5dr', 2015 + (index % 9), index === 3 ? '' : 9000 + index],
    ...[12_000 + index, FUELS[index % 4], 'Automatic', index === 1 || index === 2 ? '' : 'Blue'],
    ...[BODIES[index % 5], index === 4 ? 'new' : 'used', 'quattro'],
    `First line.\r\n${TEXTS[(index + 2) % 5]}\nLast line.`,
    index === 5 ? 'sold' : index === 6 ? 'reserved' : '',
    '2019-03',
  ]
    .map((text) => cell(text ?? ''))
    .join(',');

const LIST = `${HEAD}\n${Array.from({ length: COUNT }, (_, index) => rowOf(index)).join('\n')}\n`;

const FEEDS: NonNullable<UserConfig['feeds']> = [
  { profile: 'google-vehicle-ads', country: 'GB' },
  { profile: 'meta-automotive', dealers: 'each' },
  {
    profile: 'generic',
    name: 'partner',
    format: 'xml',
    public: false,
    columns: { reg: 'plate', vin: 'vin', text: 'description', photos: 'images', make: 'make' },
  },
  {
    profile: 'generic',
    name: 'list',
    format: 'tsv',
    columns: { Reg: 'plate', 'Full text': 'description', State: 'status', Price: 'price' },
  },
];

const dealer = {
  ...NORTHGATE,
  storeCode: '1111',
  address: { street: 'High St', city: 'Leeds', region: 'York', postalCode: 'L1', country: 'GB' },
  stock: { file: 'stock.csv' },
};

const vehicles = Array.from({ length: COUNT }, (_, index) =>
  vehicle(plate(index), pictures(1000 + 2 * index, index < 3 ? 2 : 1)),
);

const site = await forAllTests(
  openSite({
    dealers: [{ ...dealer, vehicles }],
    files: { 'stock.csv': LIST },
    feeds: FEEDS,
    // A picture in the width that platforms require.
    sizes: { 1000: { width: 1600, height: 1200 } },
  }),
);

const textOf = (file: string, folder = site.output) => readFile(path.join(folder, file), 'utf8');
const tableOf = (text: string, delimiter: string) => {
  const options = { header: true as const, delimiter, skipEmptyLines: true };
  const read = Papa.parse<Record<string, string>>(text, options);
  expect(read.errors).toEqual([]);
  return read.data;
};
const GOOGLE = 'feeds/google-vehicle-ads.tsv';
const META = 'feeds/meta-automotive/northgate.csv';

it('Google: a TSV parser and the rules of the platform accept every row', async () => {
  const rows = tableOf(await textOf(GOOGLE), '\t');
  expect(googleViolations(rows, 'GB')).toEqual([]);
  // 20 without the sold, the reserved and the new vehicle, one without a price and two without a colour.
  expect(rows).toHaveLength(14);
  expect(rows[0]).toMatchObject({
    id: 'S-0',
    brand: 'Škoda',
    trim: '1.0 "Titanium", 5dr',
    price: '9000.00 GBP',
    mileage: '12000 Miles',
    body_style: 'station_wagon',
    engine: 'gasoline',
  });
  expect(rows.map(({ id }) => id)).not.toContain('S-5');
  // Each page shows the id: the stock number, otherwise the plate.
  for (const { id, link = '' } of rows) {
    expect(await textOf(`${new URL(link).pathname}index.html`)).toContain(`<dd>${id}</dd>`);
  }
  // Optional in the United Kingdom, because it is personal data there.
  expect(rows[0]).not.toHaveProperty('VIN');
});

it('Meta: a CSV parser and the rules of the platform accept every row', async () => {
  const rows = tableOf(await textOf(META), ',');
  expect(metaViolations(rows)).toEqual([]);
  expect(rows.find(({ vehicle_id }) => vehicle_id === 'S-6')?.availability).toBe('not available');
  expect(rows.find(({ vehicle_id }) => vehicle_id === 'S-0')).toMatchObject({
    drivetrain: 'AWD',
    body_style: 'WAGON',
    'mileage.unit': 'MI',
    description: 'First line. =1+1 Last line.',
  });
});

it('pictures in feeds are JPEG files of the site in the size that the platforms require', async () => {
  const rows = tableOf(await textOf(GOOGLE), '\t');
  const { origin } = new URL(site.config().site.url);
  for (const { image_link = '', additional_image_link = '' } of rows) {
    const all = [image_link, ...additional_image_link.split(',')].filter(Boolean);
    for (const address of all) {
      expect(address.startsWith(`${origin}/media/`)).toBe(true);
      const { format } = await sharp(path.join(site.output, new URL(address).pathname)).metadata();
      expect(format).toBe('jpeg');
    }
  }
  const largest = new URL(rows[0]?.image_link ?? '').pathname;
  expect(await sharp(path.join(site.output, largest)).metadata()).toMatchObject({
    width: 1280,
    height: 960,
  });
  expect(rows[0]?.additional_image_link).toMatch(/^[^,]+\.jpg$/);
});

it('a private feed is stored next to the site, not in it, and parses as XML', async () => {
  const folder = `${site.output}-feeds`;
  const document = parseDocument(await textOf('partner.xml', folder), { xmlMode: true });
  const found = DomUtils.getElementsByTagName('vehicle', document, true);
  const rows = found.map((one) =>
    Object.fromEntries(
      one.children.flatMap((child) =>
        'name' in child ? [[child.name, DomUtils.textContent(child)]] : [],
      ),
    ),
  );
  expect(rows).toHaveLength(COUNT - 2);
  expect(rows[0]).toMatchObject({ reg: plate(0), vin: 'WVWZZZ1KZAW000010', make: 'Škoda' });
  expect(rows[0]?.photos?.split('|')).toHaveLength(2);
  const all = [...(await readTree(site.output))];
  expect(all.filter(([name, text]) => `${name}${text}`.includes('WVWZZZ1KZAW0000'))).toEqual([]);
});

it('a generic feed with a column for the status lists sold vehicles, each on one line', async () => {
  const text = await textOf('feeds/list.tsv');
  expect(text.split('\r\n')).toHaveLength(COUNT + 2);
  const rows = tableOf(text, '\t');
  expect(rows[5]).toMatchObject({ Reg: plate(5), State: 'sold', Price: '9005' });
  expect(rows[1]?.['Full text']).toContain('Two columns');
});

const feedsOf = ({ report }: { report: { feeds?: unknown } }) => report.feeds;

it('the report lists missing fields, and the doctor predicts them', async () => {
  const night = await site.night();
  const [google] = night.report.feeds ?? [];
  expect(google).toEqual({
    file: 'google-vehicle-ads.tsv',
    public: true,
    vehicles: 20,
    used: 14,
    notForSale: 2,
    missing: { color: 2, condition: 1, price: 1 },
  });
  const line =
    '  Feed google-vehicle-ads.tsv: 14 of 20 vehicles; 2 not for sale, 2 lack color, 1 lacks condition, 1 lacks price';
  expect(summaryLines(night.report, '_site').join('\n')).toContain(line.slice(0, 79));
  const meta = night.report.feeds?.[1];
  expect(meta?.missing.body_style).toBe(4);
  const { baseUrl, mediaKey } = site.service;
  const file = path.join(site.folder, 'doctor.config.json');
  const { url } = site.config().site;
  const config = {
    service: { baseUrl },
    site: { title: 'T', url },
    media: { widths: [160] },
    dealers: [dealer],
    feeds: FEEDS,
  };
  await writeFile(file, JSON.stringify(config));
  const { findings } = await examine({
    file,
    deployTo: 'none',
    envFile: path.join(site.folder, '.env'),
    output: site.output,
    cacheDir: path.join(site.folder, 'cache'),
    report: path.join(site.folder, 'report.json'),
    env: { ...process.env, MEDIA_API_KEY: mediaKey },
  });
  const predicted = findings.filter(({ code }) => code.startsWith('feed-'));
  expect(predicted.map(({ args }) => args)).toEqual(night.report.feeds);
  expect(predicted[0]).toMatchObject({ code: 'feed-incomplete', severity: 'warning' });
});

/** All feeds of a site by name, public and private. */
async function allFeeds({ output }: Pick<Site, 'output'>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of [path.join(output, 'feeds'), `${output}-feeds`]) {
    for (const [name, bytes] of await readTree(folder))
      if (!name.startsWith('.')) found.set(name, Buffer.from(bytes, 'latin1').toString());
  }
  return found;
}

it('the same stock gives the same bytes, also on an empty disk and in a change set', async () => {
  const before = await allFeeds(site);
  expect(before.size).toBe(4);
  const elsewhere = path.join(site.folder, 'elsewhere');
  const full = await buildSite(site.config(), elsewhere, { fromPublished: true });
  expect(await allFeeds(full)).toEqual(before);
  expect(feedsOf(full)).toEqual(feedsOf(await site.night()));
  const thin = await buildSite(site.config(), path.join(site.folder, 'thin'), { form: 'thin' });
  const listed = await textOf(CHANGES, thin.output);
  expect(listed).toContain(GOOGLE);
  expect(await textOf('partner.xml', `${thin.output}-feeds`)).toBe(before.get('partner.xml'));
});

it('omits hidden and withdrawn vehicles', async () => {
  const other = path.join(site.folder, 'hidden');
  const shown = await build(site.config(), other);
  expect([...(await allFeeds(shown)).values()].join()).toContain(plate(0));
  const hidden = await buildSite(site.config(), other, { hide: [plate(0)] });
  const feeds = await allFeeds(hidden);
  expect(feeds.size).toBe(4);
  const text = [...feeds.values()].join();
  expect(text).toContain(plate(1));
  for (const trace of [plate(0), 'vf10abc', 'S-0"', 'S-0\t', 'WVWZZZ1KZAW000010']) {
    expect(text).not.toContain(trace);
  }
});

it('without a response of the service, the feeds list the vehicles of the snapshot', async () => {
  const before = await allFeeds(site);
  site.service.faults.set({ route: 'media', status: 503 });
  const night = await site.night();
  site.service.faults.clear();
  expect(night.report.dealers[0]).toMatchObject({ state: 'degraded', source: 'snapshot' });
  expect(await allFeeds(site)).toEqual(before);
});

it('private plates are in no feed', async () => {
  const secret = { SITE_SECRET: 'k3Jx8Qp2Lm9Vt4Rb7Yn6Wd1Zc5Hf0Gs' };
  const named = await buildSite(
    site.config({ plates: 'hide' }, secret),
    path.join(site.folder, 'named'),
  );
  expect(named.report.feeds?.[0]?.used).toBe(14);
  const text = [...(await allFeeds(named)).values()].join();
  expect(text).toMatch(/\/v-[0-9a-f]{16}\//);
  expect(text).not.toMatch(/VF\d\d.?ABC/i);
});

it('an empty feed needs attention, and an unconfigured feed is removed', async () => {
  const config = site.config();
  const [one] = config.dealers;
  if (!one) throw new Error('no dealer');
  const { storeCode: _, ...without } = one;
  const night = await buildSite(
    { ...config, dealers: [without], feeds: config.feeds.slice(0, 2) },
    path.join(site.folder, 'hidden'),
  );
  expect(night.report.attention).toEqual([
    expect.objectContaining({
      code: 'feed-empty',
      what: expect.stringContaining('18 lack store_code'),
    }),
  ]);
  expect([...(await allFeeds(night)).keys()]).toEqual([
    'google-vehicle-ads.tsv',
    'meta-automotive/northgate.csv',
  ]);
});

it('user files in the folder of private feeds stay, and stop a build that needs it', async () => {
  const other = path.join(site.folder, 'taken');
  const taken = path.join(other, 'site-feeds');
  await mkdir(taken, { recursive: true });
  await writeFile(path.join(taken, 'customers.csv'), 'mine');
  const config = site.config();
  const { length } = site.service.requests.list();
  expect((await build(config, other)).error).toMatchObject({ code: 'output-not-ours' });
  expect(site.service.requests.list()).toHaveLength(length);
  await buildSite({ ...config, feeds: config.feeds.filter((feed) => feed.public) }, other);
  expect([...(await readTree(taken))]).toEqual([['customers.csv', 'mine']]);
  await rm(taken, { recursive: true });
  await symlink('missing/folder', taken);
  expect((await build(config, other)).error).toMatchObject({ code: 'folder-unusable' });
});
