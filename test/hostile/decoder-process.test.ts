import { execFile } from 'node:child_process';
import { cp, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EncodeOutcome, Encoder } from '../../src/images/encode/pool.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { contentHash } from '../../src/images/recipes.ts';
import { mediaConfig } from '../support/image-pipeline.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { pixels } from './corpus/pictures.ts';

const PRETEND = fileURLToPath(new URL('./decoders/pretend.ts', import.meta.url));
const recipes = recipeBook(mediaConfig()).picture;

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

let arrived = 0;

/** Input of the encoder: a file in the store's folder with the bytes. */
async function jobOf(order: string | Buffer) {
  const bytes = Buffer.from(order);
  const file = path.join(folder, `arrived-${arrived++}`);
  await writeFile(file, bytes);
  return { hash: contentHash(bytes), file, recipes, maxPixels: 1e6 };
}

async function encodeAll(
  orders: readonly (string | Buffer)[],
  { timeout = 20_000, startTimeout = 30_000, entry = PRETEND } = {},
): Promise<(string | EncodeOutcome)[]> {
  await using encoder = new Encoder({
    concurrency: 3,
    timeout,
    startTimeout,
    folder,
    ...(entry && { entry }),
  });
  return await Promise.all(
    orders.map(async (order) => {
      const outcome = await encoder.encode(await jobOf(order));
      return outcome.ok ? 'fine' : outcome.code;
    }),
  );
}

