import fs from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { summaryLines } from '../../src/publish/summary.ts';
import { configFor, temporaryFolder } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import {
  DAY,
  first,
  forged,
  fresh,
  HOUR,
  isList,
  list,
  listFile,
  MORNING,
  outputs,
  PICTURES,
  picture,
  published,
  service,
  site,
  thumbnails,
  UPDATED,
  usePublishedWorld,
  vehicle,
} from '../support/published-world.ts';

/** What a build on an empty disk asks for, whatever it takes from there. */
const VEHICLES = 'dealer-1/media.json';

usePublishedWorld();

describe('a build on an empty disk', () => {
  it('takes everything from the published site, and makes the same bytes', async () => {
    await using again = await fresh({});
    expect(again.error).toBeUndefined();
    expect(again.counts).toMatchObject({
      sources: PICTURES,
      downloaded: 0,
      outputsMade: 0,
      outputsReused: 0,
      outputsRestored: outputs,
      failed: 0,
    });
    expect(outputs).toBe(thumbnails().length);
    const size = thumbnails().reduce((sum, file) => sum + (published.get(file)?.length ?? 0), 0);
    expect(again.counts?.restoredBytes).toBe(size + list().length);
    expect(again.pictures).toEqual([]);
    expect(again.report.notes).toEqual([]);
    expect(summaryLines(again.report).join()).toContain(`${outputs} taken from the published site`);
    expect(again.files).toEqual(published);
    // What it lists, one list of pictures and each thumbnail, once.
    expect([...site.asked].sort()).toEqual([VEHICLES, listFile(), ...thumbnails()].sort());
  });

  it('is asked for nothing where the cache has its pictures', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const again = await fresh({ folder: folder.path });
    expect(site.asked).toEqual([]);
    expect(again.counts).toMatchObject({ outputsReused: outputs, outputsRestored: 0 });
    expect(again.files).toEqual(published);
  });

  it('fetches what a cache lost where it is told to', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const store = path.join(folder.path, 'cache', 'media', 'files');
    const [shard = ''] = await readdir(store);
    await rm(path.join(store, shard), { recursive: true });
    const again = await fresh({ folder: folder.path, use: 'always' });
    expect(again.counts).toMatchObject({ downloaded: 0, outputsMade: 0 });
    expect(again.counts?.outputsRestored).toBeGreaterThan(0);
    expect(again.files).toEqual(published);
  });

  it('downloads the one picture that changed', async () => {
    service.data.touch(picture(1, 1).id);
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    await using again = await fresh({});
    expect([...again.pictures].sort()).toEqual(['200 conditional', '304 conditional']);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: 1, failed: 0 });
    site.folder = first.path;
    await using nothing = await fresh({});
    expect(nothing.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(again.files).toEqual(nothing.files);
  });

  it('downloads what is new, and a cover that was none', async () => {
    vehicle(2).mediaList.push(...vehicle(2).mediaList.splice(1, 1));
    vehicle(2).dateUpdated = '2026-03-02T09:30:00Z';
    await using again = await fresh({});
    expect([...again.pictures].sort()).toEqual(['200', '304 conditional']);
    expect(again.counts).toMatchObject({ outputsMade: 3, failed: 0 });
    site.folder = first.path;
    await using nothing = await fresh({});
    expect(again.files).toEqual(nothing.files);
  });
});

describe('npm run build', () => {
  async function command(...flags: string[]) {
    await using folder = await temporaryFolder();
    const below = (name: string) => path.join(folder.path, name);
    const { service: its, site: about, dealers, media } = configFor(service);
    await writeFile(
      below('config.json'),
      JSON.stringify({
        service: { baseUrl: its.baseUrl },
        site: { title: about.title, url: site.url, timeZone: about.timeZone },
        dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
        media: { widths: media.widths, fallbackWidth: media.fallbackWidth },
      }),
    );
    const files = Object.entries({ output: 'site', cache: 'cache', report: 'report.json' });
    const ran = await runCommand(
      'build',
      [
        ...['--config', below('config.json'), '--now', new Date(MORNING).toISOString()],
        ...files.flatMap(([name, file]) => [`--${name}`, below(file)]),
        ...flags,
      ],
      { MEDIA_API_KEY: service.mediaKey },
    );
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return JSON.parse(await readFile(below('report.json'), 'utf8')).media;
  }

  it('takes thumbnails from the published site by itself, unless told not to', async () => {
    expect(await command()).toMatchObject({ outputsMade: 0, outputsRestored: outputs });
    site.asked.length = 0;
    expect(await command('--no-from-published')).toMatchObject({
      outputsMade: outputs,
      outputsRestored: 0,
      restoredBytes: 0,
    });
    expect(site.asked).toEqual([VEHICLES]);
  });
});

