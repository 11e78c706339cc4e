import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  CHANGED_FILES,
  CHANGES,
  changesLines,
  isChangesFile,
  readChanges,
  type SiteFile,
} from '../../../src/change-set/change-set.ts';
import { fileHash } from '../../../src/record/files.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const HEAD = {
  site: 'https://cars.example',
  built: '2026-03-04T05:06:07.000Z',
  changed: ['b/index.html'],
};
const fileOf = (path: string, text: string): SiteFile => ({
  path,
  size: Buffer.byteLength(text),
  hash: fileHash(text),
});

let folder: string;
let list: string;
beforeEach(() => {
  folder = tempFolder();
  list = path.join(folder, 'changes.ndjson');
});

const write = (files: SiteFile[]) => writeFileSync(list, [...changesLines(HEAD, files)].join(''));

describe('the list of a change set', () => {
  const a = fileOf('a/index.html', 'one');
  const b = fileOf('b/index.html', 'two');

  it('is read as written; the last of two rows for a file counts', async () => {
    write([{ ...b, size: 9 }, a, b]);
    expect(await readChanges(list)).toEqual({
      ...HEAD,
      files: new Map([
        [a.path, a],
        [b.path, b],
      ]),
    });
  });

  it.each([0.2, 0.5, 0.9, 0.999])('is refused if it ends at %f of its bytes', async (part) => {
    write([a, b]);
    const bytes = readFileSync(list);
    writeFileSync(list, bytes.subarray(0, Math.floor((bytes.length - 1) * part)));
    expect(await readChanges(list)).toBeUndefined();
  });

  it('is refused if a byte is changed or something follows', async () => {
    write([a, b]);
    const text = readFileSync(list, 'utf8');
    writeFileSync(list, text.replace('a/index', 'c/index'));
    expect(await readChanges(list)).toBeUndefined();
    writeFileSync(list, text);
    appendFileSync(list, `${JSON.stringify(['c/index.html', 1, a.hash])}\n`);
    expect(await readChanges(list)).toBeUndefined();
  });

  it.each(['../a', 'a//b', 'a b', 'a?b', 'a#b', '/a'])(
    'refuses a file name such as %s',
    async (name) => {
      write([fileOf(name, 'one')]);
      expect(await readChanges(list)).toBeUndefined();
    },
  );

  it('is refused without its end or with two ends', async () => {
    write([a, b]);
    const lines = readFileSync(list, 'utf8').split(/(?<=\n)/);
    for (const wrong of [lines.slice(0, -1), [...lines, lines.at(-1)]]) {
      writeFileSync(list, wrong.join(''));
      expect(await readChanges(list)).toBeUndefined();
    }
  });

  it('is beside the bytes, under names that deploys know', () => {
    expect([CHANGES, CHANGED_FILES]).toEqual(['changes.ndjson', 'files']);
  });

  it.each([
    [{ indexNow: '0a'.repeat(16) }, true],
    [{ indexNow: '0a'.repeat(16) + 0 }, false],
    [{ indexNow: 'xy'.repeat(16) }, false],
    [{ site: 'nowhere' }, false],
    [{ built: 'now' }, false],
    [{ changed: ['../a'] }, false],
  ])('begins with its purpose: %j: %s', async (more, isRead) => {
    writeFileSync(list, [...changesLines({ ...HEAD, ...more }, [a])].join(''));
    expect((await readChanges(list)) !== undefined).toBe(isRead);
  });

  it.each(['h', `${a.hash}x`, `.${a.hash.slice(1)}`])(
    'refuses a file with the hash %s',
    async (hash) => {
      write([{ ...a, hash }]);
      expect(await readChanges(list)).toBeUndefined();
    },
  );

  it('is reported as an error if it is unreadable, without using another list', async () => {
    await expect(readChanges(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(list, '');
    expect(await readChanges(list)).toBeUndefined();
  });

  it('is recognised by its beginning, for any version and end', () => {
    const isKnown = (text: string) => {
      writeFileSync(list, text);
      return isChangesFile(list);
    };
    const [head = ''] = changesLines(HEAD, []);
    expect(isKnown(`${head}torn`)).toBe(true);
    expect(isKnown(head.replace('"version":1', '"version":9').slice(0, 80))).toBe(true);
    for (const text of ['', '{}', 'text', head.slice(1)]) expect(isKnown(text)).toBe(false);
    expect(isChangesFile(path.join(folder, 'none'))).toBe(false);
  });
});
