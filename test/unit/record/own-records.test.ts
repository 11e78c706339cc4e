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

const read = (text: string) =>
  readRecord({ read: async (): Promise<FoundFile> => ({ bytes: Buffer.from(text) }) }, 7);
/** A piece with a good checksum, whatever it says. */
const piece = (body: string) => `${body},"sum":"${bytesHash(body)}"}\n`;
const head = (more = '') => `{"version":2,"dealer":7,"piece":1${more}`;
const line = (of: string, what: unknown) =>
  piece(`${head()},"lines":[${JSON.stringify([of, what])}]`);
const DAMAGED = { why: 'it is damaged, or something else' };
const OTHER = { why: 'another version of this program wrote it' };

describe('a record with a good checksum', () => {
  it('is not used if it does not match the schema', async () => {
    const content = ['0123456789abcdef0123', 1, 1, '000000'];
    for (const text of [
      line('vehicle', { vrm: 'A', media: 'none' }),
      line('content', [...content, []]),
      line('content', [...content, null]),
      line('content', [...content, { '-320-00aa11.webp': 1 }]),
      piece(`${head(`,"rest":["${'x'.repeat(23)}"]`)},"lines":[]`),
      piece(`${head(',"more":1')},"lines":[]`),
    ]) {
      expect(await read(text)).toEqual(DAMAGED);
    }
    expect(await read(line('content', [...content, {}]))).toHaveProperty('record');
  });

  it('that says nothing is one of an empty stock', async () => {
    const text = piece(`${head()},"lines":[]`);
    expect(await read(text)).toMatchObject({
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

  it('is not used where it is none', async () => {
    expect(await read(piece('no JSON'))).toEqual(DAMAGED);
    expect(await read(line('vehicle', null))).toEqual(DAMAGED);
    for (const other of ['"dealer":8,"piece":1', '"dealer":7,"piece":2']) {
      expect(await read(piece(`{"version":2,${other},"lines":[]`))).toEqual(DAMAGED);
    }
  });

  it('names another version in its first words', async () => {
    for (const version of [3, 12]) {
      expect(await read(piece(`{"version":${version},"lines":[]`))).toEqual(OTHER);
      expect(await read(`{"version":${version}}`)).toEqual(OTHER);
    }
    expect(await read('<p>{"version":3}')).toEqual(DAMAGED);
    expect(await read('{"version":2}')).toEqual(DAMAGED);
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
    const former = await read(first?.text ?? '');
    if ('why' in former) throw new Error(former.why);
    return writeUnlessRead(next, former);
  };

  it('is the same in any order, and comes in one', async () => {
    const { hash, pieces } = writeRecord(record);
    const turned = { ...record, withdrawn: record.withdrawn.toReversed() };
    expect(writeRecord(turned).hash).toBe(hash);
    expect((await again(turned)).hash).toBe(hash);
    expect((await again(turned)).pieces[0]?.text).toBe(pieces[0]?.text);
    const found = await read(pieces[0]?.text ?? '');
    expect('record' in found && found.record.withdrawn.map(({ vrm }) => vrm)).toEqual(['C', 'D']);
  });

  it.each<[string, (vehicle: DealerRecord['vehicles'][number]) => unknown]>([
    ['another plate', (vehicle) => ({ ...vehicle, vrm: 'E' })],
    ['another order', ({ vrm, media, dateUpdated }) => ({ media, vrm, dateUpdated })],
  ])('is written again where a vehicle has %s', async (_, change) => {
    const vehicles = record.vehicles.map((one, index) => (index === 0 ? change(one) : one));
    const next = { ...record, vehicles } as DealerRecord;
    expect((await again(next)).hash).toBe(writeRecord(next).hash);
    expect((await again(next)).hash).not.toBe(writeRecord(record).hash);
  });

  it.each<[string, (vehicle: DealerRecord['vehicles'][number]) => unknown]>([
    ['a list', (vehicle) => ({ ...vehicle, media: {} })],
    ['an empty thing for an empty list', (vehicle) => ({ ...vehicle, media: '' })],
    ['nothing', (vehicle) => ({ ...vehicle, media: null })],
    ['a thing for a text', (vehicle) => ({ ...vehicle, dateUpdated: {} })],
    ['a longer list', (vehicle) => ({ ...vehicle, media: [1] })],
    ['one field more', (vehicle) => ({ ...vehicle, more: 1 })],
    ['one field less', ({ vrm, media }) => ({ vrm, media })],
    ['another name', ({ vrm, media, dateUpdated }) => ({ vrm, dateUpdatex: dateUpdated, media })],
  ])('is checked again where a vehicle has %s', async (_, change) => {
    const vehicles = record.vehicles.map((one, index) => (index === 0 ? change(one) : one));
    const next = { ...record, vehicles } as DealerRecord;
    await expect(again(next)).rejects.toThrow(
      'No build could read the record of dealer 7: vehicle',
    );
  });
});
