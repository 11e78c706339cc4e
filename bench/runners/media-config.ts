import { configSchema, type MediaConfig } from '../../src/config/schema.ts';
import { OUTPUTS } from './outputs.ts';

/** Media settings for the outputs of the comparison, with overrides. */
export function mediaConfig(baseUrl: string, media: object = {}): MediaConfig {
  return configSchema.parse({
    service: { baseUrl },
    site: { title: 'Bench', url: 'https://bench.example' },
    media: {
      widths: [...OUTPUTS.widths],
      fallback: 'all',
      ...media,
    },
  }).media;
}
