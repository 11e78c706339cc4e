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
import { type ContentRow, outputNamesOf } from '../../../src/media/store/dealer-file.ts';
import { Manifest } from '../../../src/media/store/manifest.ts';
import { OutputNames } from '../../../src/media/store/output-names.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'manifest-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (dealer = 1) => path.join(folder, 'manifests', `${dealer}.json`);
const journal = () => path.join(folder, 'journal.ndjson');
const hashOf = (number: number) => String(number).padStart(20, '0');
const content = { width: 4, height: 3, colour: '808080', outputs: { '-4-aaaaaa.jpg': '1-1' } };
const note = (manifest: Manifest, number: number, dealer = 1) =>
  manifest.record(
    `${dealer}/${number} https://p.example/ü${number}.jpg`,
    {
      etag: number % 2 === 0 ? `"${number}"` : undefined,
      lastModified: undefined,
      vehicleDate: '2026-03-01T00:00:00Z',
      checkedAt: number,
      hash: hashOf(number),
    },
    content,
  );
const numbers = (manifest: Manifest) =>
  [...manifest.sources.values()].map(({ checkedAt }) => checkedAt).sort((a, b) => a - b);

async function saved(...known: number[]): Promise<void> {
  const manifest = Manifest.open(folder);
  for (const number of known) note(manifest, number);
  await manifest.save();
}

describe('Manifest', () => {
  it('remembers what was saved and what was only noted', async () => {
    await saved(1, 2);
    note(Manifest.open(folder), 3);
    const again = Manifest.open(folder);
    expect(numbers(again)).toEqual([1, 2, 3]);
    expect(again.sources.get('1/2 https://p.example/ü2.jpg')).toEqual({
      etag: '"2"',
      lastModified: undefined,
      vehicleDate: '2026-03-01T00:00:00Z',
      checkedAt: 2,
      hash: hashOf(2),
    });
    expect(again.contents.get(hashOf(2))).toEqual(content);
  });

  it('is as if empty when lost, and says so when torn at any place', async () => {
    await saved(1, 2);
    const whole = readFileSync(file());
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(file(), whole.subarray(0, length));
      const manifest = Manifest.open(folder);
      expect(numbers(manifest)).toEqual([]);
      expect(manifest.problems).toHaveLength(1);
    }
    rmSync(file());
    const lost = Manifest.open(folder);
    expect(numbers(lost)).toEqual([]);
    expect(lost.problems).toEqual([]);
  });

  it('notices a single changed byte', async () => {
    await saved(1, 2);
    const bytes = readFileSync(file());
    const at = bytes.indexOf('808080');
    bytes[at] = '9'.charCodeAt(0);
    writeFileSync(file(), bytes);
    expect(numbers(Manifest.open(folder))).toEqual([]);
  });

  it('loses only the torn line of a journal, and nothing that is noted after it', () => {
    const first = Manifest.open(folder);
    note(first, 1);
    note(first, 2);
    const whole = readFileSync(journal());
    writeFileSync(journal(), whole.subarray(0, whole.length - 9));
    const second = Manifest.open(folder);
    expect(numbers(second)).toEqual([1]);
    note(second, 3);
    note(second, 4);
    expect(numbers(Manifest.open(folder))).toEqual([1, 3, 4]);
  });

  it('reads past lines that are not its own', () => {
    note(Manifest.open(folder), 1);
    appendFileSync(journal(), 'something else\n\n{"a":1}\n');
    note(Manifest.open(folder), 2);
    expect(numbers(Manifest.open(folder))).toEqual([1, 2]);
  });

  it('keeps what a killed save left: both files, or the former ones', async () => {
    await saved(1);
    const before = readFileSync(file());
    note(Manifest.open(folder), 2);
    const noted = readFileSync(journal());
    await saved(3);
    // Killed between writing the one and removing the other.
    writeFileSync(journal(), noted);
    expect(numbers(Manifest.open(folder))).toEqual([1, 2, 3]);
    writeFileSync(file(), before);
    expect(numbers(Manifest.open(folder))).toEqual([1, 2]);
  });

  it('forgets what nothing plans, and contents that no source has', async () => {
    await saved(1, 2);
    const manifest = Manifest.open(folder);
    await manifest.forget(manifest.others(new Set(['1/2 https://p.example/ü2.jpg'])));
    await manifest.save();
    const again = Manifest.open(folder);
    expect(numbers(again)).toEqual([2]);
    expect([...again.contents.keys()]).toEqual([hashOf(2)]);
  });

  it('writes nothing where nothing changed', async () => {
    await saved(1);
    rmSync(file());
    const manifest = Manifest.open(folder);
    await manifest.save();
    expect(() => readFileSync(file())).toThrow(/ENOENT/);
  });
});

