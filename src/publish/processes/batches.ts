import type { LoadedConfig } from '../../config/load.ts';
import type { DealerStock } from '../../stock/load.ts';
import { type BuiltBatch, newBatch } from '../batch/built-batch.ts';
import {
  type BatchContext,
  type BatchInside,
  buildBatch,
  loadBatch,
} from '../build/build-batch.ts';

/**
 * Vehicles of a batch, at least: enough that starting what renders counts for little, and no more
 * than the memory of a small machine holds.
 */
export const VEHICLES = 500;

type Dealers = LoadedConfig['dealers'];

export interface BatchesOptions {
  /** The next dealers to be asked for; none where all are taken. */
  take: () => Dealers | Promise<Dealers>;
  /** Called when there is a batch, before it is built. */
  onLoaded?: ((stock: readonly DealerStock[]) => void) | undefined;
  /** Takes a batch before anything is known of it. */
  onBatch: (batch: BuiltBatch) => void;
  onBuilt?: (batch: BuiltBatch, inside: BatchInside) => void;
  vehicles?: number | undefined;
}

/** Builds dealers in batches until none is left, so that memory follows the largest and not all. */
export async function buildBatches(
  context: BatchContext,
  { take, onLoaded, onBatch, onBuilt, vehicles: least = VEHICLES }: BatchesOptions,
): Promise<void> {
  for (let dealers = await take(); dealers.length > 0; dealers = await take()) {
    const batch = newBatch();
    onBatch(batch);
    const stock: DealerStock[] = [];
    for (; dealers.length > 0; dealers = await take()) {
      stock.push(...(await loadBatch(dealers, context, batch)));
      if (stock.reduce((sum, { vehicles }) => sum + vehicles.length, 0) >= least) break;
    }
    onLoaded?.(stock);
    const inside = await buildBatch(stock, context, batch);
    onBuilt?.(batch, inside);
  }
}
