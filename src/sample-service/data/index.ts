import { generateAccounts } from './batches.ts';
import { readDataFolder } from './folder.ts';
import { SampleStore } from './store.ts';
import type { SampleData } from './types.ts';
import { generateDealers } from './vehicles.ts';

/** Where the data comes from: a literal, a folder, or a seed with counts; the first one given. */
export interface DataSource {
  data?: SampleData | undefined;
  dataFolder?: string | undefined;
  seed: number;
  dealers: number;
  vehicles: number;
  images: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** The data of a service. @throws ConfigError where a data folder cannot be used */
export async function loadData(source: DataSource): Promise<SampleStore> {
  if (source.data) return new SampleStore(source.data);
  if (source.dataFolder) return new SampleStore(await readDataFolder(source.dataFolder));
  const dealers = generateDealers(source);
  return new SampleStore({ dealers, accounts: generateAccounts(source.seed, source.now, dealers) });
}
