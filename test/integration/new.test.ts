import { readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTree } from '../support/build.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

const FLAGS = ['--service', 'https://media.test', '--url', 'https://cars.test', '--dealer', '7=A'];
const env = { MEDIA_API_KEY: 'k'.repeat(40) };

/** A set-up project of the command, without its packages. */
const PROJECT = {
  'package.json': JSON.stringify({
    dependencies: { 'vehicle-media-site': 'file:vendor/vehicle-media-site-0.1.0-abc.tgz' },
  }),
  'site.config.ts': 'export default {};\n',
  'pnpm-lock.yaml': '',
};

async function refusal(
  folder: string,
  args: readonly string[],
  more: Record<string, string> = env,
): Promise<string> {
  const ran = await runHere(['new', ...args], { cwd: folder, env: more });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  return ran.stderr;
}

describe('npm run new refuses, and changes nothing', () => {
  it('a clone of this program, folders in it, and links to it', async () => {
    const folder = tempFolder();
    await symlink(path.resolve('.'), path.join(folder, 'link'));
    await writeFilesBelow(path.join(folder, 'other'), {
      'package.json': '{ "name": "vehicle-media-site" }',
    });
    for (const target of [
      path.resolve('.'),
      path.resolve('my-site'),
      'link/a/b',
      'other/my-site',
    ]) {
      const stderr = await refusal(folder, [target, ...FLAGS]);
      expect(stderr).toContain('is in a clone of this program');
      expect(stderr).toContain('[new-folder]');
    }
    expect(await readdir('.')).not.toContain('my-site');
    expect(await readdir(path.join(folder, 'other'))).toEqual(['package.json']);
  });

  it.each([
    ['a file', { 'mine.txt': '1' }, 'not empty: mine.txt'],
    [
      'a project with another source of the program',
      { 'package.json': '{ "dependencies": { "vehicle-media-site": "^1.0.0" } }' },
      'not empty: package.json',
    ],
    ['a package.json that cannot be read', { 'package.json': '{' }, 'not empty: package.json'],
  ])('a folder with %s', async (_, files, text) => {
    const folder = tempFolder();
    await writeFilesBelow(path.join(folder, 'used'), files as Record<string, string>);
    const before = await readTree(folder);
    expect(await refusal(folder, ['used', ...FLAGS])).toContain(text);
    expect(await readTree(folder)).toEqual(before);
  });

  it('a missing folder, a file, and a name that is too long', async () => {
    const folder = tempFolder();
    await writeFile(path.join(folder, 'file'), '1');
    expect(await refusal(folder, FLAGS)).toContain('no folder was given');
    expect(await refusal(folder, ['file', ...FLAGS])).toContain('cannot be used');
    expect(await refusal(folder, ['file/a', ...FLAGS])).toContain('cannot be used');
    expect(await refusal(folder, ['x'.repeat(300), ...FLAGS])).toContain('too long');
    expect(await readdir(folder)).toEqual(['file']);
  });

  it.each<[string, string[], string, Record<string, string>?]>([
    ['an option', [...FLAGS, '--dealers', '7=A'], 'Did you mean --dealer?'],
    ['a package manager', [...FLAGS, '--package-manager', 'pnmp'], 'Did you mean pnpm?'],
    ['a CI', [...FLAGS, '--ci', 'githb'], '--ci cannot be used.'],
    ['a dealer', [...FLAGS, '--dealer', 'nonsense'], '[init-answer]'],
    ['no answers without a terminal', [], '[init-missing]'],
    ['a missing key', FLAGS, '[init-key-missing]', {}],
  ])('a mistake in %s', async (_, args, text, environment = env) => {
    const folder = tempFolder();
    expect(await refusal(folder, ['my-site', ...args], environment)).toContain(text);
    expect(await readdir(folder)).toEqual([]);
  });

  it('another package manager, or options of init, in an existing project', async () => {
    const folder = tempFolder();
    await writeFilesBelow(path.join(folder, 'site'), PROJECT);
    const before = await readTree(folder);
    expect(await refusal(folder, ['site', '--package-manager', 'npm'])).toContain(
      'is installed with pnpm',
    );
    expect(await refusal(folder, ['site', '--title', 'A'])).toContain('--title has no effect');
    expect(await readTree(folder)).toEqual(before);
  });
});
