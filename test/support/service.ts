import type { SampleServiceOptions } from '../../src/sample-service/options.ts';
import { type SampleService, startSampleService } from './sample-service/index.ts';

/**
 * The fake media service of all tests: the sample service with pictures of 240×180. Drawing and decoding
 * pictures of the usual size would take most of the time of a test that builds a site.
 *
 * @param options.media `none`: no vehicle has pictures or videos, so a build starts no decoder.
 */
export async function startService({
  media,
  ...options
}: SampleServiceOptions & { media?: 'none' } = {}): Promise<SampleService> {
  const service = await startSampleService({ pictureScale: 0.15, ...options });
  if (media === 'none') removeMedia(service);
  return service;
}

/** Removes all pictures and videos. */
export function removeMedia({ data }: SampleService): void {
  for (const vehicle of data.dealers.flatMap(({ vehicles }) => vehicles)) vehicle.mediaList = [];
}

/** Stores the state of the service. The returned function restores it and removes all faults. */
export function restorable({ data, faults }: SampleService): () => void {
  const dealers = structuredClone(data.dealers);
  return () => {
    faults.clear();
    data.dealers.splice(0, data.dealers.length, ...structuredClone(dealers));
    for (const id of data.pictures.keys()) data.override(id, { deleted: false, revision: 0 });
  };
}
