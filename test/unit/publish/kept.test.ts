import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Kept } from '../../../src/publish/kept.ts';
import { temporaryFolder } from '../../support/build.ts';

/** A build that asks for some results; returns those that it had to make. */
async function build(folder: string | undefined, inputs: readonly string[]): Promise<string[]> {
  const made: string[] = [];
  const kept = await Kept.open(folder);
  for (const input of inputs) {
    const result = await kept.of(['work', 1, input], () => {
      made.push(input);
      return `made of ${input}`;
    });
    expect(result).toBe(`made of ${input}`);
  }
  await kept.save();
  return made;
}

describe('what is kept', () => {
  it('is made once, until its input changes', async () => {
    await using folder = await temporaryFolder();
    expect(await build(folder.path, ['a', 'b'])).toEqual(['a', 'b']);
    expect(await build(folder.path, ['b', 'a'])).toEqual([]);
    expect(await build(folder.path, ['a', 'c'])).toEqual(['c']);
    // What the last build did not ask for is forgotten.
    expect(await build(folder.path, ['a', 'b', 'c'])).toEqual(['b']);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -5)],
    ['altered', (text: string) => text.replace('made of a', 'made of A')],
    ['emptied', () => ''],
    ['of a later version', (text: string) => text.replace('"version":1', '"version":2')],
  ])('is made again where the file is %s', async (_, damage) => {
    await using folder = await temporaryFolder();
    await build(folder.path, ['a']);
    const file = path.join(folder.path, 'kept');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, damage(whole));
    expect(await build(folder.path, ['a'])).toEqual(['a']);
    expect(await readFile(file, 'utf8')).toBe(whole);
  });

  it('is not what failed, and without a cache it is nothing', async () => {
    await using folder = await temporaryFolder();
    const kept = await Kept.open(folder.path);
    const failing = kept.of(['a'], () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await kept.of(['a'], () => 'yes')).toBe('yes');
    expect(await build(undefined, ['a'])).toEqual(['a']);
    expect(await build(undefined, ['a'])).toEqual(['a']);
  });
});
