import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { vehicleSlug } from '../../src/stock/address.ts';
import { build, buildSite, configFor } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { restorable, startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 3, images: 1 }));
const SITE = { title: 'T', url: 'https://cars.example' };
const DEALER = { id: 7001, name: 'Northgate', slug: 'northgate' };
const vrms = service.data.dealers[0]?.vehicles.map(({ vrm }) => vrm) ?? [];

it('a changed price only redraws the card of its vehicle, without a download', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'stock.csv');
  const config = configFor(service, { site: SITE, dealers: [{ ...DEALER, stock: { file } }] });
  const buildWith = async (price: number) => {
    const rows = vrms.map((vrm, index) => `${vrm},Skoda,Octavia,${index === 0 ? price : 9000}`);
    await writeFile(file, `plate,make,model,price\n${rows.join('\n')}\n`);
    const { output, report } = await buildSite(config, folder);
    const names = await readdir(output, { recursive: true });
    const cards = new Map<string, { ino: number; bytes: string }>();
    for (const name of names.filter((one) => one.endsWith('card.jpg'))) {
      const of = path.join(output, name);
      const bytes = await readFile(of, 'latin1');
      cards.set(name.split(path.sep).join('/'), { ino: (await stat(of)).ino, bytes });
    }
    return { cards, report };
  };
  const before = await buildWith(15_950);
  // One for each vehicle, and one for the list, which is the front page.
  expect(before.cards.size).toBe(vrms.length + 1);
  const asked = service.requests.list('picture').length;
  const after = await buildWith(14_950);
  expect(service.requests.list('picture').length).toBe(asked);
  const slug = (vrms[0] ?? '').toLowerCase().replace(/\s/g, '');
  const changed = [...after.cards].filter(([name, { ino }]) => before.cards.get(name)?.ino !== ino);
  expect(changed.map(([name]) => name)).toEqual([`northgate/${slug}/card.jpg`]);
  // The same as on an empty disk.
  for (const name of await readdir(folder)) {
    await rm(path.join(folder, name), { recursive: true });
  }
  const fresh = await buildWith(14_950);
  const bytesOf = ({ cards }: typeof fresh) => [...cards].map(([name, { bytes }]) => [name, bytes]);
  expect(bytesOf(fresh)).toEqual(bytesOf(after));
  // No folder keeps the card of a hidden vehicle. The list shows the picture of the next one.
  const { output } = await build(config, folder, { hide: [vrms[0] ?? ''] });
  const left = (await readdir(folder, { recursive: true })).map(String);
  expect(left.filter((name) => name.endsWith('card.jpg') && name.includes(slug))).toEqual([]);
  expect(left.filter((name) => /media.*\.jpg$/.test(name))).toEqual([]);
  // In the cache, cards are beside their picture: two vehicles and the list.
  expect(left.filter((name) => name.endsWith('.card')).length).toBe(vrms.length);
  const bytes = await readFile(path.join(output, 'northgate', 'card.jpg'), 'latin1');
  expect(bytes).not.toBe(after.cards.get('northgate/card.jpg')?.bytes);
});

it('a lost site gets its cards from the cache, and a damaged card is drawn again', async () => {
  const folder = tempFolder();
  const config = configFor(service, { site: SITE, dealers: [DEALER] });
  const cardsOf = async (output: string) => {
    const names = (await readdir(output, { recursive: true })).filter((name) =>
      name.endsWith('card.jpg'),
    );
    return Promise.all(names.sort().map((name) => readFile(path.join(output, name))));
  };
  const { output } = await build(config, folder);
  const before = await cardsOf(output);
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.card'))
    .map((name) => path.join(folder, name));
  expect(files.length).toBe(before.length);
  const [damaged = '', cut = '', ...others] = files;
  const bytes = await readFile(damaged);
  bytes[bytes.length - 1] = 0;
  await writeFile(damaged, bytes);
  await writeFile(cut, (await readFile(cut)).subarray(0, 9));
  const written = () => Promise.all(others.map(async (name) => (await stat(name)).mtimeMs));
  const times = await written();
  await rm(output, { recursive: true });
  await buildSite(config, folder);
  expect(await cardsOf(output)).toEqual(before);
  // Intact cards were not drawn again.
  expect(await written()).toEqual(times);
});

it('a page of a make shows its newest vehicle that has a picture', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'stock.csv');
  await writeFile(file, `plate,make\n${vrms.map((vrm) => `${vrm},Skoda`).join('\n')}\n`);
  onTestFinished(restorable(service));
  const [newest, second] = service.data.dealers[0]?.vehicles ?? [];
  if (newest) newest.mediaList = [];
  const config = configFor(service, { site: SITE, dealers: [{ ...DEALER, stock: { file } }] });
  const { output } = await buildSite(config, folder);
  const html = await readFile(path.join(output, 'northgate/make/skoda/index.html'), 'utf8');
  expect(html).toContain(
    `og:image" content="https://cars.example/northgate/${vehicleSlug(second?.vrm ?? '')}/card.jpg`,
  );
});
