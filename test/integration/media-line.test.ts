import { cpSync } from 'node:fs';
import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf, timeOf } from '../../src/images/fingerprint.ts';
import { sourceKey } from '../../src/images/plan.ts';
import type { Store } from '../../src/images/ports.ts';
import { FolderStore } from '../../src/images/stores/folder-store.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, copyFolder, readTree, temporaryFolder } from '../support/build.ts';
import { type Line, type Night, openLine, vehiclesOf } from '../support/media-line.ts';

/** Two vehicles of one dealer, four small pictures in all. */
let service: SampleService;
let original: SampleService['data']['dealers'];
/** What a first night is and leaves, the same in most tests. */
let firstLine: Line;
let first: Night;

beforeAll(async () => {
  service = await startSampleService({ dealers: 1, vehicles: 2, images: 8 });
  for (const { mediaList } of service.data.dealers[0]?.vehicles ?? []) {
    const images = mediaList.filter(({ type }) => type === 'Image').slice(0, 2);
    mediaList.splice(0, mediaList.length, ...images);
    for (const { id } of images) service.data.override(id, { width: 240, height: 180 });
  }
  original = structuredClone(service.data.dealers);
  firstLine = await openLine(service);
  first = await firstLine.night(0);
});
afterAll(async () => {
  await firstLine[Symbol.asyncDispose]();
  await service.close();
});

/** A line with a cache folder of its own, as the first night left it. */
async function secondNight(): Promise<Line> {
  const line = await openLine(service);
  copyFolder(firstLine.cacheDir, line.cacheDir);
  return line;
}

