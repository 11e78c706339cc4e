/** Leaves out vehicles that are missing from the stock list (`stock.onlyListed`). */
import type { LoadedConfig } from '../config/load.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import type { DealerStock, LastGood } from './dealer-stock.ts';
import type { DealerList } from './list.ts';
import { comparablePlate } from './plate.ts';
import { acceptOptions, suspiciousLoss, vehiclesId, vrms } from './refusals.ts';

interface Options {
  last: LastGood | undefined;
  config: Pick<LoadedConfig, 'publish'>;
  acceptLoss: readonly string[];
}

/**
 * The stock without vehicles that the list does not have. If the list cannot be used, vehicles stay as they were last
 * published. A loss above the limits withdraws nothing, because the list may be of another dealer.
 */
export function onlyListed(
  { dealer, vehicles, source }: Pick<DealerStock, 'dealer' | 'vehicles' | 'source'>,
  list: DealerList,
  { last, config, acceptLoss }: Options,
): Pick<DealerStock, 'vehicles' | 'list'> {
  const all = { vehicles, list };
  if (!dealer.stock?.onlyListed || source !== 'live') return all;
  const { problem, facts } = list;
  if (!facts || (problem && !last)) return all;
  const published = new Set(last?.vehicles.map(({ vrm }) => vrm));
  const listed = vehicles.filter(({ vrm }) =>
    problem ? published.has(vrm) : facts.byPlate.has(comparablePlate(vrm)),
  );
  const before = vrms(last?.vehicles ?? vehicles);
  const token = `${dealer.slug}@${vehiclesId([...before, 'unlisted'])}`;
  const missing = suspiciousLoss(before, vrms(listed), last ? config.publish : NO_LIMITS);
  if (!problem && missing > 0 && !acceptLoss.includes(token)) {
    const unlisted = vrms(vehicles.filter((one) => !listed.includes(one)));
    const matter = {
      code: 'stock-list-unlisted',
      what: `${countText(missing, 'vehicle')} of dealer ${dealer.id} (${dealer.name}) would be withdrawn at once, because the stock list does not have them: ${firstOf(unlisted, 5)}. They stay.`,
      fix: `Check the list, and stock.columns. If they were really sold, run once: npm run build -- ${acceptOptions([token])}`,
    };
    return { vehicles, list: { ...list, matters: [...list.matters, matter] } };
  }
  return { vehicles: listed, list };
}

/** On a first build, only a list that has no vehicle at all is refused. */
const NO_LIMITS = { maxVehicleLoss: 1, minVehicleLoss: 1 };
