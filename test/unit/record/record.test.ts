import { describe, expect, it } from 'vitest';
import {
  type FoundFile,
  pieceName,
  readRecord,
  writeRecord,
  writeUnlessRead,
} from '../../../src/record/file.ts';
import { sumIn, withSum } from '../../../src/record/files.ts';
import { type DealerRecord, VERSION } from '../../../src/record/schema.ts';
import { counted, recordOf } from '../../support/dealer-records.ts';

const vehicle = (vrm: string): DealerRecord['vehicles'][number] => ({
  vrm,
  dateUpdated: '2026-03-01T00:00:00Z',
  media: [
    {
      kind: 'image',
      id: 1,
      label: 'Image 1',
      source: 'abcdefghijk',
      url: 'https://pics.example/1',
    },
    { kind: 'video', id: 2, label: 'Video', playerUrl: 'https://pics.example/2' },
  ],
});

const RECORD: DealerRecord = {
  dealer: 7,
  withdrawn: [{ vrm: 'GONE 1', since: '2026-02-01T00:00:00.000Z' }],
  vehicles: [vehicle('AB1'), vehicle('ÄÖ "\\\ud800')],
  contents: [
    [
      '0123456789abcdef0123',
      1600,
      1200,
      'a0b1c2',
      { '-320-00aa11.webp': '3k-0123456789abcdef0123456789a' },
    ],
    ['1123456789abcdef0123', 1, 1, '000000', {}],
  ],
  sources: [
    ['1 abcdefghijk', '"etag"', '2026-03-01T00:00:00Z', '0123456789abcdef0123'],
    ['2 abcdefghijk', '@Tue, 03 Mar 2026 02:00:00 GMT', '', '1123456789abcdef0123', 1],
  ],
};

type Files = Record<string, string>;
const filesOf = (record: DealerRecord, largest?: number): Files =>
  Object.fromEntries(writeRecord(record, { largest }).pieces.map(({ name, text }) => [name, text]));
const readerOf = (files: Files) => ({
  read: async (name: string): Promise<FoundFile> =>
    files[name] === undefined
      ? { why: 'there is none', missing: true }
      : { bytes: Buffer.from(files[name]) },
});
const read = (files: Files, dealer = 7, signed?: string) =>
  readRecord(readerOf(files), dealer, { signed });

