import type { WireChunk, WireConfig, WireError } from '../chunk/wire.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import type { ContextOptions } from './context.ts';

/** What a worker is told first: the context of the build, without what lives in one process. */
export interface Start extends Omit<ContextOptions, 'config' | 'options'> {
  config: WireConfig;
  options: Omit<ContextOptions['options'], 'signal'>;
  /** Spellings of all keys, see `SecretSearch`. */
  forms: readonly string[];
}

/** What a worker is told. */
export type Order =
  | { start: Start }
  /** Dealers to be asked for next, in answer to `take`; none where all are taken. */
  | { dealers: readonly number[] };

/** What a worker says. */
export type Message =
  | { take: true }
  | { progress: ProgressEvent }
  | { built: WireChunk }
  /** It stopped; what came of the chunk that it was at. */
  | { failed: WireError; chunk: WireChunk };
