import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import { resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { Secret } from '../../src/config/secret.ts';
import { build, readTree, temporaryFolder } from '../support/build.ts';
import { type PublishedSite, startPublishedSite } from '../support/published-site.ts';
import { type SampleService, startSampleService } from '../support/sample-service/index.ts';
import { DEALERS, dealerId } from './faults.ts';

export const VEHICLES = 6;
/** Vehicles of the new dealer. */
const NEW_VEHICLES = 2;
export const START = Date.parse('2026-03-02T02:00:00Z');
export const HOUR = 3_600_000;

/** Key of a dealer. The keys of the service and of the configuration change together or separately. */
export const keyOf = (
  dealer: number,
  generation: number | 'wrong',
  { length = 32 }: { length?: number } = {},
): string => hash('sha256', `key ${generation} of dealer ${dealer}`, 'hex').slice(0, length);
/** Too few digits for a signature, see `canSign`. */
export const SHORT_KEY = 16;
export const keyVariable = (dealer: number): string => `CHAOS_KEY_${dealer + 1}`;

/** A service and its site after a good first night, the start of every seed. */
export interface Stage extends AsyncDisposable {
  service: SampleService;
  site: PublishedSite;
  /** Site and cache of the first night, in which the new dealer did not respond. */
  firstNight: string;
  config: LoadedConfig;
  /** The same with long deadlines, for nights in which only faults may cause a failure. */
  patient: LoadedConfig;
  /** Result of a build from nothing. */
  fromNothing: Map<string, string>;
}

const userConfig = ({ baseUrl, data }: SampleService, url: string): UserConfig => ({
  service: { baseUrl, timeout: '400ms' },
  site: { title: 'Chaos Cars', url },
  dealers: data.dealers.map(({ id, name }, index) => ({
    id,
    name,
    slug: `dealer-${index + 1}`,
    apiKeyEnv: keyVariable(index),
  })),
  media: { widths: [80] },
  publish: { minVehicleLoss: 2 },
});

/** A configuration with other keys than the loaded ones. */
export const withKeys = (config: LoadedConfig, keys: readonly string[]): LoadedConfig => ({
  ...config,
  dealers: config.dealers.map((dealer, index) => ({
    ...dealer,
    apiKey: new Secret(keys[index] ?? ''),
  })),
});

async function startService(): Promise<SampleService> {
  const service = await startSampleService({ dealers: DEALERS, vehicles: VEHICLES, images: 2 });
  const { dealers } = service.data;
  dealers[DEALERS - 1]?.vehicles.splice(NEW_VEHICLES);
  for (const [index, dealer] of dealers.entries()) {
    dealer.apiKey = keyOf(index, 0);
    for (const { id } of dealer.vehicles.flatMap(({ mediaList }) => mediaList)) {
      service.data.override(id, { width: 160, height: 120 });
    }
  }
  return service;
}

/** Draws the second version of every picture once, then builds the first night. */
async function buildFirstNights(
  { service }: Pick<Stage, 'service'>,
  config: LoadedConfig,
  folder: string,
): Promise<Map<string, string>> {
  const images = service.data.dealers
    .flatMap(({ vehicles }) => vehicles)
    .flatMap(({ mediaList }) => mediaList.find(({ type }) => type === 'Image') ?? []);
  let site = new Map<string, string>();
  for (const [name, revision] of [
    ['other', 1],
    ['all', 0],
    ['first', 0],
  ] as const) {
    for (const { id } of images) service.data.override(id, { revision });
    if (name === 'first') {
      service.faults.set({ route: 'media', dealerId: dealerId(DEALERS - 1), status: 503 });
    }
    const { error, output } = await build(config, path.join(folder, name), { now: START });
    service.faults.clear();
    if (error) throw error;
    if (name === 'all') site = await readTree(output);
  }
  return site;
}

export async function setStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startService());
  const site = stack.use(await startPublishedSite());
  const folder = stack.use(await temporaryFolder());
  site.folder = path.join(folder.path, 'nothing');
  await Promise.all(
    ['nothing', 'other', 'all', 'first'].map((name) => mkdir(path.join(folder.path, name))),
  );
  const raw = userConfig(service, site.url);
  // One file for all seeds and forms, because stored state belongs to a configuration.
  const file = path.join(folder.path, 'config.json');
  await writeFile(file, JSON.stringify(raw));
  const resolved = resolveConfig(raw, {
    file,
    keysFor: 'dealers',
    env: Object.fromEntries(
      service.data.dealers.map((_, index) => [keyVariable(index), keyOf(index, 0)]),
    ),
  });
  const config = {
    ...resolved,
    service: { ...resolved.service, totalTimeout: 900, retries: 1, maxRetryAfter: 1000 },
    media: { ...resolved.media, timeout: 900, stallTimeout: 300 },
  };
  const patient = {
    ...config,
    service: { ...config.service, timeout: 30_000, totalTimeout: 60_000 },
    media: { ...config.media, timeout: 60_000, stallTimeout: 60_000 },
  };
  const fromNothing = await buildFirstNights({ service }, patient, folder.path);
  const owned = stack.move();
  return {
    service,
    site,
    config,
    patient,
    fromNothing,
    firstNight: path.join(folder.path, 'first'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
