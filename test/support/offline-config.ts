import { type LoadedConfig, resolveConfig } from '../../src/config/load.ts';

interface Change {
  service?: object;
  site?: object;
  dealers?: readonly object[];
  media?: object;
  videos?: object;
}

/** A configuration of one dealer and a service that does not exist, unless `change` has others. */
export const offlineConfig = (
  { site, ...change }: Change = {},
  { file = 'test', env = {} }: { file?: string; env?: NodeJS.ProcessEnv } = {},
): LoadedConfig =>
  resolveConfig(
    {
      service: { baseUrl: 'https://media.example' },
      site: { title: 'Cars', url: 'https://cars.example', ...site },
      dealers: [{ id: 7, name: 'Seven', slug: 'seven' }],
      ...change,
    },
    { file, keysFor: 'dealers', env: { MEDIA_API_KEY: 'key-of-the-offline-service', ...env } },
  );
