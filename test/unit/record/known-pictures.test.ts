import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KnownPictures, removeJournals } from '../../../src/record/known-pictures.ts';
import {
  contentRowSchema,
  type PictureRows,
  type SourceEntry,
  type SourceRow,
  sourceRowSchema,
} from '../../../src/record/pictures.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'known-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOTHING: PictureRows = { sources: [], contents: [] };
const END = '-4-aaaaaa.jpg';
const hashOf = (number: number) => String(number).padStart(20, '0');
const nameOf = (number: number) => `${number} ${String(number).padStart(11, 'A')}`;
const keyOf = (number: number, dealer = 1) => `${dealer}/${nameOf(number)}`;
const print = (letter: string) => `1-${letter.repeat(27)}`;
const content = { width: 4, height: 3, colour: '808080', outputs: { [END]: print('a') } };
const entryOf = (number: number, more: Partial<SourceEntry> = {}): SourceEntry => ({
  validator: `"${number}"`,
  vehicleDate: '2026-03-01T00:00:00Z',
  hash: hashOf(number),
  ...more,
});
const journal = (dealer = 1) => path.join(folder, `${dealer}.journal`);
const note = (known: KnownPictures, number: number, dealer = 1) =>
  known.record(keyOf(number, dealer), entryOf(number), content);
/** What a run begins with. */
function open(rows = NOTHING, dealer = 1): KnownPictures {
  const known = new KnownPictures(folder);
  known.adopt(String(dealer), rows);
  return known;
}
const numbers = (known: KnownPictures) =>
  Array.from(known.sources.keys(), (key) => Number(/\/(\d+)/.exec(key)?.[1])).sort();
const showAll = (known: KnownPictures, ends = [END]) =>
  known.show(Array.from(known.sources.keys(), (key) => [key, ends] as const));

describe('rows', () => {
  it('come back as what was known, in their form, in one order', () => {
    const known = open();
    for (const number of [3, 1, 2]) note(known, number);
    known.missed(keyOf(2));
    showAll(known);
    const rows = known.rows('1');
    for (const row of rows.sources) expect(sourceRowSchema.parse(row)).toEqual(row);
    for (const row of rows.contents) expect(contentRowSchema.parse(row)).toEqual(row);
    const again = new KnownPictures();
    again.adopt('1', rows);
    expect(again.sources.get(keyOf(2))).toEqual(entryOf(2, { stale: true }));
    expect(again.contents.get(hashOf(1))).toEqual(content);
    again.show([3, 2, 1].map((number) => [keyOf(number), [END]] as const));
    expect(JSON.stringify(again.rows('1'))).toBe(JSON.stringify(rows));
  });

  it('say nothing of what is not shown, of other dealers, and of what they alone planned', () => {
    const known = open();
    known.adopt('22', NOTHING);
    note(known, 1);
    note(known, 2);
    const cover = '-9-bbbbbb.jpg';
    known.record(keyOf(5, 22), entryOf(1), { ...content, outputs: { [cover]: print('b') } });
    known.show([
      [keyOf(1), [END]],
      [keyOf(5, 22), [END, cover]],
    ]);
    const { sources, contents } = known.rows('1');
    expect(sources.map(([name]) => name)).toEqual([nameOf(1)]);
    expect(contents).toEqual([[hashOf(1), 4, 3, '808080', { [END]: print('a') }]]);
    expect(known.rows('22').contents[0]?.[4]).toEqual({ [END]: print('a'), [cover]: print('b') });
    expect(known.rows('3')).toEqual(NOTHING);
  });
});

