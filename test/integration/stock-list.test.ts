import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { dealerMediaSchema, vehicleMediaSchema } from '../../src/site/documents/media-json.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { build, buildSite, configFor } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 2, vehicles: 3, media: 'none' }));
const vrms = service.data.dealers[0]?.vehicles.map(({ vrm }) => vrm) ?? [];

/** A build with a dealer's list of these bytes. `rows` builds them from the vehicles' plates. */
async function buildWith(
  bytes: Uint8Array,
  {
    locale,
    locales = [],
    ...stock
  }: { locale?: string; locales?: string[]; currency?: string } = {},
) {
  const folder = tempFolder();
  const file = path.join(folder, 'stock.csv');
  await writeFile(file, bytes);
  const config = configFor(service, {
    site: { title: 'T', url: 'https://cars.example', locales, ...(locale && { locale }) },
    dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', stock: { file, ...stock } }],
  });
  const asked = service.requests.list('media').length;
  const result = await build(config, folder);
  const slug = (vrms[0] ?? '').toLowerCase().replace(/\s/g, '');
  return {
    ...result,
    asked: service.requests.list('media').length - asked,
    read: (name: string) => readFile(path.join(result.output, 'northgate', name), 'utf8'),
    slug,
  };
}

const HEAD = 'plate;make;model;price;mileage';

it('media.json has the price as number and currency beside the text', async () => {
  const text = `\ufeff${HEAD}\n${vrms[0]};Škoda;Octavia;12.995,50 €;\n`;
  const site = await buildWith(Buffer.from(text, 'utf16le'), { locale: 'de-DE' });
  // Only the doctor reports it: most lists of German dealers have an old encoding, every night.
  expect(site.lines.join('')).not.toContain('UTF-16');
  const price = { price: '12.995,50\u00a0€', priceValue: 12995.5, priceCurrency: 'EUR' };
  const vehicle = vehicleMediaSchema.parse(JSON.parse(await site.read(`${site.slug}/media.json`)));
  expect(vehicle).toMatchObject(price);
  const { vehicles } = dealerMediaSchema.parse(JSON.parse(await site.read('media.json')));
  expect(vehicles.find(({ vrm }) => vrm === vrms[0])).toMatchObject(price);
  const other = vehicles.find(({ vrm }) => vrm === vrms[1]);
  expect(other).toMatchObject({ price: '' });
  expect(other).not.toHaveProperty('priceValue');
  expect(other).not.toHaveProperty('priceCurrency');
});

it('search engines get facts in the language of the page', async () => {
  const text = `plate,make,fuel,colour\n${vrms[0]},Albion,Petrol,Red\n`;
  const site = await buildWith(Buffer.from(text), { locales: ['de-DE'] });
  const page = (folder: string) => site.read(`${folder}/northgate/${site.slug}/index.html`);
  expect(await page('..')).toContain('"fuelType":"Petrol","color":"Red"');
  expect(await page('../de')).toContain('"fuelType":"Benzin","color":"Rot"');
});

it('an amount in an unexpected currency is omitted and reported', async () => {
  const rows = vrms.map((vrm) => `${vrm};Albion;Wren;12.995,00 €;\n`);
  const list = Buffer.from(`${HEAD}\n${rows.join('')}`);
  const site = await buildWith(list, { currency: 'GBP' });
  const page = await site.read(`${site.slug}/index.html`);
  expect(page).toContain('Albion Wren');
  expect(page).not.toMatch(/12.?995/);
  const lines = summaryLines(site.report, '_site');
  expect(lines.join('\n')).toContain(
    '  Stock list of Northgate: "price": 3 values are not a price in GBP: ',
  );
  expect(lines.join('\n')).toContain('3 problems in the stock list');
  expect(site.report.dealers[0]?.facts?.problems).toEqual([
    '"price": 3 values are not a price in GBP: "12.995,00 €" (row 2), "12.995,00 €" (row 3), "12.995,00 €" (row 4)',
  ]);
});

it('prices with an uncertain currency stop the build of a single dealer', async () => {
  const list = Buffer.from(`${HEAD}\n${vrms[0]};Albion;Wren;12995;\n`);
  const site = await buildWith(list, { locale: 'de' });
  expect(site).toMatchObject({ exitCode: 2, error: { code: 'stock-unit-missing' } });
});

