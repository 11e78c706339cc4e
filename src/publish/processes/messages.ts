import type { LoadedConfig, WithKey } from '../../config/load.ts';
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

type WithText<T> = (Omit<T, 'apiKey' | 'listKey'> & {
  apiKey: string;
  listKey: string | undefined;
})[];

/** A configuration with its keys as plain text, sent only to worker processes of this build. */
type WorkerConfig = Omit<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'> & {
  dealers: WithText<LoadedConfig['dealers'][number]>;
  accounts: WithText<LoadedConfig['accounts'][number]>;
  siteSecret: string | undefined;
};

const revealed = <T extends WithKey<object>>(one: T) => ({
  ...one,
  apiKey: one.apiKey.reveal(),
  listKey: one.listKey?.reveal(),
});

const hidden = <T extends { apiKey: string; listKey: string | undefined }>(one: T) => ({
  ...one,
  apiKey: new Secret(one.apiKey),
  listKey: one.listKey === undefined ? undefined : new Secret(one.listKey),
});

export const packConfig = (config: LoadedConfig): WorkerConfig => ({
  ...config,
  dealers: config.dealers.map(revealed),
  accounts: config.accounts.map(revealed),
  siteSecret: config.siteSecret?.reveal(),
});

export const unpackConfig = ({ siteSecret, ...config }: WorkerConfig): LoadedConfig => ({
  ...config,
  dealers: config.dealers.map(hidden),
  accounts: config.accounts.map(hidden),
  siteSecret: siteSecret === undefined ? undefined : new Secret(siteSecret),
});
