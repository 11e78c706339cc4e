import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.ts';
import { dealerMediaSchema } from '../../src/site/documents/media-json.ts';
import { build, readTree } from '../support/build.ts';
import { NORTHGATE, pictures, siteForEachTest, vehicle } from '../support/site.ts';

const SITE_SECRET = 'k3Jx8Qp2Lm9Vt4Rb7Yn6Wd1Zc5Hf0Gs';
const PLATES = ['NK21 WXY', 'QD34EFG', 'MÜ-AB 4711'];

const photos = (from: number, plate: string) =>
  pictures(from, 2).map((one) => ({
    ...one,
    label: `${plate.normalize('NFD')} photo`,
    mediaUrl: one.mediaUrl.replace(
      '/pictures/',
      `/pictures/${from}.jpg?car=${encodeURIComponent(plate)}#`,
    ),
  }));

const video = (id: number, mediaUrl: string) => ({
  id,
  type: 'Video',
  label: 'NK21WXY tour',
  mediaUrl,
});

const STOCK = `plate;make;model;variant;price;link
nk21-wxy;Ford;Puma;ST nk21wxy;12000;https://dealer.example/cars/NK21WXY
QD34 EFG;Kia;Ceed;2;9000;https://dealer.example/cars/4
MÜ-AB 4711;;;;7000;https://dealer.example/cars/MÜ-AB-4711
`;

const site = await siteForEachTest({
  dealers: [
    {
      ...NORTHGATE,
      stock: { file: 'stock.csv' },
      vehicles: [
        vehicle('NK21 WXY', [
          ...photos(770_000_111, 'NK21 WXY'),
          video(770_000_121, 'https://videos.example/watch/nk21%20wxy'),
          video(770_000_122, 'https://videos.example/watch/9'),
        ]),
        vehicle('QD34EFG', photos(770_000_211, 'QD34EFG')),
        vehicle('MÜ-AB 4711', [
          ...photos(770_000_311, 'MÜ-AB 4711'),
          video(770_000_321, 'https://videos.example/watch/mue-ab-4711'),
        ]),
      ],
    },
  ],
  site: {
    plates: 'hide',
    favourites: true,
    sticker: true,
    enquiry: { address: 'https://forms.example/f' },
  },
  files: { 'stock.csv': STOCK },
  env: { SITE_SECRET },
});

/** Files of the site whose name or bytes contain a plate with any separator between its groups. */
async function filesWithPlates(folder: string): Promise<string[]> {
  // Without the umlaut, which has many spellings.
  const wanted = PLATES.map((plate) => plate.replace(/^.*Ü|\W/g, ''));
  const spelled = new RegExp(
    wanted.map((plate) => [...plate].join('(?:[\\s_+.-]|%20|&nbsp;|\u00c2?\u00a0)*')).join('|'),
    'i',
  );
  return [...(await readTree(folder))].flatMap(([name, bytes]) =>
    spelled.test(`${name}\n${bytes}`) ? [name] : [],
  );
}

async function listOf() {
  const text = await readFile(path.join(site.output, 'northgate/media.json'), 'utf8');
  return dealerMediaSchema.parse(JSON.parse(text)).vehicles;
}

it('no file and no URL contains a plate, and facts match their vehicle', async () => {
  expect(await filesWithPlates(site.output)).toEqual([]);
  const [first, ...others] = (await listOf()).sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(first).toMatchObject({ name: 'Ford Puma ST', plate: '', priceValue: 12000, videos: 1 });
  expect(first?.vrm).toMatch(/^V [0-9A-F]{16}$/);
  expect(first?.url).toContain(`/northgate/${first?.vrm.toLowerCase().replace(' ', '-')}/`);
  expect(others.map(({ name }) => name)).toEqual([
    'Kia Ceed 2',
    expect.stringMatching(/^Vehicle [0-9A-F]{6}$/),
  ]);
});

it('URLs stay the same every night, on every disk and for withdrawn vehicles', async () => {
  const before = await listOf();
  const urls = before.filter(({ name }) => !name.startsWith('Vehicle')).map(({ url }) => url);
  const formerUrl = before.find(({ name }) => name.startsWith('Vehicle'))?.url ?? '';
  site.service.data.dealers[0]?.vehicles.splice(2, 1);
  await rm(path.join(site.folder, 'cache'), { recursive: true });
  const { report } = await site.night();
  expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 2, withdrawn: 1 } });
  expect((await listOf()).map(({ url }) => url)).toEqual(urls);
  const { pathname } = new URL(formerUrl);
  const page = await readFile(path.join(site.output, pathname, 'index.html'), 'utf8');
  expect(page).toContain('no longer available');
  expect(await filesWithPlates(site.output)).toEqual([]);

  site.service.faults.set({ route: 'media', status: 503 });
  expect((await site.night()).report.dealers[0]?.state).toBe('degraded');
  expect((await listOf()).map(({ url }) => url)).toEqual(urls);
});

it('plates that were public are removed, also while the service is down', async () => {
  for (const name of ['site', 'cache']) await rm(path.join(site.folder, name), { recursive: true });
  await site.night({ plates: 'show' });
  expect((await filesWithPlates(site.output)).length).toBeGreaterThan(20);
  site.service.faults.set({ route: 'media', status: 503 });
  const silent = await site.night();
  expect(silent.report.dealers[0]).toMatchObject({ state: 'degraded', vehicles: { used: 3 } });
  expect(await filesWithPlates(site.output)).toEqual([]);
  site.service.faults.clear();
  const { report } = await site.night();
  expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 3, withdrawn: 0 } });
  expect(await filesWithPlates(site.output)).toEqual([]);
});

it('vehicles.csv and --hide still accept plates', async () => {
  const file = path.join(site.folder, 'vehicles.csv');
  await writeFile(file, 'plate,title,hide\nQD34 EFG,Kia QD34EFG Ceed,\nmüab4711,,yes\n');
  const { report } = await site.night();
  expect(report.notes).toEqual([]);
  const names = async () => (await listOf()).map(({ name }) => name).sort();
  expect(await names()).toEqual(['Ford Puma ST', 'Kia Ceed']);
  expect(await filesWithPlates(site.output)).toEqual([]);
  const once = await build(site.config(), site.folder, { hide: ['NK21WXY'] });
  expect(once.report.attention).toEqual([]);
  expect(await names()).toEqual(['Kia Ceed']);
});

it('needs SITE_SECRET, because plates can be guessed', async () => {
  const { config } = site;
  expect(() => config({ plates: 'hide' }, {})).toThrow(ConfigError);
  expect(() => config({ plates: 'show' }, {})).not.toThrow();
});
