import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  discardStaged,
  recover,
  stagingFolder,
  swap,
  workFolder,
} from '../../../src/publish/output/swap.ts';
import { readTree } from '../../support/build.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { refusing } from '../../support/refusing.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let output: string;

const former = () => path.join(workFolder(output), 'former');

beforeEach(() => {
  output = path.join(tempFolder(), 'site');
});

describe('a new site replaces the old one, and the thumbnails of both', () => {
  const OLD = { 'index.html': 'old', 'media/ab/both': 'torn', 'media/ab/surplus': 'surplus' };
  const NEXT = { 'index.html': 'new', 'media/ab/both': 'both', 'media/cd/added': 'added' };
  const THUMBNAILS = { 'media/ab/both': 'both', 'media/cd/added': 'added' };
  const { 'media/ab/both': _, ...WHOLE } = OLD;
  const tree = async () => Object.fromEntries(await readTree(output));
  const swapped = async () => swap(output, true, 300);
  beforeEach(async () => {
    await writeFilesBelow(output, OLD);
    await writeFilesBelow(stagingFolder(output), NEXT);
  });

  it('move into the new site, with added and replaced ones', async () => {
    const inode = () => statSync(path.join(output, 'media')).ino;
    const before = inode();
    await swapped();
    expect(await tree()).toEqual({ ...NEXT, 'media/ab/surplus': 'surplus' });
    expect(inode()).toBe(before);
    expect(await readdir(workFolder(output))).toEqual([]);
  });

  /** Targets of the renames, in their order. */
  const STEPS = {
    'a thumbnail': () => path.join(output, 'media/cd/added'),
    'the published site': () => former(),
    'its thumbnails': () => path.join(stagingFolder(output), 'media'),
    'the new site': () => output,
  };
  const steps = Object.entries(STEPS);

  /** Makes the system refuse some renames to a path. */
  function refusingTo(path: string, times = Number.POSITIVE_INFINITY) {
    let left = times;
    return refusing('renameSync', (_, to) => to === path && left-- > 0);
  }

  it.each(steps)('are retried if %s cannot be moved for a moment', async (_, to) => {
    using _refused = refusingTo(to(), 2);
    await swapped();
    expect(await tree()).toEqual({ ...NEXT, 'media/ab/surplus': 'surplus' });
  });

  it.each(steps)('stay in the old site if %s cannot be moved', async (name, to) => {
    // Moving the old site back uses the same path.
    {
      using _refused = refusingTo(to(), name === 'the new site' ? 6 : undefined);
      await expect(swapped()).rejects.toMatchObject({
        code: 'publish-not-replaced',
        fix: expect.stringContaining('The published site is unchanged.'),
      });
    }
    const added = name === 'a thumbnail' ? { 'media/ab/both': 'both' } : THUMBNAILS;
    expect(await tree()).toEqual({ ...WHOLE, ...added });
    await recover(output);
    expect(await tree()).toEqual({ ...WHOLE, ...added });
    expect(await readdir(workFolder(output))).toEqual([]);
  });

  it.each([
    ['is put back', 1],
    ['is put back, of which the thumbnails come first', 0],
  ])('are found by the next build if nothing %s', async (_, back) => {
    const formerMedia = path.join(former(), 'media');
    {
      using _refused = refusing(
        'renameSync',
        (_from, to) => to === output || (back === 0 && to === formerMedia),
      );
      const places =
        back === 0 ? `${former()} and ${path.join(stagingFolder(output), 'media')}` : former();
      await expect(swapped()).rejects.toMatchObject({
        fix: expect.stringContaining(
          `There is currently no site at ${output}. The previous site is complete in ${places}.`,
        ),
      });
      expect(existsSync(formerMedia)).toBe(back === 1);
      expect(existsSync(output)).toBe(false);
    }
    discardStaged(output);
    await recover(output);
    expect(await tree()).toEqual({ ...WHOLE, ...THUMBNAILS });
    expect(await readdir(workFolder(output))).toEqual([]);
  });
});
