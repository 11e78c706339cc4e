import type { LoadedConfig } from '../../config/load.ts';
import type { DealerStock } from '../../stock/load.ts';
import {
  buildChunk,
  type ChunkContext,
  type ChunkInside,
  loadChunk,
} from '../build/build-chunk.ts';
import { type BuiltChunk, newChunk } from '../chunk/built-chunk.ts';

/**
 * Vehicles of a chunk, at least: enough that starting what renders counts for little, and no more
 * than the memory of a small machine holds.
 */
export const VEHICLES = 500;

type Dealers = LoadedConfig['dealers'];

export interface ChunkesOptions {
  /** The next dealers to be asked for; none where all are taken. */
  take: () => Dealers | Promise<Dealers>;
  /** Called when there is a chunk, before it is built. */
  onLoaded?: ((stock: readonly DealerStock[]) => void) | undefined;
  /** Takes a chunk before anything is known of it. */
  onChunk: (chunk: BuiltChunk) => void;
  onBuilt?: (chunk: BuiltChunk, inside: ChunkInside) => void;
  vehicles?: number | undefined;
}

/** Builds dealers in chunks until none is left, so that memory follows the largest and not all. */
export async function buildChunkes(
  context: ChunkContext,
  { take, onLoaded, onChunk, onBuilt, vehicles: least = VEHICLES }: ChunkesOptions,
): Promise<void> {
  for (let dealers = await take(); dealers.length > 0; dealers = await take()) {
    const chunk = newChunk();
    onChunk(chunk);
    const stock: DealerStock[] = [];
    for (; dealers.length > 0; dealers = await take()) {
      stock.push(...(await loadChunk(dealers, context, chunk)));
      if (stock.reduce((sum, { vehicles }) => sum + vehicles.length, 0) >= least) break;
    }
    onLoaded?.(stock);
    const inside = await buildChunk(stock, context, chunk);
    onBuilt?.(chunk, inside);
  }
}
