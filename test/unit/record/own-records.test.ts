import { describe, expect, it } from 'vitest';
import {
  type FoundFile,
  readRecord,
  writeRecord,
  writeUnlessRead,
} from '../../../src/record/file.ts';
import { bytesHash } from '../../../src/record/files.ts';
import { countsOf, type DealerRecord } from '../../../src/record/schema.ts';
import { recordOf } from '../../support/dealer-records.ts';

const read = (text: string, isOwn: boolean) =>
  readRecord({ isOwn, read: async (): Promise<FoundFile> => ({ bytes: Buffer.from(text) }) }, 7);
/** A piece with a good checksum, whatever it says. */
const piece = (body: string) => `${body},"sum":"${bytesHash(body)}"}\n`;
const head = (more = '') => `{"version":2,"dealer":7,"piece":1${more}`;
const line = (of: string, what: unknown) =>
  piece(`${head()},"lines":[${JSON.stringify([of, what])}]`);
const DAMAGED = { why: 'it is damaged, or something else' };
const OTHER = { why: 'another version of this program wrote it' };

describe('a record with a good checksum', () => {
  it('is looked at, but where only builds write', async () => {
    const odd = line('vehicle', { vrm: 'A', media: 'none' });
    expect(await read(odd, false)).toEqual(DAMAGED);
    expect(await read(odd, true)).toMatchObject({ record: { vehicles: [{ vrm: 'A' }] } });
    const long = piece(`${head(`,"rest":["${'x'.repeat(23)}"]`)},"lines":[]`);
    expect(await read(long, false)).toEqual(DAMAGED);
    const unknown = piece(`${head(',"more":1')},"lines":[]`);
    expect(await read(unknown, false)).toEqual(DAMAGED);
    expect(await read(unknown, true)).toMatchObject({ record: { vehicles: [] } });
  });

  it.each([true, false])('that says nothing is one of an empty stock, own: %s', async (isOwn) => {
    const text = piece(`${head()},"lines":[]`);
    expect(await read(text, isOwn)).toMatchObject({
      record: {
        dealer: 7,
        counts: {
          vehicles: { received: 0, accepted: 0, quarantined: 0, duplicates: 0 },
          items: { received: 0, accepted: 0, quarantined: 0, unknownType: 0 },
        },
        withdrawn: [],
        vehicles: [],
        contents: [],
        sources: [],
      },
      sums: [text.slice(-25, -3)],
    });
  });

  it.each([true, false])('is not used where it is none, own: %s', async (isOwn) => {
    expect(await read(piece('no JSON'), isOwn)).toEqual(DAMAGED);
    expect(await read(line('vehicle', null), isOwn)).toEqual(DAMAGED);
    for (const other of ['"dealer":8,"piece":1', '"dealer":7,"piece":2']) {
      expect(await read(piece(`{"version":2,${other},"lines":[]`), isOwn)).toEqual(DAMAGED);
    }
  });

  it.each([true, false])('names another version in its first words, own: %s', async (isOwn) => {
    for (const version of [3, 12]) {
      expect(await read(piece(`{"version":${version},"lines":[]`), isOwn)).toEqual(OTHER);
      expect(await read(`{"version":${version}}`, isOwn)).toEqual(OTHER);
    }
    expect(await read('<p>{"version":3}', isOwn)).toEqual(DAMAGED);
    expect(await read('{"version":2}', isOwn)).toEqual(DAMAGED);
  });
});

it('of an answer keeps the numbers alone', () => {
  const { counts } = recordOf();
  expect(countsOf({ ...counts, quarantine: [] } as never)).toEqual(counts);
});

describe('a record that was read', () => {
  const record: DealerRecord = {
    ...recordOf('B', 'A'),
    withdrawn: ['D', 'C'].map((vrm) => ({ vrm, since: '2026-02-01T00:00:00.000Z' })),
  };
  const again = async (next: DealerRecord) => {
    const [first] = writeRecord(record).pieces;
    const former = await read(first?.text ?? '', false);
    if ('why' in former) throw new Error(former.why);
    return writeUnlessRead(next, former);
  };

  it('is the same in any order, and comes in one', async () => {
    const { hash, pieces } = writeRecord(record);
    const turned = { ...record, withdrawn: record.withdrawn.toReversed() };
    expect(writeRecord(turned).hash).toBe(hash);
    expect((await again(turned)).hash).toBe(hash);
    expect((await again(turned)).pieces[0]?.text).toBe(pieces[0]?.text);
    const found = await read(pieces[0]?.text ?? '', true);
    expect('record' in found && found.record.withdrawn.map(({ vrm }) => vrm)).toEqual(['C', 'D']);
  });

  it.each<[string, (vehicle: DealerRecord['vehicles'][number]) => unknown]>([
    ['a text', (vehicle) => ({ ...vehicle, vrm: 'E' })],
    ['a list', (vehicle) => ({ ...vehicle, media: {} })],
    ['an empty thing for an empty list', (vehicle) => ({ ...vehicle, media: '' })],
    ['nothing', (vehicle) => ({ ...vehicle, media: null })],
    ['a thing for a text', (vehicle) => ({ ...vehicle, dateUpdated: {} })],
    ['a longer list', (vehicle) => ({ ...vehicle, media: [1] })],
    ['one field more', (vehicle) => ({ ...vehicle, more: 1 })],
    ['one field less', ({ vrm, media }) => ({ vrm, media })],
    ['another order', ({ vrm, media, dateUpdated }) => ({ media, vrm, dateUpdated })],
    ['another name', ({ vrm, media, dateUpdated }) => ({ vrm, dateUpdatex: dateUpdated, media })],
  ])('is written again where a vehicle has %s', async (_, change) => {
    const vehicles = record.vehicles.map((one, index) => (index === 0 ? change(one) : one));
    const next = { ...record, vehicles } as DealerRecord;
    expect((await again(next)).hash).toBe(writeRecord(next).hash);
    expect((await again(next)).hash).not.toBe(writeRecord(record).hash);
  });
});
