import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sealed, unsealed } from '../../../src/media/store/dealer-file.ts';
import { putOutput, removeOutputs } from '../../../src/media/store/folder.ts';
import { listOutputs } from '../../../src/media/store/listing.ts';

let root: string;
/** Folders that were read, with their names below the store. */
let read: string[];

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'listing-'));
  read = [];
  // The real call, and a note of it.
  const { readdirSync } = fs;
  vi.spyOn(fs, 'readdirSync').mockImplementation(((folder: string, options: never) => {
    read.push(path.relative(store(), folder));
    return readdirSync(folder, options);
  }) as never);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true, force: true });
});

const store = () => path.join(root, 'files');
const memory = () => path.join(root, 'listing');
const name = (shard: string, picture: number, end = '-320-aaaaaa.webp') =>
  `${shard}/${String(picture).padStart(18, '0')}${end}`;
const put = (...names: string[]) =>
  Promise.all(names.map((one) => putOutput(store(), one, Buffer.from('x'))));

/** Long enough for a change to be told from the one before. */
const settle = () => sleep(100);

/** What a listing says, and which shards it read for that. */
function list() {
  read = [];
  const listing = listOutputs(store(), memory());
  const shards = read.filter((folder) => folder !== '').sort();
  const { outputs, leftovers, remember } = listing;
  // Whatever is remembered, it says what a listing without memory does.
  const all = listOutputs(store());
  expect([...outputs].sort()).toEqual([...all.outputs].sort());
  expect(outputs.size).toBe(all.outputs.size);
  expect(leftovers).toEqual(all.leftovers);
  return { names: [...outputs].sort(), leftovers, read: shards, remember };
}

const NAMES = [
  name('0a', 1),
  name('0a', 1, '-640-bbbbbb.jpg'),
  name('0a', 2),
  name('ff', 3, '-640-bbbbbb.jpg'),
];

/** A store that the next listing knows. */
async function rememberedStore(): Promise<void> {
  await put(...NAMES);
  await settle();
  await list().remember();
}

