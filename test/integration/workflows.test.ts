import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { HOST_IDS, HOSTS, hostOf } from '../../src/config/hosts.ts';
import type { Project } from '../../src/setup/project.ts';
import { workflowFor } from '../../src/setup/workflow.ts';
import { shell } from '../support/checkout.ts';
import type { Workflow } from '../support/ci-job.ts';
import { EXAMPLE, PROJECT } from '../support/example-answers.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { lintErrors, parserErrors } from '../support/github-lint.ts';
import { pipelineIn } from '../support/gitlab-schema.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const THIN = HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id);
const DEALERS = ['A_KEY', 'B_KEY'].map((apiKeyEnv, id) => ({
  id,
  name: 'Cars',
  slug: `cars-${id}`,
  apiKeyEnv,
}));

const textFor = (host: string, project: Project = PROJECT, ci: 'github' | 'gitlab' = 'github') =>
  workflowFor(ci, { ...EXAMPLE, dealers: DEALERS, host }, project).text;
const read = (host: string, project?: Project): Workflow => parse(textFor(host, project));

/** Names of secrets in a part of a workflow. */
const secretsIn = (part: unknown): string[] => [
  ...new Set(
    [...JSON.stringify(part).matchAll(/secrets\.(\w+)/g)].map(([, name = '']) => name).sort(),
  ),
];

describe.each(HOST_IDS)('the workflow for GitHub with the host %s', (host) => {
  const text = textFor(host);
  const workflow = read(host);
  const { jobs } = workflow;
  const deploys = !['none', 'gitlab'].includes(host);

  it('builds, deploys only to this host, and reports entries that need attention', () => {
    expect(Object.keys(jobs)).toEqual([
      'build',
      ...(deploys ? ['deploy'] : []),
      ...(THIN.includes(host) ? ['again'] : []),
      'attention',
    ]);
    expect(workflow.env.DEPLOY_TO).toBe(host);
    expect(jobs.attention?.needs).toEqual(deploys ? ['build', 'deploy'] : ['build']);
  });

  it('grants pages and id-token for GitHub Pages only, and to its deploy only', () => {
    expect(workflow.permissions).toEqual({});
    const allowed = Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]);
    const deploy = {
      github: { pages: 'write', 'id-token': 'write' },
      cloudflare: {},
    }[host] ?? { contents: 'read' };
    expect(Object.fromEntries(allowed)).toEqual({
      build: { contents: 'read' },
      ...(deploys && { deploy }),
      ...(THIN.includes(host) && { again: { actions: 'write' } }),
      attention: {},
    });
  });

  it('limits secrets to steps: the keys to the builds, the tokens to the deploy', () => {
    const all = Object.entries(jobs).flatMap(([job, { steps, ...rest }]) => {
      expect(secretsIn(rest), job).toEqual([]);
      return steps.map((step) => [`${job}: ${step.name ?? ''}`, secretsIn(step)] as const);
    });
    const tokens = hostOf(host)?.secrets ?? [];
    const keys = ['A_KEY', 'B_KEY', 'SITE_SECRET'];
    expect(all.filter(([, secrets]) => secrets.length > 0)).toEqual([
      ['build: Build', keys],
      ['build: Explain the failure', keys],
      ...(tokens.length > 0 ? [['deploy: Deploy', [...tokens].sort()]] : []),
    ]);
    expect(secretsIn(workflow.env)).toEqual([]);
  });

  it('passes every variable of its host to the deploy', () => {
    const { env = {} } = jobs.deploy?.steps.find(({ name }) => name === 'Deploy') ?? {};
    for (const name of hostOf(host)?.variables ?? []) {
      expect(env[name]).toBe(`\${{ vars.${name} }}`);
    }
  });

  it('uses only actions of GitHub, pinned by commit with their version, and no expression in a shell', () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(3);
    for (const line of uses) {
      expect(line).toMatch(/^uses: actions\/[\w-]+(?:\/[\w-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    for (const { run = '' } of Object.values(jobs).flatMap(({ steps }) => steps)) {
      expect(run).not.toContain('${{');
    }
  });

  it('unpacks artifacts of another job into a separate folder', () => {
    const lines = Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run = '' }) => run.split('\n').filter((line) => line.includes('tar -x'))),
    );
    expect(lines.length).toBe(deploys && host !== 'github' ? 1 : 0);
    for (const line of lines) expect(line).toMatch(/ -C \S/);
  });

  it('hands over every file, also in .well-known/', () => {
    const handOver = jobs.build?.steps.find(({ name }) => name === 'Hand over the site');
    expect(handOver?.with).toMatchObject(
      host === 'github' ? { 'include-hidden-files': true } : { path: 'site.tar' },
    );
  });

  it('keeps thumbnails only if the host gets the whole site', () => {
    const caches = jobs.build?.steps.filter(({ uses }) => uses?.startsWith('actions/cache/'));
    expect(caches?.length).toBe(THIN.includes(host) ? 0 : 2);
  });
});

