import type { LoadedConfig } from '../config/load.ts';
import type { MediaConfig } from '../config/schema.ts';
import { isLoopback } from '../lib/http/loopback.ts';
import type { VideoMedia } from '../stock/vehicle.ts';
import { embedOf } from './embed.ts';
import { type Provider, providersFor } from './providers.ts';

/** The video providers of a configuration, including the sample service if it is the configured service. */
export function providersOf(config: Pick<LoadedConfig, 'service' | 'videos'>): Provider[] {
  const service = new URL(config.service.baseUrl);
  return providersFor(config.videos.providers, isLoopback(service) ? service.origin : undefined);
}

/**
 * The media settings with the hosts of video stills added. Only this program creates URLs of stills, so the
 * configuration need not allow their hosts.
 */
export function mediaOf(config: Pick<LoadedConfig, 'service' | 'videos' | 'media'>): MediaConfig {
  const usesStills = config.videos.posters !== 'picture';
  const hosts = usesStills
    ? providersOf(config).flatMap(({ posterHosts = [] }) => posterHosts)
    : [];
  return { ...config.media, hosts: [...config.media.hosts, ...hosts] };
}

/** Returns a function that finds the still of a video. It finds none if `videos.posters` is `picture`. */
export function posterOf(
  config: Pick<LoadedConfig, 'service' | 'videos'>,
): (video: VideoMedia) => string | undefined {
  if (config.videos.posters === 'picture') return () => undefined;
  const providers = providersOf(config);
  return (video) => embedOf(video, providers).embed?.poster;
}
