import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'yaml';
import { startStaticServer } from '../../scripts/static-server/server.ts';
import { gitlabTemplate } from '../../src/setup/called-workflows.ts';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import { type DeployWorld, INSTALL, installOnce } from './deploy-world.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
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

/**
 * Runs gitlab-ci-local in a project. What its `.gitlab-ci.yml` includes comes from a server on loopback that
 * has the folder `ci/` of this tree.
 */
async function runTool(cwd: string, args: string): Promise<Ran> {
  const file = path.join(cwd, '.gitlab-ci.yml');
  const text = await readFile(file, 'utf8');
  const server = await startStaticServer({ folder: path.join(ROOT, 'ci'), port: 0 });
  try {
    await writeFile(file, text.replace(gitlabTemplate(), `${server.url}gitlab.yml`));
    return await shell(`"${process.execPath}" "${TOOL}" ${args}`, { cwd, env: { NO_COLOR: '1' } });
  } finally {
    await writeFile(file, text);
    await rm(path.join(cwd, '.gitlab-ci-local'), { recursive: true, force: true });
    await server.close();
  }
}

/**
 * `.gitlab-ci.yml` of a folder, checked against GitLab's own schema and with every `include` and `extends`
 * filled in, by gitlab-ci-local.
 *
 * @throws an Error with what the tool says of a file that is wrong.
 */
export async function readPipeline(cwd: string): Promise<Record<string, GitlabJob>> {
  // The tool asks git for an origin; nothing is fetched from it.
  await shell(
    'git remote remove origin; git remote add origin git@gitlab.test:cars/site.git; git config user.name A; git config user.email a@cars.test',
    { cwd },
  );
  const ran = await runTool(cwd, '--preview');
  if (ran.exitCode !== 0) throw new Error(`${ran.stdout}\n${ran.stderr}`);
  return parse(ran.stdout);
}

/** Which jobs run for a value of `DEPLOY_TO`, worked out by gitlab-ci-local from the rules. */
export async function jobsThatRun(
  cwd: string,
  deployTo: string,
  source: string,
): Promise<string[]> {
  const ran = await runTool(
    cwd,
    `--list --variable 'DEPLOY_TO=${deployTo}' --variable CI_PIPELINE_SOURCE=${source} --ignore-predefined-vars CI_PIPELINE_SOURCE`,
  );
  const rows = ran.stdout.split('\n').filter((row) => / (?:on_success|never) /.test(row));
  return rows.filter((row) => !/ never /.test(row)).map((row) => row.split(' ')[0] ?? '');
}

interface GitlabJobOptions {
  folder: string;
  deployTo: string;
  /** Folder of the job whose artifacts this one gets. */
  built?: string;
  /** Stands in for GitLab's cache; without it nothing is restored. */
  caches?: string;
  /** What an earlier job reported as dotenv. */
  reported?: Record<string, string>;
  /** Whether a person started the pipeline with `WHOLE=1`. */
  whole?: boolean;
}

/** Runs a job as GitLab's runner does: a clone, the artifacts of `build`, and the script in bash. */
export async function runGitlabJob(
  job: GitlabJob,
  world: DeployWorld,
  { folder, deployTo, built, caches, reported, whole = false }: GitlabJobOptions,
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
      ...(whole && { WHOLE: '1' }),
      DEPLOY_TO: deployTo,
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

/** Runs the pipeline of a project, stage after stage: one whose job fails is the last. */
export async function runPipeline(
  jobs: Readonly<Record<string, GitlabJob>>,
  world: DeployWorld,
  { folder, deployTo, caches, whole = false }: Omit<GitlabJobOptions, 'built' | 'reported'>,
): Promise<PipelineRun> {
  world.nextDay();
  const ran = new Map<string, Ran>();
  const at = (name: string) => path.join(folder, name);
  let reported: Record<string, string> = {};
  for (const name of await jobsThatRun(world.project, deployTo, 'schedule')) {
    const job = jobs[name];
    if (!job) throw new Error(`There is no job ${name}`);
    const result = await runGitlabJob(job, world, {
      folder: at(name),
      deployTo,
      reported,
      whole,
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
