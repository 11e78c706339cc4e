import { configSchema, type MediaConfig } from '../../src/config/schema.ts';

/** The media part of a configuration that says nothing but what is given. */
export function mediaConfig(baseUrl: string, media: object = {}): MediaConfig {
  return configSchema.parse({
    service: { baseUrl },
    site: { title: 'Bench', url: 'https://bench.example' },
    media,
  }).media;
}
