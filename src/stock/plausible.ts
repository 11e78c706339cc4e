import { CURRENCY_CODES } from '../config/region.ts';
import type { VehicleFacts } from './vehicle-facts.ts';

/** Approximate value of one euro in each of `CURRENCY_CODES`, if it is not about 1. */
const UNITS_PER_EURO: Readonly<Record<string, number>> = {
  AED: 4,
  BRL: 5,
  CZK: 25,
  DKK: 7,
  HUF: 400,
  INR: 90,
  ISK: 150,
  JPY: 160,
  MXN: 20,
  NOK: 11,
  PLN: 4,
  RON: 5,
  SAR: 4,
  SEK: 11,
  ZAR: 20,
};

/** Plausible prices of cars in euros. */
const PRICES = { least: 100, most: 10_000_000 };
/** Maximum mileage, in miles or kilometres. */
const MOST_MILEAGE = 2_000_000;
/** A value that grows or shrinks by a larger factor is a mistake. */
const FACTOR = 5;
/** Mileages below this may change by any factor: demonstration cars are driven. */
const FEW_MILES = 1000;

export type Amounts = Pick<VehicleFacts, 'price' | 'mileage'>;

export function isPlausible(key: keyof Amounts, value: number, currency: string): boolean {
  if (key === 'mileage') return value <= MOST_MILEAGE;
  // stock.currency may name a currency of unknown value.
  if (!CURRENCY_CODES.includes(currency)) return true;
  const scale = UNITS_PER_EURO[currency] ?? 1;
  return value >= PRICES.least * scale && value <= PRICES.most * scale;
}

interface Mileages {
  mileageUnit: string;
  byPlate: ReadonlyMap<string, Amounts>;
}

/** Whether mileages are in another unit than before, as in an export without the word `km`. */
export const hasOtherUnit = (now: Mileages, before: Mileages): boolean =>
  now.mileageUnit !== before.mileageUnit &&
  [now, before].every(({ byPlate }) => [...byPlate.values()].some(({ mileage }) => mileage));

/** Whether the change from the previous price or mileage is plausible. */
export function mayFollow(key: keyof Amounts, value: number, previous: number): boolean {
  if (previous === 0) return true;
  if (key === 'mileage' && Math.max(value, previous) < FEW_MILES) return true;
  return value <= previous * FACTOR && value * FACTOR >= previous;
}
