import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../../src/publish/exchange.ts';
import {
  manifestFiles,
  recover,
  stagingFolder,
  swap,
  workFolder,
} from '../../../src/publish/swap.ts';
import { temporaryFolder } from '../../support/build.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let output: string;

async function site(where: string, text: string) {
  await mkdir(where, { recursive: true });
  await writeFile(path.join(where, 'index.html'), text);
}
const noManifest = async () => {};
const published = () => readFile(path.join(output, 'index.html'), 'utf8');

beforeEach(async () => {
  folder = await temporaryFolder();
  output = path.join(folder.path, 'site');
});
afterEach(() => folder[Symbol.asyncDispose]());

describe('swap', () => {
  it('puts a first site in place', async () => {
    await site(stagingFolder(output), 'new');
    await swap(output, noManifest);
    expect(await published()).toBe('new');
    expect(existsSync(stagingFolder(output))).toBe(false);
  });

  it('replaces a site; the old one is what the next is made from', async () => {
    await site(output, 'old');
    await writeFile(path.join(output, 'only-in-old.html'), '');
    await site(stagingFolder(output), 'new');
    const { published: file, staging } = manifestFiles(output);
    await writeFile(file, 'of old');
    await swap(output, (to) => writeFile(to, 'of new'));
    expect(await published()).toBe('new');
    expect(existsSync(path.join(output, 'only-in-old.html'))).toBe(false);
    expect(await readFile(path.join(stagingFolder(output), 'index.html'), 'utf8')).toBe('old');
    expect(await readFile(file, 'utf8')).toBe('of new');
    expect(await readFile(staging, 'utf8')).toBe('of old');
  });
});

describe('recover', () => {
  it('brings back a site that was moved aside', async () => {
    await site(output, 'old');
    await mkdir(workFolder(output), { recursive: true });
    await rename(output, path.join(workFolder(output), 'former'));
    await site(stagingFolder(output), 'half');
    await recover(output);
    expect(await published()).toBe('old');
    expect(existsSync(path.join(workFolder(output), 'former'))).toBe(false);
  });

  it('keeps a new site that already took its place', async () => {
    await site(output, 'new');
    await site(path.join(workFolder(output), 'former'), 'old');
    await recover(output);
    expect(await published()).toBe('new');
  });
});

describe('exchange', () => {
  it('is done by the system on Linux and macOS, or changes nothing', async () => {
    const [one, other] = [path.join(folder.path, 'one'), path.join(folder.path, 'other')];
    await site(one, '1');
    await site(other, '2');
    const done = await exchange(one, other);
    expect(done).toBe(['linux', 'darwin'].includes(process.platform));
    expect(await readFile(path.join(one, 'index.html'), 'utf8')).toBe(done ? '2' : '1');
    expect(await exchange(one, path.join(folder.path, 'missing'))).toBe(false);
  });
});
