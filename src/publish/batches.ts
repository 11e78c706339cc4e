import type { LoadedConfig } from '../config/load.ts';
import type { DealerStock } from '../stock/load.ts';

/**
 * Vehicles that are worked on at the same time, at least: enough that starting what renders and what
 * compares counts for little, and no more than the memory of a small machine holds.
 */
const VEHICLES = 1500;

type Dealers = LoadedConfig['dealers'];

/**
 * The stock of dealers in batches, as many at a time as the service is asked for, so that memory
 * follows the largest dealers and not all of them.
 *
 * @param whole one batch of all, for what needs all at once.
 * @param vehicles in a batch, at least.
 */
export async function* stockBatches(
  { dealers, service }: Pick<LoadedConfig, 'dealers' | 'service'>,
  load: (dealers: Dealers) => Promise<DealerStock[]>,
  { whole, vehicles: least = VEHICLES }: { whole: boolean; vehicles?: number | undefined },
): AsyncIterable<DealerStock[]> {
  if (whole || dealers.length <= service.concurrency) {
    yield await load(dealers);
    return;
  }
  let batch: DealerStock[] = [];
  for (let next = 0; next < dealers.length; next += service.concurrency) {
    batch.push(...(await load(dealers.slice(next, next + service.concurrency))));
    if (batch.reduce((sum, { vehicles }) => sum + vehicles.length, 0) < least) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