beforeEach(() => {
  service.faults.clear();
  service.data.dealers.splice(0, 1, ...structuredClone(original));
  for (const id of service.data.pictures.keys()) {
    service.data.override(id, { deleted: false, revision: 0 });
  }
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
  return sourceKey(service.data.dealers[0]?.id ?? 0, media);
};
const recordFile = () => path.join('..', 'records', 'site', `${service.data.dealers[0]?.id}.json`);
const statePath = (line: Line, name: string) => path.join(line.cacheDir, 'media', name);

describe('a second night', () => {
  it('asks for nothing and makes nothing where nothing changed', async () => {
    await using line = await secondNight();
    expect(first.counts).toMatchObject({ sources: 4, downloaded: 4, failed: 0 });
    expect(first.asked).toEqual(['200', '200', '200', '200']);
    const second = await line.night(1);
    expect(second.asked).toEqual([]);
    expect(second.counts).toMatchObject({ unchanged: 4, outputsMade: 0, outputsRemoved: 0 });
    expect(second.files).toEqual(first.files);
    expect(second.counts.outputsReused).toBe(first.files.length);
  });

  it('asks with conditions where a vehicle was updated, and a 304 costs no download', async () => {
    await using line = await secondNight();
    record(0).dateUpdated = '2026-03-02T08:00:00Z';
    const second = await line.night(1);
    expect(second.asked).toEqual(['304 conditional', '304 conditional']);
    expect(second.counts).toMatchObject({ revalidated: 2, downloaded: 0, downloadedBytes: 0 });
    expect((await line.night(2)).asked).toEqual([]);
  });

  it('notices other bytes under an unchanged address within revalidateAfter', async () => {
    await using line = await secondNight();
    service.data.touch(picture(1, 1).id);
    const asked: string[] = [];
    let last = first;
    for (const day of [1, 2, 3, 4, 5, 6, 7]) {
      last = await line.night(day, {}, { calendar: true });
      asked.push(...last.asked);
      if (last.counts.downloaded > 0) expect(last.counts.outputsRemoved).toBeGreaterThan(0);
    }
    // Each once.
    expect(asked.sort()).toEqual(['200 conditional', ...Array(3).fill('304 conditional')]);
    expect(last.contentOf(keyOf(1, 1))?.hash).not.toBe(first.contentOf(keyOf(1, 1))?.hash);
    expect(last.files).toHaveLength(first.files.length);
  });

  it('asks for everything that fell due in a long pause, once', async () => {
    await using line = await secondNight();
    const calendar = { calendar: true };
    expect((await line.night(30, {}, calendar)).asked).toEqual(Array(4).fill('304 conditional'));
    expect((await line.night(30.01, {}, calendar)).asked).toEqual([]);
  });

  it('asks again for what was due and could not be asked for', async () => {
    await using line = await secondNight();
    const clear = service.faults.set({ route: 'picture', status: 403 });
    const failed = await line.night(30, {}, { calendar: true });
    expect(failed.failures).toMatchObject(Array(4).fill({ standIn: true }));
    clear();
    expect((await line.night(31)).asked).toEqual(Array(4).fill('304 conditional'));
    expect((await line.night(32)).asked).toEqual([]);
  });

  it('takes a new address as a new picture, whose equal bytes are not made again', async () => {
    await using line = await secondNight();
    picture(0, 0).mediaUrl += '?moved';
    const second = await line.night(1);
    expect(second.asked).toEqual(['200']);
    expect(second.counts).toMatchObject({ downloaded: 1, outputsMade: 0 });
    expect(second.files).toEqual(first.files);
  });

  it('removes what nothing plans, and only when it is told that the site is published', async () => {
    await using line = await secondNight();
    service.data.dealers[0]?.vehicles.pop();
    const unpublished = await line.night(1, {}, { clean: false });
    expect(unpublished.files).toEqual(first.files);
    const published = await line.night(1);
    expect(published.files).toHaveLength(first.files.length / 2);
    expect(published.counts.outputsRemoved).toBe(first.files.length / 2);
  });

  it('makes new outputs where a recipe changed, and removes the former', async () => {
    await using line = await secondNight();
    const second = await line.night(1, { quality: { webp: 40 } });
    expect(second.counts).toMatchObject({ downloaded: 4, failed: 0 });
    expect(second.files).toHaveLength(first.files.length);
    expect(second.files).not.toEqual(first.files);
  });
});

describe('a dealer without a usable answer', () => {
  const answered = false;
  const recordText = (line: Line) => readFile(statePath(line, recordFile()), 'utf8');

  it('has nothing asked for, whatever is due, and is remembered as it was', async () => {
    await using line = await secondNight();
    const before = await recordText(line);
    const later = await line.night(30, {}, { answered, calendar: true });
    expect(later.asked).toEqual([]);
    expect(later.counts).toMatchObject({ unchanged: 4, failed: 0 });
    expect([...later.outputs].sort()).toEqual(first.files);
    expect(await recordText(line)).toBe(before);
    // What fell due meanwhile is asked for once it answers.
    const back = await line.night(31, {}, { calendar: true });
    expect(back.asked).toEqual(Array(4).fill('304 conditional'));
  });

  it('has a thumbnail that is lost made again where its address is known, and only there', async () => {
    await using line = await secondNight();
    const before = await recordText(line);
    const lost = statePath(line, path.join('files', first.files[0] ?? ''));
    await rm(lost);
    const without = await line.night(1, {}, { answered, addresses: false });
    expect(without.asked).toEqual([]);
    expect(without.failures).toMatchObject([{ code: 'picture-no-address' }]);
    const mended = await line.night(2, {}, { answered });
    expect(mended.asked).toEqual(['200']);
    expect(mended.files).toEqual(first.files);
    expect(await recordText(line)).toBe(before);
  });

  it('has no picture asked for that was never had', async () => {
    await using line = await openLine(service);
    const clear = service.faults.set({
      route: 'picture',
      match: `/${picture(0, 1).id}.`,
      status: 404,
    });
    await line.night(0);
    clear();
    const later = await line.night(1, {}, { answered });
    expect(later.asked).toEqual([]);
    expect(later.failures).toMatchObject([{ code: 'picture-not-asked', standIn: false }]);
    expect((await line.night(2)).asked).toEqual(['200']);
  });
});

const fileOf = (line: Line, name: string) => statePath(line, path.join('files', name));

describe('what is lost or torn', () => {
  it.each([
    ['record lost', (line: Line) => rm(statePath(line, recordFile()))],
    ['record torn', (line: Line) => truncate(statePath(line, recordFile()), 100)],
    [
      'record of something else',
      (line: Line) => writeFile(statePath(line, recordFile()), '{"version":9}'),
    ],
  ])(
    '%s: thumbnails that are as they were made are used for the pictures that they are of',
    async (_, damage) => {
      await using line = await secondNight();
      await damage(line);
      const [altered = ''] = first.files;
      await writeFile(fileOf(line, altered), (await readFile(fileOf(line, altered))).fill(0, 40));
      const second = await line.night(1);
      expect(second.counts).toMatchObject({ downloaded: 4, outputsMade: 1, failed: 0 });
      expect(second.files).toEqual(first.files);
      expect((await line.night(2)).asked).toEqual([]);
    },
  );

  it('one output lost: that picture alone', async () => {
    await using line = await secondNight();
    await rm(statePath(line, path.join('files', first.files[0] ?? '')));
    const second = await line.night(1);
    expect(second.counts).toMatchObject({ downloaded: 1, outputsMade: 1 });
    expect(second.files).toEqual(first.files);
  });
});

describe('a thumbnail that is not as it was made', () => {
  const altered = async (file: string) => {
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return bytes;
  };

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['was cut to nothing', (file) => truncate(file, 0)],
    ['was cut', (file) => truncate(file, 40)],
    ['grew', (file) => appendFile(file, 'x')],
    ['was altered', async (file) => writeFile(file, await altered(file))],
    [
      'is another file',
      async (file) => {
        const bytes = await altered(file);
        await rm(file);
        await writeFile(file, bytes);
      },
    ],
  ])('because it %s is made again', async (_, damage) => {
    await using line = await secondNight();
    const [name = ''] = first.files;
    const whole = await readFile(fileOf(line, name));
    // What was made a moment ago is known by its bytes alone.
    await setTimeout(100);
    await line.night(1);
    await damage(fileOf(line, name));
    const next = await line.night(2);
    expect(next.counts).toMatchObject({ downloaded: 1, outputsMade: 1, failed: 0 });
    expect(next.files).toEqual(first.files);
    expect(await readFile(fileOf(line, name))).toEqual(whole);
    expect((await line.night(3)).counts).toMatchObject({ unchanged: 4, outputsMade: 0 });
  });

  it('is not used where its picture cannot be had', async () => {
    await using line = await secondNight();
    const hash = first.contentOf(keyOf(0, 0))?.hash ?? '';
    const its = first.files.filter((name) => name.replace('/', '').startsWith(hash));
    await setTimeout(100);
    await line.night(1);
    await writeFile(fileOf(line, its[0] ?? ''), await altered(fileOf(line, its[0] ?? '')));
    service.data.remove(picture(0, 0).id);
    for (const day of [2, 3]) {
      const next = await line.night(day);
      expect(next.failures).toMatchObject([{ standIn: its.length > 1 }]);
      expect([...next.outputs].sort()).toEqual(first.files.filter((name) => name !== its[0]));
    }
  });

  it('is found on a copy of the cache too, where nothing looks as it did', async () => {
    await using line = await secondNight();
    await setTimeout(100);
    await line.night(1);
    const [name = ''] = first.files;
    const bytes = await altered(fileOf(line, name));
    await writeFile(fileOf(line, name), bytes);
    cpSync(line.cacheDir, `${line.cacheDir}-copy`, { recursive: true, preserveTimestamps: true });
    await rm(line.cacheDir, { recursive: true });
    await rename(`${line.cacheDir}-copy`, line.cacheDir);
    expect((await line.night(2)).counts).toMatchObject({ downloaded: 1, outputsMade: 1 });
    expect(await readFile(fileOf(line, name))).not.toEqual(bytes);
  });
});

