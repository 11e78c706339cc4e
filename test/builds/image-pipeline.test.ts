import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fingerprintOf, timeOf } from '../../src/images/fingerprint.ts';
import { sourceKey } from '../../src/images/plan.ts';
import { copyFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { openPipeline, type Pipeline, vehiclesOf } from '../support/image-pipeline.ts';
import { restorable, startService } from '../support/service.ts';

/** Two vehicles of one dealer, four small pictures in all. Restored before each test. */
const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 8 }));
const records = service.data.dealers[0]?.vehicles ?? [];
for (const record of records) {
  record.mediaList = record.mediaList.filter(({ type }) => type === 'Image').slice(0, 2);
}
const restore = restorable(service);
const firstPipeline = await forAllTests(openPipeline(service));
const first = await firstPipeline.night(0);

/** An image pipeline with a separate cache folder from the first night, for each test. */
let pipeline: Pipeline;
beforeEach(async () => {
  restore();
  pipeline = await openPipeline(service);
  copyFolder(firstPipeline.cacheDir, pipeline.cacheDir);
  pipeline.lastConfirmed = firstPipeline.lastConfirmed;
  onTestFinished(() => pipeline[Symbol.asyncDispose]());
});

const record = (index: number) => {
  const vehicle = service.data.dealers[0]?.vehicles[index];
  if (!vehicle) throw new Error(`no vehicle ${index}`);
  return vehicle;
};
const picture = (vehicle: number, index: number) => {
  const item = record(vehicle).mediaList[index];
  if (!item) throw new Error(`no picture ${index} of vehicle ${vehicle}`);
  return item;
};
const keyOf = (vehicle: number, index: number) => {
  const media = vehiclesOf(service)[vehicle]?.media[index];
  if (media?.kind !== 'image') throw new Error('no picture');
  return sourceKey(7001, media);
};
const recordFile = () => path.join(pipeline.cacheDir, 'records/site/7001.json');
const fileOf = (name = '', { cacheDir } = pipeline) => path.join(cacheDir, 'media', 'files', name);

describe('a second build', () => {
  it('downloads and encodes nothing if nothing changed', async () => {
    expect(first.counts).toMatchObject({ sources: 4, downloaded: 4, failed: 0 });
    expect(first.asked).toEqual(['200', '200', '200', '200']);
    const second = await pipeline.night(1);
    expect(second.asked).toEqual([]);
    expect(second.counts).toMatchObject({ unchanged: 4, outputsMade: 0, outputsRemoved: 0 });
    expect(second.files).toEqual(first.files);
    expect(second.counts.outputsReused).toBe(first.files.length);
  });

  it('makes conditional requests for an updated vehicle, and a 304 costs no download', async () => {
    record(0).dateUpdated = '2026-03-02T08:00:00Z';
    const second = await pipeline.night(1);
    expect(second.asked).toEqual(['304 conditional', '304 conditional']);
    expect(second.counts).toMatchObject({ revalidated: 2, downloaded: 0, downloadedBytes: 0 });
    expect((await pipeline.night(2)).asked).toEqual([]);
  });

  it('notices different bytes at an unchanged URL within revalidateAfter', async () => {
    service.data.touch(picture(1, 1).id);
    const asked: string[] = [];
    let last = first;
    for (const day of [1, 2, 3, 4, 5, 6, 7]) {
      last = await pipeline.night(day, {}, { calendar: true });
      asked.push(...last.asked);
      if (last.counts.downloaded > 0) expect(last.counts.outputsRemoved).toBeGreaterThan(0);
    }
    // Each picture once.
    expect(asked.sort()).toEqual(['200 conditional', ...Array(3).fill('304 conditional')]);
    expect(last.contentOf(keyOf(1, 1))?.hash).not.toBe(first.contentOf(keyOf(1, 1))?.hash);
    expect(last.files).toHaveLength(first.files.length);
  });

  it('revalidates everything that is overdue after a long pause, once', async () => {
    const calendar = { calendar: true };
    expect((await pipeline.night(30, {}, calendar)).asked).toEqual(
      Array(4).fill('304 conditional'),
    );
    expect((await pipeline.night(30.01, {}, calendar)).asked).toEqual([]);
  });

  it('revalidates overdue pictures again if a check failed', async () => {
    const clear = service.faults.set({ route: 'picture', status: 403 });
    const failed = await pipeline.night(30, {}, { calendar: true });
    expect(failed.failures).toMatchObject(Array(4).fill({ standIn: true }));
    clear();
    expect((await pipeline.night(31)).asked).toEqual(Array(4).fill('304 conditional'));
    expect((await pipeline.night(32)).asked).toEqual([]);
  });

  it('treats a new URL as a new picture without encoding equal bytes again', async () => {
    picture(0, 0).mediaUrl += '?moved';
    const second = await pipeline.night(1);
    expect(second.asked).toEqual(['200']);
    expect(second.counts).toMatchObject({ downloaded: 1, renamed: 1, outputsMade: 0 });
    expect(second.files).toEqual(first.files);
  });

  it('removes unplanned outputs, but only after the site is published', async () => {
    service.data.dealers[0]?.vehicles.pop();
    const unpublished = await pipeline.night(1, {}, { clean: false });
    expect(unpublished.files).toEqual(first.files);
    const published = await pipeline.night(1);
    expect(published.files).toHaveLength(first.files.length / 2);
    expect(published.counts.outputsRemoved).toBe(first.files.length / 2);
  });

  it('encodes new outputs after a recipe changed and removes the old ones', async () => {
    const second = await pipeline.night(1, { widths: [60, 120] });
    expect(second.counts).toMatchObject({ downloaded: 4, failed: 0 });
    expect(second.files).toHaveLength(first.files.length);
    expect(second.files).not.toEqual(first.files);
  });
});