it.each(['netlify', 'cloudflare'])(
  'the workflow for many sites has every step of the workflow for one site: %s',
  async (host) => {
    const { text } = workflowFor('sites', { ...EXAMPLE, host }, PROJECT);
    const { on, jobs } = parse(text);
    const one = read(host);
    const ofOne = Object.keys(one.on.workflow_dispatch.inputs);
    expect(Object.keys(on.workflow_dispatch.inputs)).toEqual(['site', ...ofOne]);
    const named = Object.values(one.jobs).flatMap(({ steps }) => steps.map(({ name }) => name));
    const between = ['Pack', 'Hand over the site', 'Unpack'];
    const names = jobs.site.steps.map(({ name }: { name?: string }) => name);
    const more = named.filter((name) => !between.includes(name ?? '') && !names.includes(name));
    expect(more).toEqual(host === 'netlify' ? ['Start a full build'] : []);
    expect(names.includes('Save pictures')).toBe(host === 'cloudflare');
    expect(names.includes('Deploy the whole site')).toBe(host === 'netlify');
    expect(jobs.site.concurrency).toEqual({
      group: `rebuild-\${{ matrix.site }}`,
      'cancel-in-progress': false,
      queue: 'max',
    });
    expect([await parserErrors(text), await lintErrors(text)]).toEqual([[], []]);
  },
);

describe('the workflow for GitHub', () => {
  const workflow = read('netlify');

  // The others differ only in the names of variables.
  it.each(['none', 'netlify', 'github', 'cloudflare'])(
    'passes the checks of GitHub and actionlint: %s',
    async (host) => {
      expect(await parserErrors(textFor(host))).toEqual([]);
      expect(await lintErrors(textFor(host))).toEqual([]);
    },
  );

  it('runs the doctor only if the build failed: without an installation it is missing', () => {
    const sites = parse(workflowFor('sites', { ...EXAMPLE, host: 'netlify' }, PROJECT).text);
    for (const { steps } of [workflow.jobs.build, sites.jobs.site] as Workflow['jobs'][string][]) {
      const { if: condition } = steps.find(({ name }) => name === 'Explain the failure') ?? {};
      expect(condition).toBe("failure() && steps.build.outcome == 'failure'");
    }
  });

  it('runs at night, manually and on request, one run at a time', () => {
    expect(Object.keys(workflow.on)).toEqual([
      'schedule',
      'workflow_dispatch',
      'repository_dispatch',
    ]);
    expect(workflow.concurrency).toEqual({
      group: 'rebuild',
      'cancel-in-progress': false,
      // Runs that wait keep their inputs.
      queue: 'max',
    });
  });

  it('uses the same versions of actions as the repository', async () => {
    const folder = path.join(ROOT, '.github/workflows');
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
    const commits = new Map<string, string>();
    const all = [...texts, ...HOST_IDS.map((host) => textFor(host))].join('\n');
    for (const [, action = '', version = ''] of all.matchAll(/uses: (\S+)@(.*)/g)) {
      expect(commits.get(action) ?? version, action).toBe(version);
      commits.set(action, version);
    }
    expect(commits.size).toBe(8);
  });
});

/** Runs shell lines in a project whose tools print one argument per line and exit with `CODE`. */
async function inProject(
  line: string,
  env: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const folder = tempFolder();
  const bin = path.join(folder, 'bin');
  const modules = path.join(folder, 'node_modules/.bin');
  await mkdir(bin);
  await mkdir(modules, { recursive: true });
  const fake = `#!/bin/sh\nprintf '%s\\n' "$(basename "$0")" "$@"\necho why >&2\nexit "\${CODE:-0}"\n`;
  for (const file of ['bin/npm', 'bin/npx', 'node_modules/.bin/vehicle-media-site']) {
    await writeFile(path.join(folder, file), fake, { mode: 0o755 });
  }
  await writeFilesBelow(folder, files);
  const output = path.join(folder, 'output');
  const page = path.join(folder, 'page');
  await writeFile(output, '');
  const ran = await shell(line, {
    cwd: folder,
    env: { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: page, WHOLE: '', ACCEPT_LOSS: '', ...env },
    path: [bin],
  });
  return {
    exitCode: ran.exitCode,
    words: ran.stdout.trim().split('\n'),
    output: await readFile(output, 'utf8'),
    summary: await readFile(page, 'utf8').catch(() => ''),
    files: (await readdir(folder)).sort(),
  };
}

