import type { LoadedConfig } from '../config/load.ts';
import type { MediaConfig } from '../config/schema.ts';
import { isLoopback } from '../lib/http/loopback.ts';
import type { VideoMedia } from '../stock/vehicle.ts';
import { embedOf } from './embed.ts';
import { type Provider, providersFor } from './providers.ts';

/**
 * The video providers of a configuration, including the sample service if it is the configured service. They have no
 * stills if `videos.posters` is `picture`.
 */
export function providersOf(config: Pick<LoadedConfig, 'service' | 'videos'>): Provider[] {
  const { providers, posters } = config.videos;
  const service = new URL(config.service.baseUrl);
  const all = providersFor(providers, isLoopback(service) ? service.origin : undefined);
  if (posters === 'provider') return all;
  return all.map(({ poster: _, ...provider }) => provider);
}

/**
 * The media settings with the hosts of video stills added. Only this program creates URLs of stills, so the
 * configuration need not allow their hosts.
 */
export function mediaOf(config: Pick<LoadedConfig, 'service' | 'videos' | 'media'>): MediaConfig {
  const hosts = providersOf(config).flatMap(({ poster }) =>
    poster ? new URL(poster([])).host : [],
  );
  return { ...config.media, hosts: [...config.media.hosts, ...hosts] };
}

/** Returns a function that finds the still of a video. */
export function posterOf(
  config: Pick<LoadedConfig, 'service' | 'videos'>,
): (video: VideoMedia) => string | undefined {
  const providers = providersOf(config);
  return (video) => embedOf(video, providers).embed?.poster;
}
