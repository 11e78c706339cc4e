import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { readRecord } from '../../../src/record/file.ts';
import { FolderRecords } from '../../../src/record/folder.ts';
import { nextRecord, saveRecords, timesOf } from '../../../src/record/published-records.ts';
import type { DealerRecord } from '../../../src/record/schema.ts';
import { readTimes, TIMES } from '../../../src/record/times.ts';
import { configFor, temporaryFolder } from '../../support/build.ts';

const MONDAY = '2026-03-02T02:00:00.000Z';
const TUESDAY = '2026-03-03T02:00:00.000Z';
const config = configFor({
  baseUrl: 'https://service.example',
  mediaKey: '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
  data: { dealers: [7, 8, 9].map((id) => ({ id, name: `Dealer ${id}` })) },
});

const recordOf = (dealer: number, ...vrms: string[]): DealerRecord => ({
  dealer,
  counts: {
    vehicles: { received: 1, accepted: 1, quarantined: 0, duplicates: 0 },
    items: { received: 0, accepted: 0, quarantined: 0, unknownType: 0 },
  },
  withdrawn: [],
  vehicles: vrms.map((vrm) => ({ vrm, dateUpdated: '2026-03-01T00:00:00Z', media: [] })),
  contents: [],
  sources: [],
});

/** Names the list of a dealer's files. */
const FILES = 'f'.repeat(22);

/** A site's folder of records, and what a build says of them. */
async function site(folder: string, confirmed: string, ...records: DealerRecord[]) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const written = [];
  for (const record of records) {
    const { pieces, ...next } = nextRecord(record, confirmed);
    for (const { name, text } of pieces) await writeFile(path.join(folder, name), text);
    written.push({ ...next, files: FILES, names: pieces.map(({ name }) => name) });
  }
  return { written, from: folder, times: timesOf(written, config, 'searched'), searched: '' };
}
const ALL = new Set([7, 8, 9]);

describe('records of a cache', () => {
  async function open() {
    const folder = await temporaryFolder();
    const cache = path.join(folder.path, 'cache');
    return {
      cache,
      keep: async (confirmed: string, records: DealerRecord[], configured = ALL) => {
        const made = await site(path.join(folder.path, 'site'), confirmed, ...records);
        return saveRecords(cache, made.written, { ...made, from: [made.from], configured });
      },
      vrms: async (dealer: number) => {
        const read = await readRecord(new FolderRecords(cache), dealer);
        return 'record' in read ? read.record.vehicles.map(({ vrm }) => vrm) : read.why;
      },
      times: async () => readTimes(await readFile(path.join(cache, TIMES))),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  }

  it('are those of the site, and those of dealers that a build is not about', async () => {
    await using cache = await open();
    await cache.keep(MONDAY, [recordOf(7, 'A'), recordOf(8, 'B')]);
    expect(await cache.keep(TUESDAY, [recordOf(7, 'A', 'C')])).toBe(false);
    expect([await cache.vrms(7), await cache.vrms(8)]).toEqual([['A', 'C'], ['B']]);
    const confirmed = [...((await cache.times()) ?? [])].map(([id, one]) => [id, one.confirmed]);
    expect(confirmed).toEqual([
      [7, TUESDAY],
      [8, MONDAY],
    ]);
  });

  it('are no more of a dealer that is not configured', async () => {
    await using cache = await open();
    await cache.keep(MONDAY, [recordOf(7, 'A'), recordOf(8, 'B')]);
    await writeFile(path.join(cache.cache, '8.journal'), 'torn');
    expect(await cache.keep(TUESDAY, [recordOf(7, 'A')], new Set([7]))).toBe(true);
    expect((await readdir(cache.cache)).sort()).toEqual(['7.json', TIMES]);
    expect([...((await cache.times()) ?? [])].map(([id]) => id)).toEqual([7]);
  });

  it.each(['torn', 'altered', 'gone'])('are written again where they are %s', async (damage) => {
    await using cache = await open();
    await cache.keep(MONDAY, [recordOf(7, 'A')]);
    const file = path.join(cache.cache, '7.json');
    if (damage === 'torn') await truncate(file, 20);
    else if (damage === 'gone') await rm(file);
    else await writeFile(file, (await readFile(file, 'utf8')).replace('"A"', '"B"'));
    expect(await cache.vrms(7)).toEqual(expect.any(String));
    await cache.keep(TUESDAY, [recordOf(7, 'A')]);
    expect(await cache.vrms(7)).toEqual(['A']);
  });

  it('are kept where the times are torn', async () => {
    await using cache = await open();
    await cache.keep(MONDAY, [recordOf(7, 'A')]);
    await truncate(path.join(cache.cache, TIMES), 20);
    await cache.keep(TUESDAY, [recordOf(7, 'A')]);
    expect((await cache.times())?.get(7)?.confirmed).toBe(TUESDAY);
  });

  it('are not left with pieces that are no more', async () => {
    await using cache = await open();
    await cache.keep(MONDAY, [recordOf(7, 'A')]);
    await writeFile(path.join(cache.cache, '7-2.json'), 'of a larger stock');
    await cache.keep(TUESDAY, [recordOf(7, 'A')]);
    expect((await readdir(cache.cache)).sort()).toEqual(['7.json', TIMES]);
  });
});

describe('the times', () => {
  const written = [{ id: 7, hash: 'h'.repeat(22), files: FILES, confirmed: MONDAY }];

  it('have a mark for each dealer whose key can stand it', () => {
    const entry = timesOf(written, config, 'searched').get(7);
    expect(entry?.mark).toMatch(/^[\w-]{43}$/);
    expect(entry?.listMark).toMatch(/^[\w-]{43}$/);
    const [dealer] = config.dealers;
    if (!dealer) throw new Error('no dealer');
    const short = { ...config, dealers: [{ ...dealer, apiKey: new Secret('short-and-public') }] };
    expect(timesOf(written, short, 'searched').get(7)).toEqual({
      confirmed: MONDAY,
      record: 'h'.repeat(22),
      files: FILES,
    });
  });
});
