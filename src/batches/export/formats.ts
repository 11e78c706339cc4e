import type { Format } from './format.ts';

/** Each format's module is loaded on demand: `pull` and `status` need none of them. */
const LOADERS = {
  csv: () => import('./csv.ts'),
  ndjson: () => import('./ndjson.ts'),
  parquet: () => import('./parquet.ts'),
  xlsx: () => import('./xlsx.ts'),
  singer: () => import('./singer.ts'),
} satisfies Record<string, () => Promise<{ format: Format }>>;

export type FormatName = keyof typeof LOADERS;
export const FORMAT_NAMES = Object.keys(LOADERS) as FormatName[];

export const loadFormat = async (name: FormatName): Promise<Format> =>
  (await LOADERS[name]()).format;