it('the newest list of a folder is used for pages, JSON-LD and media.json', async () => {
  const folder = tempFolder();
  const lists = path.join(folder, 'lists');
  const head =
    'FullRegistration,Vehicle_Id,VIN,Make,Price,Doors,Colour,FuelType,Description,EZ,Features';
  const items = Array.from({ length: 15 }, (_, index) => `Item ${index + 1} & more`);
  const rowOf = (price: number) =>
    `${head}\n${vrms[0]},S-7,WVWZZZ1KZAW000003,Albion,${price},5,Blue,Diesel,One <b>owner</b><br>1 &lt; 2,03/21,${items.join('|')}\n`;
  await writeFilesBelow(lists, {
    'b.csv': rowOf(8000),
    'a.csv': rowOf(9000),
    'z.log': 'no list',
    '._a.csv': '\0\u0005\u0016\u0007',
  });
  await utimes(path.join(lists, 'b.csv'), 1000, 1000);
  await utimes(path.join(lists, 'a.csv'), 2000, 2000);
  const config = configFor(service, {
    dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', stock: { file: lists } }],
  });
  const { output } = await buildSite(config, folder);
  const at = (file: string) =>
    readFile(path.join(output, 'northgate', vehicleSlug(vrms[0] ?? ''), file), 'utf8');
  const page = await at('index.html');
  expect(page).toMatch(/First registration<\/dt>\s*<dd>03\/2021/);
  expect(page).toMatch(/Stock number<\/dt>\s*<dd>S-7/);
  expect(page).toMatch(/<p>One owner<\/p>\s*<p>1 &lt; 2<\/p>/);
  const [shown, more] = page.split(/<details>\s*<summary>Show 3 more<\/summary>/);
  expect(shown).toContain('<li>Item 12 &amp; more</li></ul>');
  expect(more).toMatch(/^\s*<ul><li>Item 13 &amp; more<\/li>/);
  const jsonLd = page.match(/<script type="application\/ld\+json">(.*?)<\/script>/s)?.[1] ?? '';
  expect(JSON.stringify(JSON.parse(jsonLd))).toContain('"value":["Item 1 & more",');
  expect(page).toContain('"description":"One owner\\n1 ');
  expect(page).toContain('"dateVehicleFirstRegistered":"2021-03"');
  const { facts } = vehicleMediaSchema.parse(JSON.parse(await at('media.json')));
  const short = {
    make: 'Albion',
    price: 9000,
    doors: 5,
    colour: 'Blue',
    fuel: 'Diesel',
    stockId: 'S-7',
    year: 2021,
    firstRegistration: '2021-03',
  };
  expect(facts).toEqual({ ...short, description: 'One owner\n1 < 2', equipment: items });
  const list = await readFile(path.join(output, 'northgate/media.json'), 'utf8');
  const dealer = dealerMediaSchema.parse(JSON.parse(list));
  expect(dealer.vehicles.find(({ vrm }) => vrm === vrms[0])?.facts).toEqual(short);
  for (const file of [
    page,
    await at('media.json'),
    await readFile(path.join(output, 'api/records/7001.json'), 'utf8'),
  ]) {
    expect(file).not.toContain('WVWZZZ');
  }
});

const PRICES = 'plate,make,model,fuel,mileage,price';
const row = (index: number, price: string | number, mileage = 30_000) =>
  `${vrms[index]},Albion,Wren ${index},Diesel,${mileage},${price}\n`;
const GOOD = `${PRICES}\n${row(0, '£12200')}${row(1, '£13300')}${row(2, '£14400')}`;

/**
 * Two nights with these lists; undefined means no list. A machine without cache also builds the second.
 *
 * @param options.accept list of a third night, which accepts the loss of the second.
 */
