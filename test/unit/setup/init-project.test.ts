import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  ignoreFile,
  planProjectFiles,
  readmeFile,
  THEME_EXAMPLE,
} from '../../../src/setup/init/project-files.ts';
import { commitFirst, makeRepository, uncommitted } from '../../../src/setup/init/repository.ts';
import { writeProjectFiles } from '../../../src/setup/init/write.ts';
import { packageManagerOf, planScripts } from '../../../src/setup/project.ts';
import { EXAMPLE, exampleWith } from '../../support/example-answers.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const SCRIPTS = { manager: 'npm', scripts: ['build', 'dev'] } as const;
const git = (cwd: string, ...args: string[]) => promisify(execFile)('git', args, { cwd });

describe('.gitignore', () => {
  it('keeps keys, packages and generated files out of git', async () => {
    const folder = tempFolder();
    await git(folder, 'init', '--quiet');
    await writeFile(path.join(folder, '.gitignore'), ignoreFile(undefined, 'yarn'));
    const ignored = async (file: string) =>
      git(folder, 'check-ignore', '--quiet', file).then(
        () => true,
        () => false,
      );
    const secret = ['.env', '.env.local', '.batches/history.sqlite'];
    const generated = ['node_modules/a/b.js', '_site/index.html', '.yarn/install-state.gz'];
    for (const file of [...secret, ...generated, '.cache/a']) {
      expect(await ignored(file), file).toBe(true);
    }
    for (const file of ['site.config.ts', '.env.example', 'theme/assets/theme.css', 'yarn.lock']) {
      expect(await ignored(file), file).toBe(false);
    }
  });

  it('gets only missing lines', () => {
    const userLines = '# mine\r\n/node_modules\r\n.env\r\nsecret';
    const text = ignoreFile(userLines, 'npm');
    expect(text.startsWith(`${userLines}\r\n`)).toBe(true);
    expect(text).not.toMatch(/^node_modules|(?<!\r)\n/m);
    expect(text.match(/^\.env\r$/gm)).toHaveLength(1);
    expect(text).toContain('\r\n_site/\r\n');
    expect(ignoreFile(text, 'npm')).toBe(text);
  });
});

describe('scripts of package.json', () => {
  /** Plans scripts for a project with this manifest. */
  const plan = async (text: string | undefined, ...scripts: ('build' | 'dev')[]) => {
    const folder = tempFolder();
    if (text !== undefined) await writeFile(path.join(folder, 'package.json'), text);
    return planScripts(folder, scripts);
  };

  it('are added if their names are free, and nothing else changes', async () => {
    const former = '{\n\t"name": "mine",\n\t"scripts": {\n\t\t"build": "astro build"\n\t}\n}';
    const added = 'astro build",\n\t\t"dev": "vehicle-media-site dev"';
    const text = former.replace('astro build"', added);
    for (const before of [former, text]) {
      expect(await plan(before, 'build', 'dev')).toMatchObject({ text, taken: ['build'] });
    }
  });

  it('with custom options of the command are recognised', async () => {
    const text = '{ "scripts": { "build": "vehicle-media-site build --strict" } }\n';
    expect(await plan(text, 'build')).toMatchObject({ taken: [] });
  });

  it('are unchanged in invalid JSON, and not created without a file', async () => {
    for (const text of [undefined, '{ // mine\n}']) {
      expect(await plan(text, 'build')).toBeUndefined();
    }
  });
});

describe('other files of a project', () => {
  it('are written once if they are missing', async () => {
    const folder = tempFolder();
    await writeFile(path.join(folder, 'package.json'), '{}\n');
    const { files, taken } = await planProjectFiles(folder, EXAMPLE, SCRIPTS);
    expect(taken).toEqual([]);
    expect(await writeProjectFiles(folder, files)).toEqual([
      '.gitignore',
      'README.md',
      THEME_EXAMPLE,
      'package.json',
    ]);
    const theme = files.find(({ file }) => file === THEME_EXAMPLE)?.text ?? '';
    expect(theme.replace(/\/\*.*?\*\//gs, '').trim()).toBe('');
    const again = await planProjectFiles(folder, EXAMPLE, SCRIPTS);
    expect(again).toEqual({ files: [], taken: [] });
  });

  it('are never overwritten', async () => {
    const folder = tempFolder();
    await writeFile(path.join(folder, 'readme.rst'), 'mine');
    await mkdir(path.join(folder, 'theme'));
    await writeFile(path.join(folder, '.gitignore'), ignoreFile(undefined, 'npm'));
    expect(await planProjectFiles(folder, EXAMPLE, SCRIPTS)).toEqual({ files: [], taken: [] });
    expect(await readdir(path.join(folder, 'theme'))).toEqual([]);
  });

  it('explain the project to its maintainer, in Markdown that a title cannot break', () => {
    const text = readmeFile(exampleWith({ title: 'A <b>\n# [x](y)' }, { ci: 'gitlab' }), 'pnpm');
    expect(text.split('\n')[0]).toBe('# A \\<b\\> \\# \\[x\\](y)');
    for (const words of ['pnpm run doctor', '.gitlab-ci.yml', '`.env`', 'site.config.ts']) {
      expect(text).toContain(words);
    }
    expect(text).not.toMatch(/\bnpm run/);
  });
});

it.each([
  [{}, [], 'npm'],
  [{ npm_config_user_agent: 'pnpm/10.2.0 npm/? node/v24.1.0 linux x64' }, [], 'pnpm'],
  [{ npm_config_user_agent: 'yarn/4.9.0 npm/? node/v24.1.0 linux x64' }, [], 'yarn'],
  [{ npm_config_user_agent: 'npm/11.2.0 node/v24.1.0' }, ['yarn.lock'], 'yarn'],
  [{ npm_config_user_agent: 'pnpm/10.2.0 npm/?' }, ['package-lock.json'], 'npm'],
])('the package manager for %o with %j is %s', async (env, files, manager) => {
  const folder = tempFolder();
  for (const file of files) await writeFile(path.join(folder, file), '');
  expect(packageManagerOf(folder, env)).toBe(manager);
});

describe('a git repository', () => {
  it('is created if there is none, with a first commit if git knows the author', async () => {
    const folder = tempFolder();
    const root = path.join(folder, 'site');
    await mkdir(root);
    expect(await makeRepository(root)).toBe(true);
    expect(await makeRepository(root)).toBe(false);
    await writeFile(path.join(root, 'a'), '1');
    await writeFile(path.join(root, '.env'), 'KEY=1');
    await git(root, 'config', 'user.email', '');
    await commitFirst(root, ['a']);
    expect(await uncommitted(root, ['a'])).toEqual(['a']);
    await git(root, 'config', 'user.email', 'a@cars.test');
    await git(root, 'config', 'user.name', 'A');
    await commitFirst(root, ['a']);
    expect(await uncommitted(root, ['a'])).toEqual([]);
    const { stdout } = await git(root, 'show', '--stat', '--format=%s', 'main');
    expect(stdout).toMatch(/^Our site\n\n a \| 1 \+/);
  });

  it('is not created inside another repository', async () => {
    const folder = tempFolder();
    await git(folder, 'init', '--quiet');
    const root = path.join(folder, 'below');
    await mkdir(root);
    expect(await makeRepository(root)).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });
});
