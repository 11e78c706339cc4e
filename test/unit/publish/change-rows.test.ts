import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SiteFile } from '../../../src/change-set/change-set.ts';
import { allRows, writeRows } from '../../../src/publish/changes/rows.ts';
import { fileHash } from '../../../src/record/files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rows-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const row = (name: string, text = name): SiteFile => ({
  path: name,
  size: Buffer.byteLength(text),
  hash: fileHash(text),
});
const first = (one: SiteFile) => one;
const paths = (choose = first) => Array.from(allRows(folder, choose), (one) => one.path);

describe('the files of all batches', () => {
  it('are nothing where no batch was built', () => {
    expect([...allRows(path.join(folder, 'none'), first)]).toEqual([]);
  });

  it('come in order, whatever they were written in', () => {
    writeRows(folder, []);
    writeRows(folder, [row('c'), row('a')]);
    writeRows(folder, [row('b/ä.html'), row('B'), row('z')]);
    writeRows(folder, [row('a/b')]);
    expect(paths()).toEqual(['B', 'a', 'a/b', 'b/ä.html', 'c', 'z']);
    expect([...allRows(folder, first)][3]).toEqual(row('b/ä.html'));
  });

  it('come whole where there are more than are read at once', () => {
    const names = Array.from({ length: 9000 }, (_, index) => `ü/${String(index).padStart(6, '0')}`);
    for (let part = 0; part < 7; part++) {
      writeRows(
        folder,
        names.filter((_, index) => index % 7 === part).map((name) => row(name)),
      );
    }
    expect(paths()).toEqual(names);
  });

  it('come once where several have the same', () => {
    for (let part = 0; part < 3; part++) writeRows(folder, [row('a'), row('b', 'same')]);
    expect(paths()).toEqual(['a', 'b']);
  });

  it('are chosen where two differ', () => {
    writeRows(folder, [row('a', 'one'), row('b')]);
    writeRows(folder, [row('a', 'other')]);
    writeRows(folder, [row('a', 'other')]);
    const other = (one: SiteFile, two: SiteFile) =>
      [one, two].find(({ hash }) => hash === fileHash('other')) as SiteFile;
    expect([...allRows(folder, other)]).toEqual([row('a', 'other'), row('b')]);
  });
});
