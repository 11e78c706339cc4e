import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { withChecksum, withoutChecksum } from '../../../src/lib/files/checksum.ts';
import { KnownPictures, removeJournals } from '../../../src/record/known-pictures.ts';
import {
  contentRowSchema,
  type PictureRows,
  type SourceEntry,
  type SourceRow,
  sourceRowSchema,
} from '../../../src/record/pictures.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let folder = '';
beforeEach(() => {
  folder = tempFolder();
});

const NOTHING: PictureRows = { sources: [], contents: [] };
const [SMALL, LARGE] = ['-4-aaaaaa.jpg', '-9-aaaaaa.jpg'];
const hashOf = (number: number) => String(number).padStart(20, '0');
const nameOf = (number: number) => `${number} ${String(number).padStart(11, 'A')}`;
const keyOf = (number: number, dealer = 1) => `${dealer}/${nameOf(number)}`;
const print = (letter: string) => `1-${letter.repeat(27)}`;
const contentOf = (outputs: Record<string, string>) => ({
  width: 4,
  height: 3,
  colour: '808080',
  outputs,
});
const content = contentOf({ [SMALL]: print('a') });
const both = contentOf({ [LARGE]: print('l'), [SMALL]: print('s') });
const entryOf = (number: number, more: Partial<SourceEntry> = {}): SourceEntry => ({
  validator: `"${number}"`,
  vehicleDate: '2026-03-01T00:00:00Z',
  hash: hashOf(number),
  ...more,
});
const note = (known: KnownPictures, number: number, dealer = 1) =>
  known.record(keyOf(number, dealer), entryOf(number), content);
/** Initial state of a run. */
function open(rows?: PictureRows, dealer = 1, at: string | undefined = folder): KnownPictures {
  const known = new KnownPictures(at);
  known.adopt(String(dealer), rows);
  return known;
}
const numbers = (known: KnownPictures) =>
  Array.from(known.sources.keys(), (key) => Number(/\/(\d+)/.exec(key)?.[1])).sort();
const journal = (dealer = 1) => path.join(folder, `${dealer}.journal`);
const lines = () => readFileSync(journal(), 'utf8').split('\n');

describe('rows for a record', () => {
  it('restore the stored pictures in one order', () => {
    const known = open();
    for (const number of [3, 1, 2]) note(known, number);
    known.missed(keyOf(2));
    known.show(Array.from(known.sources.keys(), (key) => [key, [SMALL]] as const));
    const rows = known.rows('1');
    for (const row of rows.sources) expect(sourceRowSchema.parse(row)).toEqual(row);
    for (const row of rows.contents) expect(contentRowSchema.parse(row)).toEqual(row);
    const again = new KnownPictures();
    again.adopt('1', rows);
    expect(again.sources.get(keyOf(2))).toEqual(entryOf(2, { stale: true }));
    expect(again.contents.get(hashOf(1))).toEqual(content);
    again.show([3, 2, 1].map((number) => [keyOf(number), [SMALL]] as const));
    expect(JSON.stringify(again.rows('1'))).toBe(JSON.stringify(rows));
  });

  it('contain only pictures that are shown and known, not those planned by other dealers', () => {
    const known = open();
    known.adopt('22', NOTHING);
    for (const number of [1, 2]) note(known, number);
    const cover = '-9-bbbbbb.jpg';
    known.record(keyOf(5, 22), entryOf(1), contentOf({ [cover]: print('b') }));
    known.show([
      [keyOf(1), [SMALL]],
      [keyOf(7), [SMALL]],
      [keyOf(5, 22), [SMALL, cover]],
    ]);
    const { sources, contents } = known.rows('1');
    expect(sources.map(([name]) => name)).toEqual([nameOf(1)]);
    expect(contents).toEqual([[hashOf(1), 4, 3, '808080', { [SMALL]: print('a') }]]);
    expect(known.rows('22').contents[0]?.[4]).toEqual({ [SMALL]: print('a'), [cover]: print('b') });
    expect(known.rows('3')).toEqual(NOTHING);
  });

  it('list the planned outputs of any source of equal bytes, in one order', () => {
    const known = open();
    for (const number of [1, 2, 3]) known.record(keyOf(number), entryOf(9), both);
    known.show([
      [keyOf(1), [SMALL]],
      [keyOf(2), [LARGE]],
      [keyOf(3), [SMALL]],
    ]);
    const { contents } = known.rows('1');
    expect(contents.map(([, , , , outputs]) => Object.entries(outputs))).toEqual([
      [
        [SMALL, print('s')],
        [LARGE, print('l')],
      ],
    ]);
  });

  describe('for pictures shown as recorded', () => {
    const record: PictureRows = {
      sources: [1, 2].map((number): SourceRow => {
        return [nameOf(number), `"${number}"`, '2026-03-01T00:00:00Z', hashOf(number)];
      }),
      contents: [1, 2].map((number) => [
        ...([hashOf(number), 4, 3, '808080', { [SMALL]: print('a') }] as const),
      ]),
    };
    const shown = (known: KnownPictures, asRecorded = true, all = [2, 1]) => {
      known.show(
        all.map((number) => [keyOf(number), [SMALL]] as const),
        { asRecorded },
      );
      return known.rows('1');
    };
    const adopted = (known: KnownPictures, outputs: Record<string, string>) =>
      known.adopt('22', { sources: [], contents: [[hashOf(1), 4, 3, '808080', outputs]] });

    it('equal the record, also if another dealer has the same or other outputs', () => {
      expect(shown(open(record)).sources).toBe(record.sources);
      for (const outputs of [{ [SMALL]: print('a') }, { [LARGE]: print('x') }]) {
        const known = open(record);
        adopted(known, outputs);
        expect(shown(known).sources).toBe(record.sources);
      }
      const other = shown(open(record), false);
      expect(other.sources).not.toBe(record.sources);
      expect(other).toEqual(record);
    });

    it.each<[string, (known: KnownPictures) => void, (rows: PictureRows) => unknown, unknown]>([
      [
        'a source is recorded again',
        (known) => known.record(keyOf(1), entryOf(1, { validator: '"new"' }), content),
        ({ sources }) => sources[0]?.[1],
        '"new"',
      ],
      [
        'a fingerprint was corrected',
        (known) => known.setFingerprint(hashOf(1), SMALL, print('z')),
        ({ contents }) => contents[0]?.[4],
        { [SMALL]: print('z') },
      ],
      [
        'another dealer has another fingerprint of an output',
        (known) => adopted(known, { [SMALL]: print('y') }),
        ({ contents }) => contents[0]?.[4],
        { [SMALL]: print('y') },
      ],
    ])('are new if %s', (_, change, outputsOf, expected) => {
      const known = open(record);
      change(known);
      expect(outputsOf(shown(known))).toEqual(expected);
    });

    it('are new if fewer are shown', () => {
      expect(shown(open(record), true, [2]).sources.map(([name]) => name)).toEqual([nameOf(2)]);
      expect(shown(open(record), true, [])).toEqual(NOTHING);
    });
  });

  it('omit unknown pictures', () => {
    const known = open();
    known.missed(keyOf(1));
    known.setFingerprint(hashOf(1), SMALL, print('x'));
    known.show([[keyOf(1), [SMALL]]]);
    expect(known.rows('1')).toEqual(NOTHING);
  });
});

