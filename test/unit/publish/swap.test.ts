import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
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

describe('publishing by two renames', () => {
  /** The user of the child: one that file rights count for. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const former = () => path.join(workFolder(output), 'former');

  beforeEach(async () => {
    await site(output, 'old');
    await site(stagingFolder(output), 'new');
    // What a rename of a folder needs is the right to write to it, since its `..` changes.
    for (const own of [folder.path, output, workFolder(output), stagingFolder(output)]) {
      if (user.uid !== undefined) await chown(own, user.uid, user.gid);
    }
  });
  afterEach(async () => {
    for (const own of [output, former(), stagingFolder(output), folder.path]) {
      await chmod(own, 0o755).catch(() => {});
    }
  });

  function swapInChild(patience: number): { said: Promise<string> } {
    const script = path.resolve(import.meta.dirname, '../../support/swap-child.ts');
    const args = [script, output, String(patience)];
    return {
      said: promisify(execFile)(process.execPath, args, user).then(({ stdout }) => stdout.trim()),
    };
  }

  it('puts the new site in place, and keeps the old one for the next', async () => {
    expect(await swapInChild(0).said).toBe('published');
    expect(await published()).toBe('new');
    expect(await readFile(path.join(stagingFolder(output), 'index.html'), 'utf8')).toBe('old');
    expect(existsSync(former())).toBe(false);
  });

  // What refuses a rename here are rights of another user, which Windows does not have.
  it.skipIf(process.platform === 'win32')(
    'tries again while something holds the new site, as scanners do on Windows',
    async () => {
      await chmod(stagingFolder(output), 0o555);
      const { said } = swapInChild(60_000);
      // The first rename is done, the second is being refused.
      await expect.poll(() => existsSync(former()), { timeout: 30_000 }).toBe(true);
      expect(existsSync(output)).toBe(false);
      await chmod(stagingFolder(output), 0o755);
      expect(await said).toBe('published');
      expect(await published()).toBe('new');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'brings the old site back where the new one cannot take its place, and says so',
    async () => {
      await chmod(stagingFolder(output), 0o555);
      const told = JSON.parse(await swapInChild(300).said);
      expect(told).toMatchObject({
        code: 'publish-not-replaced',
        fix: expect.stringContaining('The published site is as it was.'),
      });
      expect(await published()).toBe('old');
      expect(existsSync(former())).toBe(false);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'leaves the old site where it is if that cannot be moved',
    async () => {
      await chmod(output, 0o555);
      const told = JSON.parse(await swapInChild(300).said);
      expect(told.fix).toContain('The published site is as it was.');
      expect(await published()).toBe('old');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'says where the old site is if it cannot be brought back, and the next build brings it back',
    async () => {
      await chmod(stagingFolder(output), 0o555);
      const { said } = swapInChild(6000);
      await expect.poll(() => existsSync(former()), { timeout: 30_000 }).toBe(true);
      // From now on neither of the two can be moved.
      await chmod(former(), 0o555);
      const { fix } = JSON.parse(await said);
      expect(fix).not.toContain('as it was');
      expect(fix).toContain(`There is no site at ${output} now`);
      expect(fix).toContain(former());
      await chmod(former(), 0o755);
      await recover(output);
      expect(await published()).toBe('old');
    },
  );
});