describe('configurations that share a cache', () => {
  it('have their own thumbnails, and each is removed when none of them uses it', async () => {
    await using line = await openLine(service);
    const wide = { widths: [64, 192] };
    const first = await line.night(0, {}, { configuration: 'one' });
    const second = await line.night(1, wide, { configuration: 'two' });
    expect(second.counts.outputsRemoved).toBe(0);
    expect(second.files).toEqual(expect.arrayContaining(first.files));
    // What one knows of the pictures of a dealer is known to the other.
    expect(second.asked).toHaveLength(4);
    const again = await line.night(2, {}, { configuration: 'one' });
    expect(again.counts).toMatchObject({ unchanged: 4, outputsMade: 0, outputsRemoved: 0 });
    const both = await line.night(3, wide, { configuration: 'one' });
    expect(both.files).toEqual([...second.outputs].sort());
    expect(both.counts.outputsRemoved).toBeGreaterThan(0);
    expect((await line.night(4, wide, { configuration: 'two' })).counts.unchanged).toBe(4);
  });

  it('keep what a killed run of another noted, and what is damaged of another', async () => {
    await using line = await openLine(service);
    const first = await line.night(0, {}, { configuration: 'one', clean: false });
    const other = { widths: [192] };
    await line.night(1, other, { configuration: 'two' });
    const again = await line.night(2, {}, { configuration: 'one' });
    expect(again.counts).toMatchObject({ unchanged: 4, outputsMade: 0 });
    const record = statePath(line, recordFile()).replace('site', 'one');
    const whole = await readFile(record);
    await truncate(record, 100);
    await line.night(2, { widths: [256] }, { configuration: 'two' });
    await writeFile(record, whole);
    // Half of `media.revalidateAfter` after the first night, pictures begin to be due.
    const last = await line.night(3, {}, { configuration: 'one' });
    expect(last.counts).toMatchObject({ unchanged: 4, outputsMade: 0 });
    expect([...last.outputs].sort()).toEqual(first.files);
  });

  it('make nothing again under another name', async () => {
    await using line = await openLine(service);
    await line.night(0, {}, { configuration: 'one' });
    const renamed = await line.night(1, {}, { configuration: 'two' });
    expect(renamed.counts).toMatchObject({ downloaded: 4, outputsMade: 0, outputsRemoved: 0 });
  });

  it('leave the pictures of their dealers that a run is not about', async () => {
    await using line = await secondNight();
    const dealers = service.data.dealers.splice(0, 1);
    const otherDealers = new Set(dealers.map(({ id }) => String(id)));
    expect((await line.night(1, {}, { otherDealers })).files).toEqual(first.files);
    service.data.dealers.push(...dealers);
    expect((await line.night(2)).counts).toMatchObject({ unchanged: 4, outputsMade: 0 });
    service.data.dealers.splice(0, 1);
    expect((await line.night(3)).files).toEqual([]);
  });
});

