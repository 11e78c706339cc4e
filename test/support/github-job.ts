import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { ownRepository } from '../../src/setup/called-workflows.ts';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce } from './deploy-world.ts';
import { type Contexts, holds, type Outcome, resolve, resolveAll } from './github-expressions.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

export interface Job {
  if?: string;
  needs?: string | string[];
  permissions: Record<string, string>;
  strategy?: { matrix: string };
  outputs?: Record<string, string>;
  steps: Step[];
}

interface Declared {
  required?: boolean;
  type?: string;
  default?: unknown;
}

/** A workflow that others call. */
export interface Workflow {
  on: {
    workflow_call: { inputs: Record<string, Declared>; secrets: Record<string, Declared> };
  };
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

/** The action of this repository. */
export interface Action {
  inputs: Record<string, Declared>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

const ACTION: Action = parse(await readFile(path.join(ROOT, 'action.yml'), 'utf8'));

/** A workflow of ours as a project calls it. */
export interface Call {
  workflow: Workflow;
  inputs: Record<string, unknown>;
  secrets: Record<string, string>;
}

export interface JobRun {
  ok: boolean;
  /**
   * Every `run` step that ran, by name; what a step of our action ran, by both names and, the last of them,
   * by that of the step. Commands to the runner are not in what it printed.
   */
  ran: Map<string, Ran>;
  folder: string;
  outputs: Record<string, string>;
}

export interface JobOptions {
  /** Workspace of the job. */
  folder: string;
  deployTo: string;
  call: Call;
  /** Folder that stands in for GitHub's artifacts. */
  artifacts: string;
  /** The same for caches; without it nothing is restored. */
  caches?: string;
  summary?: string;
  /** One row of the job's matrix. */
  matrix?: Record<string, unknown>;
  runId?: string;
}

/**
 * The workflow of ours that a project's own one calls, with what that hands over.
 *
 * @param started inputs of the run; a schedule has none.
 */
export async function callOf(
  text: string,
  { settings }: DeployWorld,
  started: { whole?: boolean } = {},
): Promise<Call> {
  const { jobs } = parse(text);
  const [{ uses, with: given = {}, secrets }] = Object.values(jobs) as [
    { uses: string; with?: Record<string, unknown>; secrets: Record<string, string> },
  ];
  const [, file] = /^(?:[\w-]+\/){2}(\.github\/workflows\/[\w-]+\.yml)@v\d+$/.exec(uses) ?? [];
  if (file === undefined || !uses.startsWith(`${ownRepository()}/`)) throw new Error(uses);
  const workflow: Workflow = parse(await readFile(path.join(ROOT, file), 'utf8'));
  const declared = workflow.on.workflow_call;
  const contexts = { secrets: settings.secrets, inputs: { whole: started.whole ?? '' } };
  for (const name of Object.keys(given)) {
    if (!declared.inputs[name]) throw new Error(`${file} has no input ${name}`);
  }
  const inputs = Object.entries(declared.inputs).map(([name, { type, default: otherwise }]) => {
    const value = name in given ? resolve(given[name], contexts) : otherwise;
    const typed = { boolean: String(value) === 'true', number: Number(value) };
    return [name, typed[type as keyof typeof typed] ?? value];
  });
  const handed = resolveAll(secrets, contexts);
  for (const name of Object.keys(handed)) {
    if (!declared.secrets[name]) throw new Error(`${file} has no secret ${name}`);
  }
  return {
    workflow,
    inputs: Object.fromEntries(inputs),
    // What is not handed over is empty.
    secrets: Object.fromEntries(
      Object.keys(declared.secrets).map((name) => [name, handed[name] ?? '']),
    ),
  };
}

/** The rows of a matrix that is read from what another job said. */
export function matrixOf(
  { strategy }: Job,
  needs: Readonly<Record<string, JobRun>>,
): Record<string, unknown>[] {
  const pattern = /^\$\{\{ fromJSON\(needs\.(\w+)\.outputs\.(\w+)\) \}\}$/;
  const [, job = '', output = ''] = pattern.exec(strategy?.matrix ?? '') ?? [];
  return JSON.parse(needs[job]?.outputs[output] ?? '').include;
}

/** What a step wrote to its GITHUB_OUTPUT, one `name=value` a line. */
async function outputsIn(file: string): Promise<[name: string, value: string][]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [name = '', ...value] = line.split('=');
    if (value.length === 0) throw new Error(`GitHub refuses the output ${line}`);
    return [name, value.join('=')];
  });
}

