import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readTree } from '../support/build.ts';
import {
  BUCKET,
  type DeployWorld,
  notDeployed,
  startDeployWorld,
} from '../support/deploy-world.ts';
import { type Job, type JobRun, runJob } from '../support/github-job.ts';

let world: DeployWorld;
let jobs: Record<string, Job>;
let built: JobRun;
let artifacts: string;
let summary: string;
let site: Map<string, string>;
const done = new Set<string>();

const run = async (name: string, deployTo: string): Promise<JobRun> => {
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  const folder = path.join(path.dirname(world.project), name);
  await rm(folder, { recursive: true, force: true });
  const result = await runJob(job, world, { folder, deployTo, artifacts, summary });
  for (const step of result.ran.keys()) done.add(`${name}: ${step}`);
  return result;
};

beforeAll(async () => {
  world = await startDeployWorld('github');
  const text = await readFile(path.join(world.project, '.github/workflows/rebuild.yml'), 'utf8');
  jobs = parse(text).jobs;
  artifacts = path.join(path.dirname(world.project), 'artifacts');
  summary = path.join(path.dirname(world.project), 'summary.md');
  await mkdir(artifacts);
  built = await run('build', 'none');
  site = await readTree(path.join(built.folder, '_site'));
});
afterAll(() => world?.[Symbol.asyncDispose]());

describe('the workflow for GitHub', () => {
  it('installs and builds, without packages for development, and writes the summary', async () => {
    expect([...built.ran].map(([name, { exitCode }]) => [name, exitCode])).toEqual([
      ['Install', 0],
      ['Build', 0],
    ]);
    expect(site.has('index.html')).toBe(true);
    expect(await readFile(summary, 'utf8')).toContain('Northgate Cars');
  });

  it('lets the doctor speak where the build fails', async () => {
    world.service.faults.set({ route: 'media', status: 403 });
    try {
      const failed = await run('build', 'none');
      expect(failed.ok).toBe(false);
      expect(failed.ran.get('Say what is wrong')?.stdout).toContain('[dealer-fails]');
    } finally {
      world.service.faults.clear();
    }
  });

  it.each([
    ['cloudflare', 'wrangler', 'our-cars', 'CLOUDFLARE_API_TOKEN'],
    ['netlify', 'netlify-cli', '--prod', 'NETLIFY_AUTH_TOKEN'],
  ])(
    'deploys to %s: the whole site, by a pinned tool, without the key of the service',
    async (host, tool, argument, token) => {
      const before = (await world.calls()).length;
      const { ok } = await run(host, host);
      expect(ok).toBe(true);
      const [call] = (await world.calls()).slice(before);
      expect(call?.arguments.join(' ')).toMatch(new RegExp(`^--yes ${tool}@\\d+\\.\\d+\\.\\d+ `));
      expect(call?.arguments).toContain(argument);
      expect(call?.files).toEqual(expect.arrayContaining([...site.keys()]));
      expect(call?.environment).toContain(token);
      expect(call?.environment).not.toContain('MEDIA_API_KEY');
    },
  );

  it('had wrangler itself deploy every file, byte by byte', () => {
    const deployed = world.cloudflare.deployed();
    expect(notDeployed(site, (file) => deployed.get(file))).toEqual([]);
    expect(world.cloudflare.tokens).toContain(world.settings.secrets.CLOUDFLARE_API_TOKEN);
  });

  it('deploys to an S3 host: every file, byte by byte', async () => {
    const { ok, ran } = await run('s3', 's3');
    expect(ok, ran.get('Deploy')?.stderr).toBe(true);
    const { objects } = world.host;
    expect(notDeployed(site, (file) => objects.get(`/${BUCKET}/${file}`)?.body)).toEqual([]);
  });

  it('has no step that was not run here', () => {
    const all = Object.entries(jobs).flatMap(([name, { steps }]) =>
      steps.flatMap((step) =>
        step.run === undefined ? [] : [`${name}: ${step.name ?? step.run}`],
      ),
    );
    expect([...done].sort()).toEqual(all.sort());
  });
});