describe('a store that is no folder', () => {
  /** What S3 does, on the disk. */
  function storeOf(line: Line): Store {
    const disk = new FolderStore(`${line.cacheDir}-store`);
    return {
      get: (name) => disk.get(name),
      put: (name, bytes, options) => disk.put(name, bytes, options),
      has: (name) => disk.has(name),
      list: (prefix) => disk.list(prefix),
      remove: (names) => disk.remove(names),
    };
  }
  const cleanUp = (line: Line) => rm(`${line.cacheDir}-store`, { recursive: true, force: true });

  it('has no thumbnail taken away by another configuration, also on empty disks', async () => {
    await using line = await openLine(service);
    const engines = { store: storeOf(line) };
    const wide = { widths: [64, 192] };
    const night = async (day: number, media: object, configuration: string) => {
      await rm(line.cacheDir, { recursive: true });
      return line.night(day, media, { configuration, engines });
    };
    try {
      const first = await night(0, {}, 'one');
      await night(1, wide, 'two');
      for (const day of [2, 3]) {
        const one = await night(day, {}, 'one');
        expect(one.counts).toMatchObject({ unchanged: 4, downloaded: 0, outputsMade: 0 });
        expect(one.files).toEqual(first.files);
        const two = await night(day, wide, 'two');
        expect(two.counts).toMatchObject({ unchanged: 4, downloaded: 0, outputsMade: 0 });
      }
    } finally {
      await cleanUp(line);
    }
  });

  it('is not believed where bytes are not as they were made', async () => {
    await using line = await openLine(service);
    const store = storeOf(line);
    try {
      const first = await line.night(0, {}, { engines: { store } });
      const name = `files/${first.files[0]}`;
      const whole = await store.get(name);
      await store.put(name, Buffer.from('torn'));
      await rm(line.cacheDir, { recursive: true });
      const next = await line.night(1, {}, { engines: { store } });
      expect(next.counts).toMatchObject({ downloaded: 1, outputsMade: 1, failed: 0 });
      expect(next.files).toEqual(first.files);
      expect(await store.get(name)).toEqual(whole);
      expect(await readFile(statePath(line, name))).toEqual(whole);
    } finally {
      await cleanUp(line);
    }
  });
});

