/** `npm run bench -- published`: builds without thumbnails, from the published site and from nothing. */
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { MediaCounts } from '../src/images/counts.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import { startStaticServer } from '../src/lib/static-server/server.ts';
import type { PUBLISHED_OPTIONS } from './commands.ts';
import { runner } from './media/bench-context.ts';
import { mediaConfig } from './runners/media-config.ts';
import { pictureNumber } from './runners/stock.ts';
import { type Cost, interleave, measureScript, median, medianCost } from './support/measure.ts';
import { startPictureServer } from './support/picture-server.ts';
import { type Row, reportRows, today } from './support/report.ts';
import { openWorkspace } from './support/workspace.ts';

const HOUR = 3_600_000;
/** The stock's own date (bench/runners/stock.ts), and a build of the same morning. */
const UPDATED = Date.UTC(2026, 2, 2);
const MORNING = UPDATED + 3 * HOUR;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
const seconds = ({ cpu, wall }: Omit<Cost, 'output'>): string =>
  `${cpu.toFixed(2)} s of CPU, ${wall.toFixed(2)} s`;

export const run: Run<typeof PUBLISHED_OPTIONS> = async ({ values }) => {
  const vehicles = values.vehicles;
  const pictures = values.short ? 2 : 20;
  const workspace = await openWorkspace(values.photos);
  const server = await startPictureServer(workspace.photos);
  // In this process: what is measured are others.
  const published = workspace.fresh('published');
  await mkdir(published);
  const host = await startStaticServer({ folder: published, port: 0 });

  interface Night {
    cost: Cost;
    counts: MediaCounts;
    /** Bytes of pictures that the service sent. */
    originals: number;
  }

  /** Caches begin with the records of the first night, where one is to be taken from the site. */
  const records = path.join(workspace.fresh('first'), 'records');

  async function night(options: { from?: string; [option: string]: unknown }): Promise<Night> {
    const cacheDir = workspace.fresh('cache');
    if (options.from) await cp(records, path.join(cacheDir, 'records'), { recursive: true });
    await server.takeBytes();
    const cost = await measureScript(runner('published'), {
      baseUrl: server.baseUrl,
      vehicles,
      pictures,
      cacheDir,
      site: workspace.fresh('site'),
      media: mediaConfig(server.baseUrl),
      now: MORNING,
      ...options,
    });
    return { cost, counts: JSON.parse(cost.output), originals: await server.takeBytes() };
  }

  try {
    await night({ site: published, cacheDir: path.dirname(records) });
    const from = host.url.replace(/\/$/, '');
    const nights: Record<'nothing' | 'site' | 'changed', Night[]> = {
      nothing: [],
      site: [],
      changed: [],
    };
    const run = async (name: keyof typeof nights, options: Parameters<typeof night>[0]) => {
      const one = await night(options);
      nights[name].push(one);
      return one.cost;
    };
    console.log(`${vehicles} vehicles × ${pictures} pictures on an empty disk:`);
    const runs = values.runs;
    const costs = await interleave(runs, {
      nothing: () => run('nothing', {}),
      site: () => run('site', { from }),
    });
    // One vehicle with new pictures, as the published site does not know them; last, because they stay.
    await server.revise(
      Array.from({ length: pictures }, (_, picture) => pictureNumber(0, picture, pictures)),
    );
    const later = await interleave(runs, {
      changed: () => run('changed', { from, updates: { 0: 1 / 24 } }),
    });
    const nothing = medianCost(costs.nothing);
    const site = medianCost(costs.site);
    const changed = medianCost(later.changed);
    const bytes = (name: keyof typeof nights) =>
      median(nights[name].map(({ originals, counts }) => originals + counts.restoredBytes));
    const count = vehicles * pictures;
    const date = today();
    const rows: Row[] = [
      {
        id: 'published-cpu',
        what: `${count} pictures on an empty disk, thumbnails from the published site: CPU of the media line against making them`,
        measured: `${times(site.cpu / nothing.cpu)} (${seconds(site)}; from nothing ${seconds(nothing)})`,
        target: '',
        details: { nothing, site, counts: nights.site[0]?.counts },
        date,
      },
      {
        id: 'published-bytes',
        what: 'The same: bytes moved',
        measured: `${times(bytes('site') / bytes('nothing'))} (${megabytes(bytes('site'))} against ${megabytes(bytes('nothing'))} of originals)`,
        target: '',
        details: { nothing: bytes('nothing'), site: bytes('site') },
        date,
      },
      {
        id: 'published-changed',
        what: `The same, all pictures of one vehicle in ${vehicles} changed`,
        measured: `${times(changed.cpu / nothing.cpu)} (${seconds(changed)}), ${megabytes(bytes('changed'))} moved`,
        target: '',
        details: { changed, bytes: bytes('changed'), counts: nights.changed[0]?.counts },
        date,
      },
    ];
    await reportRows('published', rows, values);
  } finally {
    server.close();
    await host.close();
    await workspace.remove();
  }
  return 0;
};