async function twoNights(
  lists: readonly [string | undefined, string | undefined],
  options: { accept?: string; dealers?: object[] } = {},
) {
  const folder = tempFolder();
  const file = path.join(folder, 'stock.csv');
  const config = configFor(service, {
    site: { title: 'T', url: 'https://cars.example' },
    dealers: [
      { id: 7001, name: 'Northgate', slug: 'northgate', stock: { file } },
      ...((options.dealers ?? []) as []),
    ],
  });
  const write = (list: string | undefined) =>
    list === undefined ? rm(file, { force: true }) : writeFile(file, list);
  await write(lists[0]);
  const first = await build(config, folder, { now: NOW });
  await write(lists[1]);
  let night = await build(config, folder, { strict: true, now: NOW + 1 });
  if (options.accept) {
    const fix = night.report.attention.map((one) => one.fix).join(' ');
    const [, token = ''] = /--accept-loss (\S+)/.exec(fix) ?? [];
    await write(options.accept);
    night = await build(config, folder, { strict: true, now: NOW + 2, acceptLoss: [token] });
  }
  const pricesIn = async (output: string) => {
    const media = JSON.parse(await readFile(path.join(output, 'northgate', 'media.json'), 'utf8'));
    const { vehicles } = dealerMediaSchema.parse(media);
    return vrms.map((vrm) => vehicles.find((one) => one.vrm === vrm)?.priceValue);
  };
  const record = path.join(night.output, 'api', 'records', '7001.json');
  const text = await readFile(record, 'utf8');
  // Another machine only has the published site.
  const cacheDir = path.join(folder, 'other');
  const elsewhere = await build(config, folder, { cacheDir, strict: true, now: NOW + 1 });
  if (!options.accept) {
    expect(await readFile(record, 'utf8')).toBe(text);
    expect(elsewhere.report.attention).toEqual(night.report.attention);
  }
  const page = path.join(night.output, 'northgate', vehicleSlug(vrms[0] ?? ''), 'index.html');
  return {
    first,
    night,
    jsonLd: await readFile(page, 'utf8'),
    record: text,
    prices: await pricesIn(night.output),
    codes: night.report.attention.map(({ code }) => code),
  };
}

const NOW = Date.parse('2026-03-10T12:00:00Z');
const LAST = [12200, 13300, 14400];

it.each<[string, string | undefined, string]>([
  [
    'is cut inside a price before other columns',
    `plate,make,price\n${vrms[0]},Albion,£12200\n${vrms[1]},£13`,
    'stock-list-incomplete',
  ],
  ['is missing', undefined, 'stock-file-unreadable'],
  ['is a web page', '<!-- login --><html><body>Sign in</body></html>', 'stock-file-page'],
  ['has no rows', `${PRICES}\n`, 'stock-list-loss'],
  ['has no prices', `${PRICES}\n${row(0, '')}${row(1, '')}${row(2, '')}`, 'stock-list-loss'],
  ['has another currency', GOOD.replaceAll('£', '€'), 'stock-list-currency'],
  ['has another unit', GOOD.replace('mileage', 'Kilometer'), 'stock-list-unit'],
  ['has mileages as prices', GOOD.replace('mileage,price', 'price,mileage'), 'stock-list-swapped'],
  [
    'has other plates',
    GOOD.replaceAll(/^\w[^,]*/gm, (plate) => `${plate}X`).replace('plateX', 'plate'),
    'stock-list-loss',
  ],
])(
  'the list of the last build is used, and the build reports it if the new one %s',
  async (_, list, code) => {
    const { first, night, prices, codes, jsonLd } = await twoNights([GOOD, list]);
    expect(first).toMatchObject({ exitCode: 0, error: undefined });
    expect(night).toMatchObject({ exitCode: 8, error: undefined });
    expect(codes).toEqual([code]);
    expect(prices).toEqual(LAST);
    expect(jsonLd).toContain('"price":12200,"priceCurrency":"GBP"');
    expect(night.report.dealers[0]?.facts).toMatchObject({ source: 'last', matched: 3 });
    expect(night.lines.join('')).toContain('The copy of the last build is used.');
    expect(night.report.outcome).toBe('unchanged');
  },
);

it('an intentionally smaller list is accepted once', async () => {
  const small = `${PRICES}\n${row(0, '')}${row(1, '')}${row(2, '')}`;
  const { night, prices, codes } = await twoNights([GOOD, small], { accept: small });
  expect([night.exitCode, codes, prices]).toEqual([0, [], [undefined, undefined, undefined]]);
});

