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
  /** Dealers to fetch next, as the reply to `take`. Empty if none are left. */
  | { dealers: readonly number[] };

/** Message from a worker. */
export type Message =
  | { take: true }
  | { progress: ProgressEvent }
  /** A chunk, which is incomplete if there is an error. */
  | { built: BuiltChunk; error?: PlainError };

type WithText<T> = (Omit<T, 'apiKey' | 'listKey'> & {
  apiKey: string;
  listKey: string | undefined;
})[];

/** A configuration with keys as plain text. It is only sent to worker processes of this build. */
type WorkerConfig = Omit<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'> & {
  dealers: WithText<LoadedConfig['dealers'][number]>;
  accounts: WithText<LoadedConfig['accounts'][number]>;
  siteSecret: string | undefined;
};

const withPlainKeys = <T extends WithKey<object>>(one: T) => ({
  ...one,
  apiKey: one.apiKey.reveal(),
  listKey: one.listKey?.reveal(),
});

const withSecretKeys = <T extends { apiKey: string; listKey: string | undefined }>(one: T) => ({
  ...one,
  apiKey: new Secret(one.apiKey),
  listKey: one.listKey === undefined ? undefined : new Secret(one.listKey),
});

export const packConfig = (config: LoadedConfig): WorkerConfig => ({
  ...config,
  dealers: config.dealers.map(withPlainKeys),
  accounts: config.accounts.map(withPlainKeys),
  siteSecret: config.siteSecret?.reveal(),
});

export const unpackConfig = ({ siteSecret, ...config }: WorkerConfig): LoadedConfig => ({
  ...config,
  dealers: config.dealers.map(withSecretKeys),
  accounts: config.accounts.map(withSecretKeys),
  siteSecret: siteSecret === undefined ? undefined : new Secret(siteSecret),
});
