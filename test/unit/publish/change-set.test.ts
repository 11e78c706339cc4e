import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CHANGED_FILES,
  CHANGES,
  changesLines,
  isChangesFile,
  readChanges,
  type SiteFile,
} from '../../../src/change-set/change-set.ts';
import { fileHash } from '../../../src/record/files.ts';

const HEAD = { site: 'https://cars.example', built: '2026-03-04T05:06:07.000Z', base: null };
const fileOf = (path: string, text: string): SiteFile => ({
  path,
  size: Buffer.byteLength(text),
  hash: fileHash(text),
});

let folder: string;
let list: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'changes-'));
  list = path.join(folder, 'changes.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (files: SiteFile[], tail = { gone: ['z/index.html'], changed: ['b/index.html'] }) =>
  writeFileSync(list, [...changesLines(HEAD, files, tail)].join(''));

describe('the list of a change set', () => {
  const a = fileOf('a/index.html', 'one');
  const b = fileOf('b/index.html', 'two');

  it('is read as it was written, a file that comes twice once', async () => {
    write([a, b, b]);
    expect(await readChanges(list)).toEqual({
      version: 1,
      ...HEAD,
      files: new Map([
        [a.path, a],
        [b.path, b],
      ]),
      gone: ['z/index.html'],
      changed: ['b/index.html'],
    });
  });

  it.each([0.2, 0.5, 0.9, 0.999])('is not read where it ends at %f of its bytes', async (part) => {
    write([a, b]);
    const bytes = readFileSync(list);
    writeFileSync(list, bytes.subarray(0, Math.floor((bytes.length - 1) * part)));
    expect(await readChanges(list)).toBeUndefined();
  });

  it('is not read where a byte is another, or something follows', async () => {
    write([a, b]);
    const text = readFileSync(list, 'utf8');
    writeFileSync(list, text.replace('a/index', 'c/index'));
    expect(await readChanges(list)).toBeUndefined();
    writeFileSync(list, text);
    appendFileSync(list, `${JSON.stringify(['c/index.html', 1, a.hash])}\n`);
    expect(await readChanges(list)).toBeUndefined();
  });

  it.each(['../a', 'a//b', 'a b', 'a?b', 'a#b', '/a'])('names no file such as %s', async (name) => {
    write([fileOf(name, 'one')]);
    expect(await readChanges(list)).toBeUndefined();
  });

  it('is not read where its end says another number of files or bytes, or comes twice', async () => {
    write([a, b]);
    const text = readFileSync(list, 'utf8');
    const end = text.trimEnd().split('\n').at(-1);
    for (const wrong of [
      text.replace('"files":2', '"files":3'),
      text.replace('"bytes":6', '"bytes":7'),
      `${text}${end}\n`,
    ]) {
      expect(wrong).not.toBe(text);
      writeFileSync(list, wrong);
      expect(await readChanges(list)).toBeUndefined();
    }
  });

  it('lies beside the bytes, by names that deploys know', () => {
    expect([CHANGES, CHANGED_FILES]).toEqual(['changes.ndjson', 'files']);
  });

  it('must be given in order', () => {
    expect(() => write([b, a])).toThrow('a/index.html comes after b/index.html.');
  });

  it('names what is gone and changed in order', async () => {
    write([a], { gone: ['z', 'y'], changed: ['d', 'c'] });
    expect(await readChanges(list)).toMatchObject({ gone: ['y', 'z'], changed: ['c', 'd'] });
  });

  it.each([
    [{ base: 'b'.repeat(22) }, true],
    [{ base: 'b'.repeat(23) }, false],
    [{ base: '.'.repeat(22) }, false],
    [{ indexNow: '0a'.repeat(16) }, true],
    [{ indexNow: '0a'.repeat(16) + 0 }, false],
    [{ indexNow: 'xy'.repeat(16) }, false],
    [{ site: 'nowhere' }, false],
    [{ built: 'now' }, false],
  ])('begins with what it is for: %j: %s', async (more, isRead) => {
    writeFileSync(
      list,
      [...changesLines({ ...HEAD, ...more }, [a], { gone: [], changed: [] })].join(''),
    );
    expect((await readChanges(list)) !== undefined).toBe(isRead);
  });

  it.each(['h', `${a.hash}x`, `.${a.hash.slice(1)}`])(
    'has no file with the hash %s',
    async (hash) => {
      write([{ ...a, hash }]);
      expect(await readChanges(list)).toBeUndefined();
    },
  );

  it('that cannot be read at all is an error, and no other list', async () => {
    await expect(readChanges(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(list, '');
    expect(await readChanges(list)).toBeUndefined();
  });

  it('is known by its first line, of whatever version and however it ends', () => {
    const looks = (text: string) => {
      writeFileSync(list, text);
      return isChangesFile(list);
    };
    const head = JSON.stringify({ ...HEAD, version: 9 });
    expect(looks(`${head}\ntorn`)).toBe(true);
    expect(looks(head)).toBe(true);
    for (const field of ['version', 'site', 'built']) {
      expect(looks(JSON.stringify({ ...HEAD, version: 9, [field]: null }))).toBe(false);
    }
    for (const text of ['', '{}', 'text', head.slice(1)]) expect(looks(text)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('is closed again, known or not', () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (const text of ['text', JSON.stringify({ ...HEAD, version: 9 })]) {
      writeFileSync(list, text);
      for (let times = 0; times < 20; times++) isChangesFile(list);
    }
    expect(open()).toBeLessThan(before + 20);
  });
});
