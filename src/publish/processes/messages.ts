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
  /** Dealers to fetch next, as the reply to `take`. Empty if none are left. */
  | { dealers: readonly number[] };

/** Message from a worker. */
export type Message =
  | { take: true }
  | { progress: ProgressEvent }
  /** A chunk, which is incomplete if there is an error. */
  | { built: BuiltChunk; error?: PlainError };

/**
 * A configuration with keys as plain text. It is only sent to worker processes of this build. They need no accounts of
 * the history.
 */
type WorkerConfig = ReturnType<typeof packConfig>;

export const packConfig = ({ accounts: _, siteSecret, ...config }: LoadedConfig) => ({
  ...config,
  dealers: config.dealers.map(({ apiKey, listKey, ...dealer }) => ({
    ...dealer,
    apiKey: apiKey.reveal(),
    listKey: listKey?.reveal(),
  })),
  siteSecret: siteSecret?.reveal(),
});

const secretOf = (text: string | undefined) => (text === undefined ? undefined : new Secret(text));

export const unpackConfig = ({ siteSecret, dealers, ...config }: WorkerConfig): LoadedConfig => ({
  ...config,
  dealers: dealers.map(({ apiKey, listKey, ...dealer }) => ({
    ...dealer,
    apiKey: new Secret(apiKey),
    listKey: secretOf(listKey),
  })),
  accounts: [],
  siteSecret: secretOf(siteSecret),
});