describe('a manifest that let go of what it knew', () => {
  const key = (number: number, dealer = 1) =>
    `${dealer}/${number} https://p.example/ü${number}.jpg`;

  it('reads it again when it is asked, dealer by dealer', async () => {
    const manifest = Manifest.open(folder);
    for (const [number, dealer] of [
      [1, 1],
      [2, 1],
      [3, 22],
    ] as const) {
      note(manifest, number, dealer);
    }
    const before = [key(1), key(3, 22), key(2)].map((one) => manifest.known(one));
    await manifest.release();
    expect(manifest.sources.size + manifest.contents.size).toBe(0);
    expect([key(1), key(3, 22), key(2)].map((one) => manifest.known(one))).toEqual(before);
    expect(manifest.known(key(4))).toBeUndefined();
    expect(manifest.known(key(1, 5))).toBeUndefined();
  });

  it('forgets as ever, and nothing of other dealers', async () => {
    await saved(1, 2);
    const manifest = Manifest.open(folder);
    note(manifest, 3, 22);
    await manifest.release();
    await manifest.forget([key(2)]);
    await manifest.save();
    expect([key(1), key(2), key(3, 22)].map((one) => manifest.known(one)?.entry.hash)).toEqual([
      hashOf(1),
      undefined,
      hashOf(3),
    ]);
    expect(numbers(Manifest.open(folder))).toEqual([1, 3]);
    await manifest.forget([key(3, 22)]);
    expect(existsSync(file(22))).toBe(false);
  });

  it('does not take less for all of it', async () => {
    await saved(1, 2);
    const manifest = Manifest.open(folder);
    await manifest.release();
    rmSync(file());
    expect(() => manifest.known(key(1))).toThrow('no longer as this build wrote it');
    await saved(1);
    expect(() => manifest.known(key(1))).toThrow('no longer as this build wrote it');
  });
});

describe('dealers', () => {
  it('have a file each: one that is torn costs that dealer, one that is gone has none', async () => {
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    note(manifest, 2, 22);
    await manifest.save();
    writeFileSync(file(), 'torn');
    const again = Manifest.open(folder);
    expect(numbers(again)).toEqual([2]);
    expect(again.problems).toEqual([expect.stringContaining('dealer 1 ')]);
    note(again, 1);
    await again.forget(again.others(new Set(['1/1 https://p.example/ü1.jpg'])));
    await again.save();
    expect(existsSync(file(22))).toBe(false);
    expect(numbers(Manifest.open(folder))).toEqual([1]);
  });

  it('are written only where something of them changed', async () => {
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    note(manifest, 2, 22);
    await manifest.save();
    rmSync(file());
    const again = Manifest.open(folder);
    note(again, 3, 22);
    await again.save();
    expect(existsSync(file())).toBe(false);
    expect(numbers(Manifest.open(folder))).toEqual([2, 3]);
  });

  it('give the same bytes in whatever order things became known', async () => {
    await saved(1, 2, 3);
    const before = readFileSync(file());
    rmSync(folder, { recursive: true });
    await saved(3, 1, 2);
    expect(readFileSync(file())).toEqual(before);
  });
});

describe('adopt', () => {
  it('takes what is newer elsewhere, and keeps what is newer here', async () => {
    const name = '1/1 https://p.example/ü1.jpg';
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    const adopt = (checkedAt: number) =>
      manifest.adopt({
        version: 3,
        sources: [[name, null, null, '', checkedAt, hashOf(9)]],
        contents: [[hashOf(9), 8, 6, '000000', {}]],
      });
    adopt(1);
    expect(manifest.sources.get(name)?.hash).toBe(hashOf(1));
    adopt(2);
    expect(manifest.sources.get(name)?.hash).toBe(hashOf(9));
    await manifest.save();
    expect(Manifest.open(folder).contents.get(hashOf(9))).toMatchObject({ width: 8 });
  });
});

describe('outputs in a manifest', () => {
  it('come back as they were put in', () => {
    const end = '-64-000002.jpg';
    const contents: ContentRow[] = [
      ['abcdefabcdefabcdefab', 4, 3, '808080', { '-320-000001.webp': '1-1', [end]: '2-2' }],
      ['cdcdefabcdefabcdefab', 4, 3, '808080', { [end]: '3-3' }],
    ];
    expect([...outputNamesOf({ contents })].sort()).toEqual([
      'ab/cdefabcdefabcdefab-320-000001.webp',
      'ab/cdefabcdefabcdefab-64-000002.jpg',
      'cd/cdefabcdefabcdefab-64-000002.jpg',
    ]);
  });

  it('are those of all dealers that know the same bytes', async () => {
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    await manifest.save();
    const other = Manifest.open(folder);
    const [key, entry] = [...other.sources][0] ?? [];
    if (!key || !entry) throw new Error('nothing is known');
    const outputs = { '-9-bbbbbb.jpg': '9-9' };
    other.record(key.replace('1/', '22/'), entry, { ...content, outputs });
    await other.save();
    expect(Manifest.open(folder).contents.get(entry.hash)?.outputs).toEqual({
      ...content.outputs,
      ...outputs,
    });
  });

  it('are forgotten where they are gone, except for pictures of other dealers', async () => {
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    note(manifest, 2, 22);
    await manifest.save();
    manifest.forgetOutputs(new OutputNames(), new Set(['22']));
    await manifest.save();
    const { contents } = Manifest.open(folder);
    expect(contents.get(hashOf(1))?.outputs).toEqual({});
    expect(contents.get(hashOf(2))?.outputs).toEqual(content.outputs);
  });
});

describe('isExactly', () => {
  const keys = (...known: number[]) =>
    known.map((number) => ({ key: `1/${number} https://p.example/ü${number}.jpg` }));

  it('is true for the same sources alone, each with bytes of its own', () => {
    const manifest = Manifest.open(folder);
    note(manifest, 1);
    note(manifest, 2);
    expect(manifest.isExactly(keys(1, 2))).toBe(true);
    expect(manifest.isExactly(keys(1))).toBe(false);
    expect(manifest.isExactly(keys(1, 3))).toBe(false);
    const [key, entry] = [...manifest.sources][0] ?? [];
    if (key && entry) manifest.record(key, { ...entry, hash: hashOf(2) }, content);
    expect(manifest.isExactly(keys(1, 2))).toBe(false);
  });
});
