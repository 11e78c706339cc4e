import type { Format, FormatName } from './format.ts';

/** Each format's module is loaded when it is asked for: pull and status need none of them. */
const LOADERS: Readonly<Record<FormatName, () => Promise<Format>>> = {
  csv: async () => (await import('./csv.ts')).csv,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  parquet: async () => (await import('./parquet.ts')).parquet,
  xlsx: async () => (await import('./xlsx.ts')).xlsx,
  singer: async () => (await import('./singer.ts')).singer,
};

export const loadFormat = (name: FormatName): Promise<Format> => LOADERS[name]();
