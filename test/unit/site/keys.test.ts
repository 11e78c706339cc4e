import { expect, it } from 'vitest';
import { contentHash } from '../../../src/images/recipes.ts';
import { headersFor } from '../../../src/lib/static-server/headers-file.ts';
import type { SitePlanOptions } from '../../../src/site/plan/site-plan.ts';
import { vehicleSlug } from '../../../src/stock/address.ts';
import type { ControlRow } from '../../../src/stock/control.ts';
import type { DealerStock } from '../../../src/stock/dealer-stock.ts';
import type { LastList } from '../../../src/stock/facts.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';
import type { VehicleFacts } from '../../../src/stock/vehicle-facts.ts';
import type { Withdrawn } from '../../../src/stock/withdrawn.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { planOf, stockOf } from '../../support/planned-files.ts';
import { pictureOf, vehicleOf } from '../../support/vehicle.ts';

const PLATES = ['A1', 'A2', 'A3', 'A4', 'A5'];

/** All input of a site: the list has facts of each vehicle but the last. */
const newWorld = () => ({
  site: { title: 'Cars', url: 'https://cars.example' },
  dealer: { id: 7, name: 'Seven', slug: 'seven' },
  vehicles: PLATES.map((vrm, index) =>
    vehicleOf(vrm, [pictureOf(index)], { dateUpdated: `2026-03-0${index + 1}T23:30:00Z` }),
  ),
  withdrawn: [{ vrm: 'A0', since: '2026-03-04T00:00:00Z' }] as Withdrawn[],
  facts: PLATES.slice(0, -1).map((_, index): VehicleFacts => {
    const facts = { make: 'Corvane', model: `Lanto ${index}` };
    return index === 0 ? { ...facts, price: 8000 } : facts;
  }),
  list: { currency: 'GBP', mileageUnit: 'mi' } as Partial<LastList>,
  control: new Map<string, ControlRow>(),
});

/** Other vehicles in the view of a vehicle. Only its page shows them, not pages with only its gallery or sheet. */
const OTHERS = ['similar', 'previous', 'next', 'make', 'jsonLd'];

/** All data that a template shows. */
const shownIn = (layout: string, data: unknown) =>
  JSON.stringify(data, (name, value) =>
    /embed|sticker/.test(layout) && OTHERS.includes(name) ? undefined : value,
  );

type World = ReturnType<typeof newWorld>;

async function planned(world: World, headOf?: SitePlanOptions['headOf']) {
  const { site, dealer, vehicles, withdrawn, facts, list, control } = world;
  const config = offlineConfig({
    site: { locales: ['de-DE'], sticker: true, ...site },
    dealers: [
      { stock: { file: 'stock.csv' }, ...dealer },
      { id: 8, name: 'Eight', slug: 'eight' },
    ],
  });
  const byPlate = new Map(facts.map((one, index) => [PLATES[index] ?? '', one]));
  const prices = facts.filter(({ price }) => price !== undefined).length;
  const lastList = { byPlate, prices, changed: new Map(), ...list } as unknown as LastList;
  const stock = config.dealers.map((one): DealerStock => {
    if (one.id !== 7) return stockOf(one, []);
    const dealerList = { facts: lastList } as DealerStock['list'];
    return { ...stockOf(one, vehicles), withdrawn, list: dealerList };
  });
  const contentOf = (key: string) => ({
    hash: contentHash(Buffer.from(key)),
    width: 1600,
    height: 1200,
  });
  const { plan, dealers, parts } = await planOf(config, stock, contentOf, { control, headOf });
  const entries = parts.flatMap(({ pages, files }) => [
    ...pages.map(({ file, key, layout, view }) => {
      return [file, { key, made: shownIn(layout, [layout, view(), plan.sites]) }] as const;
    }),
    ...files.map(({ file, key, content }) => {
      return [file, { key, made: JSON.stringify(content()) }] as const;
    }),
  ]);
  const heads = new Map(dealers.map(({ dealerId, head }) => [dealerId, head]));
  return { heads, files: new Map(entries) };
}

const before = await planned(newWorld());

const decide = ({ control }: World, row: Partial<ControlRow>) =>
  control.set('A2', { plate: 'A2', without: [], ...row });

