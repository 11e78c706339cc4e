import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce } from './deploy-world.ts';

interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

export interface Job {
  if?: string;
  needs?: string | string[];
  permissions: Record<string, string>;
  strategy?: { matrix: string };
  outputs?: Record<string, string>;
  steps: Step[];
}

export interface Workflow {
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

export interface JobRun {
  ok: boolean;
  /** Every `run` step that ran, by name. */
  ran: Map<string, Ran>;
  folder: string;
  outputs: Record<string, string>;
}

export interface JobOptions {
  /** Workspace of the job. */
  folder: string;
  deployTo: string;
  /** `env` of the whole workflow. */
  env?: Record<string, string> | undefined;
  /** Whether a person, or the job `again`, started it with `whole`. */
  whole?: boolean;
  /** Folder that stands in for GitHub's artifacts. */
  artifacts: string;
  /** The same for caches; without it nothing is restored. */
  caches?: string;
  summary?: string;
  /** One row of the job's matrix. */
  matrix?: Record<string, unknown>;
  runId?: string;
}

/** What became of a job or of the steps before one. */
type Outcome = 'success' | 'failure' | 'skipped';

type Contexts = Record<string, Record<string, unknown>>;

/** Our own expressions: a name in a context, or whether one is in a list. */
function resolve(text: string, contexts: Contexts): string {
  return String(text).replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string): string => {
    const [, list, member] = /^contains\(fromJSON\('(.*)'\), ([\w.]+)\)$/.exec(expression) ?? [];
    if (list !== undefined) {
      return String(JSON.parse(list).includes(resolve(`\${{ ${member} }}`, contexts)));
    }
    const [context = '', ...names] = expression.split('.');
    // Such as steps.plan.outputs.matrix.
    const value = contexts[context]?.[names.join('.')];
    if (value === undefined) throw new Error(`Nobody sets ${expression}`);
    return String(value);
  });
}

/**
 * Whether a step or a job with this `if` runs after what came before, as GitHub decides it. Knows
 * conditions as ours are: terms joined by `&&`, each a function of the outcomes or a comparison.
 */
function holds(condition: string, before: readonly Outcome[], contexts: Contexts): boolean {
  const state: Record<string, boolean> = {
    always: true,
    success: before.every((outcome) => outcome === 'success'),
    failure: before.includes('failure'),
    cancelled: false,
  };
  const terms = condition.replace(/^\$\{\{ (.*) \}\}$/, '$1').split(' && ');
  const asksForState = /\b(?:always|success|failure|cancelled)\(\)/.test(condition);
  return (asksForState ? terms : ['success()', ...terms]).every((term) => {
    const [, not, name] = /^(!?)(\w+)\(\)$/.exec(term) ?? [];
    if (name !== undefined && state[name] !== undefined) return state[name] !== (not === '!');
    const [, place, sign, text] = /^([\w.]+) ([!=]=) '([^']*)'$/.exec(term) ?? [];
    if (place === undefined) throw new Error(`Nobody here knows the condition ${term}`);
    return (resolve(`\${{ ${place} }}`, contexts) === text) === (sign === '==');
  });
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
    await cp(path.join(folder, what), path.join(caches, key), { recursive: true });
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

/**
 * Runs a job of the workflow as GitHub's runner does: each `run` step is the step itself, in bash; of
 * actions, those that move files are done by hand (checkout, caches, artifacts, with the tar of
 * upload-pages-artifact), and those that need GitHub itself are passed over.
 */
