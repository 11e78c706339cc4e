import fc from 'fast-check';
import type { Stock } from './literal-nights.ts';

export interface Night {
  /** Undefined if it does not change. */
  stock: Stock | undefined;
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
  /** Stock of a second, parallel deploy. */
  second: Stock | undefined;
  /** After an interruption: the same change set again, a new build, or a build from the earlier stock. */
  after: 'again' | 'anew' | 'back';
}

const upTo = (max: number) => fc.integer({ min: 1, max });

/** Cars with the same numbers share pictures. Few values, so that most nights leave some files unchanged. */
const cars = fc.uniqueArray(fc.record({ id: upTo(4), price: upTo(2), pictures: upTo(2) }), {
  selector: ({ id }) => id,
});

/** At least one dealer exists, because a site cannot be empty. */
const stock: fc.Arbitrary<Stock> = fc
  .uniqueArray(fc.tuple(upTo(3), cars), { selector: ([id]) => id, minLength: 1 })
  .map((dealers) => new Map(dealers));

const rarely = <T>(one: fc.Arbitrary<T>, weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary: one });

export const night: fc.Arbitrary<Night> = fc.record({
  stock: rarely(stock, 8),
  isFull: fc.nat({ max: 4 }).map((one) => one === 0),
  added: rarely(upTo(2), 3),
  forget: rarely(upTo(4), 3),
  cut: rarely(
    fc.record({ request: upTo(30), carriesOut: fc.boolean(), isKilled: fc.boolean() }),
    5,
  ),
  isBack: fc.nat({ max: 3 }).map((one) => one === 0),
  second: rarely(stock, 2),
  after: fc.constantFrom('again', 'anew', 'back'),
});
