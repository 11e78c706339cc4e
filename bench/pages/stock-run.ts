import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { runner } from '../media/bench-context.ts';
import { fillStore } from '../support/filled-store.ts';
import { hugoVersion } from '../support/hugo.ts';
import {
  type Cost,
  interleave,
  measure,
  measureScript,
  median,
  medianCost,
} from '../support/measure.ts';
import { startStockServer } from '../support/stock-server.ts';
import { writeEleventySite } from './eleventy-site.ts';
import { writeHugoSite } from './hugo-site.ts';

type Figure = Omit<Cost, 'output'>;

export interface Figures {
  /** Only the thumbnails exist. */
  full: Figure;
  /** Again, nothing changed. */
  same: Figure;
  /** Again, one vehicle in a hundred changed. */
  onePercent: Figure;
  /** Again, ten vehicles changed. */
  ten: Figure;
  /** A thin build of one vehicle in a hundred changed, on an empty disk. */
  thin: Figure;
  hugo: Figure | undefined;
  eleventy: Figure | undefined;
  /** Seconds of the build for its pages only. */
  pages: { wall: number; cpu: number };
}

const VEHICLES_EACH = 250;
const PICTURES = 20;
const NOW = Date.UTC(2026, 2, 3);
/** Above this number, its data, templates and pages do not fit into its memory. */
const MOST_FOR_ELEVENTY = 5000;
const ELEVENTY = path.resolve('node_modules/@11ty/eleventy/cmd.cjs');

async function vehiclesOf(site: string): Promise<Map<string, string[]>> {
  const dealers = (await readdir(site)).filter((name) => name.startsWith('dealer-'));
  const entries = dealers.map(async (dealer): Promise<[string, string[]]> => {
    const names = await readdir(path.join(site, dealer));
    // Further pages of the list and the page of embeds also have folders.
    const isVehicle = (name: string) => existsSync(path.join(site, dealer, name, 'media.json'));
    return [dealer, names.filter(isVehicle)];
  });
  return new Map(await Promise.all(entries));
}

/** Builds a stock of the given size with each contender in turn. */
export async function measureStock(
  vehicles: number,
  { folder, runs, short }: { folder: string; runs: number; short: boolean },
): Promise<Figures> {
  const dealers = Math.max(1, Math.round(vehicles / VEHICLES_EACH));
  const server = await startStockServer({
    dealers,
    vehiclesEach: Math.round(vehicles / dealers),
    pictures: PICTURES,
  });
  const below = path.join(folder, String(vehicles));
  const output = path.join(below, 'site');
  await mkdir(output, { recursive: true });
  // The published site, from which a build on an empty disk reads its records.
  const site = await startStaticServer({ folder: output, port: 0 });
  const config: UserConfig = {
    service: { baseUrl: server.baseUrl },
    site: { title: 'Bench', url: site.url },
    dealers: Array.from({ length: dealers }, (_, index) => ({
      id: index + 1,
      name: `Dealer ${index + 1}`,
      slug: `dealer-${index + 1}`,
    })),
  };
  const cacheDir = path.join(below, 'cache');
  const hugoFolder = path.join(below, 'hugo');
  const eleventyFolder = path.join(below, 'eleventy');
  const build = (options: object = {}) =>
    measureScript(runner('build'), { config, output, cacheDir, now: NOW, ...options });
  // Renamed instead of removed: for a minute, ext4 reuses no inode of a removed file and searches for
  // another, which doubled the time of the next measurement.
  const away = path.join(below, 'away');
  let removed = 0;
  const putAway = async (place: string) => {
    if (existsSync(place)) await rename(place, path.join(away, `${removed++}`));
  };
  const changed = async (oneIn: number, options?: object) => {
    await server.night(++night, oneIn);
    const cost = await build(options);
    await server.night(0, oneIn);
    return cost;
  };
  let night = 0;
  try {
    console.log(`${vehicles} vehicles:`);
    const env = { MEDIA_API_KEY: '0123456789abcdef0123456789abcdef' };
    const loaded = resolveConfig(config, { file: 'bench', keysFor: 'dealers', env });
    await fillStore(loaded, cacheDir, NOW);
    await mkdir(away, { recursive: true });
    await build();
    const hugo = hugoVersion() !== undefined;
    // Writing its site does not need Hugo and can fail independently.
    if (hugo || short) {
      await mkdir(hugoFolder, { recursive: true });
      await writeHugoSite(output, hugoFolder, await vehiclesOf(output));
    }
    if (vehicles <= MOST_FOR_ELEVENTY) {
      await mkdir(eleventyFolder, { recursive: true });
      await writeEleventySite(loaded, eleventyFolder, { cacheDir, now: NOW });
    }
    const costs = await interleave(runs, {
      full: async () => {
        await putAway(output);
        await putAway(path.join(below, '.site.work'));
        return build();
      },
      same: () => build(),
      onePercent: async () => {
        const cost = await changed(100);
        await build();
        return cost;
      },
      ten: async () => {
        const cost = await changed(vehicles / 10);
        await build();
        return cost;
      },
      thin: async () => {
        const changes = path.join(below, 'changes');
        const empty = path.join(below, 'empty');
        const thin = { output: changes, cacheDir: empty, form: 'thin', fromPublished: true };
        const cost = await changed(100, thin);
        await putAway(changes);
        await putAway(empty);
        return cost;
      },
      hugo: async () => {
        await putAway(path.join(hugoFolder, 'public'));
        return hugo ? measure(['hugo', '--quiet'], hugoFolder) : measure(['true']);
      },
      eleventy: async () => {
        await putAway(path.join(eleventyFolder, 'public'));
        if (vehicles > MOST_FOR_ELEVENTY) return measure(['true']);
        return measure([process.execPath, '--max-old-space-size=8192', ELEVENTY], eleventyFolder);
      },
    });
    const reports = costs.full.map(({ output: text }): BuildReport => JSON.parse(text));
    return {
      full: medianCost(costs.full),
      same: medianCost(costs.same),
      onePercent: medianCost(costs.onePercent),
      ten: medianCost(costs.ten),
      thin: medianCost(costs.thin),
      hugo: hugo ? medianCost(costs.hugo) : undefined,
      eleventy: vehicles <= MOST_FOR_ELEVENTY ? medianCost(costs.eleventy) : undefined,
      pages: {
        wall: median(reports.map(({ steps }) => (steps.pages ?? 0) / 1000)),
        cpu: median(reports.map(({ cpu }) => (cpu?.pages ?? 0) / 1000)),
      },
    };
  } finally {
    server.close();
    await site[Symbol.asyncDispose]();
  }
}
