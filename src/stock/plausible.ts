import type { VehicleFacts } from './vehicle-facts.ts';

/** About how much of a currency a euro is. Only the order of magnitude matters. */
const A_EURO: Readonly<Record<string, number>> = {
  ...{ AED: 4, BRL: 5, CZK: 25, DKK: 7, HUF: 400, INR: 90, ISK: 150, JPY: 160, MXN: 20 },
  ...{ NOK: 11, PLN: 4, RON: 5, SAR: 4, SEK: 11, ZAR: 20 },
};

/** Prices of cars in euros. */
const PRICES = { least: 100, most: 10_000_000 };
/** Highest mileage, in miles or kilometres. */
const MOST_MILEAGE = 2_000_000;
/** A value that grows or shrinks by more than this at once is a mistake. */
const FACTOR = 5;
/** Mileages below this may multiply: a demonstration car is driven. */
const FEW_MILES = 1000;

export type Amounts = Pick<VehicleFacts, 'price' | 'mileage'>;

/** Whether a vehicle may have a price or mileage at all. */
export function isPlausible(key: keyof Amounts, value: number, currency: string): boolean {
  if (key === 'mileage') return value <= MOST_MILEAGE;
  const scale = A_EURO[currency] ?? 1;
  return value >= PRICES.least * scale && value <= PRICES.most * scale;
}

/** Whether a price or mileage may follow another one. */
export function mayFollow(
  key: keyof Amounts,
  value: number,
  previous: number | undefined,
): boolean {
  if (previous === undefined || previous === 0) return true;
  if (key === 'mileage' && Math.max(value, previous) < FEW_MILES) return true;
  return value <= previous * FACTOR && value * FACTOR >= previous;
}
