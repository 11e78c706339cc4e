import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { argumentsIn, writeConfigOf } from '../support/build.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import {
  down,
  emptyNight,
  first,
  later,
  published,
  thumbnails,
  useLaterNight,
} from '../support/later-night.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Requests of a build on an empty disk. */
const MEMORY = ['7001.json', '7002.json', 'times.json'].map((name) => `api/records/${name}`);

useLaterNight();

it('a build on an empty disk takes everything from the published site and writes the same bytes', async () => {
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
    writeConfigOf(folder, later.service, later.config());
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

it('a dealer without a usable response gets its thumbnails from the published site without requesting pictures', async () => {
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
