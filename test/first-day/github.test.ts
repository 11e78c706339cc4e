import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readTree } from '../support/build.ts';
import {
  BUCKET,
  type DeployWorld,
  notDeployed,
  startDeployWorld,
} from '../support/deploy-world.ts';
import { type Job, type JobRun, runJob, runWorkflow } from '../support/github-job.ts';

let world: DeployWorld;
let jobs: Record<string, Job>;
let built: JobRun;
let artifacts: string;
let caches: string;
let summary: string;
let site: Map<string, string>;
const done = new Set<string>();

const at = (name: string) => path.join(path.dirname(world.project), name);
const run = async (name: string, deployTo: string): Promise<JobRun> => {
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  const folder = at(name);
  await rm(folder, { recursive: true, force: true });
  const result = await runJob(job, world, { folder, deployTo, artifacts, caches, summary });
  for (const step of result.ran.keys()) done.add(`${name}: ${step}`);
  return result;
};

beforeAll(async () => {
  world = await startDeployWorld('github');
  const text = await readFile(path.join(world.project, '.github/workflows/rebuild.yml'), 'utf8');
  jobs = parse(text).jobs;
  artifacts = at('artifacts');
  caches = at('caches');
  summary = at('summary.md');
  await mkdir(artifacts);
  await mkdir(caches);
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

  describe('on a later night', () => {
    /** All jobs, with S3 as the host; what was built before is online. */
    const night = async (folder: string) => {
      const result = await runWorkflow(jobs, world, {
        folder: at(folder),
        deployTo: 's3',
        artifacts,
        caches,
        summary,
        runId: folder,
      });
      for (const [name, [ran]] of Object.entries(result.runs)) {
        for (const step of ran?.ran.keys() ?? []) done.add(`${name}: ${step}`);
      }
      return result;
    };
    const hosts = { cloudflare: 'skipped', netlify: 'skipped', github: 'skipped' };

    beforeAll(() => {
      world.published.folder = path.join(built.folder, '_site');
    });
    afterEach(() => {
      world.service.faults.clear();
      world.published.instead = undefined;
      world.host.objects.clear();
    });

    it('deploys, and ends green, where all is well', async () => {
      const { outcomes, red } = await night('well');
      expect(outcomes).toEqual({ build: 'success', ...hosts, s3: 'success', attention: 'skipped' });
      expect(red).toBe(false);
    });

    it('deploys, keeps the cache, and then ends red, where a person is needed', async () => {
      const [lost, other] = world.service.data.dealers;
      const [vehicle] = other?.vehicles ?? [];
      if (!lost || !vehicle) throw new Error('no vehicles');
      other?.vehicles.push({ ...structuredClone(vehicle), vrm: 'NE26WAA' });
      world.service.faults.set({ route: 'media', dealerId: lost.id, emptyList: true });
      const { outcomes, runs, red } = await night('attention');
      expect(outcomes).toEqual({ build: 'success', ...hosts, s3: 'success', attention: 'failure' });
      expect(red).toBe(true);
      const { exitCode, stdout } = runs.attention?.[0]?.ran.get('A person is needed') ?? {};
      expect({ exitCode, stdout }).toEqual({
        exitCode: 8,
        stdout: expect.stringContaining('a person is needed: the summary of this run'),
      });
      const deployed = [...world.host.objects.keys()];
      expect(deployed).toContain(`/${BUCKET}/southgate-cars/ne26waa/index.html`);
      for (const file of site.keys()) {
        if (file.startsWith('northgate-cars/')) expect(deployed).toContain(`/${BUCKET}/${file}`);
      }
      expect(JSON.parse(await readFile(path.join(caches, 'saved.json'), 'utf8')).at(-1)).toBe(
        'media-attention-1',
      );
    });

    it('deploys nothing where the build says 4', async () => {
      await rm(path.join(caches, 'saved.json'));
      world.published.instead = () => ({ status: 503 });
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
      const { outcomes, runs, red } = await night('unreachable');
      expect(outcomes).toEqual({ build: 'failure', ...hosts, s3: 'skipped', attention: 'skipped' });
      expect(red).toBe(true);
      expect(runs.build?.[0]?.ran.get('Build')?.exitCode).toBe(4);
      expect(world.host.objects.size).toBe(0);
    });
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
