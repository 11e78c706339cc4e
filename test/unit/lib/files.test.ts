import { execFile } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readIfReadable, readIfThere } from '../../../src/lib/files/read.ts';
import { explainFullDisk, explainSystemError } from '../../../src/lib/files/system-errors.ts';
import { makeFolder, writeFileAtomic } from '../../../src/lib/files/write.ts';
import { refusing } from '../../support/refusing.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe('writing a file', () => {
  it('follows a link and keeps existing permissions', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'file');
    const link = path.join(folder, 'link');
    writeFileSync(file, 'old');
    chmodSync(file, 0o662);
    symlinkSync(file, link);
    await writeFileAtomic(link, 'new');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o662]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await writeFileAtomic(path.join(folder, 'other'), Uint8Array.of(1), { mode: 0o600 });
    expect(statSync(path.join(folder, 'other')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['file', 'link', 'other']);
  });

  it('creates a separate folder, sets the time and replaces a link', async () => {
    // A virus scanner has each new file open for a moment.
    let refusals = 0;
    using _refused = refusing('renameSync', () => refusals++ % 3 < 2);
    const folder = tempFolder();
    const file = path.join(folder, 'deep', 'own', 'file');
    const other = path.join(folder, 'other');
    const options = { isProgramFile: true, time: 1_600_000_000 };
    await writeFileAtomic(file, 'first', options);
    expect(statSync(file).mtimeMs).toBe(1_600_000_000_000);
    writeFileSync(other, 'of another');
    rmSync(file);
    symlinkSync(other, file);
    await writeFileAtomic(file, 'second', options);
    expect(lstatSync(file).isFile()).toBe(true);
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual([
      'second',
      'of another',
    ]);
    expect(readdirSync(path.dirname(file))).toEqual(['file']);
    const missing = path.join(folder, 'missing', 'file');
    await expect(writeFileAtomic(missing, 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keeps the old file if the disk is full, and reports it', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'file');
    writeFileSync(file, 'old');
    const program = `import { writeFileAtomic } from '${path.resolve('src/lib/files/write.ts')}';
      await writeFileAtomic(process.argv[1], 'x'.repeat(5000)).catch(({ code, path }) => console.log(code, path));`;
    // Like a full disk, a limit accepts the fitting part of one call and refuses the next call.
    const { stdout } = await promisify(execFile)('/bin/sh', [
      ...['-c', 'ulimit -f 1; exec "$@"', '-', process.execPath],
      ...['--input-type=module', '--eval', program, '--', file],
    ]);
    expect(stdout.trim()).toBe(`EFBIG ${file}`);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('creating a folder', () => {
  it('creates its parents and accepts an existing folder', async () => {
    const folder = tempFolder();
    const deep = path.join(folder, 'a', 'b');
    makeFolder(deep, 0o700);
    makeFolder(deep);
    makeFolder(path.sep);
    expect(statSync(path.dirname(deep)).mode & 0o777).toBe(0o700);
  });

  it('names the obstacle', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    mkdirSync(path.join(folder, 'folder'));
    symlinkSync('/nowhere/at/all', path.join(folder, 'folder', 'link'));
    expect(() => makeFolder(file)).toThrow('EEXIST');
    expect(() => makeFolder(path.join(file, 'x', 'y'))).toThrow('ENOTDIR');
    expect(() => makeFolder(path.join(folder, 'folder', 'link', 'x'))).toThrow('EEXIST');
  });
});

it('names both files of a failed copy, and the needed space if it is not free', () => {
  const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/a', dest: '/b' });
  expect(explainSystemError(error)?.message).toBe('/a or /b could not be used.');
  // The failed command has removed its unfinished files.
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const whyFull = (needed: number) => explainFullDisk(full, [tempFolder()], needed)?.why;
  expect(whyFull(1)).toMatch(/^The disk is full\. [\d.]+ .?B are free, but more is needed\.$/);
  expect(whyFull(1e18)).toMatch(/B are free, about [\d.]+ .?B are needed\.$/);
});

it('reading a file distinguishes a missing file from an unreadable one', async () => {
  const folder = tempFolder();
  const missing = path.join(folder, 'missing');
  expect([readIfThere(missing), readIfReadable(missing)]).toEqual([undefined, undefined]);
  expect(readIfReadable(folder)).toBeUndefined();
  expect(() => readIfThere(folder)).toThrow('EISDIR');
  writeFileSync(missing, 'there');
  expect([`${readIfThere(missing)}`, `${readIfReadable(missing)}`]).toEqual(['there', 'there']);
});
