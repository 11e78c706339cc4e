import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recover, stagingFolder, swap, workFolder } from '../../../src/publish/swap.ts';
import { temporaryFolder } from '../../support/build.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let output: string;

async function site(where: string, text: string) {
  await mkdir(where, { recursive: true });
  await writeFile(path.join(where, 'index.html'), text);
}
const former = () => path.join(workFolder(output), 'former');
const published = () => readFile(path.join(output, 'index.html'), 'utf8');

beforeEach(async () => {
  folder = await temporaryFolder();
  output = path.join(folder.path, 'site');
});
afterEach(() => folder[Symbol.asyncDispose]());

describe('swap', () => {
  it('puts a first site in place', async () => {
    await site(stagingFolder(output), 'new');
    await swap(output);
    expect(await published()).toBe('new');
    expect(existsSync(stagingFolder(output))).toBe(false);
  });

  it('replaces a site as a whole, and leaves nothing of it', async () => {
    await site(output, 'old');
    await writeFile(path.join(output, 'only-in-old.html'), '');
    await site(stagingFolder(output), 'new');
    await swap(output);
    expect(await published()).toBe('new');
    expect(existsSync(path.join(output, 'only-in-old.html'))).toBe(false);
    expect(await readdir(workFolder(output))).toEqual([]);
  });
});

describe('recover', () => {
  it('brings back a site that was moved aside', async () => {
    await site(output, 'old');
    await mkdir(workFolder(output), { recursive: true });
    await rename(output, former());
    await site(stagingFolder(output), 'half');
    await recover(output);
    expect(await published()).toBe('old');
    expect(await readdir(workFolder(output))).toEqual([]);
  });

  it('keeps a new site that already took its place', async () => {
    await site(output, 'new');
    await site(former(), 'old');
    await recover(output);
    expect(await published()).toBe('new');
    expect(existsSync(former())).toBe(false);
  });
});

describe('a rename that is refused', () => {
  /** The user of the child: one that file rights count for. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
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

  function swapInChild(patience: number) {
    const script = path.resolve(import.meta.dirname, '../../support/swap-child.ts');
    const args = [script, output, String(patience)];
    const running = promisify(execFile)(process.execPath, args, user);
    return { child: running.child, said: running.then(({ stdout }) => stdout.trim()) };
  }

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
    'leaves the old site aside if it is killed meanwhile, and the next build brings it back',
    async () => {
      await chmod(stagingFolder(output), 0o555);
      const { child, said } = swapInChild(60_000);
      await expect.poll(() => existsSync(former()), { timeout: 30_000 }).toBe(true);
      child.kill('SIGKILL');
      await expect(said).rejects.toMatchObject({ signal: 'SIGKILL' });
      expect(existsSync(output)).toBe(false);
      await recover(output);
      expect(await published()).toBe('old');
      expect(await readdir(workFolder(output))).toEqual([]);
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
