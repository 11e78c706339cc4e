import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeRecord } from '../../../src/record/file.ts';
import {
  cachedTimes,
  isRecordFile,
  saveRecords,
  timesOf,
} from '../../../src/record/published-records.ts';
import { newestOf, readTimes, TIMES } from '../../../src/record/times.ts';
import { configFor } from '../../support/build.ts';
import { MONDAY, recordOf } from '../../support/dealer-records.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const config = configFor({
  baseUrl: 'https://service.example',
  mediaKey: '5f1c9a27-3d84-4b6e-a1f0-8c2d7e94b536',
  data: { dealers: [{ id: 7, name: 'Seven' }] },
});
const FILES = 'f'.repeat(22);

let site = '';
let cache = '';
beforeEach(() => {
  [site, cache] = [tempFolder(), tempFolder()];
});

/** A site's record of dealer 7, and the data of its build. */
function written(...vrms: string[]) {
  const { pieces, ...next } = writeRecord(recordOf(...vrms));
  for (const { name, text } of pieces) writeFileSync(path.join(site, name), text);
  return [
    { ...next, id: 7, confirmed: MONDAY, files: FILES, names: pieces.map(({ name }) => name) },
  ];
}
const keep = (records: ReturnType<typeof written>, configured = [7]) =>
  saveRecords(cache, records, {
    from: [site],
    times: timesOf(records, config, 'these keys'),
    configured: new Set(configured),
    searched: 'these keys',
  });
const piece = () => path.join(cache, '7.json');

describe('the files of records', () => {
  it.each([
    ['api/records/times.json', true],
    ['api/records/site.files.json', true],
    ['api/records/7.json', true],
    ['api/records/7001.json', true],
    ['api/records/7001-12.json', true],
    ['api/records/7001.files.json', true],
    ['other/api/records/7.json', false],
    ['api/records/7.json.br', false],
    ['api/records/seven.json', false],
    ['api/records/7-.json', false],
    ['api/index.json', false],
  ])('are recognised by their names: %s: %s', (file, isOne) =>
    expect(isRecordFile(file)).toBe(isOne),
  );
});

describe('a record in a cache', () => {
  it('is not written again if it is unchanged', async () => {
    const records = written('A');
    await keep(records);
    utimesSync(piece(), 1000, 1000);
    await keep(records);
    expect(statSync(piece()).mtimeMs).toBe(1_000_000);
  });

  it('is unchanged if the site has none of it', async () => {
    const records = written('A');
    await keep(records);
    rmSync(path.join(site, '7.json'));
    await keep(records);
    expect(readFileSync(piece(), 'utf8')).toBe(writeRecord(recordOf('A')).pieces[0]?.text);
  });

  it('is deleted with its dealer, and nothing else is', async () => {
    const others = ['12.json', '12-2.json', '12.files.json', '12.journal'];
    const foreign = ['x12.json', '12.json.old', '12.txt', '12x.json'];
    for (const name of [...others, ...foreign]) writeFileSync(path.join(cache, name), 'text');
    expect(await keep(written('A'), [7, 12])).toBe(false);
    for (const name of others) expect(readdirSync(cache)).toContain(name);
    expect(await keep(written('A'), [7])).toBe(true);
    expect(readdirSync(cache).sort()).toEqual([...foreign, '7.json', TIMES].sort());
  });

  it.each<[string, (file: string) => unknown]>([
    ['another one as long is next', () => written('B')],
    ['a longer one is next', () => written('A', 'B')],
    ['it is torn', (file) => writeFileSync(file, readFileSync(file).subarray(0, 20))],
    [
      'it is altered, with its size and time',
      (file) => {
        const { atime, mtime } = statSync(file);
        writeFileSync(file, readFileSync(file, 'utf8').replace('"A"', '"B"'));
        utimesSync(file, atime, mtime);
      },
    ],
    ['it is gone', (file) => rmSync(file)],
  ])('is written again if %s', async (_, change) => {
    const records = written('A');
    await keep(records);
    change(piece());
    await keep(records);
    expect(readFileSync(piece(), 'utf8')).toBe(readFileSync(path.join(site, '7.json'), 'utf8'));
  });

  it('drops pieces of a larger stock, keeps its journal and replaces damaged times', async () => {
    for (const name of ['7-2.json', '7.journal', TIMES]) {
      writeFileSync(path.join(cache, name), 'torn');
    }
    await keep(written('A'));
    expect(readdirSync(cache).sort()).toEqual(['7.journal', '7.json', TIMES]);
    expect(readTimes(readFileSync(path.join(cache, TIMES)))?.times.get(7)?.confirmed).toBe(MONDAY);
  });

  it('lists the keys that the site was searched for', async () => {
    expect((await cachedTimes(cache))?.searched).toBeUndefined();
    await keep(written('A'));
    expect((await cachedTimes(cache))?.searched).toBe('these keys');
  });
});

it('the times of a site are as new as its newest response', () => {
  const times = ['2026-03-02', '2026-03-09', '2026-03-04'].map((confirmed) => ({ confirmed }));
  expect(newestOf(times)).toBe('2026-03-09');
  expect(newestOf(undefined)).toBe('1970-01-01T00:00:00.000Z');
});
