import path from 'node:path';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { sourceKey } from '../../src/images/plan.ts';
import { copyFolder } from './build.ts';
import { type Night, openPipeline, type Pipeline, vehiclesOf } from './image-pipeline.ts';
import type { SampleService } from './sample-service/index.ts';
import { restorable, startService } from './service.ts';

/** Two vehicles of one dealer, four small pictures in all. */
export let service: SampleService;

let restore: () => void;

/** Settings and results of a first night, the same in most tests. */
let firstPipeline: Pipeline;

export let first: Night;

/** An image pipeline with a separate cache folder from the first night, for each test. */
export let pipeline: Pipeline;

/** The service for the tests of a file, restored before each test. */
export function serviceForEachTest(): void {
  beforeAll(async () => {
    service = await startService({ dealers: 1, vehicles: 2, images: 8 });
    for (const { mediaList } of service.data.dealers[0]?.vehicles ?? []) {
      const images = mediaList.filter(({ type }) => type === 'Image').slice(0, 2);
      mediaList.splice(0, mediaList.length, ...images);
    }
    restore = restorable(service);
    firstPipeline = await openPipeline(service);
    first = await firstPipeline.night(0);
  });

  afterAll(async () => {
    await firstPipeline[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    restore();
    pipeline = await openPipeline(service);
    copyFolder(firstPipeline.cacheDir, pipeline.cacheDir);
    pipeline.lastConfirmed = firstPipeline.lastConfirmed;
    onTestFinished(() => pipeline[Symbol.asyncDispose]());
  });
}

export const record = (index: number) => {
  const vehicle = service.data.dealers[0]?.vehicles[index];
  if (!vehicle) throw new Error(`no vehicle ${index}`);
  return vehicle;
};

export const picture = (vehicle: number, index: number) => {
  const item = record(vehicle).mediaList[index];
  if (!item) throw new Error(`no picture ${index} of vehicle ${vehicle}`);
  return item;
};

export const keyOf = (vehicle: number, index: number) => {
  const media = vehiclesOf(service)[vehicle]?.media[index];
  if (media?.kind !== 'image') throw new Error('no picture');
  return sourceKey(service.data.dealers[0]?.id ?? 0, media);
};

export const recordFile = () =>
  path.join('..', 'records', 'site', `${service.data.dealers[0]?.id}.json`);

export const statePath = (name: string, { cacheDir } = pipeline) =>
  path.join(cacheDir, 'media', name);

export const fileOf = (name: string) => statePath(path.join('files', name));
