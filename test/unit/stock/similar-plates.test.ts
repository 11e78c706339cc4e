import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { platesIndex } from '../../../src/site/documents/search-index.ts';
import { isHidden, parseControl } from '../../../src/stock/control.ts';
import { loadList } from '../../../src/stock/list.ts';
import { atPlate, keyAt } from '../../../src/stock/plate.ts';
import { plateNames } from '../../../src/stock/plate-names.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** The price of each vehicle in the list of a dealer with these vehicles. */
async function pricesOf(vrms: string[], rows: string[], plates: 'show' | 'hide' = 'show') {
  const folder = tempFolder();
  const file = path.join(folder, 'site.config.json');
  writeFileSync(path.join(folder, 'x.csv'), `Plate,Price\n${rows.join('\n')}\n`);
  const config = offlineConfig(
    {
      site: { locale: 'en-GB', plates },
      dealers: [{ id: 1, name: 'A', slug: 'a', stock: { file: 'x.csv' } }],
    },
    { file, env: { SITE_SECRET: 'q8Zt3LmX0vRb7Nc5Yw2KpHs9' } },
  );
  const [dealer] = config.dealers;
  if (!dealer) throw new Error('no dealer');
  const nameOf = plateNames(config);
  const vehicles = vrms.map((vrm) => ({ vrm: nameOf?.(vrm) ?? vrm }));
  const options = { config, vehicles, last: undefined, acceptLoss: [], now: 0, nameOf };
  const list = await loadList(dealer, options);
  const { byPlate } = list?.facts ?? { byPlate: new Map() };
  return {
    prices: vehicles.map(({ vrm }) => atPlate(byPlate, vrm)?.price),
    problems: list?.read?.problems,
  };
}

const BOTH = ['M-AB 123', 'MA-B 123'];

it.each([
  ['both rows', BOTH, ['m-ab123,9000', 'MA B 123,8000'], [9000, 8000]],
  ['only the row of the other', BOTH, ['MA-B 123,8000'], [undefined, 8000]],
  ['only the row of another vehicle', ['M-AB 123'], ['MA-B 123,8000'], [undefined]],
  ['a row that can be both', BOTH, ['MAB123,8000'], [undefined, undefined]],
  ['a row without hyphens', ['M-AB 123'], ['mab 123,8000'], [8000]],
  ['a plate without hyphens', ['MAB123'], ['M-AB 123,8000'], [8000]],
])('never shows the price of M-AB 123 for MA-B 123: %s', async (_, vrms, rows, prices) => {
  expect((await pricesOf(vrms, rows)).prices).toEqual(prices);
});

it('reports a row that can be both', async () => {
  const { problems } = await pricesOf(BOTH, ['MAB123,8000']);
  expect(problems?.[0]).toBe('The plate MAB123 can be M-AB123 or MA-B123, so its row is not used');
});

it('uses neither row if plates are hidden, because both vehicles have one name', async () => {
  const rows = ['M-AB 123,9000', 'MA-B 123,8000'];
  expect((await pricesOf(['M-AB 123'], rows, 'hide')).prices).toEqual([undefined]);
  expect((await pricesOf(['M-AB 123'], rows.slice(0, 1), 'hide')).prices).toEqual([9000]);
});

it('hides and finds only the named vehicle', () => {
  const control = parseControl('plate,hide\nM-AB 123,yes\n', 'vehicles.csv');
  expect([...BOTH, 'MAB123'].map((vrm) => isHidden(control, vrm))).toEqual([true, false, true]);
  const { plates } = JSON.parse(
    platesIndex(BOTH.map((vrm, index) => ({ vrm, slug: `slug-${index}` }))),
  );
  const found = ['mab 123', ...BOTH].map(
    (typed) => plates[keyAt(new Map(Object.entries(plates)), typed) ?? ''],
  );
  expect(found).toEqual([undefined, 'slug-0', 'slug-1']);
});
