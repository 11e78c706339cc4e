import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'yaml';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce } from './deploy-world.ts';

const require = createRequire(import.meta.url);
const TOOL = path.join(
  path.dirname(require.resolve('gitlab-ci-local/package.json')),
  'dist/index.js',
);

export interface GitlabJob {
  script: string[];
  stage?: string;
  needs?: unknown[];
  dependencies?: string[];
  variables?: Record<string, string>;
  cache?: { paths: string[]; when?: string }[];
  artifacts?: { paths: string[]; reports?: { dotenv?: string } };
  [key: string]: unknown;
}

/** A project's pipeline, as GitLab reads it. */
export interface Pipeline {
  variables: Record<string, string>;
  /** By name, in the order of their stages. */
  jobs: Record<string, GitlabJob>;
}

/**
 * `.gitlab-ci.yml` of a folder, checked against GitLab's own schema by gitlab-ci-local.
 *
 * @throws an Error with the tool's message if the file is wrong.
 */
export async function readPipeline(cwd: string): Promise<Pipeline> {
  // The tool asks git for an origin; nothing is fetched from it.
  await shell(
    'git remote remove origin; git remote add origin git@gitlab.test:cars/site.git; git config user.name A; git config user.email a@cars.test',
    { cwd },
  );
  const ran = await shell(`"${process.execPath}" "${TOOL}" --preview`, {
    cwd,
    env: { NO_COLOR: '1' },
  });
  await rm(path.join(cwd, '.gitlab-ci-local'), { recursive: true, force: true });
  if (ran.exitCode !== 0) throw new Error(`${ran.stdout}\n${ran.stderr}`);
  const { stages, variables, ...others } = parse(ran.stdout);
  const jobs = Object.entries<GitlabJob>(others).filter(([, { script }]) => script !== undefined);
  const stageOf = ([, { stage }]: [string, GitlabJob]) => stages.indexOf(stage);
  return {
    variables,
    jobs: Object.fromEntries(jobs.sort((one, other) => stageOf(one) - stageOf(other))),
  };
}

interface GitlabJobOptions {
  folder: string;
  /** Folder of the job whose artifacts this one gets. */
  built?: string;
  /** Stands in for GitLab's cache; without it nothing is restored. */
  caches?: string;
  /** What an earlier job reported as dotenv. */
  reported?: Record<string, string>;
  /** Variables of the pipeline, and those that a person starts it with. */
  variables: Record<string, string>;
}

/** Runs a job as GitLab's runner does: a clone, the artifacts of `build`, and the script in bash. */
export async function runGitlabJob(
  job: GitlabJob,
  world: DeployWorld,
  { folder, built, caches, reported, variables: given }: GitlabJobOptions,
): Promise<Ran> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (job.variables?.GIT_STRATEGY !== 'none') {
    const cloned = await shell(`git clone --quiet "${world.project}" .`, { cwd: folder });
    if (cloned.exitCode !== 0) throw new Error(cloned.stderr);
  }
  const cached = caches === undefined ? [] : (job.cache ?? []);
  const move = async (one: string, from: string, to: string) => {
    await cp(path.join(from, one), path.join(to, one), { recursive: true }).catch(() => {});
  };
  for (const { paths } of cached) for (const one of paths) await move(one, caches ?? '', folder);
  // Of the paths that a job names, those that are there.
  for (const one of built === undefined ? [] : ['_site', '_changes']) {
    await move(one, built ?? '', folder);
  }
  const { secrets, variables } = world.settings;
  const options = {
    cwd: folder,
    env: {
      CI: 'true',
      GITLAB_CI: 'true',
      ...world.elsewhere,
      ...secrets,
      ...variables,
      ...job.variables,
      ...reported,
      ...given,
    },
    path: world.path,
  };
  const [first = '', ...others] = job.script;
  const installs = first.includes(INSTALL);
  const installed = installs ? await installOnce(world)(first, options) : undefined;
  if (installed && installed.exitCode !== 0) return installed;
  const ran = await shell((installs ? others : job.script).join('\n'), options);
  for (const { paths, when } of cached) {
    if (ran.exitCode !== 0 && when !== 'always') continue;
    for (const one of paths) await move(one, folder, caches ?? '');
  }
  return ran;
}

export interface PipelineRun {
  /** Every job that ran, in their order. */
  ran: Map<string, Ran>;
  /** Whether GitLab would show the pipeline as failed, and send mail. */
  red: boolean;
}

/**
 * Runs the pipeline of a project, stage after stage. A job that fails is the last.
 *
 * @param started variables that a person starts it with.
 */
export async function runPipeline(
  { jobs, variables }: Pipeline,
  world: DeployWorld,
  { folder, caches }: Pick<GitlabJobOptions, 'folder' | 'caches'>,
  started: Record<string, string> = {},
): Promise<PipelineRun> {
  world.nextDay();
  const ran = new Map<string, Ran>();
  const at = (name: string) => path.join(folder, name);
  let reported: Record<string, string> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const result = await runGitlabJob(job, world, {
      folder: at(name),
      variables: { ...variables, ...started },
      reported,
      ...(caches !== undefined && { caches }),
      ...(ran.has('build') && { built: at('build') }),
    });
    ran.set(name, result);
    if (result.exitCode !== 0) return { ran, red: true };
    const { dotenv } = job.artifacts?.reports ?? {};
    if (dotenv !== undefined) {
      const lines = (await readFile(path.join(at(name), dotenv), 'utf8')).trim().split('\n');
      reported = Object.fromEntries(lines.map((line) => line.split('=')));
    }
  }
  return { ran, red: false };
}
