import type { LoadedConfig } from '../../config/load.ts';
import type { DealerStock } from '../../stock/load.ts';
import {
  buildChunk,
  type ChunkContext,
  type LocalResult,
  loadChunk,
} from '../build/build-chunk.ts';
import { type BuiltChunk, newChunk } from '../chunk/built-chunk.ts';

/**
 * Minimum of vehicles in a chunk: enough that starting the renderer costs little, and no more
 * than the memory of a small machine holds.
 */
export const VEHICLES = 500;

type Dealers = LoadedConfig['dealers'];

export interface ChunksOptions {
  /** The next dealers to fetch; empty when all are taken. */
  take: () => Dealers | Promise<Dealers>;
  /** Called when a chunk's stock is loaded, before the chunk is built. */
  onLoaded?: ((stock: readonly DealerStock[]) => void) | undefined;
  /** Receives a chunk before it is filled. */
  onChunk: (chunk: BuiltChunk) => void;
  onBuilt?: (chunk: BuiltChunk, result: LocalResult) => void;
  vehicles?: number | undefined;
}

/** Builds dealers in chunks until none is left, so that memory use depends on the largest chunk. */
export async function buildChunks(
  context: ChunkContext,
  { take, onLoaded, onChunk, onBuilt, vehicles: least = VEHICLES }: ChunksOptions,
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
    const result = await buildChunk(stock, context, chunk);
    onBuilt?.(chunk, result);
  }
}
