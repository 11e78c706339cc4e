import { cpSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { folderReader, readRecord, writeRecord } from '../../src/record/file.ts';
import { markOf } from '../../src/record/mark.ts';
import type { ContentRow, SourceRow } from '../../src/record/pictures.ts';
import type { DealerRecord } from '../../src/record/schema.ts';
import { type ConfirmedRecord, readTimes, TIMES, writeTimes } from '../../src/record/times.ts';
import { down, type Later, type Night } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';

/**
 * An attacker can write to the published site, but has no key. None of their data may reach a page, even on
 * an empty machine, which trusts the most.
 */

const first = await sharedFirstNight();
const OTHER_KEY = new Secret('11111111-2222-4333-8444-abcdef012345');

async function recordIn(folder: string, dealer = 7001): Promise<DealerRecord> {
  const read = await readRecord(folderReader(folder), dealer);
  if ('why' in read) throw new Error(read.why);
  return read.record;
}

/** Puts a record beside the site with valid checksums, and updates the times. */
async function plant(
  folder: string,
  record: DealerRecord,
  change: (entry: ConfirmedRecord) => ConfirmedRecord,
): Promise<void> {
  const { hash, pieces } = writeRecord(record);
  for (const { name, text } of pieces) await writeFile(path.join(folder, name), text);
  const file = path.join(folder, TIMES);
  const times = new Map(readTimes(await readFile(file))?.times);
  const entry = times.get(record.dealer);
  if (!entry) throw new Error('no entry');
  times.set(record.dealer, change({ ...entry, record: hash }));
  await writeFile(file, writeTimes(times));
}

const PLANTED = 'PL4NTED';
const FOREIGN = 'evil.example';

/** Content that an attacker could put into a record, all at once. */
const altered = ({ vehicles, contents: [content], sources, ...record }: DealerRecord) => ({
  ...record,
  withdrawn: [{ vrm: `${PLANTED}2`, since: '2026-03-01T00:00:00.000Z' }],
  vehicles: [
    { vrm: PLANTED, dateUpdated: '2026-03-01T00:00:00Z', media: [] },
    ...vehicles.map((vehicle) => ({
      ...vehicle,
      media: [
        { kind: 'video', id: 1, label: PLANTED, playerUrl: `https://${FOREIGN}/player` } as const,
      ],
    })),
  ],
  contents: [content ?? []].map(
    ([hash = '', width = 1, height = 1, , outputs = {}]): ContentRow => [
      hash,
      height,
      width,
      'bad000',
      Object.fromEntries(Object.keys(outputs).map((end) => [end, `9-${'0'.repeat(27)}`])),
    ],
  ),
  sources: sources.map(
    ([key, validator, date]): SourceRow => [
      ...([key, validator, date, content?.[0] ?? ''] as const),
    ],
  ),
});

/** Ways to make it look like a genuine record. */
const MARKS: [string, (entry: ConfirmedRecord, site: string) => ConfirmedRecord][] = [
  ['with the mark that was there', (entry) => entry],
  ['with a mark of another key', (entry, site) => ({ ...entry, mark: markWith(entry, site) })],
];

const markWith = (entry: ConfirmedRecord, site: string): string =>
  markOf(OTHER_KEY, { site, dealer: 7001, ...entry });

function expectNothingPlanted({ files }: Night): void {
  for (const [file, bytes] of files ?? []) {
    expect(`${file} ${bytes}`).not.toMatch(/PL4NTED|evil\.example|bad000/i);
  }
}

describe('a forged record', () => {
  it.each(MARKS)('%s, reaches no page', async (_name, change) => {
    await using later = await first.later();
    const folder = later.records.published;
    await plant(folder, altered(await recordIn(folder)), (entry) => change(entry, later.site.url));
    const answered = await later.night('empty', 24, { strict: true });
    expect(answered.exitCode).toBe(0);
    expect(answered.report.dealers[0]?.notes.join()).toContain('no build with this key');
    expect(answered.files).toEqual(first.files);
    expectNothingPlanted(answered);
    down(later);
    const stopped = await later.night('empty', 24);
    expect([stopped.exitCode, stopped.files]).toEqual([4, undefined]);
    // The machine's cache is trusted, but none of the forged data.
    const cached = await later.night('cached', 24);
    expect(cached.exitCode).toBe(0);
    expect(cached.files).toEqual(first.files);
  });
});

it('an endless record is not read', async () => {
  await using later = await first.later();
  const folder = later.records.published;
  const text = await readFile(path.join(folder, '7001.json'), 'utf8');
  const rest = JSON.stringify(Array.from({ length: 999 }, () => 'x'.repeat(22)));
  await writeFile(
    path.join(folder, '7001.json'),
    text.replace('"piece":1', `"piece":1,"rest":${rest}`),
  );
  later.site.asked.length = 0;
  expect((await later.night('empty', 24)).files).toEqual(first.files);
  expect(later.site.asked.filter((file) => file.includes('7001-'))).toEqual([]);
});

describe('a site restored completely from an earlier night', () => {
  /** The site two nights later, after two vehicles were withdrawn, with the records of the first night. */
  async function replayed(): Promise<Later> {
    const later = await first.later();
    const old = `${later.published}-old`;
    cpSync(later.published, old, { recursive: true });
    later.service.data.dealers[0]?.vehicles.splice(8);
    expect((await later.live(24)).report.dealers[0]?.vehicles).toMatchObject({ used: 8 });
    cpSync(path.join(old, 'api'), path.join(later.published, 'api'), { recursive: true });
    return later;
  }

  it('is trusted: it shows data that was public until its snapshot expires', async () => {
    await using later = await replayed();
    const answered = await later.night('empty', 48, { strict: true });
    expect(answered.exitCode).toBe(0);
    expect(answered.report.dealers[0]?.vehicles).toMatchObject({ used: 8, withdrawn: 2 });
    down(later);
    const degraded = await later.night('empty', 48);
    expect(degraded.report.dealers[0]).toMatchObject({ state: 'degraded', vehicles: { used: 10 } });
    // Its age cannot be altered, so it is reported.
    const old = await later.night('empty', 73, { strict: true });
    expect(old.report.attention).toMatchObject([{ dealer: 7001, code: 'stock-answer-old' }]);
  });
});