const stepOf = (job: string, name: string, project?: Project): string =>
  read('netlify', project).jobs[job]?.steps.find((step) => step.name === name)?.run ?? '';
/** Lines of a job of the pipeline for GitLab that only builds. */
const scriptOf = (job: string, project?: Project): string =>
  pipelineIn(textFor('none', project, 'gitlab'))[job].script.join('\n');

describe('a build in CI', () => {
  const OPTIONS = ['--strict', '--for', '90m'];
  const PLAIN = ['npm', 'run', 'build', '--', ...OPTIONS];

  it.each([
    ['nothing', {}, []],
    ['false for the whole site', { WHOLE: 'false' }, []],
    ['the whole site', { WHOLE: 'true' }, ['--whole']],
    [
      'two losses',
      { ACCEPT_LOSS: ' 7001@1f3a9c  7002@aa11bb ' },
      ['--accept-loss=7001@1f3a9c', '--accept-loss=7002@aa11bb'],
    ],
    [
      'a shell command in place of a loss',
      { ACCEPT_LOSS: '"; touch pwned; $(touch pwned) `touch pwned` *' },
      ['";', 'touch', 'pwned;', '$(touch', 'pwned)', '`touch', 'pwned`', '*'].map(
        (word) => `--accept-loss=${word}`,
      ),
    ],
    [
      'plates to hide, and plates in the variable',
      { HIDE_NOW: 'AB12 CDE, $(touch pwned)', HIDE: 'EF56 GHJ' },
      ['--hide=AB12 CDE, $(touch pwned)', '--hide=EF56 GHJ'],
    ],
  ])('gets %s on GitHub', async (_, env, more) => {
    const { words, output, files } = await inProject(stepOf('build', 'Build'), env);
    expect(words).toEqual([...PLAIN, ...more]);
    expect(output).toBe('code=0\n');
    expect(files).toEqual(['bin', 'node_modules', 'output']);
  });

  it('gets the inputs and the variable on GitLab', async () => {
    const { variables, inputs } = pipelineIn(textFor('none', PROJECT, 'gitlab'), {
      whole: 'yes',
      'accept-loss': '7001@1f3a9c $(touch pwned)',
      hide: 'AB12 CDE, $(touch pwned)',
    });
    expect(Object.keys(inputs)).toEqual(Object.keys(read('netlify').on.workflow_dispatch.inputs));
    const { words, exitCode } = await inProject(scriptOf('build').replace('npm ci\n', ''), {
      ...variables,
      HIDE: 'EF56 GHJ',
    });
    const losses = ['7001@1f3a9c', '$(touch', 'pwned)'].map((loss) => `--accept-loss=${loss}`);
    expect([exitCode, ...words]).toEqual([
      0,
      ...PLAIN,
      '--whole',
      ...losses,
      '--hide=AB12 CDE, $(touch pwned)',
      '--hide=EF56 GHJ',
    ]);
  });

  it.each([
    [0, 0],
    [8, 0],
    [3, 3],
  ])('maps exit code %i of the build to %i', async (code, exitCode) => {
    const env = { CODE: String(code) };
    const github = await inProject(stepOf('build', 'Build'), env);
    expect(github).toMatchObject({ exitCode, output: `code=${code}\n` });
    const gitlab = await inProject(scriptOf('build').replace('npm ci\n', ''), env);
    expect(gitlab.exitCode).toBe(exitCode);
    expect(gitlab.words.includes('doctor')).toBe(exitCode !== 0);
  });

  it('runs all jobs on the server whose folder GitLab fills: its runner takes only jobs with its tag', () => {
    const tagsOf = (host: string) => pipelineIn(textFor(host, PROJECT, 'gitlab')).default.tags;
    expect(tagsOf('folder')).toEqual(['self-hosted']);
    expect(tagsOf('s3')).toBeUndefined();
  });

  it('shows why a deploy failed on the page of the run', async () => {
    const deployed = await inProject(stepOf('deploy', 'Deploy'), { CODE: '5' });
    expect(deployed).toMatchObject({ exitCode: 5, summary: '    why\n' });
  });

  const COREPACK = ['npx', '--yes', 'corepack@0.36.0'];
  it.each<[Project['manager'], Record<string, string>, string[], string[]]>([
    ['npm', {}, ['npm', 'ci'], PLAIN],
    [
      'pnpm',
      {},
      [...COREPACK, 'pnpm', 'install', '--frozen-lockfile'],
      [...COREPACK, 'pnpm', 'run', 'build', ...OPTIONS],
    ],
    [
      'yarn',
      { 'yarn.lock': '__metadata:' },
      [...COREPACK, 'yarn', 'install', '--immutable'],
      [...COREPACK, 'yarn', 'run', 'build', ...OPTIONS],
    ],
    [
      'yarn',
      { 'yarn.lock': '# yarn lockfile v1\n' },
      [...COREPACK, 'yarn', 'install', '--frozen-lockfile'],
      [...COREPACK, 'yarn', 'run', 'build', ...OPTIONS],
    ],
  ])('installs and runs scripts with %s %o', async (manager, files, install, build) => {
    const project: Project = { ...PROJECT, manager };
    const installed = await inProject(stepOf('deploy', 'Install', project), {}, files);
    expect(installed.words).toEqual(install);
    const built = await inProject(stepOf('build', 'Build', project));
    expect(built.words).toEqual(build);
    const gitlab = await inProject(scriptOf('build', project), {}, files);
    expect(gitlab.words).toEqual([...install, ...build]);
  });

  it('runs the installed program if the project uses a script name for another purpose', async () => {
    const project: Project = { ...PROJECT, taken: ['build'] };
    const { words } = await inProject(stepOf('build', 'Build', project));
    expect(words).toEqual(['vehicle-media-site', 'build', ...OPTIONS]);
    const doctor = await inProject(stepOf('build', 'Explain the failure', project));
    expect(doctor.words).toEqual(['npm', 'run', 'doctor']);
  });

  it('uses the Node version in package.json, or 24', () => {
    const nodeOf = (engines: boolean) =>
      read('netlify', { ...PROJECT, engines }).jobs.build?.steps[1]?.with;
    expect(nodeOf(true)).toMatchObject({ 'node-version-file': 'package.json' });
    expect(nodeOf(false)).toMatchObject({ 'node-version': 24 });
  });
});

