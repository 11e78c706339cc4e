import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from './build.ts';
import { type PublishedSite, startPublishedSite } from './published-site.ts';
import { restorable, startService } from './service.ts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The newest date of the service, and a build on the same morning. */
const UPDATED = '2026-03-02T08:00:00Z';
export const MORNING = Date.parse('2026-03-02T10:00:00Z');
export const PICTURES = 6;

/** The service, with one dealer of three vehicles of two small pictures each. */
export let service: SampleService;
/** The host of the published site. */
export let site: PublishedSite;
/** Site and cache of the first build, which encoded everything. */
export let first: Awaited<ReturnType<typeof temporaryFolder>>;
/** The files of its site. */
export let published: Map<string, string>;
/** Number of its thumbnails. */
export let outputs = 0;
let restore: () => void;

/** Builds a site on an empty disk, for the URL of the published one. */
export async function fresh(options: {
  now?: number;
  use?: boolean;
  /** Nothing is published yet. */
  first?: boolean;
  folder?: string;
  change?: Partial<UserConfig>;
}) {
  const { now = MORNING, use = true, first = false, folder, change } = options;
  const temporary = folder === undefined ? await temporaryFolder() : undefined;
  service.requests.clear();
  site.asked.length = 0;
  const config = configFor(service, {
    site: { title: 'Test Motors', url: site.url },
    ...change,
  });
  const built = await build(config, folder ?? temporary?.path ?? '', {
    now,
    fromPublished: use,
    first,
  });
  const files = await readTree(built.output);
  const pictures = service.requests
    .list('picture')
    .map(({ status, headers }) => `${status}${headers['if-none-match'] ? ' conditional' : ''}`);
  return {
    ...built,
    files,
    pictures,
    counts: built.report.media,
    async [Symbol.asyncDispose]() {
      await temporary?.[Symbol.asyncDispose]();
    },
  };
}

/** Paths of the dealer's record in the published site, and of its confirmation time. */
export const recordFile = () => `api/records/${service.data.dealers[0]?.id}.json`;
export const TIMES = 'api/records/times.json';
export const thumbnails = () => [...published.keys()].filter((file) => file.startsWith('media/'));
export const vehicle = (index: number) => {
  const found = service.data.dealers[0]?.vehicles[index];
  if (!found) throw new Error(`no vehicle ${index}`);
  return found;
};
export const picture = (index: number, place: number) => {
  const found = vehicle(index).mediaList.filter(({ type }) => type === 'Image')[place];
  if (!found) throw new Error('no picture');
  return found;
};

/** Publishes the site before the tests of a file, and resets everything before each test. */
export function usePublishedWorld(): void {
  beforeAll(async () => {
    service = await startService({ dealers: 1, vehicles: 3, images: 8, pictureScale: 0.25 });
    for (const vehicle of service.data.dealers[0]?.vehicles ?? []) {
      const images = vehicle.mediaList.filter(({ type }) => type === 'Image').slice(0, 2);
      vehicle.mediaList.splice(0, vehicle.mediaList.length, ...images);
      vehicle.dateUpdated = '2026-02-20T08:00:00Z';
    }
    vehicle(0).dateUpdated = UPDATED;
    // The sample service draws a vehicle by its first item: this one stays the first.
    vehicle(2).mediaList.unshift({ ...picture(2, 0), id: 1, type: 'Brochure' as 'Image' });
    restore = restorable(service);
    site = await startPublishedSite();
    first = await temporaryFolder();
    const built = await fresh({ folder: first.path, first: true });
    expect(built.error).toBeUndefined();
    published = built.files;
    outputs = built.counts?.outputsMade ?? 0;
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    restore();
    site.folder = path.join(first.path, 'site');
    site.instead = undefined;
  });
}
