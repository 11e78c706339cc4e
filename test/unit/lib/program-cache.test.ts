import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cachedForProgram } from '../../../src/lib/program-cache.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A build that requests some results. Returns the results that it had to compute. */
async function build(folder: string, inputs: readonly string[]): Promise<string[]> {
  const made: string[] = [];
  for (const input of inputs) {
    const make = () => {
      made.push(input);
      return `made of ${input}`;
    };
    const result = await cachedForProgram(['work', 1, input], make, folder);
    expect(result).toBe(`made of ${input}`);
  }
  return made;
}

describe('a cached program', () => {
  it('is built once until its input changes', async () => {
    const folder = tempFolder();
    expect(await build(folder, ['a', 'b'])).toEqual(['a', 'b']);
    expect(await build(folder, ['b', 'a'])).toEqual([]);
    expect(await build(folder, ['a', 'c'])).toEqual(['c']);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -5)],
    ['altered', (text: string) => text.replace('made of a', 'made of A')],
    ['emptied', () => ''],
  ])('is built again if the file is %s', async (_, damage) => {
    const folder = tempFolder();
    await build(folder, ['a']);
    const [name = ''] = await readdir(folder);
    const file = path.join(folder, name);
    const intact = await readFile(file, 'utf8');
    await writeFile(file, damage(intact));
    expect(await build(folder, ['a'])).toEqual(['a']);
    expect(await readFile(file, 'utf8')).toBe(intact);
  });

  it('is not used after a failure or without a folder', async () => {
    const folder = tempFolder();
    const failing = () => {
      throw new Error('no');
    };
    await expect(cachedForProgram(['a'], failing, folder)).rejects.toThrow('no');
    expect(await cachedForProgram(['a'], () => 'yes', folder)).toBe('yes');
    const file = path.join(folder, 'no-folder');
    await writeFile(file, '');
    expect(await build(file, ['a'])).toEqual(['a']);
    expect(await build(file, ['a'])).toEqual(['a']);
  });
});
