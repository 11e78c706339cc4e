import fc from 'fast-check';
import type { Car, Stock } from './literal-nights.ts';

/** Changes of a stock, by numbers that are valid for any stock. */
type Change =
  | { kind: 'price' | 'sell' | 'restore'; dealer: number; car: number; price: number }
  | { kind: 'buy'; dealer: number; car: number; price: number; pictures: number[] }
  | { kind: 'open' | 'close'; dealer: number };

export interface Night {
  changes: Change[];
  /** A full site is built. */
  isFull: boolean;
  /** A file that the user added in this night. */
  added: number | undefined;
  /** Files that the host loses before the deploy: every nth. All with 1. */
  forget: number | undefined;
  /** Its network fails from this request on, or the deploy is killed. */
  cut: { request: number; carriesOut: boolean; isKilled: boolean } | undefined;
  /** A rollback to the previous site happens before it. */
  isBack: boolean;
  /** Additional changes of a second, parallel deploy. */
  second: Change[] | undefined;
  /** After an interruption: the same change set again, a new build, or a build from the earlier stock. */
  after: 'again' | 'anew' | 'back';
}

const dealer = fc.integer({ min: 1, max: 3 });

const car = fc.integer({ min: 1, max: 4 });

const price = fc.integer({ min: 1, max: 3 });

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('price', 'sell'), dealer, car, price }),
  fc.record({
    kind: fc.constant('buy'),
    dealer,
    car,
    price,
    pictures: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('open', 'close'), dealer }),
) as fc.Arbitrary<Change>;

const changes = fc.array(change, { maxLength: 4 });

const rarely = <T>(one: fc.Arbitrary<T>, weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: one });

export const night: fc.Arbitrary<Night> = fc.record({
  changes,
  isFull: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  added: rarely(fc.integer({ min: 1, max: 2 }), 3),
  forget: rarely(fc.integer({ min: 1, max: 4 }), 3),
  cut: rarely(
    fc.record({
      request: fc.integer({ min: 1, max: 30 }),
      carriesOut: fc.boolean(),
      isKilled: fc.boolean(),
    }),
    5,
  ),
  isBack: fc.nat({ max: 3 }).map((one) => one === 0),
  second: rarely(changes, 2),
  after: fc.constantFrom('again', 'anew', 'back'),
});

export function changed(stock: Stock, all: readonly Change[]): Stock {
  const next = new Map([...stock].map(([id, cars]) => [id, [...cars]]));
  for (const change of all) {
    const cars = next.get(change.dealer);
    if (change.kind === 'open') next.set(change.dealer, cars ?? []);
    else if (change.kind === 'close') {
      // At least one dealer exists, because a site cannot be empty.
      if (next.size > 1) next.delete(change.dealer);
    } else if (cars && 'car' in change) {
      const others = cars.filter(({ id }) => id !== change.car);
      const former = cars.find(({ id }) => id === change.car);
      const now: Car | undefined =
        change.kind === 'buy'
          ? { id: change.car, price: change.price, pictures: change.pictures }
          : change.kind === 'price' && former
            ? { ...former, price: change.price }
            : undefined;
      next.set(change.dealer, now ? [...others, now].sort((a, b) => a.id - b.id) : others);
    }
  }
  return next;
}
