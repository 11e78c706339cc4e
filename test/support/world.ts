import { cpSync } from 'node:fs';
import path from 'node:path';
import type { UserConfig } from '../../src/config/schema.ts';
import type { RunOptions } from '../../src/publish/run.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { type Build, build, configFor, readSite, temporaryFolder } from './build.ts';
import { restorable, startService } from './service.ts';

/** When every world was first published. */
export const FIRST_NIGHT = Date.parse('2026-03-02T02:00:00Z');

export interface World extends AsyncDisposable {
  service: SampleService;
  folder: string;
  /** Builds on a later night; hours after the first. */
  night(hours: number, options?: Partial<RunOptions>, change?: Partial<UserConfig>): Promise<Build>;
  /** The published site as it is. */
  site(): Promise<Map<string, string>>;
}

/** Two dealers of ten vehicles each; the first three vehicles have about two pictures each. */
export async function startWorld(
  options: Parameters<typeof startService>[0] = {},
): Promise<SampleService> {
  const service = await startService({ dealers: 2, vehicles: 10, images: 2, ...options });
  for (const { vehicles } of service.data.dealers) {
    for (const [index, vehicle] of vehicles.entries()) {
      // Plain plates, so that every row of a table can name its vehicles.
      vehicle.vrm = `AB${10 + index}XYZ`;
      if (index > 2) vehicle.mediaList = vehicle.mediaList.filter(({ type }) => type !== 'Image');
    }
  }
  return service;
}

/** The folder of a published first night of a world. */
export async function firstNight(
  service: SampleService,
): Promise<Awaited<ReturnType<typeof temporaryFolder>>> {
  const folder = await temporaryFolder();
  const { error } = await build(configFor(service), folder.path, { now: FIRST_NIGHT });
  if (error) throw error;
  return folder;
}

/** Copies a published first night, so that each case starts from the same good site. */
export async function worldFrom(service: SampleService, firstNight: string): Promise<World> {
  const folder = await temporaryFolder();
  cpSync(firstNight, folder.path, { recursive: true, preserveTimestamps: true });
  const restore = restorable(service);
  return {
    service,
    folder: folder.path,
    night: (hours, options, change) =>
      build(configFor(service, change), folder.path, {
        now: FIRST_NIGHT + hours * 3_600_000,
        ...options,
      }),
    site: () => readSite(path.join(folder.path, 'site')),
    [Symbol.asyncDispose]: async () => {
      restore();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The first dealer of a world. */
export const dealerOne = (world: World) => {
  const dealer = world.service.data.dealers[0];
  if (!dealer) throw new Error('no dealer');
  return dealer;
};
