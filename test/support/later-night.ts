import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, inject, onTestFinished } from 'vitest';
import { type Change, readTree } from './build.ts';
import type { Tree } from './change-set.ts';
import { down as downIn, type FirstNight, type Later, openFirstNight } from './disks.ts';

let shared: Promise<FirstNight> | undefined;

/** A first night for all test files of a process, because it takes seconds. It ends with the process. */
export function sharedFirstNight(): Promise<FirstNight> {
  shared ??= mkdtemp(path.join(inject('folder'), 'night-')).then(openFirstNight);
  return shared;
}

/** The first night, see `sharedFirstNight`. */
export let first: FirstNight;
/** A later night of each test. */
export let later: Later;
/** The live site in this night. */
export let published: Tree;

export type NightOptions = Parameters<Later['night']>[2];

export const vehicles = (dealer = 0) => later.service.data.dealers[dealer]?.vehicles ?? [];
export const down = (status?: number) => downIn(later, status);
/** Paths of the live thumbnails. */
export const thumbnails = () => [...published.keys()].filter((file) => file.startsWith('media/'));

/** Reads the public site again. */
export const readPublished = async (): Promise<void> => {
  published = await readTree(later.published);
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

/** Waits for the first night before the tests of a file, and resets everything before each test. */
export function useLaterNight(): void {
  beforeAll(async () => {
    first = await sharedFirstNight();
  });
  beforeEach(async () => {
    later = await first.later();
    await readPublished();
    onTestFinished(() => later[Symbol.asyncDispose]());
  });
}
