import type { WireChunk, WireConfig, WireError } from '../chunk/wire.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import type { ContextOptions } from './context.ts';

/** First message to a worker: the context of the build as plain data. */
export interface Start extends Omit<ContextOptions, 'config' | 'options'> {
  config: WireConfig;
  options: Omit<ContextOptions['options'], 'signal'>;
  /** Spellings of all keys, see `SecretSearch`. */
  forms: readonly string[];
}

/** Message to a worker. */
export type Order =
  | { start: Start }
  /** Dealers to fetch next, in answer to `take`; empty when all are taken. */
  | { dealers: readonly number[] };

/** Message from a worker. */
export type Message =
  | { take: true }
  | { progress: ProgressEvent }
  | { built: WireChunk }
  /** The worker failed; `chunk` is the one it was building, as far as it got. */
  | { failed: WireError; chunk: WireChunk };
