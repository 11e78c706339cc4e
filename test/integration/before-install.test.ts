import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { freshClone, shell } from '../support/checkout.ts';
import { tempFolder } from '../support/temp-folder.ts';

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

it('before npm ci, every script of a clone asks for it, with any Node', async () => {
  const folder = tempFolder();
  const clone = path.join(folder, 'clone');
  await freshClone(clone, 'none');
  expect(Object.keys(scripts).length).toBeGreaterThan(30);
  // One script for each form of the words that ask.
  const forms = new Map(
    Object.values(scripts).map((line) => [line.replace(/(?<=installed\.cjs) .*/, ''), line]),
  );
  expect(forms.size).toBeLessThan(6);
  for (const line of forms.values()) {
    const ran = await shell(line, { cwd: clone });
    expect(ran, `${line}: ${ran.stdout}${ran.stderr}`).toMatchObject({ stderr: ASKS, exitCode: 2 });
  }
  const npm = await shell('npm run --silent build', { cwd: clone });
  expect(npm, npm.stdout).toMatchObject({ stderr: ASKS, exitCode: 2 });
});

const ASKS = expect.stringMatching(
  /^The packages of this repository are not installed\.\n {2}Do: {2}Run this first: npm ci$/m,
);

it('with packages, an old Node is refused with a message', async () => {
  const folder = tempFolder();
  const at = (name: string) => path.join(folder, name);
  await mkdir(at('node_modules/zod'), { recursive: true });
  await cp('scripts/installed.cjs', at('scripts/installed.cjs'));
  const text = await readFile(at('scripts/installed.cjs'), 'utf8');
  // These Node versions cannot parse newer syntax.
  expect(text).not.toMatch(/\?\.|\?\?|^import /m);
  const check = () => shell('node scripts/installed.cjs', { cwd: folder });
  await writeFile(
    at('scripts/installed.cjs'),
    text.replaceAll('process.versions.node', "'26.0.0'"),
  );
  expect(await check()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  await writeFile(
    at('scripts/installed.cjs'),
    text.replaceAll('process.versions.node', "'18.20.1'"),
  );
  const ran = await check();
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('needs Node 24 or newer. This is 18.20.1.');
});
