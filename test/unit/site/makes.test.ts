import { expect, it } from 'vitest';
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
