import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { readTree } from './build.ts';
import type { Tree } from './change-set.ts';
import { type FirstNight, type Later, openFirstNight } from './disks.ts';

/** A later night of each test, see `openFirstNight`. */
export let later: Later;
/** The live site in this night. */
export let published: Tree;

export type NightOptions = Parameters<Later['night']>[2];

export const vehicles = (dealer = 0) => later.service.data.dealers[dealer]?.vehicles ?? [];
export const down = (status = 503) =>
  later.service.faults.set({ route: 'media', dealerId: 7001, status });

/** Replaces the public site. */
export const setPublished = async (folder: string): Promise<void> => {
  published = await readTree(folder);
};

/** Builds a first night before the tests of a file, and resets everything before each test. */
export function useLaterNight(): void {
  let first: FirstNight;
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
