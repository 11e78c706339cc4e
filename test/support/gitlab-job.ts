import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'yaml';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import type { DeployWorld } from './deploy-world.ts';

const require = createRequire(import.meta.url);
const TOOL = path.join(
  path.dirname(require.resolve('gitlab-ci-local/package.json')),
  'dist/index.js',
);

export interface GitlabJob {
  script: string[];
  needs?: unknown[];
  variables?: Record<string, string>;
  artifacts?: { paths: string[] };
  [key: string]: unknown;
}

/**
 * `.gitlab-ci.yml` of a folder, checked against GitLab's own schema and with every `extends` filled
 * in, by gitlab-ci-local.
 *
 * @throws an Error with what the tool says of a file that is wrong.
 */
export async function readPipeline(cwd: string): Promise<Record<string, GitlabJob>> {
  // The tool asks git for an origin; nothing is fetched from it.
  await shell(
    'git remote remove origin; git remote add origin git@gitlab.test:cars/site.git; git config user.name A; git config user.email a@cars.test',
    { cwd },
  );
  const ran = await shell(`"${process.execPath}" "${TOOL}" --preview`, {
    cwd,
    env: { NO_COLOR: '1' },
  });
  if (ran.exitCode !== 0) throw new Error(`${ran.stdout}\n${ran.stderr}`);
  await rm(path.join(cwd, '.gitlab-ci-local'), { recursive: true, force: true });
  return parse(ran.stdout);
}

/** Which jobs run for a value of `DEPLOY_TO`, worked out by gitlab-ci-local from the rules. */
export async function jobsThatRun(
  cwd: string,
  deployTo: string,
  source: string,
): Promise<string[]> {
  const line = `"${process.execPath}" "${TOOL}" --list --variable 'DEPLOY_TO=${deployTo}' --variable CI_PIPELINE_SOURCE=${source} --ignore-predefined-vars CI_PIPELINE_SOURCE`;
  const ran = await shell(line, { cwd, env: { NO_COLOR: '1' } });
  await rm(path.join(cwd, '.gitlab-ci-local'), { recursive: true, force: true });
  const rows = ran.stdout.split('\n').filter((row) => / (?:on_success|never) /.test(row));
  return rows.filter((row) => !/ never /.test(row)).map((row) => row.split(' ')[0] ?? '');
}

/** Runs a job as GitLab's runner does: a clone, the artifacts of `build`, and the script in bash. */
export async function runGitlabJob(
  job: GitlabJob,
  world: DeployWorld,
  { folder, deployTo, built }: { folder: string; deployTo: string; built?: string },
): Promise<Ran> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (job.variables?.GIT_STRATEGY !== 'none') {
    const cloned = await shell(`git clone --quiet "${world.project}" .`, { cwd: folder });
    if (cloned.exitCode !== 0) throw new Error(cloned.stderr);
  }
  if (built !== undefined) {
    await cp(path.join(built, '_site'), path.join(folder, '_site'), { recursive: true });
  }
  const { secrets, variables } = world.settings;
  return shell(job.script.join('\n'), {
    cwd: folder,
    env: {
      CI: 'true',
      GITLAB_CI: 'true',
      ...world.elsewhere,
      ...secrets,
      ...variables,
      ...job.variables,
      DEPLOY_TO: deployTo,
    },
    path: world.path,
  });
}