describe('a dealer without a usable response', () => {
  const answered = false;
  const recordText = () => readFile(recordFile(), 'utf8');

  it('keeps its pictures and records without requests', async () => {
    const before = await recordText();
    const later = await pipeline.night(30, {}, { answered, calendar: true });
    expect(later.asked).toEqual([]);
    expect(later.counts).toMatchObject({ unchanged: 4, failed: 0 });
    expect([...later.outputs].sort()).toEqual(first.files);
    expect(await recordText()).toBe(before);
    // Overdue pictures are requested once the service responds.
    const back = await pipeline.night(31, {}, { calendar: true });
    expect(back.asked).toEqual(Array(4).fill('304 conditional'));
  });

  it('rebuilds a lost thumbnail only if its URL is known', async () => {
    const before = await recordText();
    await rm(fileOf(first.files[0]));
    const without = await pipeline.night(1, {}, { answered, addresses: false });
    expect(without.asked).toEqual([]);
    expect(without.failures).toMatchObject([{ code: 'picture-no-address' }]);
    const repaired = await pipeline.night(2, {}, { answered });
    expect(repaired.asked).toEqual(['200']);
    expect(repaired.files).toEqual(first.files);
    expect(await recordText()).toBe(before);
  });

  it('makes no request for a picture that was never downloaded', async () => {
    await using fresh = await openPipeline(service);
    const clear = service.faults.set({
      route: 'picture',
      match: `/${picture(0, 1).id}.`,
      status: 404,
    });
    await fresh.night(0);
    clear();
    const later = await fresh.night(1, {}, { answered });
    expect(later.asked).toEqual([]);
    expect(later.failures).toMatchObject([{ code: 'picture-not-asked', standIn: false }]);
    expect((await fresh.night(2)).asked).toEqual(['200']);
  });
});

