import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ENVIRONMENT, type Ran } from './command.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const NAME = 'vehicle-media-site';

/** Compiles this repository to the package that is published. */
export async function compilePackage(folder: string): Promise<void> {
  await run(process.execPath, ['scripts/run.ts', 'package', '--output', folder], { cwd: ROOT });
}

/** The packages of this checkout in a project: links of files, because the decoder may read no others. */
export async function linkPackages(project: string): Promise<void> {
  const [from, to] = [path.join(ROOT, 'node_modules'), path.join(project, 'node_modules')];
  await run('cp', ['-al', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await run('cp', ['-a', from, to]);
  });
}

/** Puts the package into a project in place of the one that is there; texts and names of its files may be changed. */
export async function installPackage(
  project: string,
  compiled: string,
  change: (file: string, text: string) => string,
  renamed: Readonly<Record<string, string>> = {},
): Promise<void> {
  const target = path.join(project, 'node_modules', NAME);
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await cp(compiled, target, { recursive: true });
  for (const name of await readdir(target, { recursive: true })) {
    if (!/(?:^src\/.*\.js|\.njk|package\.json)$/.test(name)) continue;
    const file = path.join(target, name);
    const text = await readFile(file, 'utf8');
    const changed = change(name, text);
    if (changed !== text) await writeFile(file, changed);
  }
  for (const [from, to] of Object.entries(renamed)) {
    await rename(path.join(target, from), path.join(target, to));
  }
}

/** A command of the package, as npm's script of the project starts it. */
export const packageCommand = (
  project: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ran> =>
  new Promise((resolve) => {
    const bin = path.join('node_modules', NAME, 'scripts', 'bin.js');
    const child = execFile(
      process.execPath,
      [bin, ...args],
      { cwd: project, env: { PATH: ENVIRONMENT.PATH, ...env }, timeout: 120_000 },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