describe('other bytes under an unchanged address', () => {
  /** Nights that all start on an empty disk, from the site that the one before published. */
  async function nights(days: readonly number[], media: object = {}) {
    await using former = await temporaryFolder();
    await cp(site.folder, former.path, { recursive: true });
    site.folder = former.path;
    const asked: number[] = [];
    const noticed: boolean[] = [];
    for (const day of days) {
      const change = { media: { widths: [160, 320], fallbackWidth: 160, ...media } };
      await using night = await fresh({ now: MORNING + day * DAY, change });
      expect(night.error).toBeUndefined();
      asked.push(night.pictures.length);
      noticed.push((night.counts?.downloaded ?? 0) > 0);
      await rm(former.path, { recursive: true });
      await cp(night.output, former.path, { recursive: true });
    }
    return { asked, noticed };
  }

  it('are noticed within revalidateAfter by builds that always start on an empty disk', async () => {
    service.data.touch(picture(1, 1).id);
    const { asked, noticed } = await nights([1, 2, 3, 4]);
    expect(noticed.filter(Boolean)).toHaveLength(1);
    // Not all pictures each night, as long as the stock moves.
    expect(asked[0]).toBeLessThan(PICTURES);
  });

  it('are noticed at once by a build that comes a week later', async () => {
    service.data.touch(picture(2, 0).id);
    expect((await nights([7])).noticed).toEqual([true]);
  });

  it('are noticed also where a vehicle has a date of tomorrow', async () => {
    const tomorrow = '2026-03-03T08:00:00Z';
    vehicle(0).dateUpdated = tomorrow;
    service.data.touch(picture(2, 0).id);
    site.instead = (file) =>
      isList(file) ? { body: forged(list(), UPDATED, tomorrow) } : undefined;
    await using again = await fresh({});
    expect(again.pictures).toHaveLength(PICTURES);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: PICTURES - 1 });
  });

  it('are noticed at once where revalidateAfter was made shorter', async () => {
    service.data.touch(picture(2, 0).id);
    const { noticed } = await nights([0], { revalidateAfter: '1d' });
    expect(noticed).toEqual([true]);
  });
});

describe('a picture that cannot be had', () => {
  it.each([
    { name: 'under its address', move: false },
    { name: 'under its new address', move: true },
  ])('$name keeps the thumbnails of the published site', async ({ move }) => {
    const item = picture(1, 1);
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    if (move) item.mediaUrl += '?moved';
    service.data.remove(item.id);
    await using again = await fresh({});
    expect(again.report.pictureFailures).toMatchObject([{ standIn: true }]);
    expect(again.counts).toMatchObject({ downloaded: 0, outputsMade: 0, failed: 1 });
    // It is marked, so that the next night asks for it again.
    const marked = JSON.parse(again.files.get(listFile()) ?? '').vehicles.flatMap(
      ([, rows]: [string, unknown[][]]) => rows.filter((row) => row.length > 9),
    );
    expect(marked).toHaveLength(1);
    await using former = await temporaryFolder();
    await cp(again.output, former.path, { recursive: true });
    site.folder = former.path;
    service.data.override(item.id, { deleted: false });
    await using later = await fresh({});
    expect(later.counts).toMatchObject({ failed: 0 });
    expect(later.pictures).toHaveLength(1);
  });
});

describe('the published list', () => {
  it.each(['link', 'mirror'] as const)('holds no address (fullSize: %s)', async (fullSize) => {
    const secret = 'S3CR3T-token-0123456789';
    for (const { mediaList } of service.data.dealers[0]?.vehicles ?? []) {
      for (const item of mediaList) item.mediaUrl += `?sig=${secret}`;
    }
    const media = { widths: [160, 320], fallbackWidth: 160, fullSize };
    await using again = await fresh({ change: { media } });
    expect(again.error).toBeUndefined();
    const text = again.files.get(listFile()) ?? '';
    expect(text).not.toBe('');
    for (const item of [secret, 'http', 'sig=', 'pictures/', `${picture(0, 0).id}`]) {
      expect(text).not.toContain(item);
    }
  });

  it('is the same whatever is remembered of the one before', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const configurations = path.join(folder.path, 'cache', 'media', 'configurations');
    const [own = ''] = await readdir(configurations);
    const memory = path.join(configurations, own, 'published');
    const remembered = await readdir(memory);
    expect(remembered).toHaveLength(2);
    for (const file of remembered) {
      const text = await readFile(path.join(memory, file), 'utf8');
      for (const damaged of [text.slice(0, -9), text.replace('0', '1'), '']) {
        await writeFile(path.join(memory, file), damaged);
        const again = await fresh({ folder: folder.path, now: MORNING + HOUR });
        expect(again.files.get(listFile())).toBe(list());
      }
    }
  });

  it('takes what is remembered, and reads the thumbnails of nothing else', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    // On a copy, all are read once.
    await setTimeout(100);
    await fresh({ folder: folder.path });
    await setTimeout(100);
    await fresh({ folder: folder.path });
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    const { openSync } = fs;
    const opened: string[] = [];
    vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
      opened.push(String(args[0]));
      return openSync(...args);
    });
    syncBuiltinESMExports();
    const again = await fresh({ folder: folder.path }).finally(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(opened.filter((file) => /\.(webp|jpg)$/.test(file))).toEqual([]);
    const rows = (text: string) =>
      JSON.parse(text).vehicles.map(([, its]: [string, object]) => its);
    expect(rows(again.files.get(listFile()) ?? '')).toEqual(rows(list()));
    expect(again.files.get(listFile())).toContain(vehicle(1).dateUpdated);
  });
});
