import type { LoadedConfig } from '../../config/load.ts';
import { Secret } from '../../config/secret.ts';
import type { PlainError } from '../../errors.ts';
import type { BuildInput } from '../build/context.ts';
import type { BuiltChunk } from '../chunk/built-chunk.ts';
import type { ProgressEvent } from '../report/build-progress.ts';

/** First message to a worker: the input of the build as plain data. */
export interface Start extends Omit<BuildInput, 'config'> {
  config: WorkerConfig;
  /** Spellings of all keys, see `SecretSearch`. */
  forms: readonly string[];
}

/** Message to a worker. */
export type Order =
  | { start: Start }
  /** Dealers to fetch next, in answer to `take`. Empty when all are taken. */
  | { dealers: readonly number[] };

/** Message from a worker. */
export type Message =
  | { take: true }
  | { progress: ProgressEvent }
  /** A chunk. With an error, as far as it got. */
  | { built: BuiltChunk; error?: PlainError | undefined };

type WithText<T> = (Omit<T, 'apiKey'> & { apiKey: string })[];

/** A configuration with its keys as plain text, sent only to worker processes of this build. */
type WorkerConfig = Omit<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'> & {
  dealers: WithText<LoadedConfig['dealers'][number]>;
  accounts: WithText<LoadedConfig['accounts'][number]>;
  siteSecret: string | undefined;
};

export const packConfig = (config: LoadedConfig): WorkerConfig => ({
  ...config,
  dealers: config.dealers.map((one) => ({ ...one, apiKey: one.apiKey.reveal() })),
  accounts: config.accounts.map((one) => ({ ...one, apiKey: one.apiKey.reveal() })),
  siteSecret: config.siteSecret?.reveal(),
});

export const unpackConfig = ({ siteSecret, ...config }: WorkerConfig): LoadedConfig => ({
  ...config,
  dealers: config.dealers.map((one) => ({ ...one, apiKey: new Secret(one.apiKey) })),
  accounts: config.accounts.map((one) => ({ ...one, apiKey: new Secret(one.apiKey) })),
  siteSecret: siteSecret === undefined ? undefined : new Secret(siteSecret),
});