describe('rows of what is shown as it was recorded', () => {
  /** Two pictures of a dealer, as they are in its record. */
  function recorded(): PictureRows {
    const known = open();
    for (const number of [1, 2]) note(known, number);
    showAll(known);
    const rows = known.rows('1');
    removeJournals(folder, known.dealers);
    return rows;
  }
  const shown = (known: KnownPictures, asRecorded = true) => {
    known.show(
      [2, 1].map((number) => [keyOf(number), [END]] as const),
      { asRecorded },
    );
    return known.rows('1');
  };

  it('are those of the record, and else put together to the same', () => {
    const record = recorded();
    expect(shown(open(record)).sources).toBe(record.sources);
    const other = shown(open(record), false);
    expect(other.sources).not.toBe(record.sources);
    expect(other).toEqual(record);
  });

  it.each<[string, (known: KnownPictures) => void, (rows: PictureRows) => unknown, unknown]>([
    [
      'a source is known anew',
      (known) => known.record(keyOf(1), entryOf(1, { validator: '"new"' }), content),
      ({ sources }) => sources[0]?.[1],
      '"new"',
    ],
    [
      'a fingerprint was corrected',
      (known) => known.setFingerprint(hashOf(1), END, print('z')),
      ({ contents }) => contents[0]?.[4],
      { [END]: print('z') },
    ],
    [
      'another dealer knows an output of the same bytes by another fingerprint',
      (known) =>
        known.adopt('22', {
          sources: [],
          contents: [[hashOf(1), 4, 3, '808080', { [END]: print('y') }]],
        }),
      ({ contents }) => contents[0]?.[4],
      { [END]: print('y') },
    ],
  ])('are put together where %s', (_, change, look, expected) => {
    const known = open(recorded());
    change(known);
    expect(look(shown(known))).toEqual(expected);
  });

  it('are put together where less is shown', () => {
    const known = open(recorded());
    known.show([[keyOf(2), [END]]], { asRecorded: true });
    expect(known.rows('1').sources.map(([name]) => name)).toEqual([nameOf(2)]);
    const { sources, contents } = recorded();
    const one = open({ sources: sources.slice(0, 1), contents: contents.slice(0, 1) });
    one.show([], { asRecorded: true });
    expect(one.rows('1')).toEqual(NOTHING);
  });
});

describe('the journal', () => {
  it('keeps what a killed run noted, until it is saved', () => {
    note(open(), 1);
    const again = open();
    expect(again.known(keyOf(1))).toEqual({ entry: entryOf(1), content });
    removeJournals(folder, again.dealers);
    expect(existsSync(journal())).toBe(false);
    expect(numbers(open())).toEqual([]);
  });

  it('says when a killed run asked, so that nothing is asked twice', () => {
    open().record(keyOf(1), entryOf(1), content, 77);
    expect(open().askedAt(keyOf(1))).toBe(77);
    expect(open().askedAt(keyOf(2))).toBeUndefined();
  });

  it('is of one dealer: what is saved of others takes nothing away', () => {
    note(open(), 1);
    const other = open(NOTHING, 22);
    note(other, 5, 22);
    removeJournals(folder, other.dealers);
    expect(numbers(open())).toEqual([1]);
  });

  it('loses only the torn line, and nothing that is noted after it', () => {
    const first = open();
    note(first, 1);
    note(first, 2);
    const whole = readFileSync(journal());
    for (let cut = 1; cut < 60; cut += 7) {
      writeFileSync(journal(), whole.subarray(0, whole.length - cut));
      const second = open();
      expect(numbers(second)).toEqual(cut === 1 ? [1, 2] : [1]);
      note(second, 3);
      note(second, 4);
      expect(numbers(open())).toEqual(cut === 1 ? [1, 2, 3, 4] : [1, 3, 4]);
    }
  });

  it('reads past lines that are not its own, and a changed byte', () => {
    note(open(), 1);
    appendFileSync(journal(), 'something else\n\n{"a":1}\n');
    note(open(), 2);
    expect(readFileSync(journal(), 'utf8')).toMatch(/\{"a":1\}\n.+\n$/);
    expect(numbers(open())).toEqual([1, 2]);
    writeFileSync(journal(), readFileSync(journal(), 'latin1').replace('808080', '908080'));
    expect(numbers(open())).toEqual([2]);
  });

  it('counts on top of the record that its run knew, also over two runs', () => {
    const before: SourceRow = [nameOf(1), '"1"', '2026-03-01T00:00:00Z', hashOf(1)];
    const rows: PictureRows = {
      sources: [before],
      contents: [[hashOf(1), 4, 3, '808080', { [END]: print('a') }]],
    };
    open(rows).record(keyOf(1), entryOf(2), content);
    open(rows).record(keyOf(1), entryOf(3), content);
    expect(open(rows).sources.get(keyOf(1))?.hash).toBe(hashOf(3));
    // Another machine has built since, and published what it knew.
    const [name, , date] = before;
    const since: PictureRows = { ...rows, sources: [[name, '"9"', date, hashOf(1)]] };
    expect(open(since).sources.get(keyOf(1))?.validator).toBe('"9"');
    // What bytes are does not change.
    expect(open(since).contents.get(hashOf(3))).toEqual(content);
  });
});