it.each<[string, (world: World) => void]>([
  [
    'a vehicle is updated',
    ({ vehicles: [one] }) => Object.assign(one ?? {}, { dateUpdated: '2026-03-04T00:00:00Z' }),
  ],
  [
    'a vehicle is withdrawn',
    ({ vehicles, withdrawn }) => {
      vehicles.pop();
      withdrawn.push({ vrm: 'A5', since: '2026-03-05T00:00:00Z' });
    },
  ],
  ['a name changes', ({ facts }) => Object.assign(facts[1] ?? {}, { variant: 'GT' })],
  ['a price comes', ({ facts }) => Object.assign(facts[1] ?? {}, { price: 9000 })],
  ['the only price goes', ({ facts }) => delete facts[0]?.price],
  ['a withdrawn vehicle expires', ({ withdrawn }) => withdrawn.pop()],
  ['the mileage changes', ({ facts }) => Object.assign(facts[1] ?? {}, { mileage: 9000 })],
  ['the fuel changes', ({ facts }) => Object.assign(facts[1] ?? {}, { fuel: 'Petrol' })],
  ['a make changes', ({ facts }) => Object.assign(facts[1] ?? {}, { make: 'Albion' })],
  [
    'facts were changed at another time',
    ({ list }) => Object.assign(list, { changed: new Map([['A2', '2026-03-06T00:00:00Z']]) }),
  ],
  ['the unit changes', ({ list }) => Object.assign(list, { mileageUnit: 'km' })],
  ['a vehicle is reserved', (world) => decide(world, { status: 'reserved' })],
  ['a vehicle is sold', (world) => decide(world, { status: 'sold' })],
  ['a title is given', (world) => decide(world, { title: 'Our best' })],
  ['a place is given', (world) => decide(world, { order: 1 })],
  [
    'the dealer has a phone',
    ({ dealer }) => Object.assign(dealer, { contact: { phone: '+44 20 7946 0100' } }),
  ],
  ['the title of the site', ({ site }) => Object.assign(site, { title: 'Vans' })],
  ['the time zone', ({ site }) => Object.assign(site, { timeZone: 'Pacific/Auckland' })],
  ['the number of vehicles on a page', ({ site }) => Object.assign(site, { perPage: 2 })],
  [
    'the policy',
    ({ site }) => Object.assign(site, { policy: { 'img-src': ['https://a.example'] } }),
  ],
  [
    'enquiries',
    ({ site }) => Object.assign(site, { enquiry: { address: 'https://forms.example/1' } }),
  ],
  ['saved vehicles', ({ site }) => Object.assign(site, { favourites: true })],
])('files with the same key stay the same: %s', async (_, change) => {
  const world = newWorld();
  change(world);
  const after = await planned(world, (id) => before.heads.get(id));
  const isSame = (file: string) => before.files.get(file)?.key === after.files.get(file)?.key;
  const stale = [...after.files].filter(
    ([file, { made }]) => isSame(file) && made !== before.files.get(file)?.made,
  );
  expect(stale.map(([file]) => file)).toEqual([]);
  expect(after.heads).toEqual((await planned(world)).heads);
  expect(after.heads).not.toEqual(before.heads);
});

it('no other website can frame a planned page, and no plate gets the name of its folder', async () => {
  const world = newWorld();
  Object.assign(world.site, { perPage: 2, favourites: true });
  const { files } = await planned(world);
  const headers = JSON.parse(files.get('/_headers')?.made ?? '');
  const pages = [...files.keys()].filter((file) => /^\/(?!embed\/).*\.html$/.test(file));
  const plates = [...world.vehicles, ...world.withdrawn].map(({ vrm }) => vrm.toLowerCase());
  for (const file of pages) {
    const policy = headersFor(headers, file.replace('index.html', '')).get(
      'content-security-policy',
    );
    expect(policy, file).toContain("frame-ancestors 'self'");
    const name = /\/seven\/([^/]+)\//.exec(file)?.[1] ?? '';
    if (!plates.includes(name)) expect(vehicleSlug(name.toUpperCase()), file).toMatch('--');
  }
});

it('a sold vehicle has no sheet among all sheets and no enquiry', async () => {
  const world = newWorld();
  Object.assign(world.site, { enquiry: { address: 'https://formspree.io/f/mabcdxyz' } });
  decide(world, { status: 'sold' });
  const { files } = await planned(world);
  const viewOf = (file: string) => JSON.parse(files.get(file)?.made ?? '')[1];
  const { vehicles } = viewOf('/seven/sticker/index.html');
  expect(vehicles.map(({ vrm }: Vehicle) => vrm)).toEqual(['A5', 'A4', 'A3', 'A1']);
  expect(viewOf('/seven/a1/index.html').enquiry).toBeDefined();
  expect(viewOf('/seven/a2/index.html').enquiry).toBeUndefined();
});

it('opening hours of a dealer end before midnight, and a closed day is from midnight to midnight', async () => {
  const world = newWorld();
  const hours = { week: ['Mo 09:00-24:00'], exceptions: { '2026-12-25': 'closed' } };
  Object.assign(world.dealer, { openingHours: hours });
  const made = (await planned(world)).files.get('/seven/index.html')?.made ?? '';
  const { jsonLd } = JSON.parse(made)[1];
  expect(jsonLd).toContain('"opens":"09:00","closes":"23:59"');
  expect(jsonLd).toContain('"opens":"00:00","closes":"00:00"');
});

it('cards name their dealer once the site has many more, also with a front page of the theme', async () => {
  const plannedWith = async (count: number, headOf?: SitePlanOptions['headOf']) => {
    const dealers = Array.from({ length: count }, (_, id) => {
      return { id, name: `Dealer ${id}`, slug: `dealer-${id}` };
    });
    const config = offlineConfig({ dealers });
    const stock = config.dealers.map((one) => stockOf(one, one.id === 0 ? [vehicleOf('A1')] : []));
    const contentOf = () => ({ hash: contentHash(Buffer.from('')), width: 16, height: 12 });
    const options = { ownFront: true, headOf };
    const [first] = (await planOf(config, stock, contentOf, options)).dealers;
    return first?.head;
  };
  const alone = await plannedWith(1);
  const among = await plannedWith(101, (id) => (id === 0 ? alone : undefined));
  expect(alone?.summary.cards.map(({ seller }) => seller)).toEqual(['']);
  expect(among?.summary.cards.map(({ seller }) => seller)).toEqual(['Dealer 0']);
});
