import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putOutput } from '../../../src/media/store/folder.ts';
import { listOutputs } from '../../../src/media/store/listing.ts';
import { temporaryFolder } from '../../support/build.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const store = () => path.join(folder.path, 'files');
const name = (shard: string, picture: number, end = '-320-aaaaaa.webp') =>
  `${shard}/${String(picture).padStart(18, '0')}${end}`;
const NAMES = [
  name('0a', 1),
  name('0a', 1, '-640-bbbbbb.jpg'),
  name('0a', 2),
  name('ff', 3, '-640-bbbbbb.jpg'),
];

const list = () => {
  const { outputs, leftovers } = listOutputs(store());
  return { names: [...outputs].sort(), leftovers };
};

beforeEach(async () => {
  folder = await temporaryFolder();
  for (const one of NAMES) await putOutput(store(), one, Buffer.from('x'));
});
afterEach(() => folder[Symbol.asyncDispose]());

describe('listOutputs', () => {
  it('says what is in a store, also where that is nothing', () => {
    expect(list()).toEqual({ names: NAMES, leftovers: [] });
    rmSync(store(), { recursive: true });
    expect(list()).toEqual({ names: [], leftovers: [] });
    mkdirSync(store());
    expect(list()).toEqual({ names: [], leftovers: [] });
  });

  it('follows no link, neither in the place of a file nor of a folder', () => {
    rmSync(path.join(store(), name('0a', 1)));
    symlinkSync('/etc/passwd', path.join(store(), name('0a', 1)));
    expect(list()).toEqual({ names: NAMES.slice(1), leftovers: [name('0a', 1)] });
    renameSync(path.join(store(), '0a'), path.join(folder.path, 'elsewhere'));
    symlinkSync(path.join(folder.path, 'elsewhere'), path.join(store(), '0a'));
    expect(list()).toEqual({ names: NAMES.slice(3), leftovers: ['0a'] });
  });

  it.each(['a.tmp', `${name('0a', 7).slice(3)}.1a2b-0.tmp`, 'notes.txt'])(
    'names what a killed run may have left, and nothing else (%s)',
    (odd) => {
      writeFileSync(path.join(store(), '0a', odd), '');
      // What no run of ours can have left is somebody's, and stays.
      const leftovers = odd.startsWith('0') ? [`0a/${odd}`] : [];
      expect(list()).toEqual({ names: NAMES, leftovers });
    },
  );
});
