import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { removeFolder } from '../../../src/publish/remove-folder.ts';
import { temporaryFolder } from '../../support/build.ts';

/** A site of so many vehicles, with a link out of it in every place where one may be. */
function fill(folder: string, outside: string, vehicles: number): void {
  for (let vehicle = 0; vehicle < vehicles; vehicle++) {
    for (const below of [`north/v${vehicle}`, `embed/north/v${vehicle}`]) {
      mkdirSync(path.join(folder, below), { recursive: true });
      writeFileSync(path.join(folder, below, 'index.html'), '');
    }
  }
  for (const below of ['', 'north', 'embed/north', 'north/v0']) {
    symlinkSync(outside, path.join(folder, below, 'link'));
  }
}

it.each([1, 300, 3000])(
  'a site of %i vehicles is removed, and nothing that it links to',
  async (vehicles) => {
    await using temporary = await temporaryFolder();
    const [folder, outside] = [
      path.join(temporary.path, 'site'),
      path.join(temporary.path, 'mine'),
    ];
    mkdirSync(path.join(outside, 'below'), { recursive: true });
    writeFileSync(path.join(outside, 'below', 'kept'), '');
    fill(folder, outside, vehicles);
    await removeFolder(folder);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(outside, { recursive: true }).sort()).toEqual(['below', 'below/kept']);
  },
);

it('nothing is there to remove', async () => {
  await using temporary = await temporaryFolder();
  await expect(removeFolder(path.join(temporary.path, 'nothing'))).resolves.toBeUndefined();
});