describe('pictures that cannot be downloaded', () => {
  it('keep their last good thumbnails', async () => {
    record(0).dateUpdated = '2026-03-02T08:00:00Z';
    service.data.remove(picture(0, 0).id);
    const second = await pipeline.night(1);
    expect(second.failures).toMatchObject([{ code: 'download-status', standIn: true }]);
    expect(second.files).toEqual(first.files);
    expect(second.contentOf(keyOf(0, 0))).toEqual(first.contentOf(keyOf(0, 0)));
  });

  it('keep their last good thumbnails under a new URL', async () => {
    const before = first.contentOf(keyOf(0, 0));
    picture(0, 0).mediaUrl += '?moved';
    service.data.remove(picture(0, 0).id);
    for (const day of [1, 2]) {
      const later = await pipeline.night(day);
      expect(later.failures).toMatchObject([{ standIn: true }]);
      expect(later.contentOf(keyOf(0, 0))).toEqual(before);
      expect(later.files).toEqual(first.files);
    }
  });

  it('keep their last good thumbnails if the server sends one picture for all URLs, in one build', async () => {
    const places = [0, 1, 2].map((at) => [Math.ceil(at / 2), (at + 1) % 2] as const);
    const keys = () => places.map(([vehicle, item]) => keyOf(vehicle, item));
    const before = keys().map((key) => first.contentOf(key));
    for (const [vehicle, item] of places)
      picture(vehicle, item).mediaUrl = `${picture(0, 0).mediaUrl}?${vehicle}${item}`;
    const refused = await pipeline.night(1);
    const failure = { code: 'picture-placeholder', standIn: true };
    expect(refused.failures).toMatchObject(Array(3).fill(failure));
    expect(refused.files).toEqual(first.files);
    expect(keys().map((key) => refused.contentOf(key))).toEqual(before);
    // It may be the wish of the dealer.
    const accepted = await pipeline.night(2);
    expect(accepted.failures).toEqual([]);
    const one = accepted.contentOf(keyOf(0, 1));
    expect(keys().map((key) => accepted.contentOf(key))).toEqual([one, one, one]);
    expect(one).not.toEqual(before[0]);
  });

  it('fail without affecting others if they are unknown or have no usable thumbnail', async () => {
    await using fresh = await openPipeline(service);
    service.data.remove(picture(0, 0).id);
    const first = await fresh.night(0);
    expect(first.failures).toMatchObject([{ standIn: false }]);
    expect(first.counts).toMatchObject({ downloaded: 3, failed: 1 });
    service.data.remove(picture(0, 1).id);
    const changed = { formats: ['jpeg'], crop: 'attention' } as const;
    expect((await fresh.night(1, changed)).failures).toMatchObject([
      { standIn: false },
      { standIn: false },
    ]);
  });

  it('fail without affecting others if they are not pictures', async () => {
    await using fresh = await openPipeline(service);
    service.faults.set({
      route: 'picture',
      match: `/${picture(0, 1).id}.`,
      status: 200,
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const first = await fresh.night(0);
    expect(first.failures).toMatchObject([{ code: 'picture-format', standIn: false }]);
    expect(first.counts.downloaded).toBe(4);
  });
});

it('equal bytes of several media items are encoded once per build, with the outputs of a cover', async () => {
  await using fresh = await openPipeline(service);
  for (const [of, id] of [
    [1, 987_654],
    [0, 987_655],
  ] as const) {
    const twin = { ...picture(0, of), id, mediaUrl: `${picture(0, of).mediaUrl}?twin` };
    record(0).mediaList.push(twin);
  }
  const first = await fresh.night(0);
  expect(first.counts).toMatchObject({ sources: 6, downloaded: 6, failed: 0 });
  expect(first.counts.outputsMade).toBe(first.files.length);
  expect(first.contentOf(keyOf(0, 2))).toEqual(first.contentOf(keyOf(0, 1)));
  expect(first.contentOf(keyOf(0, 3))).toEqual(first.contentOf(keyOf(0, 0)));
});

describe('lost and damaged files', () => {
  const altered = async (file: string) => {
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return bytes;
  };

  it.each([
    ['lost', () => rm(recordFile())],
    ['torn', () => truncate(recordFile(), 100)],
  ])('a record %s: intact thumbnails are reused', async (_, damage) => {
    await damage();
    const file = fileOf(first.files[0]);
    const intact = await readFile(file);
    await writeFile(file, await altered(file));
    const second = await pipeline.night(1);
    expect(second.counts).toMatchObject({ downloaded: 4, outputsMade: 1, failed: 0 });
    expect(second.files).toEqual(first.files);
    expect(await readFile(file)).toEqual(intact);
    expect((await pipeline.night(2)).asked).toEqual([]);
  });

  it.each([
    ['lost', (file: string) => rm(file)],
    ['altered', async (file: string) => writeFile(file, await altered(file))],
  ])('a thumbnail %s: only that picture is encoded again', async (_, damage) => {
    const file = fileOf(first.files[0]);
    const intact = await readFile(file);
    await damage(file);
    const second = await pipeline.night(1);
    expect(second.counts).toMatchObject({ downloaded: 1, outputsMade: 1, failed: 0 });
    expect(second.files).toEqual(first.files);
    expect(await readFile(file)).toEqual(intact);
  });

  it('an altered thumbnail is not used if its picture cannot be downloaded', async () => {
    const hash = first.contentOf(keyOf(0, 0))?.hash ?? '';
    const outputs = first.files.filter((name) => name.replace('/', '').startsWith(hash));
    await writeFile(fileOf(outputs[0]), await altered(fileOf(outputs[0])));
    service.data.remove(picture(0, 0).id);
    for (const day of [2, 3]) {
      const next = await pipeline.night(day);
      expect(next.failures).toMatchObject([{ standIn: outputs.length > 1 }]);
      expect([...next.outputs].sort()).toEqual(first.files.filter((name) => name !== outputs[0]));
    }
  });
});

it('outputs have the planned sizes and formats, including AVIF, and no metadata', async () => {
  await using fresh = await openPipeline(service);
  const { id } = picture(0, 0);
  service.data.override(id, { orientation: 6 });
  const { files } = await fresh.night(0, { formats: ['avif', 'webp'], fullSize: 'mirror' });
  service.data.override(id, { orientation: 1 });
  for (const name of files) {
    const file = fileOf(name, fresh);
    const bytes = await readFile(file);
    expect((await stat(file)).mtimeMs).toBe(timeOf(fingerprintOf(bytes)) * 1000);
    const { width, format, exif, icc, orientation, compression } = await sharp(bytes).metadata();
    expect(name).toContain(`-${width}-`);
    expect([format, compression]).toEqual(
      name.endsWith('.avif')
        ? ['heif', 'av1']
        : [name.endsWith('.jpg') ? 'jpeg' : 'webp', undefined],
    );
    expect([exif, icc, orientation]).toEqual([undefined, undefined, undefined]);
  }
  const extensions = new Set(files.map((name) => path.extname(name)));
  expect([...extensions].sort()).toEqual(['.avif', '.webp']);
  // The mirrored copy is as wide as the source. One source is in portrait format.
  expect(files.filter((name) => name.includes('-240-')).length).toBeGreaterThanOrEqual(3);
});
