import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { shell } from '../support/checkout.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { lintErrors, parserErrors } from '../support/github-lint.ts';
import { projectOfCheckout } from '../support/project.ts';
import { runHere } from '../support/run-here.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 1, media: 'none' }));

describe('init in a folder', () => {
  const flags = () => [
    ...['--service', service.baseUrl, '--url', 'https://cars.test', '--dealer', '7001=One Cars'],
    ...['--host', 'none', '--ci', 'none'],
  ];
  const env = () => ({ MEDIA_API_KEY: service.mediaKey });

  it('without the package writes nothing and shows how to install it', async () => {
    const folder = tempFolder();
    const ran = await runHere(['init', ...flags()], { cwd: folder, env: env() });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('[init-not-installed]');
    expect(ran.stderr).toContain('npm run new -- ../my-site');
    expect(await readdir(folder)).toEqual([]);
  });

  it('with an unrelated project keeps its files and creates a repository', async () => {
    const folder = tempFolder();
    const cwd = path.join(folder, 'mine');
    await projectOfCheckout(cwd);
    await writeFilesBelow(cwd, {
      'package.json': '{\n  "type": "module",\n  "scripts": { "build": "astro build" }\n}\n',
      'README.md': '# Mine\n',
      '.gitignore': 'dist\n',
    });
    const git = { GIT_CONFIG_GLOBAL: path.join(folder, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1' };
    await writeFile(git.GIT_CONFIG_GLOBAL, '[user]\n  name = A\n  email = a@cars.test\n');
    const line = `npx vehicle-media-site init ${flags()
      .map((word) => `"${word}"`)
      .join(' ')}`;
    const ran = await shell(line, { cwd, env: { ...env(), ...git } });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain(
      'package.json uses these scripts differently: build. Instead: npx --no -- vehicle-media-site build',
    );
    const now = await readFile(path.join(cwd, 'package.json'), 'utf8');
    expect(JSON.parse(now).scripts).toMatchObject({
      build: 'astro build',
      doctor: 'vehicle-media-site doctor',
    });
    expect(await readFile(path.join(cwd, 'README.md'), 'utf8')).toBe('# Mine\n');
    expect(await readFile(path.join(cwd, '.gitignore'), 'utf8')).toMatch(/^dist\nnode_modules\/\n/);
    expect(ran.stdout).toContain('Created a git repository and committed all files except .env.');
    const { stdout } = await shell('git ls-files; git status --short', { cwd, env: git });
    expect(stdout.trim().split('\n')).toEqual([
      ...['.gitignore', 'package.json', 'site.config.ts', 'theme/assets/theme.css'],
      '?? README.md',
    ]);
  });

  it('adds another site with the settings of the first and one workflow for both', async () => {
    const folder = tempFolder();
    const cwd = path.join(folder, 'mine');
    await projectOfCheckout(cwd);
    const run = (line: string) => shell(`npx vehicle-media-site ${line}`, { cwd, env: env() });
    const early = await run('init --add-site south --url https://south.test --dealer 7001=South');
    expect([early.exitCode, early.stderr]).toEqual([2, expect.stringContaining('[init-add-site]')]);
    const quoted = flags().map((word) => `"${word}"`);
    const base = await run(`init ${quoted.join(' ').replace('"none" "--ci" "none"', '"netlify"')}`);
    expect(base.stdout, base.stderr).toContain('Written: site.config.ts');
    const before = await readFile(path.join(cwd, 'site.config.ts'), 'utf8');
    for (const [line, reason] of [
      ['--add-site South --url https://south.test --dealer 7001=South', 'lower-case letters'],
      ['--add-site south --dealer 7001=South', 'needs --url and --dealer'],
    ]) {
      const ran = await run(`init ${line}`);
      expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(reason ?? '')]);
    }
    const added = `init --add-site south --url https://south.test --dealer "7001=O'South"`;
    const ran = await run(added);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(
      'Written: sites/south.config.ts, .github/workflows/sites.yml\nNext: npm run doctor -- --config sites/south.config.ts',
    );
    expect(await readFile(path.join(cwd, 'site.config.ts'), 'utf8')).toBe(before);
    const workflow = path.join(cwd, '.github/workflows/sites.yml');
    const text = await readFile(workflow, 'utf8');
    expect([await parserErrors(text), await lintErrors(text)]).toEqual([[], []]);
    expect(text).toContain('DEPLOY_TO: netlify');
    const list = (env: Record<string, string>) => {
      const { run } = parse(text).jobs.list.steps.at(-1);
      const GITHUB_OUTPUT = path.join(cwd, '.output');
      const ran = spawnSync('bash', ['-eo', 'pipefail', '-c', run], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, SITE: '', NEEDS_SITE: '', ...env, GITHUB_OUTPUT },
      });
      return [ran.status, ran.stdout];
    };
    // Without a site name, plates would not be hidden on any site.
    expect(list({ NEEDS_SITE: 'AB12 CDE' })).toEqual([
      1,
      expect.stringContaining('Name it in site'),
    ]);
    expect(list({ SITE: 'sout' })).toEqual([1, expect.stringContaining('The sites are: south')]);
    expect(list({ SITE: 'south' })).toEqual([0, '']);
    expect(list({})).toEqual([0, '']);
    const outputs = await readFile(path.join(cwd, '.output'), 'utf8');
    expect(outputs).toBe('sites=["south"]\nsites=["south"]\n');
    expect((await run(added.replace('site south', 'site north'))).exitCode).toBe(0);
    const again = await run(added.replace("O'South", 'Other'));
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('init-overwrite')]);
    const built = await run('build --config sites/*.config.ts');
    expect(built.stdout, built.stderr).toContain('2 of 2 sites built:');
    const page = await readFile(path.join(cwd, '_site/south/index.html'), 'utf8');
    expect(page).toContain('https://south.test/');
  });
});