/** The two cache actions: an exact key, or the last one that was saved and begins alike. */
async function moveCache(
  action: string,
  { path: what = '', key = '', 'restore-keys': beginning }: Record<string, string>,
  { folder, caches }: { folder: string; caches: string },
): Promise<void> {
  const entries = path.join(caches, 'saved.json');
  const saved: string[] = JSON.parse(await readFile(entries, 'utf8').catch(() => '[]'));
  if (action === 'actions/cache/save') {
    const kept = await cp(path.join(folder, what), path.join(caches, key), {
      recursive: true,
    }).then(
      () => true,
      () => false,
    );
    // The action warns where nothing is there.
    if (!kept) return;
    await writeFile(entries, JSON.stringify([...saved, key]));
    return;
  }
  const found =
    saved.find((one) => one === key) ??
    saved.findLast((one) => beginning !== undefined && one.startsWith(beginning));
  if (found === undefined) return;
  await cp(path.join(caches, found), path.join(folder, what), { recursive: true });
}

/** Artifacts of ordinary files, and the tar of upload-pages-artifact. */
async function moveArtifact(
  action: string,
  given: Record<string, string>,
  { folder, artifacts }: { folder: string; artifacts: string },
): Promise<void> {
  const { name = '', path: what = '', pattern } = given;
  if (action === 'actions/upload-artifact') {
    if (/[/\\:*?"<>|]/.test(name)) throw new Error(`GitHub refuses an artifact called ${name}`);
    const to = path.join(artifacts, name);
    // As overwrite does.
    await rm(to, { recursive: true, force: true });
    await cp(path.join(folder, what), path.join(to, path.basename(what))).catch((error) => {
      if (given['if-no-files-found'] !== 'ignore') throw error;
    });
  } else if (pattern === undefined) {
    // The one archive of upload-pages-artifact, or what upload-artifact took.
    const pages = path.join(artifacts, 'artifact.tar');
    if (name === 'github-pages') await cp(pages, path.join(folder, 'artifact.tar'));
    else await cp(path.join(artifacts, name), folder, { recursive: true });
  } else {
    if (!given['merge-multiple']) throw new Error('Where files lie would depend on their number');
    for (const found of await readdir(artifacts)) {
      if (!path.matchesGlob(found, pattern)) continue;
      await cp(path.join(artifacts, found), path.join(folder, what), { recursive: true });
    }
  }
}

/** What a step printed, without commands to the runner, which no log shows. */
const shown = (ran: Ran): Ran => ({
  ...ran,
  stdout: ran.stdout.replace(/^::add-mask::.*\n/gm, ''),
});

/**
 * Runs a job of the workflow as GitHub's runner does: each `run` step is the step itself, in bash, those of
 * our action too; of other actions, those that move files are done by hand (checkout, caches, artifacts,
 * with the tar of upload-pages-artifact), and those that need GitHub itself are passed over.
 */
export async function runJob(job: Job, world: DeployWorld, options: JobOptions): Promise<JobRun> {
  const { folder, deployTo, artifacts, caches, call } = options;
  const ran = new Map<string, Ran>();
  await mkdir(folder, { recursive: true });
  const output = path.join(path.dirname(folder), `${path.basename(folder)}.output`);

  /** Does what an action of GitHub does with files; says whether that succeeded. */
  const moveFiles = async (action: string, given: Record<string, string>): Promise<boolean> => {
    if (action === 'actions/checkout') {
      const cloned = await shell(`git clone --quiet "${world.project}" .`, { cwd: folder });
      if (cloned.exitCode !== 0) throw new Error(cloned.stderr);
    } else if (action === 'actions/upload-pages-artifact') {
      const line = `tar --dereference --hard-dereference --directory "${given.path}" -cf "${artifacts}/artifact.tar" --exclude=.git --exclude=.github --exclude=".[^/]*" .`;
      return (await shell(line, { cwd: folder })).exitCode === 0;
    } else if (action.startsWith('actions/cache/')) {
      if (caches) await moveCache(action, given, { folder, caches });
    } else if (/^actions\/(?:up|down)load-artifact$/.test(action)) {
      await moveArtifact(action, given, { folder, artifacts });
    }
    return true;
  };

  const runLine = async (line: string, env: Record<string, string>) => {
    await writeFile(output, '');
    const run = line.includes(INSTALL) ? installOnce(world) : shell;
    const result = await run(line, {
      cwd: folder,
      env: {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_REPOSITORY: 'cars/site',
        GITHUB_REF_NAME: 'main',
        GITHUB_WORKFLOW_REF: 'cars/site/.github/workflows/rebuild.yml@refs/heads/main',
        ...(options.summary && { GITHUB_STEP_SUMMARY: options.summary }),
        ...world.elsewhere,
        ...env,
      },
      path: world.path,
    });
    return { result, outputs: Object.fromEntries(await outputsIn(output)) };
  };

  /** @param inside name of the step that uses the action whose steps these are. */
  const runSteps = async (
    steps: readonly Step[],
    contexts: Contexts,
    given: Record<string, string>,
    inside?: string,
  ): Promise<boolean> => {
    let ok = true;
    for (const step of steps) {
      if (!holds(step.if, [ok ? 'success' : 'failure'], contexts)) continue;
      const env = { ...given, ...resolveAll(step.env, contexts) };
      const inputs = resolveAll(step.with, contexts);
      const [action = ''] = (step.uses ?? '').split('@');
      let outputs: Record<string, string> = {};
      if (action === ownRepository()) {
        const defaults = Object.entries(ACTION.inputs).map(([name, one]) => [name, one.default]);
        // An action has no secrets and variables but those that it is given.
        const { secrets: _, vars: __, ...others } = contexts;
        const its: Contexts = {
          ...others,
          inputs: { ...Object.fromEntries(defaults), ...inputs },
          steps: {},
        };
        ok = (await runSteps(ACTION.runs.steps, its, env, step.name)) && ok;
        const values = Object.entries(ACTION.outputs).map(([name, { value }]) => [name, value]);
        outputs = resolveAll(Object.fromEntries(values), its);
      } else if (step.run === undefined) {
        ok = (await moveFiles(action, inputs)) && ok;
      } else {
        const done = await runLine(step.run, env);
        outputs = done.outputs;
        const name = step.name ?? step.run;
        if (inside !== undefined) ran.set(inside, shown(done.result));
        ran.set(inside === undefined ? name : `${inside} / ${name}`, shown(done.result));
        ok &&= done.result.exitCode === 0;
      }
      if (step.id !== undefined) Object.assign(contexts.steps ?? {}, { [step.id]: { outputs } });
    }
    return ok;
  };

  const contexts: Contexts = {
    secrets: call.secrets,
    vars: { ...world.settings.variables, DEPLOY_TO: deployTo },
    github: { run_id: options.runId ?? '1', run_attempt: '1', token: 'token-of-github' },
    matrix: options.matrix ?? {},
    inputs: call.inputs,
    steps: {},
    env: {},
  };
  const env = resolveAll(call.workflow.env, contexts);
  contexts.env = env;
  const ok = await runSteps(job.steps, contexts, env);
  return { ok, ran, folder, outputs: ok ? resolveAll(job.outputs, contexts) : {} };
}

export interface WorkflowRun {
  /** What became of each job. */
  outcomes: Record<string, Outcome>;
  /** The runs of each job that ran: one, or one for each row of its matrix. */
  runs: Record<string, JobRun[]>;
  /** Whether GitHub would show the run as failed, and send mail. */
  red: boolean;
}

/** Runs all jobs of a workflow in their order, and those alone that GitHub would run. */
export async function runWorkflow(
  world: DeployWorld,
  options: Omit<JobOptions, 'matrix'>,
): Promise<WorkflowRun> {
  const { jobs } = options.call.workflow;
  world.nextDay();
  const outcomes: Record<string, Outcome> = {};
  const runs: Record<string, JobRun[]> = {};
  const needs: Record<string, { outputs: Record<string, string> }> = {};
  const contexts: Contexts = { vars: { DEPLOY_TO: options.deployTo }, needs };
  // GitHub asks for all jobs before one, not only for those that it names.
  const before = (name: string): string[] =>
    [jobs[name]?.needs ?? []].flat().flatMap((needed) => [...before(needed), needed]);
  for (const [name, job] of Object.entries(jobs)) {
    const names = [...new Set(before(name))];
    const earlier = names.map((needed) => outcomes[needed]);
    if (!earlier.every((outcome) => outcome !== undefined)) {
      throw new Error(`${name} stands before a job that it needs`);
    }
    outcomes[name] = 'skipped';
    runs[name] = [];
    if (!holds(job.if, earlier, contexts)) continue;
    const done = Object.fromEntries(
      Object.entries(runs).flatMap(([needed, [run]]) => (run ? [[needed, run]] : [])),
    );
    const rows = job.strategy ? matrixOf(job, done) : [undefined];
    for (const matrix of rows) {
      const folder = path.join(options.folder, `${name}-${matrix?.name ?? ''}`);
      runs[name].push(await runJob(job, world, { ...options, folder, ...(matrix && { matrix }) }));
    }
    outcomes[name] = runs[name].every(({ ok }) => ok) ? 'success' : 'failure';
    // Later jobs see nothing of one that did not run.
    needs[name] = { outputs: runs[name][0]?.outputs ?? {} };
  }
  return { outcomes, runs, red: Object.values(outcomes).includes('failure') };
}
