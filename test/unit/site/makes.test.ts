import { expect, it } from 'vitest';
import { textsFor } from '../../../src/site/i18n/text.ts';
import { makeHubViews } from '../../../src/site/views/front-view.ts';
import { makeSlug, makesOf } from '../../../src/site/views/makes.ts';

it.each([
  ['Škoda', 'skoda'],
  ['ŠKODA', 'skoda'],
  ['S\u030Ckoda', 'skoda'],
  ['Citroën', 'citroen'],
  ['Mercedes-Benz', 'mercedes-benz'],
  [' Alfa  Romeo ', 'alfa-romeo'],
  ['Weiß & Søn', 'weiss-son'],
  ['Łada', 'lada'],
  ['../../x', 'x'],
  ['Лада', ''],
  ['', ''],
  // Windows reserves these names.
  ['AUX', 'aux-make'],
  ['x'.repeat(99), 'x'.repeat(40)],
])('%j has the URL segment %j', (name, slug) => {
  expect(makeSlug(name)).toBe(slug);
});

it('spellings of one make are merged under the most frequent one', () => {
  const of = (...names: string[]) => names.map((name) => ({ name, vehicles: 1 }));
  expect(makesOf(of('SKODA', 'Škoda', 'Audi', 'Škoda', '', 'Лада'))).toEqual([
    { slug: 'audi', name: 'Audi', vehicles: 1 },
    { slug: 'skoda', name: 'Škoda', vehicles: 3 },
  ]);
  // The order of vehicles does not matter.
  expect(makesOf(of('Skoda', 'SKODA'))).toEqual(makesOf(of('SKODA', 'Skoda')));
});

it('the page of a make has the newest 24 vehicles of many dealers, and a card is read once for all makes', () => {
  let reads = 0;
  const cardOf = (dealer: number, at: number) => ({
    url: `/${dealer}/${at}/`,
    updated: { iso: new Date(1e12 - at * 1e6 - dealer * 1000).toISOString() },
    get facets() {
      reads++;
      return { make: `Make ${at % 20}` };
    },
  });
  const dealers = Array.from({ length: 30 }, (_, dealer) => ({
    cards: Array.from({ length: 400 }, (_, at) => cardOf(dealer, at)),
    makes: Array.from({ length: 20 }, (_, make) => ({
      slug: `make-${make}`,
      name: `Make ${make}`,
      vehicles: 20,
    })),
    link: { slug: `dealer-${dealer}` },
    row: {},
  }));
  const place = { base: '', origin: 'https://cars.example', folder: '', languages: [] };
  const context = {
    place,
    texts: textsFor('en-GB', 'UTC'),
    title: 'Group',
    frame: { scripts: [] },
  };
  const views = makeHubViews(dealers as never, context as never);
  expect(views).toHaveLength(20);
  expect(views[0]?.vehiclesText).toBe('600 vehicles');
  expect(views[0]?.dealers).toHaveLength(30);
  expect(views[0]?.cards.map(({ url }) => url)).toEqual(
    Array.from({ length: 24 }, (_, dealer) => `/${dealer}/0/`),
  );
  expect(reads).toBeLessThan(1.1 * 30 * 400);
});
