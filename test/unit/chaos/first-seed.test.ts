import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../.ci/first-seed');

const firstSeed = (project: string) => {
  const ran = spawnSync(path.join(project, '.ci/first-seed'), { encoding: 'utf8' });
  return { status: ran.status, seed: ran.stdout, printed: ran.stderr };
};

it('derives the first seed of CI from the commit and prints a default without one', async () => {
  const folder = tempFolder();
  cpSync(SCRIPT, path.join(folder, '.ci/first-seed'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@cars.test', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  expect(firstSeed(folder)).toEqual({
    status: 0,
    seed: '1\n',
    printed: expect.stringContaining('no commit'),
  });
  git('init', '--quiet');
  expect(firstSeed(folder).seed).toBe('1\n');
  const seeds = ['one', 'two'].map((message) => {
    git('commit', '--quiet', '--allow-empty', '--message', message);
    expect(firstSeed(folder)).toEqual(firstSeed(folder));
    return firstSeed(folder).seed;
  });
  const digits = git('rev-parse', 'HEAD').slice(0, 7);
  expect(seeds[1]).toBe(`${Number.parseInt(digits, 16)}\n`);
  expect(seeds[0]).not.toBe(seeds[1]);
});
