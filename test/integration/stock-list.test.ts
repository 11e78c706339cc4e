import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { dealerMediaSchema, vehicleMediaSchema } from '../../src/site/documents/media-json.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 3, media: 'none' }));
const vrms = service.data.dealers[0]?.vehicles.map(({ vrm }) => vrm) ?? [];

/** A build with a dealer's list of these bytes; `rows` are made by the plates of the vehicles. */
async function buildWith(
  bytes: Uint8Array,
  { locale, ...stock }: { locale?: string; currency?: string } = {},
) {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, 'stock.csv');
  await writeFile(file, bytes);
  const config = configFor(service, {
    site: { title: 'T', url: 'https://cars.example', ...(locale && { locale }) },
    dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', stock: { file, ...stock } }],
  });
  const asked = service.requests.list('media').length;
  const result = await build(config, folder.path);
  const slug = (vrms[0] ?? '').toLowerCase().replace(/\s/g, '');
  return {
    ...result,
    asked: service.requests.list('media').length - asked,
    read: (name: string) => readFile(path.join(result.output, 'northgate', name), 'utf8'),
    slug,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const HEAD = 'plate;make;model;price;mileage';

it('a list in Windows-1252 is published with its letters, and the build says how it was read', async () => {
  const text = `${HEAD}\n${vrms[0]};\x8akoda;Octavia;12.995,00 \x80;73.400 km\n`;
  await using site = await buildWith(Buffer.from(text, 'latin1'), { locale: 'de-DE' });
  expect(site.error).toBeUndefined();
  const page = await site.read(`${site.slug}/index.html`);
  expect(page).toContain('Škoda Octavia');
  expect(page).not.toContain('\ufffd');
  expect(page).toContain('12.995\u00a0€');
  expect(page).toMatch(/73\.400\skm/);
  expect(site.lines.join('')).toContain('stock.csv was read as Windows-1252.');
  expect(site.report.dealers[0]?.notes).toEqual([
    expect.stringMatching(/stock\.csv was read as Windows-1252\.$/),
  ]);
});

it('media.json has the price as number and currency beside the text', async () => {
  const text = `\ufeff${HEAD}\n${vrms[0]};Škoda;Octavia;12.995,50 €;\n`;
  await using site = await buildWith(Buffer.from(text, 'utf16le'), { locale: 'de-DE' });
  expect(site.error).toBeUndefined();
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

it('euros and kilometres are no pounds and miles: left out, and the first of them printed', async () => {
  const rows = vrms.map((vrm) => `${vrm};Albion;Wren;12.995,00 €;73.400 km\n`);
  await using site = await buildWith(Buffer.from(`${HEAD}\n${rows.join('')}`));
  expect(site.error).toBeUndefined();
  const page = await site.read(`${site.slug}/index.html`);
  expect(page).toContain('Albion Wren');
  expect(page).not.toMatch(/12.?995|73.?400/);
  const lines = summaryLines(site.report, '_site');
  expect(lines).toContain('  Stock list of Northgate, row 2: "12.995,00 €" is no price in GBP');
  expect(lines).toContain('  Stock list of Northgate, row 2: "73.400 km" is no mileage in mi');
  expect(lines.join('\n')).toContain('6 problems in the stock list');
});

it('prices without a currency that is certain stop the build before anything is fetched', async () => {
  const list = Buffer.from(`${HEAD}\n${vrms[0]};Albion;Wren;12995;\n`);
  await using site = await buildWith(list, { locale: 'de' });
  expect(site).toMatchObject({ exitCode: 2, asked: 0, error: { code: 'stock-unit-missing' } });
});