describe('the decoder process', () => {
  it('that exits costs only the picture that caused it', async () => {
    const codes = await encodeAll(['a', 'crash', 'b', 'exit', 'c', 'd']);
    expect(codes).toEqual(['fine', 'picture-crash', 'fine', 'picture-crash', 'fine', 'fine']);
  });

  it('has its time again for a picture during which the build was stopped, as by Ctrl-Z', async () => {
    await using encoder = new Encoder({ concurrency: 1, timeout: 3100, folder, entry: PRETEND });
    expect((await encoder.encode(await jobOf('a'))).ok).toBe(true);
    const outcome = encoder.encode(await jobOf('late'));
    // Stops this thread for longer than the time of a picture.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3300);
    expect((await outcome).ok).toBe(true);
  });

  it('that hangs costs only the current picture, after its time limit', async () => {
    const start = performance.now();
    const result = await encodeAll(['a', 'hang', 'b', 'c'], { timeout: 1000 });
    expect(result).toEqual(['fine', 'picture-runaway', 'fine', 'fine']);
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  it('that crashes for ten pictures is not restarted, and the other pictures are kept', async () => {
    const result = await encodeAll([...Array(14).fill('exit'), 'a']);
    expect(result.filter((code) => code === 'picture-crash')).toHaveLength(10);
    expect(result.filter((code) => code === 'picture-not-tried')).toHaveLength(5);
  });

  it.each([
    [
      [
        'lie about the id',
        'lie about the hash',
        'climb in the hash',
        'climb in a name',
        'say null',
      ],
    ],
    [['markup as colour', 'no size', 'say nonsense', 'say a code of its own', 'say very much']],
  ])('is not trusted if it would %s', async (orders) => {
    const codes = await encodeAll(['a', ...orders, 'b']);
    expect(codes).toEqual(['fine', ...orders.map(() => 'picture-crash'), 'fine']);
  });

  it('stops the run after a fault of the machine and reports its output safely', async () => {
    await expect(encodeAll(['a', 'machine fault', 'b'])).rejects.toMatchObject({
      code: 'media-encoder-failed',
      exitCode: 5,
      why: expect.stringMatching(/\\u\{3a\}:add-mask::x\n\\u\{1b\}\[31mno room on the disk/),
    });
  });

  it.each([
    ['lacks a package', "import 'no-such-package';", 'no-such-package'],
    ['may not read its own code', "import '/etc/passwd';", 'has been restricted'],
    ['ends', 'process.exit(0);', 'it gave no reason'],
    ['hangs', 'setInterval(() => {}, 1000);', 'it was not ready after 2000 ms'],
  ])('that %s before it reads a picture is a fault of the machine', async (name, code, why) => {
    const entry = path.join(folder, 'entry.mjs');
    await writeFile(entry, code);
    const startTimeout = name === 'hangs' ? 2000 : 30_000;
    await expect(encodeAll(['a', 'b'], { entry, startTimeout })).rejects.toMatchObject({
      code: 'media-encoder-failed',
      message: expect.stringContaining('could not start'),
      why: expect.stringContaining(why),
    });
  });

  it('may take longer to start than to decode a picture', async () => {
    const entry = fileURLToPath(new URL('./decoders/slow.ts', import.meta.url));
    expect(await encodeAll(['a', 'b'], { entry, timeout: 1500 })).toEqual(['fine', 'fine']);
  });

  it('finds its packages if node_modules is a link to another folder', async () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const project = tempFolder();
    for (const name of ['src', 'package.json']) {
      await cp(path.join(root, name), path.join(project, name), { recursive: true });
    }
    await symlink(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
    const good = await pixels(50, 30).jpeg().toBuffer();
    const job = await jobOf(good);
    const script = path.join(project, 'encode.ts');
    await writeFile(
      script,
      `import { Encoder } from './src/images/encode/pool.ts';
      await using encoder = new Encoder({ concurrency: 1, timeout: 20_000, folder: ${JSON.stringify(folder)} });
      console.log((await encoder.encode(${JSON.stringify(job)})).ok);`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [script]);
    expect(stdout).toBe('true\n');
  });

  it('does not restart once it is closed', async () => {
    const encoder = new Encoder({ concurrency: 1, timeout: 20_000, folder, entry: PRETEND });
    const jobs = [await jobOf('a'), await jobOf('b'), await jobOf('c')] as const;
    const processes = () =>
      process.getActiveResourcesInfo().filter((one) => one === 'ProcessWrap').length;
    // Earlier test files may have left some.
    const before = processes();
    await encoder.encode(jobs[0]);
    expect(processes()).toBeGreaterThan(0);
    for (const job of jobs.slice(1)) encoder.encode(job).catch(() => {});
    // Its response arrives in the meantime and is only read after closing.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    await encoder[Symbol.asyncDispose]();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(processes()).toBeLessThanOrEqual(before);
    await expect(encoder.encode(jobs[0])).rejects.toThrow('closed');
  });

  it('has no environment, no access to other folders and no child processes', async () => {
    process.env.MEDIA_API_KEY_OF_THIS_TEST = 'b7d1f0aa-secret';
    await using encoder = new Encoder({ concurrency: 1, timeout: 20_000, folder, entry: PRETEND });
    const outcome = await encoder.encode(await jobOf('look round'));
    delete process.env.MEDIA_API_KEY_OF_THIS_TEST;
    expect(outcome.ok === false && outcome.message.split('; ')).toEqual([
      'environment MALLOC_ARENA_MAX,MALLOC_MMAP_THRESHOLD_,MALLOC_TRIM_THRESHOLD_,UV_THREADPOOL_SIZE',
      'passwd ERR_ACCESS_DENIED',
      'own folder ERR_ACCESS_DENIED',
      'write ERR_ACCESS_DENIED',
      'store done',
      'link ERR_ACCESS_DENIED',
      'program ERR_ACCESS_DENIED',
    ]);
  });

  it('is the real decoder and encodes pictures under these limits', async () => {
    const good = await pixels(500, 300).jpeg().toBuffer();
    expect(await encodeAll([good, 'no picture', good.subarray(0, 500)], { entry: '' })).toEqual([
      'fine',
      'picture-format',
      'picture-undecodable',
    ]);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'));
    expect(files.length).toBeGreaterThan(1);
    expect(
      files.filter(
        (name) => !/^[0-9a-f]{2}\/[0-9a-f]{18}-\d+-[0-9a-f]{6}\.(?:webp|jpg)$/.test(name),
      ),
    ).toEqual([]);
  });
});
