import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
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

  const linesOf = (text: string) => text.split(/(?<=\n)/);
  it.each<[string, (text: string) => string]>([
    ['it ends at half of its bytes', (text) => text.slice(0, text.length / 2)],
    ['its last bytes are missing', (text) => text.slice(0, -2)],
    ['a byte is changed', (text) => text.replace('a/index', 'c/index')],
    ['a row follows', (text) => `${text}${JSON.stringify(['c/index.html', 1, a.hash])}\n`],
    ['its end is missing', (text) => linesOf(text).slice(0, -1).join('')],
    ['it has two ends', (text) => text + linesOf(text).at(-1)],
  ])('is refused if %s', async (_, damage) => {
    write([a, b]);
    writeFileSync(list, damage(readFileSync(list, 'utf8')));
    expect(await readChanges(list)).toBeUndefined();
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

  it.each([
    ...['../a', 'a//b', 'a b', 'a?b', 'a#b', '/a'].map((path) => ({ path })),
    ...['h', `${a.hash}x`, `.${a.hash.slice(1)}`].map((hash) => ({ hash })),
  ])('refuses a file with %o', async (wrong) => {
    write([{ ...a, ...wrong }]);
    expect(await readChanges(list)).toBeUndefined();
  });

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
