import type { LoadedConfig } from '../../config/load.ts';
import { Secret } from '../../config/secret.ts';

const replaced = <T extends { apiKey: unknown }, K>(
  list: readonly T[],
  change: (key: T['apiKey']) => K,
) => list.map((one) => ({ ...one, apiKey: change(one.apiKey) }));

type Keyed = LoadedConfig['dealers'] | LoadedConfig['accounts'];
type Plain<T extends Keyed> = (Omit<T[number], 'apiKey'> & { apiKey: string })[];

/** A configuration with its keys as plain text, sent only to worker processes of this build. */
export type WorkerConfig = Omit<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'> & {
  dealers: Plain<LoadedConfig['dealers']>;
  accounts: Plain<LoadedConfig['accounts']>;
  siteSecret: string | undefined;
};

export const packConfig = (config: LoadedConfig): WorkerConfig => ({
  ...config,
  dealers: replaced(config.dealers, (key) => key.reveal()),
  accounts: replaced(config.accounts, (key) => key.reveal()),
  siteSecret: config.siteSecret?.reveal(),
});

export const unpackConfig = (config: WorkerConfig): LoadedConfig => ({
  ...config,
  dealers: replaced(config.dealers, (key) => new Secret(key)),
  accounts: replaced(config.accounts, (key) => new Secret(key)),
  siteSecret: config.siteSecret === undefined ? undefined : new Secret(config.siteSecret),
});