describe('the journal', () => {
  it('keeps the records and request times of a killed run until it is deleted', () => {
    open().record(keyOf(1), entryOf(1), content, 77);
    const again = open();
    expect(again.known(keyOf(1))).toEqual({ entry: entryOf(1), content });
    expect([again.askedAt(keyOf(1)), again.askedAt(keyOf(2))]).toEqual([77, undefined]);
    note(open(NOTHING, 22), 5, 22);
    removeJournals(folder, ['none', 22]);
    expect(numbers(open())).toEqual([1]);
    removeJournals(folder, ['1']);
    expect(numbers(open())).toEqual([]);
  });

  it('loses only the incomplete line and nothing recorded after it', () => {
    const killed = open();
    for (const number of [1, 2]) note(killed, number);
    const complete = readFileSync(journal());
    for (let cut = 1; cut < 60; cut += 7) {
      writeFileSync(journal(), complete.subarray(0, complete.length - cut));
      const second = open();
      expect(numbers(second)).toEqual(cut === 1 ? [1, 2] : [1]);
      for (const number of [3, 4]) note(second, number);
      expect(numbers(open())).toEqual(cut === 1 ? [1, 2, 3, 4] : [1, 3, 4]);
    }
  });

  it('has a line for each picture, one for each failure, and none in between', () => {
    writeFileSync(journal(), '');
    const known = open();
    for (const number of [1, 2]) note(known, number);
    for (let times = 0; times < 2; times++) known.missed(keyOf(1));
    expect(lines().map((line) => withoutChecksum(line) !== undefined)).toEqual([
      ...[true, true, true, false],
    ]);
    expect(open().sources.get(keyOf(1))?.stale).toBe(true);
  });

  it('is read despite unknown lines, another version and a changed byte', () => {
    note(open(), 1);
    const row = JSON.parse(withoutChecksum(lines()[0] ?? '') ?? '') as unknown[];
    const other = withChecksum(JSON.stringify([2, keyOf(3), ...row.slice(2)]));
    appendFileSync(journal(), `something else\n\n{"a":1}\n${other}\n`);
    note(open(), 2);
    expect(numbers(open())).toEqual([1, 2]);
    writeFileSync(journal(), readFileSync(journal(), 'latin1').replace('808080', '908080'));
    expect(numbers(open())).toEqual([2]);
  });

  it('adds to the record that its run used, also over two runs', () => {
    const before: SourceRow = [nameOf(1), '"1"', '2026-03-01T00:00:00Z', hashOf(1)];
    const rows: PictureRows = {
      sources: [before],
      contents: [[hashOf(1), 4, 3, '808080', { [SMALL]: print('a') }]],
    };
    open(rows).record(keyOf(1), entryOf(2), content);
    open(rows).record(keyOf(1), entryOf(3), content);
    expect(open(rows).sources.get(keyOf(1))?.hash).toBe(hashOf(3));
    // Another machine has built since and published its state.
    const [name, , date] = before;
    const since: PictureRows = { ...rows, sources: [[name, '"9"', date, hashOf(1)]] };
    expect(open(since).sources.get(keyOf(1))?.validator).toBe('"9"');
    // Facts about given bytes never change.
    expect(open(since).contents.get(hashOf(3))).toEqual(content);
  });

  it('is created with its folder, is optional, and must be writable', () => {
    const deep = path.join(folder, 'not', 'there');
    note(open(undefined, 1, deep), 1);
    expect(numbers(open(undefined, 1, deep))).toEqual([1]);
    const known = new KnownPictures();
    known.adopt('1');
    note(known, 1);
    expect(numbers(known)).toEqual([1]);
    const unwritable = open();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    expect(() => note(unwritable, 1)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });
});
