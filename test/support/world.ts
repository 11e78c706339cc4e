import { cpSync } from 'node:fs';
import path from 'node:path';
import type { UserConfig } from '../../src/config/schema.ts';
import type { RunOptions } from '../../src/publish/run.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { type Build, build, configFor, readSite, temporaryFolder } from './build.ts';

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

/** Two dealers of ten vehicles each, with about one small picture each. */
export async function startWorld(): Promise<SampleService> {
  const service = await startSampleService({ dealers: 2, vehicles: 10, images: 1 });
  for (const { vehicles } of service.data.dealers) {
    for (const [index, vehicle] of vehicles.entries()) {
      // Plain plates, so that every row of a table can name its vehicles.
      vehicle.vrm = `AB${10 + index}XYZ`;
      for (const { id } of vehicle.mediaList)
        service.data.override(id, { width: 240, height: 180 });
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
  const saved = structuredClone(service.data.dealers);
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
      service.faults.clear();
      service.data.dealers.splice(0, service.data.dealers.length, ...saved);
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
