import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce } from './deploy-world.ts';
import { type Contexts, holds, type Outcome, resolveAll } from './github-expressions.ts';

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
  outputs?: Record<string, string>;
  steps: Step[];
}

/** A workflow that init writes. */
export interface Workflow {
  on: {
    schedule: { cron: string }[];
    workflow_dispatch: { inputs: Record<string, { type: string; default: unknown }> };
    repository_dispatch: { types: string[] };
  };
  permissions: Record<string, string>;
  concurrency: Record<string, unknown>;
  env: Record<string, string>;
  jobs: Record<string, Job>;
}

/** A workflow as GitHub starts it. */
export interface Call {
  workflow: Workflow;
  inputs: Record<string, unknown>;
  secrets: Record<string, string>;
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
  call: Call;
  /** Folder that stands in for GitHub's artifacts. */
  artifacts: string;
  /** The same for caches; without it nothing is restored. */
  caches?: string;
  summary?: string;
  runId?: string;
}

/**
 * A project's workflow with its secrets. A secret that is not set is empty, as on GitHub.
 *
 * @param started inputs of a run that a person starts; a schedule has none.
 */
export function callOf(
  text: string,
  { settings }: Pick<DeployWorld, 'settings'>,
  started: { whole?: boolean; 'accept-loss'?: string } = {},
): Call {
  const workflow: Workflow = parse(text);
  const { inputs } = workflow.on.workflow_dispatch;
  for (const name of Object.keys(started)) {
    if (!inputs[name]) throw new Error(`The workflow has no input ${name}`);
  }
  const named = [...text.matchAll(/secrets\.(\w+)/g)].map(([, name = '']) => name);
  return {
    workflow,
    inputs: Object.fromEntries(
      Object.keys(inputs).map((name) => [name, started[name as keyof typeof started] ?? '']),
    ),
    secrets: Object.fromEntries(named.map((name) => [name, settings.secrets[name] ?? ''])),
  };
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

/**
 * Runs a job of the workflow as GitHub's runner does: each `run` step is the step itself, in bash. Actions
 * that move files are done by hand (checkout, caches, artifacts, the tar of upload-pages-artifact). Actions
 * that need GitHub itself are skipped.
 */
export async function runJob(job: Job, world: DeployWorld, options: JobOptions): Promise<JobRun> {
  const { folder, artifacts, caches, call } = options;
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
        GITHUB_WORKFLOW: 'Rebuild the site',
        ...(options.summary && { GITHUB_STEP_SUMMARY: options.summary }),
        ...world.elsewhere,
        ...env,
      },
      path: world.path,
    });
    return { result, outputs: Object.fromEntries(await outputsIn(output)) };
  };

  const runSteps = async (contexts: Contexts, given: Record<string, string>): Promise<boolean> => {
    let ok = true;
    for (const step of job.steps) {
      if (!holds(step.if, [ok ? 'success' : 'failure'], contexts)) continue;
      const env = { ...given, ...resolveAll(step.env, contexts) };
      let outputs: Record<string, string> = {};
      if (step.run === undefined) {
        const [action = ''] = (step.uses ?? '').split('@');
        ok = (await moveFiles(action, resolveAll(step.with, contexts))) && ok;
      } else {
        const done = await runLine(step.run, env);
        outputs = done.outputs;
        ran.set(step.name ?? step.run, done.result);
        ok &&= done.result.exitCode === 0;
      }
      if (step.id !== undefined) Object.assign(contexts.steps ?? {}, { [step.id]: { outputs } });
    }
    return ok;
  };

  const contexts: Contexts = {
    secrets: call.secrets,
    vars: { OWN_FILES: '', ...world.settings.variables },
    github: { run_id: options.runId ?? '1', run_attempt: '1', token: 'token-of-github' },
    inputs: call.inputs,
    steps: {},
    env: {},
  };
  const env = resolveAll(call.workflow.env, contexts);
  contexts.env = env;
  const ok = await runSteps(contexts, env);
  return { ok, ran, folder, outputs: ok ? resolveAll(job.outputs, contexts) : {} };
}

export interface WorkflowRun {
  /** What became of each job. */
  outcomes: Record<string, Outcome>;
  /** The jobs that ran. */
  runs: Record<string, JobRun>;
  /** Whether GitHub would show the run as failed, and send mail. */
  red: boolean;
}

/** Runs all jobs of a workflow in their order, and those alone that GitHub would run. */
export async function runWorkflow(world: DeployWorld, options: JobOptions): Promise<WorkflowRun> {
  const { jobs } = options.call.workflow;
  world.nextDay();
  const outcomes: Record<string, Outcome> = {};
  const runs: Record<string, JobRun> = {};
  const needs: Record<string, { outputs: Record<string, string> }> = {};
  const contexts: Contexts = { needs };
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
    if (!holds(job.if, earlier, contexts)) continue;
    const run = await runJob(job, world, { ...options, folder: path.join(options.folder, name) });
    runs[name] = run;
    outcomes[name] = run.ok ? 'success' : 'failure';
    // Later jobs see nothing of one that did not run.
    needs[name] = { outputs: run.outputs };
  }
  return { outcomes, runs, red: Object.values(outcomes).includes('failure') };
}
