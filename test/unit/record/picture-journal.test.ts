import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withChecksum, withoutChecksum } from '../../../src/lib/files/checksum.ts';
import { KnownPictures, removeJournals } from '../../../src/record/known-pictures.ts';
import type { PictureRows, SourceEntry } from '../../../src/record/pictures.ts';

let folder = '';
beforeEach(() => {
  const made = mkdtempSync(path.join(tmpdir(), 'journal-'));
  folder = made;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

const NOTHING: PictureRows = { sources: [], contents: [] };
const [SMALL, LARGE] = ['-4-aaaaaa.jpg', '-9-aaaaaa.jpg'];
const print = (letter: string) => `1-${letter.repeat(27)}`;
const hashOf = (number: number) => String(number).padStart(20, '0');
const keyOf = (number: number) => `1/${number} ${'A'.repeat(11)}`;
const entryOf = (hash: number): SourceEntry => ({
  validator: '"a"',
  vehicleDate: '2026-03-01T00:00:00Z',
  hash: hashOf(hash),
});
const contentOf = (outputs: Record<string, string>) => ({
  width: 4,
  height: 3,
  colour: '808080',
  outputs,
});
const BOTH = contentOf({ [LARGE]: print('l'), [SMALL]: print('s') });
const note = (known: KnownPictures, number: number, hash = number, content = BOTH) =>
  known.record(keyOf(number), entryOf(hash), content);
function open(rows?: PictureRows, at: string | undefined = folder): KnownPictures {
  const known = new KnownPictures(at);
  known.adopt('1', rows);
  return known;
}
const journal = () => path.join(folder, '1.journal');
const lines = () => readFileSync(journal(), 'utf8').split('\n');

describe('what a record is to say of pictures', () => {
  it('is nothing of a dealer without any, and of sources that nobody knows', () => {
    const known = open();
    expect(known.rows('1')).toEqual(NOTHING);
    known.show([[keyOf(1), [SMALL]]]);
    expect(known.rows('1')).toEqual(NOTHING);
    known.missed(keyOf(1));
    known.setFingerprint(hashOf(1), SMALL, print('x'));
    known.show([[keyOf(1), [SMALL]]]);
    expect(known.rows('1')).toEqual(NOTHING);
  });

  it('names outputs in one order, whatever order they were made in', () => {
    const known = open();
    note(known, 1);
    known.show([[keyOf(1), [LARGE, SMALL]]]);
    const outputs = known.rows('1').contents[0]?.[4] ?? {};
    expect(Object.entries(outputs)).toEqual([
      [SMALL, print('s')],
      [LARGE, print('l')],
    ]);
  });

  it('names of equal bytes what is planned of any of their sources', () => {
    const known = open();
    for (const number of [1, 2, 3]) note(known, number, 9);
    const [small, large] = [[SMALL], [LARGE]];
    known.show([
      [keyOf(1), small],
      [keyOf(2), large],
      [keyOf(3), small],
    ]);
    const { contents } = known.rows('1');
    expect(contents.map(([, , , , outputs]) => Object.keys(outputs))).toEqual([[SMALL, LARGE]]);
  });

  describe('as it was recorded', () => {
    const rows: PictureRows = {
      sources: [[keyOf(1).slice(2), '"a"', '2026-03-01T00:00:00Z', hashOf(1)]],
      contents: [[hashOf(1), 4, 3, '808080', { [SMALL]: print('s'), [LARGE]: print('l') }]],
    };
    const shown = (other: Record<string, string> | undefined, asRecorded = true) => {
      const known = open(rows);
      const contents = other && [[hashOf(1), 4, 3, '808080', other] as const];
      if (contents) known.adopt('2', { sources: [], contents: contents as never });
      const all = [[keyOf(1), [SMALL, LARGE]] as const];
      if (asRecorded) known.show(all, { asRecorded });
      else known.show(all);
      return known.rows('1');
    };

    it('stays where others know the same, or other outputs', () => {
      for (const other of [undefined, { [SMALL]: print('s') }, { '-8-aaaaaa.jpg': print('x') }]) {
        expect(shown(other).sources).toBe(rows.sources);
      }
      expect(shown(undefined, false).sources).not.toBe(rows.sources);
      expect(shown(undefined, false)).toEqual(rows);
    });

    it('does not where they know one of the outputs by another fingerprint', () => {
      const { contents } = shown({ [SMALL]: print('s'), [LARGE]: print('x') });
      expect(contents[0]?.[4]).toEqual({ [SMALL]: print('s'), [LARGE]: print('x') });
    });
  });
});

describe('a journal', () => {
  it('has a line for each picture, and none between', () => {
    const known = open();
    note(known, 1);
    note(known, 2);
    expect(lines().map((line) => withoutChecksum(line) !== undefined)).toEqual([true, true, false]);
    expect(lines().at(-1)).toBe('');
  });

  it('that is empty ends within no line', () => {
    writeFileSync(journal(), '');
    note(open(), 1);
    expect(lines()[0]).not.toBe('');
  });

  it('that ends within a line goes on in the next, once', () => {
    writeFileSync(journal(), 'torn');
    const known = open();
    note(known, 1);
    note(known, 2);
    expect(lines()).toEqual(['torn', expect.any(String), expect.any(String), '']);
  });

  it('notes that a picture was missed once', () => {
    const known = open();
    note(known, 1);
    known.missed(keyOf(1));
    known.missed(keyOf(1));
    expect(lines()).toHaveLength(3);
    expect(open().sources.get(keyOf(1))?.stale).toBe(true);
  });

  it('of another version says nothing', () => {
    note(open(), 1);
    const row = JSON.parse(withoutChecksum(lines()[0] ?? '') ?? '') as unknown[];
    rmSync(journal());
    appendFileSync(journal(), `${withChecksum(JSON.stringify([2, ...row.slice(1)]))}\n`);
    expect([...open().sources]).toEqual([]);
  });

  it('makes its folder where there is none, and is none without one', () => {
    const deep = path.join(folder, 'not', 'there');
    note(open(undefined, deep), 1);
    expect(open(undefined, deep).sources.has(keyOf(1))).toBe(true);
    const known = new KnownPictures();
    known.adopt('1');
    note(known, 1);
    expect(known.sources.has(keyOf(1))).toBe(true);
  });

  it('that cannot be written is an error', () => {
    const known = open();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    expect(() => note(known, 1)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it('is removed where there is one', () => {
    note(open(), 1);
    removeJournals(folder, ['none', 1]);
    expect([...open().sources]).toEqual([]);
  });
});
