import { cpSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import { build, buildSite, configFor, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { restorable, startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A site and its report are the same for any number of dealers processed in parallel. */

const DEALERS = 5;
const NOW = Date.parse('2026-03-02T02:00:00Z');
const DAY = 86_400_000;
const service = await forAllTests(startService({ dealers: DEALERS, vehicles: 3, images: 1 }));
const restore = restorable(service);
const first = tempFolder();

const config = () => {
  const site = configFor(service);
  return { ...site, service: { ...site.service, concurrency: 2, retries: 0 } };
};

beforeAll(async () => {
  await buildSite(config(), first, { now: NOW });
});
beforeEach(() => restore());

/** Number of thumbnails in the cache of a folder. */
const thumbnailsIn = (folder: string): number =>
  existsSync(path.join(folder, 'cache/media/files'))
    ? readdirSync(path.join(folder, 'cache/media/files'), { recursive: true }).filter((name) =>
        String(name).endsWith('.webp'),
      ).length
    : 0;

/** Output of the last night. */
let printed = '';

/** A later night on the kept disk, or on an empty one. */
async function night(options: Partial<RunOptions>, { empty = false } = {}) {
  const folder = tempFolder();
  if (!empty) cpSync(first, folder, { recursive: true, preserveTimestamps: true });
  const { report, exitCode, output, lines } = await build(config(), folder, {
    now: NOW + DAY,
    strict: true,
    ...options,
  });
  const { durationMs: _, steps: __, cpu: ___, ...stable } = report;
  const files = report.outcome === 'not-published' ? new Map() : await readTree(output);
  printed = lines.join('');
  return { exitCode, stable, files, thumbnails: thumbnailsIn(folder) };
}

const IN_CHUNKS = { chunkVehicles: 1 };
const faults: [string, () => void][] = [
  ['nothing is wrong', () => {}],
  [
    'one dealer is down, one is refused, one lost its vehicles',
    () => {
      service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
      service.faults.set({ route: 'media', dealerId: 7003, status: 403 });
      service.data.dealers[4]?.vehicles.splice(0);
    },
  ],
  [
    'vehicles are new, changed and sold, and pictures fail',
    () => {
      for (const { vehicles } of service.data.dealers) vehicles.splice(2);
      for (const { vehicles } of service.data.dealers.slice(3)) {
        for (const vehicle of vehicles) vehicle.dateUpdated = '2026-03-02T23:00:00Z';
      }
      service.faults.set({ route: 'picture', status: 500 });
    },
  ],
];

describe('batches of dealers', () => {
  it.each(faults)('equal one batch if %s', async (_, given) => {
    given();
    const oneBatch = await night({});
    expect(await night(IN_CHUNKS)).toEqual(oneBatch);
  });

  it('publish nothing if the service refuses every request, even with earlier results', async () => {
    service.faults.set({ route: 'media', status: 401 });
    for (const [chunkVehicles, warning] of [
      [100, 'for 5 dealers (all)'],
      [12, 'for 4 dealers (Northgate Cars, '],
    ] as const) {
      const { exitCode, stable } = await night({ chunkVehicles });
      expect(printed).toContain(warning);
      expect([exitCode, stable.outcome]).toEqual([3, 'not-published']);
      expect(stable.dealers.map(({ state }) => state)).toEqual(Array(DEALERS).fill('degraded'));
    }
  });

  it.each(faults.slice(1, 2))('equal one batch on an empty disk, if %s', async (_, given) => {
    given();
    const oneBatch = await night({ first: true }, { empty: true });
    expect(await night({ ...IN_CHUNKS, first: true }, { empty: true })).toEqual(oneBatch);
  });

  it('remove only thumbnails that no dealer of any batch shows', async () => {
    for (const { vehicles } of service.data.dealers) vehicles.splice(2);
    const oneBatch = await night({});
    const { stable, thumbnails } = await night(IN_CHUNKS);
    expect(stable.media?.outputsRemoved).toBeGreaterThan(0);
    expect(stable.media?.outputsRemoved).toBe(thumbnailsIn(first) - thumbnails);
    expect(stable.media).toEqual(oneBatch.stable.media);
  });

  it('refuse a leaked key in a later batch', async () => {
    service.data.dealers[4]?.vehicles.forEach(({ mediaList }) => {
      const [item] = mediaList;
      if (item) item.label = service.mediaKey;
    });
    const { exitCode, stable } = await night(IN_CHUNKS);
    expect([exitCode, stable.outcome]).toEqual([6, 'not-published']);
  });
});
