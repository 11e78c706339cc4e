import { execFile } from 'node:child_process';
import fs, { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recover, stagingFolder, swap, workFolder } from '../../../src/publish/output/swap.ts';
import { readTree, temporaryFolder } from '../../support/build.ts';

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

describe('thumbnails that stay', () => {
  const OLD = { 'index.html': 'old', 'media/ab/both': 'torn', 'media/ab/surplus': 'surplus' };
  const NEXT = { 'index.html': 'new', 'media/ab/both': 'both', 'media/cd/added': 'added' };
  const THUMBNAILS = { 'media/ab/both': 'both', 'media/cd/added': 'added' };
  const { 'media/ab/both': _, ...WHOLE } = OLD;
  async function write(where: string, files: Record<string, string>) {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(where, file)), { recursive: true });
      await writeFile(path.join(where, file), text);
    }
  }
  const tree = async () => Object.fromEntries(await readTree(output));
  const swapped = () => swap(output, { mediaStays: true, timeout: 300 });
  beforeEach(async () => {
    await write(output, OLD);
    await write(stagingFolder(output), NEXT);
  });

  it('go on into the new site, with those that are added and those that take the place of one', async () => {
    const inode = () => fs.statSync(path.join(output, 'media')).ino;
    const before = inode();
    await swapped();
    expect(await tree()).toEqual({ ...NEXT, 'media/ab/surplus': 'surplus' });
    expect(inode()).toBe(before);
    expect(await readdir(workFolder(output))).toEqual([]);
  });

  /** What is renamed, one after the other. */
  const STEPS = {
    'a thumbnail': () => path.join(output, 'media/cd/added'),
    'the published site': () => former(),
    'its thumbnails': () => path.join(stagingFolder(output), 'media'),
    'the new site': () => output,
  };
  const steps = Object.entries(STEPS);

  /** Has the system refuse renames to a place. */
  async function refusing(to: string, times: number, test: () => Promise<void>) {
    const { renameSync } = fs;
    let left = times;
    const spy = vi.spyOn(fs, 'renameSync').mockImplementation((one, other) => {
      if (other === to && left-- > 0) throw Object.assign(new Error('busy'), { code: 'EPERM' });
      renameSync(one, other);
    });
    syncBuiltinESMExports();
    try {
      await test();
    } finally {
      spy.mockRestore();
      syncBuiltinESMExports();
    }
  }

  it.each(steps)('are waited for where %s cannot be moved for a moment', async (_, to) => {
    await refusing(to(), 2, swapped);
    expect(await tree()).toEqual({ ...NEXT, 'media/ab/surplus': 'surplus' });
  });

  it.each(steps)('are in the old site where %s cannot be moved', async (name, to) => {
    // What is put back afterwards goes to the same place.
    const times = name === 'the new site' ? 6 : Number.POSITIVE_INFINITY;
    await refusing(to(), times, async () => {
      await expect(swapped()).rejects.toMatchObject({
        code: 'publish-not-replaced',
        fix: expect.stringContaining('The published site is as it was.'),
      });
    });
    const added = name === 'a thumbnail' ? { 'media/ab/both': 'both' } : THUMBNAILS;
    expect(await tree()).toEqual({ ...WHOLE, ...added });
    await recover(output);
    expect(await tree()).toEqual({ ...WHOLE, ...added });
    expect(await readdir(workFolder(output))).toEqual([]);
  });

  it.each([
    ['is put back', 1],
    ['is put back, of which the thumbnails come first', 0],
  ])(
    'are where the next build finds them if nothing %s',
    async (_, back) => {
      const own = path.join(former(), 'media');
      const { renameSync } = fs;
      const spy = vi.spyOn(fs, 'renameSync').mockImplementation((one, other) => {
        const isBack = other === own ? back === 0 : other === output;
        if (isBack) throw Object.assign(new Error('busy'), { code: 'EPERM' });
        renameSync(one, other);
      });
      syncBuiltinESMExports();
      try {
        const places =
          back === 0 ? `${former()} and ${path.join(stagingFolder(output), 'media')}` : former();
        await expect(swapped()).rejects.toMatchObject({
          fix: expect.stringContaining(
            `There is no site at ${output} now. The former one is whole, in ${places}:`,
          ),
        });
        expect(existsSync(own)).toBe(back === 1);
        expect(existsSync(output)).toBe(false);
      } finally {
        spy.mockRestore();
        syncBuiltinESMExports();
      }
      await recover(output);
      expect(await tree()).toEqual({ ...WHOLE, ...THUMBNAILS });
      expect(await readdir(workFolder(output))).toEqual([]);
    },
    60_000,
  );

  it('come back with the old site, whichever renames were done before a kill', async () => {
    await rename(output, former());
    await recover(output);
    expect(await tree()).toEqual(OLD);

    await write(stagingFolder(output), { 'index.html': 'new' });
    await rename(output, former());
    await rename(path.join(former(), 'media'), path.join(stagingFolder(output), 'media'));
    await recover(output);
    expect(await tree()).toEqual(OLD);
    expect(await readdir(workFolder(output))).toEqual([]);
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
