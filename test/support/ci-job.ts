/** Runs the shell lines of a project's workflow, and moves the files between jobs itself. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { shell, shellText } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce, workflowText } from './deploy-world.ts';
import { pipelineIn } from './gitlab-schema.ts';

interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

/** A workflow for GitHub that init writes. */
export interface Workflow {
  on: {
    schedule: { cron: string }[];
    workflow_dispatch: { inputs: Record<string, { type: string; default: unknown }> };
    repository_dispatch: { types: string[] };
  };
  permissions: Record<string, string>;
  concurrency: Record<string, unknown>;
  env: Record<string, string>;
  jobs: Record<
    string,
    {
      if?: string;
      needs?: string | string[];
      permissions: Record<string, string>;
      outputs?: Record<string, string>;
      steps: Step[];
    }
  >;
}

export interface JobRun {
  folder: string;
  /** Of the step that failed, otherwise 0. */
  exitCode: number;
  /** Output of the shell lines. */
  printed: string;
  /** Names of the steps that ran, on GitHub. */
  steps: string[];
  /** Values that the job passes to later ones. */
  outputs: Record<string, string>;
}

interface JobOptions {
  host: string;
  folder: string;
  /** The job `build`, whose result a later job uses. */
  built?: JobRun;
  /** Inputs of a manual run. */
  started?: Record<string, string>;
}

/** @param keeps the folder of an earlier job is used again. */
async function start(world: DeployWorld, folder: string, clones: boolean, keeps = false) {
  if (!keeps) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (clones) await shellText(`git clone --quiet "${world.project}" .`, { cwd: folder });
}

/** `NAME=value` lines, the format in which steps and jobs pass values. */
const pairsIn = async (file: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFile(file, 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const printedBy = ({ stdout, stderr }: Ran): string => `${stdout}\n${stderr}\n`;

/** Runs the steps of a job in bash. Conditions of jobs are not evaluated: the caller chooses the job. */
export async function runGithubJob(
  world: DeployWorld,
  name: string,
  { host, folder, built, started = {} }: JobOptions,
): Promise<JobRun> {
  const workflow: Workflow = parse(await workflowText('github', world, host));
  const steps = workflow.jobs[name]?.steps ?? [];
  const clones = steps.some(({ uses }) => uses?.startsWith('actions/checkout@'));
  await start(world, folder, clones);
  const { secrets, variables } = world.settings;
  const contexts: Record<string, Record<string, string>> = {
    secrets,
    vars: variables,
    inputs: started,
    github: { token: 'token-of-github' },
  };
  // A secret that is not set is empty, as on GitHub.
  const resolved = (texts: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        text.replace(/\$\{\{ (\w+)\.([\w-]+) \}\}/g, (_, of, one) => contexts[of]?.[one] ?? ''),
      ]),
    );
  const output = `${folder}.output`;
  await writeFile(output, '');
  const run: JobRun = { folder, exitCode: 0, printed: '', steps: [], outputs: {} };
  for (const step of steps) {
    if (step.uses?.startsWith('actions/download-artifact@')) {
      await cp(path.join(built?.folder ?? '', 'site.tar'), path.join(folder, 'site.tar'));
    }
    const wanted = step.if?.startsWith('failure() && ') ? run.exitCode !== 0 : run.exitCode === 0;
    const isSet = step.if !== "vars.OWN_FILES != ''" || variables.OWN_FILES !== undefined;
    if (step.run === undefined || !wanted || !isSet) continue;
    const ran = await (step.run.includes(INSTALL) ? installOnce(world) : shell)(step.run, {
      cwd: folder,
      env: {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_REPOSITORY: 'cars/site',
        GITHUB_REF_NAME: 'main',
        GITHUB_STEP_SUMMARY: `${folder}.summary`,
        GITHUB_WORKFLOW: 'Rebuild the site',
        ...world.elsewhere,
        ...resolved(workflow.env),
        ...resolved(step.env),
      },
      path: world.path,
    });
    run.printed += printedBy(ran);
    run.steps.push(step.name ?? step.run);
    run.exitCode ||= ran.exitCode ?? 1;
  }
  run.outputs = await pairsIn(output);
  return run;
}

/** Runs the script of a job of GitLab in bash. */
export async function runGitlabJob(
  world: DeployWorld,
  name: string,
  { host, folder, built, started = {} }: JobOptions,
): Promise<JobRun> {
  const pipeline = pipelineIn(await workflowText('gitlab', world, host), started);
  const { script, variables } = pipeline[name] as {
    script: string[];
    variables?: Record<string, string>;
  };
  // A runner may keep the folder. Getting the project cleans it.
  const clones = variables?.GIT_STRATEGY !== 'none';
  await start(world, folder, clones, !clones);
  for (const name of built ? ['_site', '_changes'] : []) {
    const from = path.join(built?.folder ?? '', name);
    const to = path.join(folder, name);
    await cp(from, to, { recursive: true }).catch(() => {});
  }
  const options = {
    cwd: folder,
    env: {
      CI: 'true',
      GITLAB_CI: 'true',
      ...pipeline.variables,
      ...world.elsewhere,
      ...world.settings.secrets,
      ...world.settings.variables,
      ...built?.outputs,
    },
    path: world.path,
  };
  const [first = '', ...others] = script;
  const installs = first.includes(INSTALL);
  const installed = installs ? await installOnce(world)(first, options) : undefined;
  const ran =
    installed && installed.exitCode !== 0
      ? installed
      : await shell((installs ? others : script).join('\n'), options);
  return {
    folder,
    exitCode: ran.exitCode ?? 1,
    printed: printedBy(ran),
    steps: [],
    outputs: await pairsIn(path.join(folder, 'build.env')),
  };
}
