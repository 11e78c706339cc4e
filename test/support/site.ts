import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { type MediaItem, timestamp, type VehicleMediaRecord } from '../../src/contract/media.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import type { SampleServiceOptions } from '../../src/sample-service/options.ts';
import { type Build, buildSite, configFor, copyFolder, temporaryFolder } from './build.ts';
import { writeFilesBelow } from './files-below.ts';
import { forAllTests } from './for-all-tests.ts';
import type { SampleService } from './sample-service/index.ts';
import { restorable, startService } from './service.ts';
import { tempFolder } from './temp-folder.ts';

export const pictures = (from: number, count: number): MediaItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    type: 'Image',
    label: `Image ${index + 1}`,
    mediaUrl: `{base_url}/pictures/${from + index}.jpg`,
  }));

export const vehicle = (
  vrm: string,
  mediaList: MediaItem[] = [],
  dateUpdated = '2026-03-01T10:00:00Z',
): VehicleMediaRecord => ({ vrm, dateUpdated, mediaList });

/** Moments an hour apart, newest first. */
export const hoursBefore = (hours: number): string =>
  timestamp(Date.parse('2026-03-01T10:00:00Z') - hours * 3_600_000);

/** A dealer of many tests. */
export const NORTHGATE = { id: 7001, name: 'Northgate', slug: 'northgate' };

type SiteSettings = Partial<UserConfig['site']>;
type Dealer = NonNullable<UserConfig['dealers']>[number];

interface SiteOptions {
  /** Configured dealers with their vehicles in the service. */
  dealers: (Dealer & { vehicles: VehicleMediaRecord[] })[];
  /** Files beside the configuration, by name: stock lists, texts, `theme/…`. */
  files?: Record<string, string | Uint8Array>;
  site?: SiteSettings;
  media?: UserConfig['media'];
  feeds?: UserConfig['feeds'];
  service?: Omit<SampleServiceOptions, 'data'>;
  /** Unusual sizes of pictures, by id. */
  sizes?: Record<number, { width: number; height: number }>;
  /** Environment of its builds, in addition to the key. */
  env?: NodeJS.ProcessEnv;
  /** Path of the site below its server. */
  basePath?: string;
  /** Folder removed by the caller. */
  lasting?: string;
}

export interface Site extends AsyncDisposable {
  service: SampleService;
  server: { url: string };
  /** Folder of the configuration. */
  folder: string;
  /** The published folder. */
  output: string;
  config(change?: SiteSettings, env?: NodeJS.ProcessEnv): LoadedConfig;
  /** Builds it, with other settings or into another folder. @throws the error of the build. */
  night(change?: SiteSettings, folder?: string): Promise<Build>;
}

/** A site that is not built yet, with its service and its server. */
export async function prepareSite(options: SiteOptions): Promise<Site> {
  const {
    dealers,
    files = {},
    site,
    media = {},
    feeds = [],
    sizes = {},
    basePath = '',
    lasting,
  } = options;
  const opened = new AsyncDisposableStack();
  const folder = lasting ?? opened.use(await temporaryFolder()).path;
  const output = path.join(folder, 'site');
  await mkdir(output);
  const server = opened.use(await startStaticServer({ folder: output, port: 0, basePath }));
  await writeFilesBelow(folder, files);
  const data = {
    dealers: dealers.map(({ id, name, vehicles }) => ({ id, name, vehicles })),
    accounts: [],
    pictures: sizes,
  };
  const service = opened.use(await startService({ ...options.service, data }));
  const config = (change: SiteSettings = {}, env = options.env): LoadedConfig => ({
    ...configFor(
      service,
      {
        site: {
          title: 'Test Motors',
          url: server.url.replace(/\/$/, ''),
          timeZone: 'Europe/London',
          ...site,
          ...change,
        },
        dealers: dealers.map(({ vehicles: _, ...dealer }) => dealer),
        media: { widths: [160, 320], ...media },
        feeds,
      },
      env,
    ),
    file: path.join(folder, 'site.config.json'),
  });
  return {
    service,
    server,
    folder,
    output,
    config,
    night: (change, other = folder) => buildSite(config(change), other),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A built site for all tests of a file. Its folder and its service are restored before each test. */
export async function siteForEachTest(options: SiteOptions): Promise<Site> {
  const site = await forAllTests(openSite(options));
  const saved = tempFolder();
  copyFolder(site.folder, saved);
  const restore = restorable(site.service);
  beforeEach(() => {
    restore();
    rmSync(site.folder, { recursive: true });
    copyFolder(saved, site.folder);
  });
  return site;
}

/** The same as {@link prepareSite}, built. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const site = await prepareSite(options);
  try {
    await site.night();
    return site;
  } catch (error) {
    await site[Symbol.asyncDispose]();
    throw error;
  }
}