describe('listOutputs', () => {
  it('reads no folder that it remembers', async () => {
    await put(...NAMES);
    await settle();
    const first = list();
    expect(first.read).toEqual(['0a', 'ff']);
    expect(first.names).toEqual(NAMES);
    await first.remember();
    const second = list();
    expect(second.read).toEqual([]);
    expect(second.names).toEqual(NAMES);
  });

  it('writes its memory only where something changed', async () => {
    await rememberedStore();
    const written = () => statSync(memory()).ino;
    const before = written();
    await list().remember();
    expect(written()).toBe(before);
    await put(name('0b', 4));
    await settle();
    await list().remember();
    expect(written()).not.toBe(before);
  });

  it('remembers what a run added and removed', async () => {
    await rememberedStore();
    const run = list();
    await put(name('0b', 4), name('ff', 5));
    await removeOutputs(store(), [name('0a', 1)]);
    await settle();
    await run.remember();
    const next = list();
    expect(next.read).toEqual([]);
    expect(next.names).toEqual(
      [
        name('0a', 1, '-640-bbbbbb.jpg'),
        name('0a', 2),
        name('0b', 4),
        NAMES[3],
        name('ff', 5),
      ].sort(),
    );
  });

  it.each<[string, () => unknown, string[]]>([
    ['a file was added', () => put(name('0a', 9)), ['0a']],
    [
      'a file was removed',
      () => removeOutputs(store(), [name('ff', 3, '-640-bbbbbb.jpg')]),
      ['ff'],
    ],
    ['a folder was added', () => put(name('0b', 9)), ['0b']],
    ['a folder was removed', () => rmSync(path.join(store(), '0a'), { recursive: true }), []],
    ['all was removed', () => rmSync(store(), { recursive: true }), []],
    [
      'a folder was made anew with other files',
      async () => {
        rmSync(path.join(store(), '0a'), { recursive: true });
        await put(name('0a', 8));
      },
      ['0a'],
    ],
    [
      'another folder took the place of one',
      async () => {
        await put(name('0c', 8));
        await settle();
        await list().remember();
        rmSync(path.join(store(), '0a'), { recursive: true });
        fs.renameSync(path.join(store(), '0c'), path.join(store(), '0a'));
      },
      ['0a'],
    ],
  ])('sees that %s', async (_, change, expected) => {
    await rememberedStore();
    await change();
    await settle();
    const { read: shards, names, remember } = list();
    expect(shards).toEqual(expected);
    expect(names).not.toEqual(NAMES);
    await remember();
    expect(list().read).toEqual([]);
  });

  it('sees a change although the time of the folder was set back', async () => {
    const setBack = () => utimesSync(path.join(store(), '0a'), 1_000_000_000, 1_000_000_000);
    await put(...NAMES);
    setBack();
    await settle();
    await list().remember();
    expect(list().read).toEqual([]);
    await put(name('0a', 9));
    setBack();
    await settle();
    expect(list().names).toContain(name('0a', 9));
  });

  it('sees that a link took the place of a file', async () => {
    await rememberedStore();
    rmSync(path.join(store(), name('0a', 1)));
    symlinkSync('/etc/passwd', path.join(store(), name('0a', 1)));
    await settle();
    const { names, leftovers } = list();
    expect(names).toEqual(NAMES.slice(1));
    expect(leftovers).toEqual([name('0a', 1)]);
  });

  it('sees that a link took the place of a folder, and never follows it', async () => {
    await rememberedStore();
    fs.renameSync(path.join(store(), '0a'), path.join(root, 'elsewhere'));
    symlinkSync(path.join(root, 'elsewhere'), path.join(store(), '0a'));
    await settle();
    const { names, leftovers, read: shards, remember } = list();
    expect(names).toEqual(NAMES.slice(3));
    expect(leftovers).toEqual(['0a']);
    expect(shards).toEqual([]);
    await remember();
    expect(list().leftovers).toEqual(['0a']);
  });

  it.each(['a.tmp', `${name('0a', 7).slice(3)}.1a2b-0.tmp`, 'notes.txt'])(
    'remembers no folder with something odd in it (%s)',
    async (odd) => {
      await rememberedStore();
      writeFileSync(path.join(store(), '0a', odd), '');
      await settle();
      for (let run = 0; run < 2; run++) {
        const { leftovers, read: shards, names, remember } = list();
        expect(shards).toEqual(['0a']);
        // What no run of ours can have left is somebody's, and stays.
        expect(leftovers).toEqual(odd.startsWith('0') ? [`0a/${odd}`] : []);
        expect(names).toEqual(NAMES);
        await remember();
      }
      rmSync(path.join(store(), '0a', odd));
      await settle();
      await list().remember();
      expect(list().read).toEqual([]);
    },
  );

  it('does not remember what is too new to be told from what may follow', async () => {
    await put(...NAMES);
    const changed = Math.max(
      ...['0a', 'ff'].map((shard) => statSync(path.join(store(), shard)).ctimeMs),
    );
    vi.useFakeTimers({ toFake: ['Date'], now: changed + 5 });
    await list().remember();
    vi.setSystemTime(changed + 1000);
    const { read: shards, remember } = list();
    expect(shards).toEqual(['0a', 'ff']);
    await remember();
    expect(list().read).toEqual([]);
  });

  it.each<[string, (text: string) => string]>([
    ['torn', (text) => text.slice(0, -40)],
    ['empty', () => ''],
    ['changed by one byte', (text) => text.replace('aaaaaa', 'aaaaab')],
    ['of another version', (text) => sealed((unsealed(text) ?? '').replace(/^\[\d+/, '[99'))],
  ])('does not believe a memory that is %s, and makes it anew', async (_, damage) => {
    await rememberedStore();
    const good = readFileSync(memory(), 'utf8');
    const bad = damage(good);
    expect(bad).not.toBe(good);
    writeFileSync(memory(), bad);
    const { read: shards, names, remember } = list();
    expect(shards).toEqual(['0a', 'ff']);
    expect(names).toEqual(NAMES);
    await remember();
    expect(readFileSync(memory(), 'utf8')).toBe(good);
  });

  it('lists a store that is not there yet', async () => {
    const { names, remember } = list();
    expect(names).toEqual([]);
    await remember();
    expect(existsSync(memory())).toBe(false);
    mkdirSync(store());
    expect(list().names).toEqual([]);
  });
});
