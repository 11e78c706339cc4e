import { cpSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { argumentsIn, configFor, temporaryFolder, writeConfigIn } from '../support/build.ts';
import {
  DAY,
  first,
  fresh,
  MORNING,
  outputs,
  PICTURES,
  picture,
  published,
  recordFile,
  service,
  site,
  TIMES,
  thumbnails,
  usePublishedWorld,
  vehicle,
} from '../support/published-world.ts';
import { runHere } from '../support/run-here.ts';

/** Requests of a build on an empty disk. */
const memory = () => [TIMES, recordFile()];

usePublishedWorld();

describe('a build on an empty disk', () => {
  it('takes everything from the published site and writes the same bytes', async () => {
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
    expect(again.counts?.restoredBytes).toBe(size);
    expect(again.pictures).toEqual([]);
    expect(again.report.notes).toEqual([]);
    expect(summaryLines(again.report, '_site').join()).toContain(
      `${outputs} taken from the published site`,
    );
    expect(again.files).toEqual(published);
    // Its stored state and each thumbnail, once.
    expect([...site.asked].sort()).toEqual([...memory(), ...thumbnails()].sort());
  });

  it('makes no request for pictures that are in the cache', async () => {
    await using folder = await temporaryFolder();
    cpSync(first.path, folder.path, { recursive: true });
    const again = await fresh({ folder: folder.path });
    expect(site.asked).toEqual([]);
    expect(again.counts).toMatchObject({ outputsReused: outputs, outputsRestored: 0 });
    expect(again.files).toEqual(published);
  });

  it('downloads files that the cache lost', async () => {
    await using folder = await temporaryFolder();
    cpSync(first.path, folder.path, { recursive: true });
    const store = path.join(folder.path, 'cache', 'media', 'files');
    const [shard = ''] = await readdir(store);
    await rm(path.join(store, shard), { recursive: true });
    const again = await fresh({ folder: folder.path });
    expect(again.counts).toMatchObject({ downloaded: 0, outputsMade: 0 });
    expect(again.counts?.outputsRestored).toBeGreaterThan(0);
    expect(again.files).toEqual(published);
  });

  it('downloads only the changed picture', async () => {
    service.data.touch(picture(1, 1).id);
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    await using again = await fresh({});
    expect([...again.pictures].sort()).toEqual(['200 conditional', '304 conditional']);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: 1, failed: 0 });
    site.folder = first.path;
    await using withoutCache = await fresh({ first: true });
    expect(withoutCache.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(again.files).toEqual(withoutCache.files);
  });
});

describe('npm run build', () => {
  async function command(...flags: string[]) {
    await using folder = await temporaryFolder();
    const { dealers } = configFor(service);
    writeConfigIn(folder.path, service, {
      site: { title: 'Test Motors', url: site.url, timeZone: 'Europe/London' },
      dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
      media: { widths: [160, 320] },
    });
    const now = ['--now', new Date(MORNING).toISOString()];
    const ran = await runHere(['build', ...argumentsIn(folder.path), ...now, ...flags], {
      env: { MEDIA_API_KEY: service.mediaKey },
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return JSON.parse(await readFile(path.join(folder.path, 'report.json'), 'utf8')).media;
  }

  it('takes thumbnails from the published site by default', async () => {
    expect(await command()).toMatchObject({ outputsMade: 0, outputsRestored: outputs });
    site.asked.length = 0;
    expect(await command('--no-from-published')).toMatchObject({
      outputsMade: outputs,
      outputsRestored: 0,
      restoredBytes: 0,
    });
    expect(site.asked).toEqual(memory());
  });
});

describe('different bytes at an unchanged URL', () => {
  it('are noticed by a build one week later', async () => {
    service.data.touch(picture(2, 0).id);
    await using again = await fresh({ now: MORNING + 7 * DAY });
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: PICTURES - 1 });
  });
});

describe('a picture that cannot be downloaded', () => {
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
  });

  it('has no thumbnails if the published site has also lost them', async () => {
    service.data.remove(picture(1, 1).id);
    site.instead = (file) => (file.startsWith('media/') ? { status: 404 } : undefined);
    await using again = await fresh({});
    expect(again.counts).toMatchObject({ downloaded: PICTURES - 1, failed: 1 });
    expect(again.report.pictureFailures).toMatchObject([
      {
        key: expect.stringContaining(picture(1, 1).mediaUrl.split('/').at(-1) ?? ''),
        standIn: false,
      },
    ]);
  });
});

describe('a dealer without a usable response', () => {
  it('gets its thumbnails from the published site without requesting pictures', async () => {
    await using folder = await temporaryFolder();
    cpSync(first.path, folder.path, { recursive: true });
    for (const name of ['cache/media/files', 'site', '.site.work']) {
      await rm(path.join(folder.path, name), { recursive: true });
    }
    service.faults.set({ route: 'media', status: 503 });
    // All pictures are due.
    const again = await fresh({
      folder: folder.path,
      now: MORNING + 8 * DAY,
    });
    expect(again.report.outcome).toBe('degraded');
    expect(again.pictures).toEqual([]);
    expect(again.counts).toMatchObject({ outputsRestored: outputs, failed: 0 });
    const below = (files: Map<string, string>) =>
      [...files].filter(([name]) => name.startsWith('media/'));
    expect(below(again.files)).toEqual(below(published));
  });
});
