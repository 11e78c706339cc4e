import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { shell } from './checkout.ts';
import type { Ran } from './command.ts';
import type { DeployWorld } from './deploy-world.ts';

interface Step {
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

export interface Job {
  if: string;
  needs?: string;
  permissions: Record<string, string>;
  steps: Step[];
}

export interface JobRun {
  ok: boolean;
  /** Every `run` step that ran, by name. */
  ran: Map<string, Ran>;
  folder: string;
}

/** Our own expressions, of which there are two kinds. */
function resolve(text: string, { settings }: DeployWorld, deployTo: string): string {
  const variables = { ...settings.variables, DEPLOY_TO: deployTo };
  return text.replace(/\$\{\{ (secrets|vars)\.(\w+) \}\}/g, (_, kind: string, name: string) => {
    const value = (kind === 'secrets' ? settings.secrets : variables)[name as never];
    if (value === undefined) throw new Error(`Nobody sets ${kind}.${name}`);
    return value;
  });
}

/**
 * Runs a job of the workflow as GitHub's runner does: each `run` step is the step itself, in bash; of
 * actions, those that move files are done by hand (checkout, both artifact actions with the tar of
 * upload-pages-artifact), and those that need GitHub itself are passed over.
 */
export async function runJob(
  job: Job,
  world: DeployWorld,
  options: { folder: string; deployTo: string; artifacts: string; summary?: string },
): Promise<JobRun> {
  const { folder, deployTo, artifacts } = options;
  const ran = new Map<string, Ran>();
  let ok = true;
  await mkdir(folder, { recursive: true });
  for (const step of job.steps) {
    const condition = step.if ?? 'success()';
    if (condition === 'success()' ? !ok : condition === 'failure()' && ok) continue;
    const [action] = (step.uses ?? '').split('@');
    if (action === 'actions/checkout') {
      const cloned = await shell(`git clone --quiet "${world.project}" .`, { cwd: folder });
      if (cloned.exitCode !== 0) throw new Error(cloned.stderr);
    } else if (action === 'actions/upload-pages-artifact') {
      const line = `tar --dereference --hard-dereference --directory "${step.with?.path}" -cf "${artifacts}/artifact.tar" --exclude=.git --exclude=.github --exclude=".[^/]*" .`;
      ok &&= (await shell(line, { cwd: folder })).exitCode === 0;
    } else if (action === 'actions/download-artifact') {
      await cp(path.join(artifacts, 'artifact.tar'), path.join(folder, 'artifact.tar'));
    }
    if (step.run === undefined) continue;
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, text]) => [name, resolve(text, world, deployTo)]),
    );
    const result = await shell(step.run, {
      cwd: folder,
      env: {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        ...(options.summary && { GITHUB_STEP_SUMMARY: options.summary }),
        ...world.elsewhere,
        ...env,
      },
      path: world.path,
    });
    ran.set(step.name ?? step.run, result);
    ok &&= result.exitCode === 0;
  }
  return { ok, ran, folder };
}
