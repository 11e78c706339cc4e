import { Secret } from '../../src/config/secret.ts';
import { type FoundFile, type RecordFiles, writeRecord } from '../../src/record/file.ts';
import { markOf } from '../../src/record/mark.ts';
import type { DealerRecord } from '../../src/record/schema.ts';
import { TIMES, writeTimes } from '../../src/record/times.ts';
import type { PublishedVehicles } from '../../src/stock/refusals.ts';

export const KEY = new Secret('01234567-89ab-cdef-0123-456789abcdef');
export const OTHER_KEY = new Secret('11234567-89ab-cdef-0123-456789abcdef');
export const SITE = 'https://cars.example';
export const dealer = { id: 7, slug: 'seven', apiKey: KEY };
export const [MONDAY, TUESDAY] = ['2026-03-02T02:00:00.000Z', '2026-03-03T02:00:00.000Z'] as const;

export const recordOf = (...vrms: string[]): DealerRecord => ({
  dealer: 7,
  withdrawn: [],
  vehicles: vrms.map((vrm) => ({ vrm, dateUpdated: '2026-03-01T00:00:00Z', media: [] })),
  contents: [],
  sources: [],
});

export function filesOf(
  record: DealerRecord,
  confirmed: string,
  { key = KEY, site = SITE, change = {} }: { key?: Secret; site?: string; change?: object } = {},
): Map<string, FoundFile> {
  const { hash, pieces } = writeRecord(record);
  const files = 'f'.repeat(22);
  const about = { site, dealer: record.dealer, record: hash, files, confirmed };
  const entry = { confirmed, record: hash, files, mark: markOf(key, about), ...change };
  return new Map([
    ...pieces.map(({ name, text }) => [name, { bytes: Buffer.from(text) }] as const),
    [TIMES, { bytes: Buffer.from(writeTimes(new Map([[record.dealer, entry]]))) }],
  ]);
}

export const asFiles = (files: ReadonlyMap<string, FoundFile>): RecordFiles => ({
  read: async (name) => files.get(name) ?? { why: 'not there', missing: true },
});
/** The same files, and the names that were read so far. */
export function counted(files: RecordFiles): { files: RecordFiles; asked: string[] } {
  const asked: string[] = [];
  const read: RecordFiles['read'] = (name) => {
    asked.push(name);
    return files.read(name);
  };
  return { files: { read }, asked };
}
export const NOTHING = asFiles(new Map());
export const ABSENT: PublishedVehicles = { state: 'absent' };
export const LISTED: PublishedVehicles = { state: 'live', vrms: ['listed'] };
export const NOW = Date.parse('2026-03-04T02:00:00Z');
