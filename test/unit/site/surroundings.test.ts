import { describe, expect, it } from 'vitest';
import { randomOf } from '../../../src/sample-service/data/random.ts';
import { type Comparable, similarVehicles } from '../../../src/site/plan/surroundings.ts';

const BODIES = ['Hatchback', 'Estate', 'SUV', 'Saloon', 'Coupé', 'Van'];

/** A stock of 12 makes with 6 models each, with common ones far more often than others. */
function stockOf(count: number, has: { facts?: boolean; body?: boolean; price?: boolean }) {
  const random = randomOf(count).next;
  return Array.from({ length: count }, (_, index): Comparable => {
    const make = Math.floor(12 * random() ** 2);
    const model = Math.floor(6 * random() ** 1.5);
    const price = 2000 + Math.round(400 * random() ** 2) * 100;
    const facts = {
      make: `Make ${make}`,
      model: `Model ${make}-${model}`,
      ...(has.body !== false && { body: BODIES[(make + model) % BODIES.length] ?? 'Van' }),
      ...(has.price !== false && { price }),
    };
    return { slug: `v${index}`, facts: has.facts === false ? {} : facts };
  });
}

/** Other vehicles on the page of each vehicle. */
function shownBy(vehicles: readonly Comparable[]): Map<string, string> {
  const similar = similarVehicles(vehicles);
  return new Map(
    vehicles.map(({ slug }, index) => {
      const others = (similar[index] ?? []).map((other) => JSON.stringify(vehicles[other]));
      const neighbours = [vehicles[index - 1]?.slug, vehicles[index + 1]?.slug];
      return [slug, JSON.stringify([others, neighbours])];
    }),
  );
}

/** Number of changed pages of other vehicles. */
function changed(
  before: readonly Comparable[],
  after: readonly Comparable[],
  changedSlug: string,
): number {
  const now = shownBy(after);
  return [...shownBy(before)].filter(
    ([slug, page]) => slug !== changedSlug && now.has(slug) && now.get(slug) !== page,
  ).length;
}

describe('similar vehicles', () => {
  const vehicle = (slug: string, make?: string, model?: string, price?: number, body?: string) => ({
    slug,
    facts: {
      ...(make && { make }),
      ...(model && { model }),
      ...(price && { price }),
      ...(body && { body }),
    },
  });
  /** Slugs of the vehicles beside the first. */
  const beside = (...vehicles: Comparable[]) =>
    similarVehicles(vehicles)[0]?.map((index) => vehicles[index]?.slug);

  it('share the make first, then the body, sorted by price difference', () => {
    expect(
      beside(
        vehicle('golf', 'VW', 'Golf', 15_000, 'Hatchback'),
        vehicle('far-golf', 'VW', 'Golf', 30_000, 'Hatchback'),
        vehicle('near-golf', 'vw', 'golf', 16_000, 'Hatchback'),
        vehicle('cheap-golf', 'VW', 'Golf', 9000, 'Hatchback'),
        vehicle('van', 'Ford', 'Transit', 15_000, 'Van'),
        vehicle('focus', 'Ford', 'Focus', 14_500, 'hatchback'),
        vehicle('astra', 'Opel', 'Astra', 15_500, 'Hatchback'),
        vehicle('polo', 'VW', 'Polo', 12_000, 'Hatchback'),
      ),
    ).toEqual(['cheap-golf', 'near-golf', 'focus', 'astra']);
  });

  it('have a similar price without make and body, otherwise are the next in the list', () => {
    const unknown = ['a', 'b', 'c', 'd', 'e', 'f'].map((slug) => vehicle(slug));
    expect(
      beside(
        vehicle('x', undefined, undefined, 9000),
        ...unknown,
        vehicle('y', undefined, undefined, 9500),
      ),
    ).toEqual(['y', 'a', 'b', 'c']);
    expect(similarVehicles(unknown)[3]).toEqual([2, 4, 1, 5]);
  });

  it('are for sale: a sold vehicle has similar ones, but is not shown', () => {
    const sold = vehicle('sold', 'VW', 'Golf', 15_000);
    const stock = [
      vehicle('golf', 'VW', 'Golf', 14_000),
      { ...sold, facts: { ...sold.facts, status: 'sold' as const } },
      vehicle('polo', 'VW', 'Polo', 9000),
    ];
    expect(similarVehicles(stock)).toEqual([[2], [0, 2], [0]]);
  });

  it('are all other vehicles of a small dealer, never the vehicle itself', () => {
    expect(similarVehicles([])).toEqual([]);
    expect(similarVehicles([vehicle('a', 'VW')])).toEqual([[]]);
    expect(similarVehicles([vehicle('a', 'VW'), vehicle('b')])).toEqual([[1], [0]]);
  });
});

describe.each([
  ['all facts', {}],
  ['no body', { body: false }],
  ['no price', { price: false }],
  ['no facts', { facts: false }],
] as const)('of 300 vehicles, at most ten other pages change: %s', (_, has) => {
  const stock = stockOf(300, has);
  const sample = stock.filter((__, index) => index % 13 === 0);

  it.each([
    ['is sold', (one: Comparable) => stock.filter((other) => other !== one)],
    ['gets new pictures', (one: Comparable) => [one, ...stock.filter((other) => other !== one)]],
    [
      'gets another price',
      (one: Comparable) => {
        const price = Math.round((one.facts.price ?? 0) * 0.93);
        const cheaper = { ...one, facts: { ...one.facts, price } };
        return stock.map((other) => (other === one ? cheaper : other));
      },
    ],
  ])('a vehicle %s', (__, edit) => {
    const counts = sample.map((one) => changed(stock, edit(one), one.slug));
    expect(Math.max(...counts)).toBeLessThanOrEqual(10);
    expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeLessThanOrEqual(7);
  });
});
