import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type build, buildSite, readTree } from '../support/build.ts';
import { NORTHGATE, siteForEachTest, vehicle } from '../support/site.ts';

const PLATES = Array.from({ length: 8 }, (_, index) => `NK2${index}WXY`);

/** A list with rows of these vehicles. */
const listOf = (plates: readonly string[]) =>
  `plate,make,price\n${plates.map((plate) => `${plate},Ford,9000\n`).join('')}`;

const site = await siteForEachTest({
  dealers: [
    {
      ...NORTHGATE,
      stock: { file: 'stock.csv', onlyListed: true },
      vehicles: PLATES.map((plate) => vehicle(plate)),
    },
  ],
  files: { 'stock.csv': listOf(PLATES) },
});

const write = (listed: readonly string[]) =>
  writeFile(path.join(site.folder, 'stock.csv'), listOf(listed));

const night = async (options: Parameters<typeof build>[2] = {}) => {
  const made = await buildSite(site.config(), site.folder, options);
  const { used = 0, withdrawn = 0 } = made.report.dealers[0]?.vehicles ?? {};
  return { used, withdrawn, attention: made.report.attention };
};

const DAY = 86_400_000;
const START = Date.now();

it('withdraws a vehicle without a row for the usual time and shows it again with one', async () => {
  await write(PLATES.slice(1));
  expect(await night()).toMatchObject({ used: 7, withdrawn: 1, attention: [] });
  const page = 'northgate/nk20wxy/index.html';
  expect((await readTree(site.output)).get(page)).toContain('no longer available');
  expect(await night({ now: START + 13 * DAY })).toMatchObject({ used: 7, withdrawn: 1 });
  expect(await night({ now: START + 15 * DAY })).toMatchObject({ used: 7, withdrawn: 0 });
  expect(await night({ now: START + 16 * DAY })).toMatchObject({ used: 7, withdrawn: 0 });
  await write(PLATES);
  expect(await night({ now: START + 17 * DAY })).toMatchObject({ used: 8, withdrawn: 0 });
});

it('ignores a missing list', async () => {
  await write(PLATES.slice(1));
  await night();
  await rm(path.join(site.folder, 'stock.csv'));
  expect(await night()).toMatchObject({ used: 7, withdrawn: 1 });
});

it('withdraws nothing for a list of other vehicles until you accept the loss', async () => {
  await write(PLATES.slice(0, 7));
  const before = await night();
  const other = ['AA11AAA', 'AA12AAA', ...PLATES.slice(0, 1)];
  site.service.data.dealers[0]?.vehicles.splice(7, 1);
  await write([...other, ...Array.from({ length: 6 }, (_, index) => `BB${index}BBB`)]);
  expect(await night()).toMatchObject({ ...before, attention: [{ code: 'stock-list-loss' }] });
});

it('withdraws most vehicles at its first list only after exactly this loss is accepted', async () => {
  const config = site.config();
  const dealers = config.dealers.map(({ stock: _, ...dealer }) => dealer);
  await buildSite({ ...config, dealers }, site.folder);
  await write(PLATES.slice(0, 2));
  const { used, attention } = await night();
  expect([used, attention]).toMatchObject([8, [{ code: 'stock-list-unlisted' }]]);
  const [, token = ''] = /--accept-loss (\S+)/.exec(attention[0]?.fix ?? '') ?? [];
  await write(PLATES.slice(0, 1));
  const more = await night({ acceptLoss: [token] });
  expect([more.used, more.attention[0]?.code]).toEqual([8, 'stock-list-unlisted']);
  await write(PLATES.slice(0, 2));
  expect(await night({ acceptLoss: [token] })).toMatchObject({ used: 2, attention: [] });
});
