import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { buildSite, readTree } from '../support/build.ts';
import { hoursBefore, NORTHGATE, pictures, siteForEachTest, vehicle } from '../support/site.ts';

/** Media ids that no hash contains by chance. */
const ID = 770_000_100;
const DAY = 86_400_000;
const START = Date.now();
const MAKES = ['Albion', 'Halden', 'Corvane'];
const plateOf = (at: number) => `NK${10 + at}WXY`;
const COUNT = 16;

const rowOf = (at: number, status = '') =>
  `${plateOf(at)},${MAKES[at % 3]},Wren,${2015 + (at % 8)},${9000 + at * 350},${status}`;
const listOf = (rows: readonly string[]) =>
  ['plate,make,model,year,price,status', ...rows, ''].join('\n');
const ROWS = Array.from({ length: COUNT }, (_, at) => rowOf(at));

const site = await siteForEachTest({
  dealers: [
    {
      ...NORTHGATE,
      stock: { file: 'stock.csv' },
      vehicles: Array.from({ length: COUNT }, (_, at) =>
        vehicle(plateOf(at), pictures(ID + at * 10, at < 4 ? 2 : 0), hoursBefore(at)),
      ),
    },
  ],
  files: { 'stock.csv': listOf(ROWS) },
  site: { locales: ['de-DE'] },
});

const write = (rows: readonly string[]) =>
  writeFile(path.join(site.folder, 'stock.csv'), listOf(rows));

const vehicles = () => site.service.data.dealers[0]?.vehicles ?? [];

const PAGE = 'northgate/nk12wxy/index.html';

async function night(days = 1) {
  const { report } = await buildSite(site.config(), site.folder, { now: START + days * DAY });
  return { report, files: await readTree(site.output) };
}

const similarIn = (html = '') =>
  Array.from(
    (html.split('class="similar"')[1] ?? '').matchAll(/<a href="\/northgate\/(\w+)\/"/g),
    ([, slug]) => slug,
  );

/** Thumbnails that belong to a page. */
const picturesIn = (html = '') => [
  ...new Set(html.split('class="similar"')[0]?.match(/media\/[\w/-]+\.\w+/g)),
];

it('the page of a withdrawn vehicle keeps its name and its picture and links to others', async () => {
  await write(ROWS.with(2, rowOf(2, 'sold')));
  vehicles().splice(2, 1);
  const { files, report } = await night();
  expect(report.dealers[0]?.vehicles).toMatchObject({ used: COUNT - 1, withdrawn: 1 });
  const page = files.get(PAGE) ?? '';
  expect(page).toMatch(/<h1>Corvane Wren<\/h1>/);
  expect(page).toContain('<p class="status">Sold</p>');
  expect(page).not.toContain('9,700');
  expect(files.get(`de/${PAGE}`)).toContain('<p class="status">Verkauft</p>');
  const shown = picturesIn(page);
  expect(shown.length).toBeGreaterThan(0);
  for (const name of shown) expect(files.has(name), name).toBe(true);
  // Of the same make, and never the vehicle itself.
  expect(similarIn(page)).toHaveLength(4);
  for (const slug of similarIn(page)) expect(files.has(`northgate/${slug}/index.html`)).toBe(true);
  expect(similarIn(page)).not.toContain('nk12wxy');
  expect(page).toContain('<a class="button" href="/">');

  // The row is removed later, and a machine without cache reads the published record.
  await write(ROWS.toSpliced(2, 1));
  await rm(path.join(site.folder, 'cache'), { recursive: true });
  const later = await night(2);
  expect(later.files.get(PAGE)).toBe(page);
  for (const name of shown) expect(later.files.has(name), name).toBe(true);
});

it('without a status it is no longer available, unless the dealer decides otherwise', async () => {
  vehicles().splice(2, 1);
  expect((await night()).files.get(PAGE)).toContain('<p class="status">No longer available</p>');
  const decide = (text: string) => writeFile(path.join(site.folder, 'vehicles.csv'), text);
  await decide('plate,status,title,without\nNK12WXY,sold,Wren with one owner,\n');
  const { files } = await night(2);
  expect(files.get(PAGE)).toContain('<p class="status">Sold</p>');
  expect(files.get(PAGE)).toContain('<h1>Wren with one owner</h1>');
  await decide(`plate,without\nNK12WXY,${ID + 20}\n`);
  expect(picturesIn((await night(3)).files.get(PAGE))).toEqual([]);
});

it.each([
  ['its time is over', async () => {}, 16],
  [
    'it is hidden',
    () => writeFile(path.join(site.folder, 'vehicles.csv'), 'plate,hide\nNK12WXY,yes\n'),
    2,
  ],
] as const)('it is removed completely if %s', async (_, change, days) => {
  vehicles().splice(2, 1);
  await write(ROWS.toSpliced(2, 1));
  const shown = picturesIn((await night()).files.get(PAGE));
  expect(shown.length).toBeGreaterThan(0);
  await change();
  const { files } = await night(days);
  const all = [...files].map(([name, bytes]) => `${name}\n${bytes}`.toLowerCase());
  expect(all.filter((text) => text.includes('nk12wxy'))).toEqual([]);
  expect(all.filter((text) => text.includes(`${ID + 20}`))).toEqual([]);
  const cached = await readTree(path.join(site.folder, 'cache'));
  for (const name of shown) {
    expect(files.has(name)).toBe(false);
    expect([...cached.keys()].filter((one) => one.endsWith(name.slice(6)))).toEqual([]);
  }
});

it('a picture shared with a vehicle in stock belongs to the vehicle in stock', async () => {
  const [sold] = vehicles().splice(2, 1);
  // The plate of the vehicle changed.
  vehicles().push(vehicle('NEW 1', sold?.mediaList, hoursBefore(2)));
  const { report, files } = await night();
  expect(report.dealers[0]).toMatchObject({ state: 'fresh', pictures: { failed: 0 } });
  expect(picturesIn(files.get(PAGE)).length).toBeGreaterThan(0);
  expect(picturesIn(files.get('northgate/new-1/index.html')).length).toBeGreaterThan(1);
});

it('a new vehicle changes few pages of withdrawn vehicles, and none if it has no facts', async () => {
  // Every other vehicle was sold.
  const sold = Array.from({ length: COUNT / 4 }, (_, at) => at * 4 + 1);
  vehicles().splice(0, COUNT, ...vehicles().filter((_, at) => !sold.includes(at)));
  const { files: before } = await night();
  vehicles().push(vehicle('NEW 1', [], hoursBefore(-1)));
  await write([...ROWS, 'NEW 1,Albion,Wren,2021,11000,']);
  const { files: after } = await night(2);
  const pages = sold.map((at) => `northgate/${plateOf(at).toLowerCase()}/index.html`);
  const changed = pages.filter((file) => before.get(file) !== after.get(file));
  for (const file of pages) expect(after.get(file)).toContain('No longer available');
  // Its neighbours by make or by price.
  expect(changed.length).toBeLessThanOrEqual(2);
  // Vehicles without any facts change no page.
  await write(ROWS);
  const third = (await night(3)).files;
  expect(pages.filter((file) => before.get(file) !== third.get(file))).toEqual([]);
  expect(third.has('northgate/new-1/index.html')).toBe(true);
});
