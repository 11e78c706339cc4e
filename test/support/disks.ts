import { cpSync } from 'node:fs';
import path from 'node:path';
import type { MediaItem, VehicleMediaRecord } from '../../src/contract/media.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { PUBLISHED_TIMES, RECORDS, recordsFolder } from '../../src/record/published-records.ts';
import {
  build,
  buildSite,
  type Change,
  configFor,
  copyFolder,
  readSite,
  readTree,
  temporaryFolder,
} from './build.ts';
import { startPublishedSite, UNREACHABLE } from './published-site.ts';
import type { SampleService } from './sample-service/index.ts';
import { restorable, startService } from './service.ts';

/** Time of the first publish in every world. */
export const FIRST_NIGHT = Date.parse('2026-03-02T02:00:00Z');

/** Files of earlier nights on the machine of a later night. */
const DISKS = {
  /** The same folders. */
  kept: { has: 'all', reachable: true },
  /** A new machine with the restored cache of a host. */
  cached: { has: 'cache', reachable: true },
  /** A new machine with access to the published site. */
  empty: { has: 'nothing', reachable: true },
  /** A new machine without access. */
  alone: { has: 'nothing', reachable: false },
} as const;
export type Disk = keyof typeof DISKS;

type Files = ReadonlyMap<string, string>;
/** A time in hours after the first night, and its build. */
type Of = [hours: number, options?: Partial<RunOptions>, change?: Change];

/** A build on one of the disks. */
export interface Night extends Awaited<ReturnType<typeof build>> {
  /** Its published files except for the times. Undefined if it published nothing. */
  files: Files | undefined;
  /** The file of the times. */
  times: string | undefined;
}

/** The files of a site except for the times. */
const withoutTimes = (files: Files | undefined): Files =>
  new Map([...(files ?? [])].filter(([file]) => file !== PUBLISHED_TIMES));

export type FirstNight = Awaited<ReturnType<typeof openFirstNight>>;
export type Later = Awaited<ReturnType<FirstNight['later']>>;

/** Dealers of ten and six vehicles. The first three vehicles of each have about two pictures. */
export async function startWorld(
  options: Parameters<typeof startService>[0] = {},
): Promise<SampleService> {
  const service = await startService({ dealers: 2, vehicles: 10, images: 2, ...options });
  service.data.dealers[1]?.vehicles.splice(6);
  for (const { vehicles } of service.data.dealers) {
    for (const [index, vehicle] of vehicles.entries()) {
      // Ordinary plates, so that every row of a table can name its vehicles.
      vehicle.vrm = `AB${10 + index}XYZ`;
      if (index > 2) vehicle.mediaList = vehicle.mediaList.filter(({ type }) => type !== 'Image');
    }
  }
  return service;
}

/** Adds two vehicles for each one, with its pictures under new ids. */
export function addVehicles(vehicles: VehicleMediaRecord[]): void {
  for (const vehicle of [...vehicles]) {
    for (const copy of [1, 2]) {
      const mediaOf = (item: MediaItem) => ({ ...item, id: item.id + copy * 1_000_000 });
      const mediaList = vehicle.mediaList.map(mediaOf);
      vehicles.push({ ...vehicle, vrm: `N${copy}${vehicle.vrm}`, mediaList });
    }
  }
}

/** Makes the service refuse requests for the first dealer. */
export const down = ({ service }: { service: SampleService }, status = 503) =>
  service.faults.set({ route: 'media', dealerId: 7001, status });

/** The service's first dealer. */
export const dealerOne = ({ service }: Later) => {
  const dealer = service.data.dealers[0];
  if (!dealer) throw new Error('no dealer');
  return dealer;
};

/**
 * A good first night, and its remains on each disk of a later night.
 *
 * @param lasting its folder, removed by the caller.
 */
export async function openFirstNight(lasting?: string) {
  const opened = new AsyncDisposableStack();
  const service = opened.use(await startWorld());
  const site = opened.use(await startPublishedSite());
  const first = lasting ?? opened.use(await temporaryFolder()).path;
  const config = (change: Change = {}) =>
    configFor(service, {
      site: { title: 'Test Motors', url: site.url, timeZone: 'Europe/London' },
      media: { widths: [160] },
      ...change,
    });
  await buildSite(config(), first, { now: FIRST_NIGHT });
  const files = withoutTimes(await readTree(path.join(first, 'site')));
  const restore = restorable(service);

  /** A copy that a test may damage. */
  const later = async () => {
    const folder = await temporaryFolder();
    copyFolder(first, folder.path);
    // Both online and on the shared disk.
    const published = path.join(folder.path, 'site');
    const cache = path.join(folder.path, 'cache');
    site.folder = published;
    const buildIn = async (machine: string, ...[hours, options, change]: Of): Promise<Night> => {
      const now = FIRST_NIGHT + hours * 3_600_000;
      const built = await build(config(change), machine, { now, fromPublished: true, ...options });
      const isPublished = built.report.outcome !== 'not-published';
      const all = isPublished ? await readTree(built.output) : undefined;
      return { ...built, files: all && withoutTimes(all), times: all?.get(PUBLISHED_TIMES) };
    };
    return {
      service,
      site,
      config,
      published,
      cache,
      /** Records beside the published site and in the cache. */
      records: { published: path.join(published, RECORDS), cache: recordsFolder(cache, config()) },
      files: () => readSite(published),
      /** Builds one night on the shared disk. */
      live: (...of: Of) => buildIn(folder.path, ...of),
      night: async (disk: Disk, ...of: Of) => {
        const { has, reachable } = DISKS[disk];
        await using machine = await temporaryFolder();
        const { path: machineFolder } = machine;
        if (has === 'all') copyFolder(folder.path, machineFolder);
        // Caches of hosts do not keep times.
        if (has === 'cache') cpSync(cache, path.join(machineFolder, 'cache'), { recursive: true });
        const { instead } = site;
        if (!reachable) site.instead = UNREACHABLE;
        try {
          return await buildIn(machineFolder, ...of);
        } finally {
          site.instead = instead;
        }
      },
      [Symbol.asyncDispose]: async () => {
        site.instead = undefined;
        restore();
        await folder[Symbol.asyncDispose]();
      },
    };
  };
  return {
    service,
    files,
    later,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
