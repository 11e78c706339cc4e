import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NEUTRAL_FIELD_NAMES } from '../../../src/contract/field-names.ts';
import type { VehicleMediaRecord } from '../../../src/contract/media.ts';
import { acceptAnswer } from '../../../src/stock/accept.ts';
import {
  type NewSnapshot,
  prepareSnapshot,
  readSnapshot,
  removeUnusedRecords,
  vehiclesId,
} from '../../../src/stock/snapshot.ts';
import { temporaryFolder } from '../../support/build.ts';
import { writeSnapshot } from '../../support/snapshots.ts';

const record = (vrm: string): VehicleMediaRecord => ({
  vrm,
  dateUpdated: '2026-03-01T00:00:00Z',
  mediaList: [{ id: 1, type: 'Image', label: 'Image 1', mediaUrl: 'https://m.example/1.jpg' }],
});
const { counts } = acceptAnswer([record('A')], 7, NEUTRAL_FIELD_NAMES);
const snapshotOf = (vrms: string[], change: Partial<NewSnapshot> = {}): NewSnapshot => ({
  dealerId: 7,
  takenAt: '2026-03-02T00:00:00.000Z',
  records: vrms.map(record),
  withdrawn: [{ vrm: 'GONE', since: '2026-03-01T00:00:00.000Z' }],
  answer: { digest: 'd', accepted: 'now', counts },
  ...change,
});

const read = async (folder: string, accepted = 'now') => {
  const found = await readSnapshot(folder, 7, accepted);
  if (found.found !== 'good') throw new Error(`${found.found} ${JSON.stringify(found)}`);
  return found.snapshot;
};
const recordsIn = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.endsWith('.records'));
const headOf = (folder: string) => path.join(folder, 'dealer-7.snapshot');

describe('a snapshot', () => {
  it('is read as it was written; records that stay are not written again', async () => {
    await using folder = await temporaryFolder();
    const first = await writeSnapshot(folder.path, snapshotOf(['A', 'B']));
    const again = await read(folder.path);
    expect(again).toEqual(first);
    const [file = ''] = await recordsIn(folder.path);
    const { ino, mtimeMs } = await stat(path.join(folder.path, file));

    const takenAt = '2026-03-03T00:00:00.000Z';
    const second = await writeSnapshot(
      folder.path,
      { ...snapshotOf([]), ...again, takenAt },
      again,
    );
    expect(await stat(path.join(folder.path, file))).toMatchObject({ ino, mtimeMs });
    expect(await read(folder.path)).toEqual({ ...first, takenAt });
    // A loss of these vehicles has one name, whenever and wherever they are remembered.
    expect(second.id).toBe(first.id);
    const other = await writeSnapshot(folder.path, snapshotOf(['A', 'C']), second);
    expect(other.id).not.toBe(first.id);
  });

  it('is the last good answer once it is accepted, and not before', async () => {
    await using folder = await temporaryFolder();
    const first = await writeSnapshot(folder.path, snapshotOf(['A']));
    const next = await prepareSnapshot(folder.path, snapshotOf(['A', 'C']), first);
    expect(await read(folder.path)).toEqual(first);
    await next.accept();
    expect(await read(folder.path)).toEqual(next.snapshot);
  });

  it('leaves one file of records of its dealer, also after answers that nobody accepted', async () => {
    await using folder = await temporaryFolder();
    const other = `dealer-77.${'0'.repeat(20)}.records`;
    await writeFile(path.join(folder.path, `dealer-7.${'0'.repeat(20)}.records`), '[');
    await writeFile(path.join(folder.path, other), '[]');
    const first = await writeSnapshot(folder.path, snapshotOf(['A']));
    await prepareSnapshot(folder.path, snapshotOf(['A', 'B']), first);
    const last = await writeSnapshot(folder.path, snapshotOf(['A', 'C']), first);
    await removeUnusedRecords(folder.path, new Map([[7, last.stored ?? '']]));
    expect((await read(folder.path)).records.map(({ vrm }) => vrm)).toEqual(['A', 'C']);
    expect(await recordsIn(folder.path)).toHaveLength(2);
    expect(await recordsIn(folder.path)).toContain(other);
  });

  it('of version 1, with its records in itself, is still read', async () => {
    await using folder = await temporaryFolder();
    const { answer: _, ...rest } = snapshotOf(['A', 'B']);
    const body = JSON.stringify({ version: 1, ...rest });
    const sum = createHash('sha256').update(body).digest('hex');
    await writeFile(headOf(folder.path), `${sum}\n${body}`);
    const old = await read(folder.path);
    expect(old).toEqual({ ...rest, id: vehiclesId(['B', 'A']) });
    await writeSnapshot(folder.path, snapshotOf(['A', 'B'], { records: old.records }), old);
    expect((await read(folder.path)).records).toEqual(rest.records);
  });

  it.each([
    ['the snapshot is torn', (folder: string) => truncate(headOf(folder), 100)],
    [
      'its records are torn',
      async (folder: string) =>
        truncate(path.join(folder, (await recordsIn(folder))[0] ?? ''), 100),
    ],
    [
      'its records are gone',
      async (folder: string) => rm(path.join(folder, (await recordsIn(folder))[0] ?? '')),
    ],
    [
      'it is of a later version',
      async (folder: string) => {
        const body = (await readFile(headOf(folder), 'utf8')).slice(65).replace(':2,', ':3,');
        const sum = createHash('sha256').update(body).digest('hex');
        await writeFile(headOf(folder), `${sum}\n${body}`);
      },
    ],
    [
      'it is another dealer’s',
      (folder: string) =>
        writeSnapshot(folder, snapshotOf(['A'], { dealerId: 8 })).then(async () =>
          writeFile(headOf(folder), await readFile(path.join(folder, 'dealer-8.snapshot'))),
        ),
    ],
  ])('is corrupt where %s', async (_, damage) => {
    await using folder = await temporaryFolder();
    await writeSnapshot(folder.path, snapshotOf(['A', 'B']));
    await damage(folder.path);
    expect(await readSnapshot(folder.path, 7, 'now')).toMatchObject({ found: 'corrupt' });
  });

  it('of code that accepted in another way is looked at again, and its answer is not known', async () => {
    await using folder = await temporaryFolder();
    await writeSnapshot(folder.path, snapshotOf(['A']));
    const other = await read(folder.path, 'another way');
    expect(other.answer).toBeUndefined();
    expect(other.records).toEqual([record('A')]);
    const broken = { ...record('B'), dateUpdated: 'yesterday' };
    await writeSnapshot(folder.path, snapshotOf([], { records: [broken] }));
    expect(await readSnapshot(folder.path, 7, 'now')).toMatchObject({ found: 'good' });
    expect(await readSnapshot(folder.path, 7, 'another way')).toMatchObject({ found: 'corrupt' });
  });
});