export async function runJob(job: Job, world: DeployWorld, options: JobOptions): Promise<JobRun> {
  const { folder, deployTo, artifacts, caches } = options;
  const ran = new Map<string, Ran>();
  const contexts: Contexts = {
    secrets: world.settings.secrets,
    vars: { ...world.settings.variables, DEPLOY_TO: deployTo },
    github: { run_id: options.runId ?? '1', run_attempt: '1', token: 'token-of-github' },
    matrix: options.matrix ?? {},
    // What is not given is empty.
    inputs: { whole: options.whole ?? '' },
    steps: {},
    env: {},
  };
  const resolved = (texts: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, resolve(text, contexts)]),
    );
  const env = resolved(options.env);
  contexts.env = env;
  let ok = true;
  await mkdir(folder, { recursive: true });
  const output = path.join(path.dirname(folder), `${path.basename(folder)}.output`);
  for (const step of job.steps) {
    if (!holds(step.if ?? 'success()', [ok ? 'success' : 'failure'], contexts)) continue;
    const [action = ''] = (step.uses ?? '').split('@');
    if (action === 'actions/checkout') {
      const cloned = await shell(`git clone --quiet "${world.project}" .`, { cwd: folder });
      if (cloned.exitCode !== 0) throw new Error(cloned.stderr);
    } else if (action === 'actions/upload-pages-artifact') {
      const line = `tar --dereference --hard-dereference --directory "${step.with?.path}" -cf "${artifacts}/artifact.tar" --exclude=.git --exclude=.github --exclude=".[^/]*" .`;
      ok &&= (await shell(line, { cwd: folder })).exitCode === 0;
    } else if (action.startsWith('actions/cache/')) {
      if (caches) await moveCache(action, resolved(step.with), { folder, caches });
    } else if (/^actions\/(?:up|down)load-artifact$/.test(action)) {
      await moveArtifact(action, resolved(step.with), { folder, artifacts });
    }
    if (step.run === undefined) continue;
    await writeFile(output, '');
    const run = step.run === INSTALL ? installOnce(world) : shell;
    const result = await run(step.run, {
      cwd: folder,
      env: {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_REPOSITORY: 'cars/site',
        GITHUB_REF_NAME: 'main',
        ...env,
        ...(options.summary && { GITHUB_STEP_SUMMARY: options.summary }),
        ...world.elsewhere,
        ...resolved(step.env),
      },
      path: world.path,
    });
    ran.set(step.name ?? step.run, result);
    ok &&= result.exitCode === 0;
    for (const [name, value] of await outputsIn(output)) {
      Object.assign(contexts.steps ?? {}, { [`${step.id}.outputs.${name}`]: value });
    }
  }
  // A step need not write all that it may.
  for (const text of Object.values(job.outputs ?? {})) {
    const [, name] = /^\$\{\{ steps\.([\w.]+) \}\}$/.exec(text) ?? [];
    if (name !== undefined && contexts.steps) contexts.steps[name] ??= '';
  }
  return { ok, ran, folder, outputs: ok ? resolved(job.outputs) : {} };
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
  { env, jobs }: Workflow,
  world: DeployWorld,
  options: Omit<JobOptions, 'matrix' | 'env'>,
): Promise<WorkflowRun> {
  world.nextDay();
  const outcomes: Record<string, Outcome> = {};
  const runs: Record<string, JobRun[]> = {};
  const contexts: Contexts = { vars: { DEPLOY_TO: options.deployTo }, needs: {} };
  // GitHub asks for all jobs before one, not only for those that it names.
  const before = (name: string): string[] =>
    [jobs[name]?.needs ?? []].flat().flatMap((needed) => [...before(needed), needed]);
  /** What later jobs see of one: nothing of one that did not run. */
  const note = (name: string) => {
    for (const output of Object.keys(jobs[name]?.outputs ?? {})) {
      const value = runs[name]?.[0]?.outputs[output] ?? '';
      Object.assign(contexts.needs ?? {}, { [`${name}.outputs.${output}`]: value });
    }
  };
  for (const [name, job] of Object.entries(jobs)) {
    const names = [...new Set(before(name))];
    const earlier = names.map((needed) => outcomes[needed]);
    if (!earlier.every((outcome) => outcome !== undefined)) {
      throw new Error(`${name} stands before a job that it needs`);
    }
    outcomes[name] = 'skipped';
    runs[name] = [];
    note(name);
    if (!holds(job.if ?? 'success()', earlier, contexts)) continue;
    const needs = Object.fromEntries(
      Object.entries(runs).flatMap(([needed, [run]]) => (run ? [[needed, run]] : [])),
    );
    const rows = job.strategy ? matrixOf(job, needs) : [undefined];
    for (const matrix of rows) {
      const folder = path.join(options.folder, `${name}-${matrix?.name ?? ''}`);
      const its = { ...options, env, folder, ...(matrix && { matrix }) };
      runs[name].push(await runJob(job, world, its));
    }
    outcomes[name] = runs[name].every(({ ok }) => ok) ? 'success' : 'failure';
    note(name);
  }
  return { outcomes, runs, red: Object.values(outcomes).includes('failure') };
}
