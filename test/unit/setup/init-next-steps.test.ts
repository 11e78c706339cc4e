import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { settingNames } from '../../../src/config/deploy-settings.ts';
import { HOSTS } from '../../../src/config/hosts.ts';
import type { Answers } from '../../../src/setup/init/answers.ts';
import { nextSteps, type Pushing } from '../../../src/setup/init/next-steps.ts';
import { repositoryOf, uncommitted } from '../../../src/setup/init/repository.ts';
import { minuteOf } from '../../../src/setup/workflow.ts';
import { EXAMPLE } from '../../support/example-answers.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe('the remote of git', () => {
  const git = (cwd: string, ...args: string[]) => promisify(execFile)('git', args, { cwd });
  const answers: Answers = { ...EXAMPLE, host: 'netlify' };
  const files = ['site.config.ts', '.github/workflows/rebuild.yml'];
  const none = { address: undefined };
  const begun = { repository: undefined, isNew: false, isClone: false, files };

  it('is printed without the secrets in its URL', async () => {
    const folder = tempFolder();
    expect(await repositoryOf(folder)).toBeUndefined();
    await git(folder, 'init', '--quiet');
    expect(await repositoryOf(folder)).toEqual({ address: undefined });
    await git(folder, 'remote', 'add', 'other', 'https://me:token@git.test/other.git');
    const address = 'https://git.test/other.git';
    expect(await repositoryOf(folder)).toEqual({ address });
    await git(folder, 'remote', 'add', 'origin', 'git@git.test:theirs.git');
    expect(await repositoryOf(folder)).toEqual({ address: 'git@git.test:theirs.git' });
    const below = path.join(folder, 'below');
    await mkdir(below);
    expect(await repositoryOf(below)).toBeUndefined();
  });

  it('leaves out files that git ignores', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, Object.fromEntries(files.map((file) => [file, ''])));
    expect(await uncommitted(folder, files)).toEqual(files);
    await git(folder, 'init', '--quiet');
    expect(await uncommitted(folder, files)).toEqual(files);
    await writeFile(path.join(folder, '.gitignore'), '/site.config.ts\n');
    expect(await uncommitted(folder, files)).toEqual(files.slice(1));
  });

  it('suggests a project in a clone of the program', () => {
    const text = nextSteps(answers, { ...begun, repository: none, isClone: true });
    expect(text).toContain('npm run new -- ../my-site');
    expect(text).not.toMatch(/git (?:add|push|commit)/);
  });

  it.each<[string, Partial<Pushing>, string[], string[]]>([
    [
      'a repository with a remote',
      { repository: { address: 'X' } },
      ['git pushes to X:', 'git push\n'],
      ['remote add', 'Create an empty one', 'git init'],
    ],
    [
      'a repository without one',
      { repository: none },
      ['your own git repository', `git add ${files.join(' ')}`, 'remote add origin ITS-ADDRESS'],
      ['git init', 'git push\n'],
    ],
    [
      'a new repository, with its first commit',
      { repository: none, isNew: true, files: [] },
      ['git remote add origin ITS-ADDRESS\n    git push --set-upstream'],
      ['git commit', 'git add ', 'git init'],
    ],
    [
      'a new repository, without a name for commits',
      { repository: none, isNew: true },
      ['git add --all', 'git commit', 'git remote add origin ITS-ADDRESS'],
      ['git init'],
    ],
    [
      'no repository of its own, but a folder of another one',
      { files: [] },
      ['git init --initial-branch main', 'git add --all', 'git remote add origin ITS-ADDRESS'],
      ['git push\n'],
    ],
  ])('%s: has instructions for the first push', (_, pushing, wanted, unwanted) => {
    const text = `${nextSteps(answers, { ...begun, ...pushing })}\n`;
    for (const line of wanted) expect(text).toContain(line);
    for (const line of unwanted) expect(text).not.toContain(line);
    if (text.includes('git commit')) {
      expect(text.indexOf('git commit')).toBeGreaterThan(text.indexOf('git add '));
    }
  });

  it('commands fit the package manager and the working folder', () => {
    const thin = nextSteps(answers, begun, { manager: 'pnpm', folder: 'my-site' });
    expect(thin.split('\n', 5).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      'Next:',
      'cd my-site',
      'pnpm run dev',
      'pnpm run build',
      'pnpm run deploy',
    ]);
    const text = nextSteps({ ...answers, host: 'none', ci: 'none', accounts: [account] }, begun);
    for (const line of ['npm run preview', 'npm run batches -- pull']) expect(text).toContain(line);
    expect(text).not.toMatch(/ cd |npm run deploy/);
  });

  const account = { name: 'north', customerId: 'C', pathId: '1', apiKeyEnv: 'K' };

  it('is irrelevant without scheduled builds', () => {
    expect(nextSteps({ ...answers, ci: 'none' }, begun)).not.toContain('git');
  });

  it('is irrelevant if cron fills a folder', () => {
    const text = nextSteps({ ...answers, host: 'folder', ci: 'none' }, begun);
    expect(text).toContain(`    ${minuteOf(answers.site.url)} 3 * * * cd `);
    expect(text).toContain(
      'npm run --silent build -- --quiet && npm run --silent deploy -- --quiet',
    );
    expect(text).toContain('DEPLOY_FOLDER');
    expect(text).not.toContain('git push');
  });

  it.each([
    ['github', 'label'],
    ['gitlab', 'tag'],
  ] as const)('has the runner of a folder that %s fills, and no cron', (ci, name) => {
    const text = nextSteps({ ...answers, host: 'folder', ci }, begun);
    expect(text).toContain(`On the server: a runner with the ${name} self-hosted\n`);
    expect(text).not.toContain('crontab');
  });

  it.each(HOSTS.map(({ id }) => id))('lists the remaining steps for %s', (host) => {
    const text = nextSteps({ ...answers, host }, begun);
    for (const name of settingNames(host)) expect(text).toContain(name);
    // The workflow names the host.
    expect(text).not.toContain('DEPLOY_TO');
    expect(text.includes('self-hosted')).toBe(host === 'folder');
  });
});
