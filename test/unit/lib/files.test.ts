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
import { explainSystemError } from '../../../src/lib/files/system-errors.ts';
import { makeFolder, writeFileAtomic } from '../../../src/lib/files/write.ts';
import { temporaryFolder } from '../../support/build.ts';

describe('writing a file', () => {
  it('follows a link and keeps existing permissions', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    const link = path.join(folder.path, 'link');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    symlinkSync(file, link);
    await writeFileAtomic(link, 'new');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o640]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await writeFileAtomic(path.join(folder.path, 'other'), Uint8Array.of(1), { mode: 0o600 });
    expect(statSync(path.join(folder.path, 'other')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).sort()).toEqual(['file', 'link', 'other']);
  });

  it('creates a separate folder, sets the time and replaces a link', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'deep', 'own', 'file');
    const other = path.join(folder.path, 'other');
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
    const missing = path.join(folder.path, 'missing', 'file');
    await expect(writeFileAtomic(missing, 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keeps the old file if the disk is full, and reports it', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
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
    expect(readdirSync(folder.path)).toEqual(['file']);
  });
});

describe('creating a folder', () => {
  it('creates its parents and accepts an existing folder', async () => {
    await using folder = await temporaryFolder();
    const deep = path.join(folder.path, 'a', 'b');
    makeFolder(deep, 0o700);
    makeFolder(deep);
    makeFolder(path.sep);
    expect(statSync(path.dirname(deep)).mode & 0o777).toBe(0o700);
  });

  it('names the obstacle', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    writeFileSync(file, '');
    mkdirSync(path.join(folder.path, 'folder'));
    symlinkSync('/nowhere/at/all', path.join(folder.path, 'folder', 'link'));
    expect(() => makeFolder(file)).toThrow('EEXIST');
    expect(() => makeFolder(path.join(file, 'x', 'y'))).toThrow('ENOTDIR');
    expect(() => makeFolder(path.join(folder.path, 'folder', 'link', 'x'))).toThrow('EEXIST');
  });
});

it('names both files of a copy that failed', () => {
  const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/a', dest: '/b' });
  expect(explainSystemError(error)?.message).toBe('/a or /b could not be used.');
});

it('reading a file distinguishes a missing file from an unreadable one', async () => {
  await using folder = await temporaryFolder();
  const missing = path.join(folder.path, 'missing');
  expect([readIfThere(missing), readIfReadable(missing)]).toEqual([undefined, undefined]);
  expect(readIfReadable(folder.path)).toBeUndefined();
  expect(() => readIfThere(folder.path)).toThrow('EISDIR');
  writeFileSync(missing, 'there');
  expect([`${readIfThere(missing)}`, `${readIfReadable(missing)}`]).toEqual(['there', 'there']);
});
