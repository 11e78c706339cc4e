/** Leaves out vehicles that are missing from the stock list (`stock.onlyListed`). */
import type { LoadedConfig } from '../config/load.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import type { DealerStock, Snapshot } from './dealer-stock.ts';
import type { DealerList } from './list.ts';
import { keyAt } from './plate.ts';
import { acceptOptions, suspiciousLoss, vehiclesToken, vrms } from './refusals.ts';

interface Options {
  last: Snapshot | undefined;
  config: Pick<LoadedConfig, 'publish'>;
  acceptLoss: readonly string[];
}

/**
 * Removes vehicles that are missing in the list. If the list cannot be used, keeps the vehicles that were last
 * published. If the loss exceeds the limits, removes nothing, because the list may belong to another dealer.
 */
export function onlyListed(
  { dealer, vehicles, source }: Pick<DealerStock, 'dealer' | 'vehicles' | 'source'>,
  list: DealerList,
  { last, config, acceptLoss }: Options,
): Pick<DealerStock, 'vehicles' | 'list'> {
  const unchangedStock = { vehicles, list };
  if (!dealer.stock?.onlyListed || source !== 'live') return unchangedStock;
  const { problem, facts } = list;
  if (!facts || (problem && !last)) return unchangedStock;
  const publishedVrms = new Set(last?.vehicles.map(({ vrm }) => vrm));
  const listedVehicles = vehicles.filter(({ vrm }) =>
    problem ? publishedVrms.has(vrm) : keyAt(facts.byPlate, vrm) !== undefined,
  );
  const lastVrms = vrms(last?.vehicles ?? vehicles);
  // A first build refuses only a list without any vehicle.
  const limits = last ? config.publish : { maxVehicleLoss: 1, minVehicleLoss: 1 };
  const missing = suspiciousLoss(lastVrms, vrms(listedVehicles), limits);
  const token = vehiclesToken(dealer, [...lastVrms, 'unlisted'], missing);
  if (!problem && missing.length > 0 && !acceptLoss.includes(token)) {
    const unlisted = vrms(vehicles.filter((vehicle) => !listedVehicles.includes(vehicle)));
    const matter = {
      code: 'stock-list-unlisted',
      what: `${countText(missing.length, 'vehicle')} of dealer ${dealer.id} (${dealer.name}) would be withdrawn at once, because the stock list does not have them: ${firstOf(unlisted, 5)}. They are kept.`,
      fix: `Check the list, and stock.columns. If they were really sold, build once, or start the workflow, with ${acceptOptions([token])}`,
    };
    return { vehicles, list: { ...list, matters: [...list.matters, matter] } };
  }
  return { vehicles: listedVehicles, list };
}
