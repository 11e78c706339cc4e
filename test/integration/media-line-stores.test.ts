import { cpSync } from 'node:fs';
import { appendFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Line, openLine } from '../support/media-line.ts';
import {
  fileOf,
  first,
  keyOf,
  picture,
  recordFile,
  secondNight,
  service,
  serviceForEachTest,
  statePath,
} from '../support/media-service.ts';

serviceForEachTest();

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
