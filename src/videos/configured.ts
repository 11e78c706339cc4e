import { isLoopback } from '../config/forms.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { MediaConfig } from '../config/schema.ts';
import { type Provider, providersFor } from './providers.ts';

/** The providers of a configuration; the sample service counts only where it is the service. */
export function providersOf(config: Pick<LoadedConfig, 'service' | 'videos'>): Provider[] {
  const service = new URL(config.service.baseUrl);
  return providersFor(config.videos.providers, isLoopback(service) ? service.origin : undefined);
}

/**
 * How pictures are fetched and made, with the hosts that stills of videos come from: such addresses
 * are written by us alone, so their hosts need not be allowed by the configuration.
 */
export function mediaOf(config: Pick<LoadedConfig, 'service' | 'videos' | 'media'>): MediaConfig {
  const wanted = config.videos.posters !== 'picture';
  const hosts = wanted ? providersOf(config).flatMap(({ posterHosts = [] }) => posterHosts) : [];
  return { ...config.media, hosts: [...config.media.hosts, ...hosts] };
}
