import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCompiler } from '../../../scripts/commands/package.ts';
import { runHere } from '../../support/run-here.ts';
import { tempFolder } from '../../support/temp-folder.ts';

it.each([
  ["somebody's file", 'notes.txt', 'mine'],
  ['another package', 'package.json', '{"name":"another"}'],
  ['a checkout of this repository', 'package.json', '{"name":"vehicle-media-site","private":true}'],
])('the package replaces no folder with %s', async (_, name, text) => {
  const folder = tempFolder();
  const output = path.join(folder, 'dist');
  await mkdir(output);
  await writeFile(path.join(output, name), text);
  const { exitCode, stderr } = await runHere(['package', '--output', output]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('[output-not-ours]'),
  });
  expect(await readdir(output)).toEqual([name]);
});

it('the message about code that does not compile contains the output of the compiler', async () => {
  const folder = tempFolder();
  const file = path.join(folder, 'mine.ts');
  await writeFile(file, 'export const one: string = 1;\n');
  await expect(runCompiler(['--noEmit', '--ignoreConfig', file])).rejects.toMatchObject({
    code: 'package-not-compiled',
    exitCode: 2,
    why: expect.stringMatching(/mine\.ts.*TS2322/),
  });
});
