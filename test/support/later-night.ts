import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { type Change, readTree } from './build.ts';
import type { Tree } from './change-set.ts';
import { type FirstNight, type Later, openFirstNight } from './disks.ts';

/** The first night, see `openFirstNight`. */
export let first: FirstNight;
/** A later night of each test. */
export let later: Later;
/** The live site in this night. */
export let published: Tree;

export type NightOptions = Parameters<Later['night']>[2];

export const vehicles = (dealer = 0) => later.service.data.dealers[dealer]?.vehicles ?? [];
export const down = (status = 503) =>
  later.service.faults.set({ route: 'media', dealerId: 7001, status });
/** Paths of the live thumbnails. */
export const thumbnails = () => [...published.keys()].filter((file) => file.startsWith('media/'));

/** Replaces the public site. */
export const setPublished = async (folder: string): Promise<void> => {
  published = await readTree(folder);
};

/** A build on an empty disk, with its counts of pictures and its requests for them. */
export async function emptyNight(hours = 0, options?: NightOptions, change?: Change) {
  later.site.asked.length = 0;
  later.service.requests.clear();
  const night = await later.night('empty', hours, options, change);
  const requests = later.service.requests.list('picture');
  const pictures = requests.map(
    ({ status, headers }) => `${status}${headers['if-none-match'] ? ' conditional' : ''}`,
  );
  return { ...night, counts: night.report.media, pictures: pictures.sort() };
}

/** Builds a first night before the tests of a file, and resets everything before each test. */
export function useLaterNight(): void {
  beforeAll(async () => {
    first = await openFirstNight();
  }, 120_000);
  afterAll(() => first[Symbol.asyncDispose]());
  beforeEach(async () => {
    later = await first.later();
    await setPublished(later.published);
    onTestFinished(() => later[Symbol.asyncDispose]());
  });
}
