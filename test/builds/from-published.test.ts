import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import {
  down,
  emptyNight,
  first,
  later,
  published,
  thumbnails,
  useLaterNight,
  vehicles,
} from '../support/later-night.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Requests of a build on an empty disk. */
const MEMORY = ['7001.json', '7002.json', 'times.json'].map((name) => `api/records/${name}`);

useLaterNight();

const imagesOf = (index: number) =>
  vehicles()[index]?.mediaList.filter(({ type }) => type === 'Image') ?? [];

/** The second vehicle has another date, and its first picture. */
function changed() {
  const [vehicle, [image]] = [vehicles()[1], imagesOf(1)];
  if (!vehicle || !image) throw new Error('no picture');
  vehicle.dateUpdated = '2026-03-02T09:30:00Z';
  return image;
}

describe('a build on an empty disk', () => {
  it('takes everything from the published site and writes the same bytes', async () => {
    const again = await emptyNight();
    expect(again.error).toBeUndefined();
    const outputs = thumbnails().length;
    const size = thumbnails().reduce((sum, file) => sum + (published.get(file)?.length ?? 0), 0);
    expect(again.counts).toMatchObject({
      downloaded: 0,
      outputsMade: 0,
      outputsReused: 0,
      outputsRestored: outputs,
      restoredBytes: size,
      failed: 0,
    });
    expect(again.pictures).toEqual([]);
    expect(again.report.notes).toEqual([]);
    expect(summaryLines(again.report, '_site').join()).toContain(
      `${outputs} taken from the published site`,
    );
    expect(again.files).toEqual(first.files);
    // Its stored state and each thumbnail, once.
    expect([...later.site.asked].sort()).toEqual([...MEMORY, ...thumbnails()].sort());
  });

  it('downloads only the changed picture', async () => {
    later.service.data.touch(changed().id);
    const again = await emptyNight(8);
    const unchanged = Array(imagesOf(1).length - 1).fill('304 conditional');
    expect(again.pictures).toEqual(['200 conditional', ...unchanged]);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: unchanged.length, failed: 0 });
    later.site.folder = '/none';
    const fromNothing = await emptyNight(8, { first: true });
    expect(fromNothing.counts).toMatchObject({ outputsRestored: 0 });
    expect(again.files).toEqual(fromNothing.files);
  });
});

describe('a build with a restored cache', () => {
  it('makes no request for pictures that are in the cache', async () => {
    later.site.asked.length = 0;
    const { report, files } = await later.night('cached', 0);
    expect(later.site.asked.filter((file) => !MEMORY.includes(file))).toEqual([]);
    expect(report.media).toMatchObject({ outputsReused: thumbnails().length, outputsRestored: 0 });
    expect(files).toEqual(first.files);
  });

  it('downloads files that the cache lost', async () => {
    const store = path.join(later.cache, 'media', 'files');
    const [shard = ''] = await readdir(store);
    await rm(path.join(store, shard), { recursive: true });
    const { report, files } = await later.night('cached', 0);
    expect(report.media).toMatchObject({ downloaded: 0, outputsMade: 0 });
    expect(report.media?.outputsRestored).toBeGreaterThan(0);
    expect(files).toEqual(first.files);
  });
});

describe('npm run build', () => {
  async function command(...flags: string[]) {
    const folder = tempFolder();
    const { site, dealers } = later.config();
    writeConfigIn(folder, later.service, {
      site: { title: site.title, url: site.url, timeZone: site.timeZone },
      dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
    });
    const now = ['--now', new Date(FIRST_NIGHT).toISOString()];
    const ran = await runHere(['build', ...argumentsIn(folder), ...now, ...flags], {
      env: { MEDIA_API_KEY: later.service.mediaKey },
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')).media;
  }

  it('takes thumbnails from the published site by default', async () => {
    const outputs = thumbnails().length;
    expect(await command()).toMatchObject({ outputsMade: 0, outputsRestored: outputs });
    later.site.asked.length = 0;
    expect(await command('--no-from-published')).toMatchObject({
      outputsMade: outputs,
      outputsRestored: 0,
      restoredBytes: 0,
    });
    expect([...later.site.asked].sort()).toEqual(MEMORY);
  });
});

describe('a dealer without a usable response', () => {
  it('gets its thumbnails from the published site without requesting pictures', async () => {
    await rm(path.join(later.cache, 'media/files'), { recursive: true });
    later.service.faults.set({ route: 'media', dealerId: 7002, status: 503 });
    down();
    later.service.requests.clear();
    // All pictures are due.
    const { report, files } = await later.night('cached', 8 * 24);
    expect(report.outcome).toBe('degraded');
    expect(later.service.requests.list('picture')).toEqual([]);
    expect(report.media).toMatchObject({ outputsRestored: thumbnails().length, failed: 0 });
    for (const file of thumbnails()) expect(files?.get(file)).toBe(published.get(file));
  });
});