describe('the workflow for many sites', () => {
  it('restores only pictures of the same site, also if one name is the start of another', () => {
    const { text } = workflowFor('sites', { ...EXAMPLE, host: 'cloudflare' }, PROJECT);
    const [, key = '', start = ''] = /key: (.*)\n +restore-keys: (.*)/.exec(text) ?? [];
    const of = (site: string, line: string) => line.replace(/\$\{\{ matrix.site \}\}/, site);
    expect(of('north', key)).toContain(of('north', start));
    expect(of('north-west', key)).not.toContain(of('north', start));
    const [, ofOne = ''] = /restore-keys: (.*)/.exec(textFor('cloudflare')) ?? [];
    expect(start).not.toContain(ofOne);
  });

  const answers = { ...EXAMPLE, dealers: DEALERS, host: 'netlify' };
  const workflow = parse(workflowFor('sites', answers, PROJECT).text);
  const lineOf = (job: string, name: string): string =>
    workflow.jobs[job].steps.find((step: { name?: string }) => step.name === name).run;

  it.each([
    [256, 0],
    [257, 1],
  ])('explains the limit of GitHub: %i sites', async (count, exitCode) => {
    const prepare = `mkdir sites; for n in $(seq ${count}); do touch "sites/s$n.config.ts"; done\n`;
    const listed = await inProject(prepare + lineOf('list', 'List the sites'));
    expect(listed.exitCode).toBe(exitCode);
    expect(listed.words.join()).toContain(exitCode ? 'at most 256 jobs for sites' : '');
    expect(listed.output.split(',')).toHaveLength(exitCode ? 1 : count);
  });

  it('makes and deploys the whole site of a host that lost files', async () => {
    const fake = 'npm() { echo "deploy-content-lost" >&2; return 5; }\n';
    const lost = await inProject(fake + lineOf('site', 'Deploy'));
    expect(lost).toMatchObject({ exitCode: 0, output: 'lost=true\n' });
    const again = await inProject(fake + lineOf('site', 'Deploy'), { WHOLE: 'true' });
    expect(again).toMatchObject({ exitCode: 5, output: '' });
    const env = { SITE: 'northgate', HIDE_NOW: 'AB12 CDE', ACCEPT_LOSS: 'a@1' };
    const { words } = await inProject(lineOf('site', 'Build the whole site'), env);
    const options = ['--config', 'sites/northgate.config.ts', '--for', '90m', '--whole'];
    expect(words.slice(3)).toEqual(['--', ...options, '--accept-loss=a@1', '--hide=AB12 CDE']);
    const last = await inProject(lineOf('site', 'Deploy the whole site'));
    expect(last.words).toEqual(['npm', 'run', 'deploy']);
    const doctor = await inProject(lineOf('site', 'Explain the failure'), env);
    expect(doctor.words.slice(2)).toEqual(['doctor', '--', ...options.slice(0, 2)]);
  });
});
