import type { PlainError } from '../../errors.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import type { ProgressEvent } from '../report/build-progress.ts';
import type { ContextOptions } from './context.ts';
import type { WorkerConfig } from './worker-config.ts';

/** First message to a worker: the context of the build as plain data. */
export interface Start extends Omit<ContextOptions, 'config' | 'options'> {
  config: WorkerConfig;
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
  | { built: BuiltChunk }
  /** The worker failed; `chunk` is the one it was building, as far as it got. */
  | { failed: PlainError; chunk: BuiltChunk };
