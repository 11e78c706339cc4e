/** Notices a stock list that its export no longer updates. */
import type { DealerConfig } from '../config/schema.ts';
import { printable } from '../errors.ts';
import type { LastList } from './facts.ts';
import { keyAt } from './plate.ts';

const DAY = 86_400_000;
/** Days after which a list without any change is reported. */
const OLD = 14;

/**
 * A note about a list that has not changed for weeks. If it also lacks a vehicle, it needs attention: then its export
 * has probably stopped. Small dealers may have the same vehicles for weeks.
 */
export function oldList(
  { byPlate, since }: Pick<LastList, 'byPlate' | 'since'>,
  { id, name, stock }: Pick<DealerConfig, 'id' | 'name' | 'stock'>,
  { vehicles, now }: { vehicles: readonly { vrm: string }[]; now: number },
): { matters: { code: string; what: string; fix: string }[]; notes: string[] } {
  if (now - Date.parse(since) < OLD * DAY) return { matters: [], notes: [] };
  // With onlyListed, a dealer leaves out vehicles on purpose.
  const isComplete =
    stock?.onlyListed || vehicles.every(({ vrm }) => keyAt(byPlate, vrm) !== undefined);
  const unchanged = `has not changed since ${since}`;
  if (isComplete) return { matters: [], notes: [`The stock list ${unchanged}.`] };
  const matter = {
    code: 'stock-list-old',
    what: `The stock list of dealer ${id} (${printable(name)}) ${unchanged}, and lacks vehicles. Its prices may be old.`,
    fix: 'Check whether the program that exports it still runs.',
  };
  return { matters: [matter], notes: [] };
}