describe('pictures that cannot be had', () => {
  it('are stood in for by the last good thumbnails', async () => {
    await using line = await secondNight();
    record(0).dateUpdated = '2026-03-02T08:00:00Z';
    service.data.remove(picture(0, 0).id);
    const second = await line.night(1);
    expect(second.failures).toMatchObject([{ code: 'download-status', standIn: true }]);
    expect(second.files).toEqual(first.files);
    expect(second.contentOf(keyOf(0, 0))).toEqual(first.contentOf(keyOf(0, 0)));
  });

  it('are stood in for under a new address too', async () => {
    await using line = await secondNight();
    const before = first.contentOf(keyOf(0, 0));
    picture(0, 0).mediaUrl += '?moved';
    service.data.remove(picture(0, 0).id);
    for (const day of [1, 2]) {
      const later = await line.night(day);
      expect(later.failures).toMatchObject([{ standIn: true }]);
      expect(later.contentOf(keyOf(0, 0))).toEqual(before);
      expect(later.files).toEqual(first.files);
    }
  });

  it('fail alone where nothing is known of them, or no thumbnail of the wanted kind', async () => {
    await using line = await openLine(service);
    service.data.remove(picture(0, 0).id);
    const first = await line.night(0);
    expect(first.failures).toMatchObject([{ standIn: false }]);
    expect(first.counts).toMatchObject({ downloaded: 3, failed: 1 });
    service.data.remove(picture(0, 1).id);
    const changed = { quality: { webp: 40, jpeg: 40 } };
    expect((await line.night(1, changed)).failures).toMatchObject([
      { standIn: false },
      { standIn: false },
    ]);
  });

  it('fail alone where they are no pictures', async () => {
    await using line = await openLine(service);
    service.faults.set({
      route: 'picture',
      match: `/${picture(0, 1).id}.`,
      status: 200,
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const first = await line.night(0);
    expect(first.failures).toMatchObject([{ code: 'picture-format', standIn: false }]);
    expect(first.counts.downloaded).toBe(4);
  });
});

describe('equal bytes', () => {
  it('of two media items are made once, in the same night', async () => {
    await using line = await openLine(service);
    const { mediaUrl } = picture(0, 1);
    const twin = { ...picture(0, 1), id: 987_654, mediaUrl: `${mediaUrl}?twin` };
    record(0).mediaList.push(twin);
    const first = await line.night(0);
    expect(first.counts).toMatchObject({ sources: 5, downloaded: 5, failed: 0 });
    expect(first.counts.outputsMade).toBe(first.files.length);
    expect(first.contentOf(keyOf(0, 2))).toEqual(first.contentOf(keyOf(0, 1)));
  });
});

describe('what is made', () => {
  it('has the planned sizes and formats, AVIF among them, and no metadata', async () => {
    await using line = await openLine(service);
    const { id } = picture(0, 0);
    service.data.override(id, { orientation: 6 });
    const { files } = await line.night(0, { formats: ['avif', 'webp'], fullSize: 'mirror' });
    service.data.override(id, { orientation: 1 });
    for (const name of files) {
      const file = statePath(line, path.join('files', name));
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
    expect([...extensions].sort()).toEqual(['.avif', '.jpg', '.webp']);
    // The mirrored copy is as wide as the source; one source stands upright.
    expect(files.filter((name) => name.includes('-240-')).length).toBeGreaterThanOrEqual(3);
  });

  it('tells a colour for each picture, of six characters', async () => {
    await using line = await openLine(service);
    const { contentOf } = await line.night(0);
    const colours = [keyOf(0, 0), keyOf(0, 1), keyOf(1, 0)].map((key) => contentOf(key)?.colour);
    for (const colour of colours) expect(colour).toMatch(/^[0-9a-f]{6}$/);
    expect(new Set(colours).size).toBeGreaterThan(1);
  });
});

describe("fullSize: 'mirror'", () => {
  const addresses = async (fullSize: 'link' | 'mirror') => {
    await using folder = await temporaryFolder();
    const { output, error } = await build(
      configFor(service, { media: { widths: [64], fallbackWidth: 64, fullSize } }),
      folder.path,
    );
    expect(error).toBeUndefined();
    const pages = [...(await readTree(output))].filter(([name]) => /\.(html|xml)$/.test(name));
    return pages.flatMap(([, text]) => text.split(`${service.baseUrl}/pictures/`).slice(1)).length;
  };

  it('leaves no picture address of the service on any page', async () => {
    expect(await addresses('mirror')).toBe(0);
    expect(await addresses('link')).toBeGreaterThan(0);
  });
});