describe('a record', () => {
  it.each([
    ['one piece', undefined, 1],
    ['many pieces', 1300, 5],
  ])('is restored as written in %s', async (_, largest, pieces) => {
    const { hash } = writeRecord(RECORD, { largest });
    const files = filesOf(RECORD, largest);
    expect(Object.keys(files)).toHaveLength(pieces);
    for (const text of Object.values(files)) {
      expect(() => JSON.parse(text)).not.toThrow();
      if (largest) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largest);
    }
    expect(await read(files)).toMatchObject({ hash, record: RECORD });
    expect(await read(files, 7, hash)).toEqual(await read(files));
  });

  it('has no piece above the limit, also with short lines', () => {
    const contents = Array.from(
      { length: 3000 },
      (_, at) => [String(at).padStart(20, '0'), 1, 1, '000000', {}] as const,
    );
    const files = filesOf({ ...RECORD, contents: contents as never }, 20_000);
    expect(Object.keys(files).length).toBeGreaterThan(8);
    for (const text of Object.values(files)) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
    }
  });

  it('is the same for the same data in any order, and differs for other data', () => {
    const { hash, pieces } = writeRecord(RECORD);
    const turned = {
      ...RECORD,
      vehicles: RECORD.vehicles.toReversed(),
      contents: RECORD.contents.toReversed(),
      sources: RECORD.sources.toReversed(),
    };
    expect(writeRecord(turned)).toEqual({ hash, pieces });
    for (const change of [{ withdrawn: [] }, { vehicles: [] }, { sources: [] }, { dealer: 8 }]) {
      expect(writeRecord({ ...RECORD, ...change }).hash).not.toBe(hash);
    }
  });

  it('is not used if one byte is changed or missing', async () => {
    const files = filesOf(RECORD, 1300);
    for (const [name, text] of Object.entries(files)) {
      for (let at = 0; at < text.length; at += 7) {
        const altered = `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
        const found = await read({ ...files, [name]: altered });
        expect('why' in found && !found.missing, `${name} ${at}`).toBe(true);
        const short = await read({ ...files, [name]: text.slice(0, at) });
        expect('why' in short, `${name} ${at}`).toBe(true);
      }
    }
    const { [pieceName(7, 2)]: _, ...rest } = files;
    expect(await read(rest)).toEqual({ why: 'its part 2 cannot be read: there is none' });
  });

  it.each<[string, Partial<DealerRecord>, string]>([
    [
      'a vehicle',
      { vehicles: [{ ...vehicle('AB1'), dateUpdated: 'today' }] },
      'vehicle.dateUpdated',
    ],
    ['a source', { sources: [['x abcdefghijk', '', '', '0123456789abcdef0123']] }, 'source.0'],
    [
      'a content',
      { contents: [['0123456789abcdef0123', 1, 1, '000000', { x: '' }]] },
      'content.4.x',
    ],
    ['a withdrawal', { withdrawn: [{ vrm: 'A', since: '' }] }, 'head.withdrawn.0.since'],
  ])('is not written if no build could read it: %s', (_, change, place) => {
    for (const read of [undefined, RECORD]) {
      expect(() => writeRecord({ ...RECORD, ...change }, { read })).toThrow(
        `No build could read the record of dealer 7: ${place}: `,
      );
    }
  });

  it('is not written again if its data is unchanged, in any order', async () => {
    for (const largest of [undefined, 1300]) {
      const former = await read(filesOf(RECORD, largest));
      if ('why' in former) throw new Error(former.why);
      const turned = { ...RECORD, sources: RECORD.sources.toReversed() };
      const same = writeUnlessRead(turned, former);
      expect(same.hash).toBe(former.hash);
      expect(same.pieces.map(({ sum }) => sum)).toEqual(former.pieces.map(({ sum }) => sum));
    }
    const former = await read(filesOf(RECORD));
    if ('why' in former) throw new Error(former.why);
    expect(writeUnlessRead(RECORD, former)).toEqual(writeRecord(RECORD));
    const [one, ...others] = RECORD.vehicles;
    for (const change of [
      { withdrawn: [] },
      { vehicles: others },
      { vehicles: [{ ...vehicle('AB1'), media: one?.media.toReversed() ?? [] }, ...others] },
      { sources: RECORD.sources.map(([key, ...rest]) => [key, ...rest.slice(0, 3)] as never) },
      {
        contents: RECORD.contents.map(
          ([hash, ...rest]) => [hash, ...rest.slice(0, 3), {}] as never,
        ),
      },
    ]) {
      const next = { ...RECORD, ...change };
      expect(writeUnlessRead(next, former)).toEqual(writeRecord(next));
      expect(writeUnlessRead(next, former).hash).not.toBe(former.hash);
    }
  });

  it('is not used for another dealer or with reordered pieces', async () => {
    const files = filesOf(RECORD, 1300);
    expect(await read({ '8.json': files['7.json'] ?? '' }, 8)).toHaveProperty('why');
    const turned = { ...files, '7-2.json': files['7-3.json'], '7-3.json': files['7-2.json'] };
    expect(await read(turned as Files)).toHaveProperty('why');
  });

  it('never combines pieces of two nights', async () => {
    const before = filesOf(RECORD, 1300);
    const [one, ...others] = RECORD.vehicles;
    const next = { ...RECORD, vehicles: [{ ...vehicle('AB1'), vrm: `${one?.vrm}2` }, ...others] };
    const after = filesOf(next, 1300);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    // Killed after its first piece was written.
    const mixed = { ...before, '7.json': after['7.json'] };
    expect(await read(mixed as Files)).toHaveProperty('why');
    expect(await read({ ...after, '7.json': before['7.json'] } as Files)).toHaveProperty('why');
  });

  it('is read only to its first piece if it is not the expected one', async () => {
    const { files, asked } = counted(readerOf(filesOf(RECORD, 1300)));
    const why = 'it is from another build than times.json';
    const only = (signed: string) => readRecord(files, 7, { signed, isOnly: true });
    expect(await only('x'.repeat(22))).toEqual({ why });
    expect(asked).toEqual(['7.json']);
    const { hash } = writeRecord(RECORD, { largest: 1300 });
    expect(await only(hash)).toMatchObject({ hash, record: RECORD });
  });

  it('is missing if there is none', async () => {
    expect(await read({})).toMatchObject({ missing: true });
  });
});

const head = (more = '', version = VERSION) => `{"version":${version},"dealer":7,"piece":1${more}`;
/** A record of an earlier version of this program. */
const FORMER = withSum(`${head('', VERSION - 1)},"lines":[]`);
const line = (kind: string, data: unknown) =>
  withSum(`${head()},"lines":[${JSON.stringify([kind, data])}]`);

describe('a record with a good checksum', () => {
  it('is not used if it does not match the schema', async () => {
    const content = ['0123456789abcdef0123', 1, 1, '000000'];
    for (const text of [
      withSum('no JSON'),
      line('vehicle', null),
      line('vehicle', { vrm: 'A', media: 'none' }),
      line('content', [...content, []]),
      line('content', [...content, null]),
      line('content', [...content, { '-320-00aa11.webp': 1 }]),
      withSum(`${head(`,"rest":["${'x'.repeat(23)}"]`)},"lines":[]`),
      withSum(`${head(',"more":1')},"lines":[]`),
      FORMER,
      withSum(`${head().replace('"dealer":7', '"dealer":8')},"lines":[]`),
      withSum(`${head().replace('"piece":1', '"piece":2')},"lines":[]`),
    ]) {
      expect(await read({ '7.json': text }), text).toEqual({
        why: 'it is damaged or unrelated',
      });
    }
    expect(await read({ '7.json': line('content', [...content, {}]) })).toHaveProperty('record');
  });

  it('is not checked again if a build signed it, except for its version', async () => {
    const text = line('vehicle', { vrm: 'A', media: 'none' });
    for (const [file, signed, key] of [
      [text, sumIn(text), 'record'],
      [text, sumIn(FORMER), 'why'],
      [FORMER, sumIn(FORMER), 'why'],
    ] as const) {
      expect(await read({ '7.json': file }, 7, signed)).toHaveProperty(key);
    }
  });

  it('and without lines contains an empty stock', async () => {
    const text = withSum(`${head()},"lines":[]`);
    expect(await read({ '7.json': text })).toMatchObject({
      record: recordOf(),
      pieces: [{ sum: text.slice(-25, -3) }],
    });
  });
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
])('a record that was read is checked again if a vehicle has %s', async (_, change) => {
  const former = await read(filesOf(RECORD));
  if ('why' in former) throw new Error(former.why);
  const vehicles = RECORD.vehicles.map((one, index) => (index === 0 ? change(one) : one));
  const next = { ...RECORD, vehicles } as DealerRecord;
  expect(() => writeUnlessRead(next, former)).toThrow(
    'No build could read the record of dealer 7: vehicle',
  );
});