it('accepting a list does not accept another one with as many rows and prices', async () => {
  const euros = GOOD.replaceAll('£', '€');
  const swapped = GOOD.replace('mileage,price', 'price,mileage');
  const { codes, prices } = await twoNights([GOOD, euros], { accept: swapped });
  expect([codes, prices]).toEqual([['stock-list-swapped'], LAST]);
});

it('prices and mileages with large changes are omitted until they are accepted', async () => {
  const wrong = `${PRICES}\n${row(0, 122_000)}${row(1, 2000)}${row(2, 14_400, 900_000)}`;
  const { night, prices, codes, record } = await twoNights([GOOD, wrong]);
  expect([night.exitCode, codes, prices]).toEqual([
    8,
    ['stock-list-jumps'],
    [undefined, undefined, 14_400],
  ]);
  expect(night.report.attention[0]?.what).toContain(
    `has 3 prices or mileages of more than 5 times or less than a fifth of the last value, which are left out: ${vrms[0]} price 12200 → 122000`,
  );
  expect(record).toContain('"omitted":{"price":12200}');
  const accepted = await twoNights([GOOD, wrong], { accept: wrong });
  expect([accepted.night.exitCode, accepted.codes, accepted.prices]).toEqual([
    0,
    [],
    [122_000, 2000, 14_400],
  ]);
});

it.each([undefined, `${PRICES}\n${vrms[0]},Alb`])(
  'a wrong list never blocks another dealer: %#',
  async (list) => {
    const other = { id: 7002, name: 'Other', slug: 'other' };
    const { first, night, codes } = await twoNights([list, list], { dealers: [other] });
    expect(first.exitCode, String(first.error)).toBe(0);
    expect(night.exitCode).toBe(8);
    expect(codes).toEqual([list === undefined ? 'stock-file-unreadable' : 'stock-list-incomplete']);
    const [what] = night.report.attention.map(({ what }) => what);
    if (list === undefined)
      expect(what).toMatch(/could not be read\. \S+stock\.csv does not exist\. /);
  },
);

it('a list without any vehicle of the dealer needs attention', async () => {
  const list = 'reg,price\nZZ1,9000\n';
  const { night } = await twoNights([list, list]);
  expect(night.exitCode).toBe(8);
  expect(night.report.attention).toEqual([
    {
      dealer: 7001,
      code: 'stock-list-unmatched',
      what: expect.stringMatching(
        /^0 of 3 vehicles of dealer 7001 \(Northgate\) have a row in the stock list .*stock\.csv\. The file has the columns reg, price\.$/,
      ),
      fix: `Check stock.columns.plate. The service has "${vrms[0]}", the list "ZZ1".`,
    },
  ]);
});

it('a list with only a heading needs another export, not another column', async () => {
  const { first } = await twoNights(['reg,price\n', 'reg,price\n']);
  expect(first.report.attention).toMatchObject([
    { code: 'stock-list-unmatched', fix: 'Check the export. The list has no usable rows.' },
  ]);
});

it('a list that lacks vehicles and has not changed for weeks needs attention', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'stock.csv');
  const config = configFor(service, {
    dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', stock: { file } }],
  });
  const on = async (day: number, list: string) => {
    await writeFile(file, list);
    const now = NOW + day * 86_400_000;
    const { report } = await build(config, folder, { strict: true, now });
    return [report.attention.map(({ what }) => what), report.dealers[0]?.notes];
  };
  expect(await on(0, GOOD)).toEqual([[], []]);
  expect(await on(13, GOOD)).toEqual([[], []]);
  expect(await on(14, GOOD)).toEqual([[], ['The stock list has not changed since 2026-03-10.']]);
  const short = GOOD.split('\n').toSpliced(3, 1).join('\n');
  expect(await on(15, short)).toEqual([[], []]);
  const what =
    'The stock list of dealer 7001 (Northgate) has not changed since 2026-03-25, and lacks vehicles. Its prices may be old.';
  expect(await on(29, short)).toEqual([[what], []]);
});
