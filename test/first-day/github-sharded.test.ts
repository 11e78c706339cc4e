import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownRepository } from '../../src/setup/called-workflows.ts';
import { readSite, readTree } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import { type DeployWorld, startDeployWorld } from '../support/deploy-world.ts';
import {
  type Call,
  callOf,
  type Job,
  type JobRun,
  matrixOf,
  runJob,
  runWorkflow,
} from '../support/github-job.ts';

const DEALERS = ['Northgate Cars', 'Southgate Cars', 'Westgate Cars'];

let world: DeployWorld;
let call: Call;
let jobs: Record<string, Job>;
let plan: JobRun;
let rows: Record<string, unknown>[];
const parts = new Map<string, JobRun>();
let merged: JobRun;
const done = new Set<string>();

const at = (name: string) => path.join(path.dirname(world.project), name);

async function run(name: string, night: string, matrix?: Record<string, unknown>) {
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  const result = await runJob(job, world, {
    folder: at(`${night}-${name}-${matrix?.name ?? ''}`),
    deployTo: 'none',
    call,
    artifacts: at('artifacts'),
    caches: at('caches'),
    summary: at('summary.md'),
    runId: night,
    ...(matrix && { matrix }),
  });
  for (const [step, { exitCode, stderr }] of result.ran) {
    done.add(`${name}: ${step}`);
    if (exitCode !== 0 && step !== 'Say what is wrong') result.outputs.problem = stderr;
  }
  return result;
}

beforeAll(async () => {
  world = await startDeployWorld('github', DEALERS);
  // As docs/scale.md says it.
  const [, line = ''] = /^(sed .*)$/m.exec(await readFile('docs/scale.md', 'utf8')) ?? [];
  const changed = await shell(line, { cwd: world.project });
  if (changed.exitCode !== 0) throw new Error(changed.stderr);
  const file = path.join(world.project, '.github/workflows/rebuild.yml');
  call = await callOf(await readFile(file, 'utf8'), world);
  expect(call.inputs.shards).toBe(4);
  jobs = call.workflow.jobs;
  await mkdir(at('artifacts'));
  await mkdir(at('caches'));
  plan = await run('plan', '101');
  rows = matrixOf(jobs.part as Job, { plan });
  for (const row of rows) parts.set(String(row.name), await run('part', '101', row));
  merged = await run('build', '101');
}, 1_800_000);
afterAll(() => world?.[Symbol.asyncDispose]());

describe('the workflow for several machines', () => {
  it('plans as many parts as it says, also more than there are dealers', () => {
    expect(plan.ok, plan.outputs.problem).toBe(true);
    expect(rows.map(({ dealers }) => dealers).sort()).toEqual(['', '7001', '7002', '7003']);
  });

  it('builds each part with its own dealers', async () => {
    for (const [name, { ok, outputs, folder }] of parts) {
      expect(ok, `${name}: ${outputs.problem}`).toBe(true);
      const files = [...(await readTree(path.join(folder, 'part'))).keys()];
      const own = DEALERS.map((dealer) => dealer.toLowerCase().replace(' ', '-')).filter((slug) =>
        files.some((file) => file.startsWith(`${slug}/`)),
      );
      expect(own).toHaveLength(rows.find((row) => row.name === name)?.dealers === '' ? 0 : 1);
    }
  });

  it('merges them to the site that one machine builds, byte for byte', async () => {
    expect(merged.ok, merged.outputs.problem).toBe(true);
    const whole = await shell(
      'npx --no -- vehicle-media-site build --output whole --report whole.json --cache fresh',
      {
        cwd: merged.folder,
        env: { MEDIA_API_KEY: world.settings.secrets.MEDIA_API_KEY ?? '' },
        path: world.path,
      },
    );
    expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
    const [site, expected] = await Promise.all([
      readSite(path.join(merged.folder, '_site')),
      readSite(path.join(merged.folder, 'whole')),
    ]);
    expect([...site.keys()]).toEqual([...expected.keys()]);
    expect(site.size).toBeGreaterThan(60);
    for (const [file, bytes] of site) if (bytes !== expected.get(file)) expect.fail(file);
    const summary = await readFile(at('summary.md'), 'utf8');
    for (const dealer of DEALERS) expect(summary).toContain(dealer);
  });

  it('hands the whole site over', async () => {
    const { stdout } = await shell('tar -tf artifact.tar', { cwd: at('artifacts') });
    const site = await readTree(path.join(merged.folder, '_site'));
    const handed = stdout.split('\n').filter((file) => file !== '' && !file.endsWith('/'));
    expect(handed.map((file) => file.replace(/^\.\//, '')).sort()).toEqual([...site.keys()].sort());
  });

  it('finds its dealers and thumbnails where it left them the night before', async () => {
    const next = await run('plan', '102');
    const again = matrixOf(jobs.part as Job, { plan: next });
    const bySize = (all: typeof rows) =>
      all.map(({ name, dealers }) => `${name} ${dealers}`).sort();
    expect(bySize(again)).toEqual(bySize(rows));
    const row = again.find(({ dealers }) => dealers === '7001');
    const { ok, folder, outputs } = await run('part', '102', row);
    expect(ok, outputs.problem).toBe(true);
    const { media } = JSON.parse(await readFile(path.join(folder, 'build-report.json'), 'utf8'));
    expect(media).toMatchObject({ downloaded: 0, outputsMade: 0, failed: 0 });
    expect(media.sources).toBeGreaterThan(5);
    // One of tonight with those of last night.
    const mixed = await run('build', '102');
    expect(mixed.ok).toBe(false);
    expect(mixed.ran.get('Merge')?.stderr).toContain('[shard-set]');
  });

  describe('on a later night', () => {
    /** All jobs, with S3 as the host. */
    const night = async (runId: string, siteUrl = world.hosts.s3.siteUrl) => {
      world.front.to = siteUrl;
      const result = await runWorkflow(world, {
        call,
        folder: at(runId),
        deployTo: 's3',
        artifacts: at('artifacts'),
        caches: at('caches'),
        summary: at('summary.md'),
        runId,
      });
      for (const name of ['build', 'attention']) {
        for (const [step] of result.runs[name]?.[0]?.ran ?? []) done.add(`${name}: ${step}`);
      }
      return result;
    };
    afterEach(() => {
      world.service.faults.clear();
    });

    it('deploys, and then ends red, where a person is needed for a dealer of one part', async () => {
      const [lost, other] = world.service.data.dealers;
      const [vehicle] = other?.vehicles ?? [];
      if (!lost || !vehicle) throw new Error('no vehicles');
      other?.vehicles.push({ ...structuredClone(vehicle), vrm: 'NE26WAA' });
      world.service.faults.set({ route: 'media', dealerId: lost.id, emptyList: true });
      const { outcomes, runs, red } = await night('201');
      expect(outcomes).toMatchObject({
        ...{ plan: 'success', part: 'success', build: 'success' },
        ...{ deploy: 'success', github: 'skipped', attention: 'failure' },
      });
      expect(red).toBe(true);
      expect(runs.attention?.[0]?.ran.get('A person is needed')?.exitCode).toBe(8);
      const deployed = [...world.hosts.s3.served().keys()];
      expect(deployed).toContain('southgate-cars/ne26waa/index.html');
      const site = await readTree(path.join(merged.folder, '_site'));
      for (const file of site.keys()) {
        if (file.startsWith('northgate-cars/')) expect(deployed).toContain(file);
      }
    });

    it('deploys nothing where one dealer cannot be published', async () => {
      await rm(at('caches'), { recursive: true });
      await mkdir(at('caches'));
      const before = world.hosts.s3.served();
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
      const { outcomes, red } = await night('202', 'http://127.0.0.1:1');
      expect(outcomes).toMatchObject({ deploy: 'skipped', attention: 'skipped' });
      expect(red).toBe(true);
      expect(world.hosts.s3.served()).toEqual(before);
    });
  });

  it('does not go on after a plan that failed', async () => {
    const given = { ...call, inputs: { ...call.inputs, shards: 0 } };
    const failed = await runJob(jobs.plan as Job, world, {
      folder: at('failed'),
      deployTo: 'none',
      call: given,
      artifacts: at('artifacts'),
    });
    expect(failed.ran.get('Plan')).toMatchObject({ exitCode: 2, stdout: '' });
    expect([failed.ok, failed.outputs]).toEqual([false, {}]);
  });

  it('lets the doctor speak where a part cannot be built', async () => {
    const taken = { ...rows[0], dealers: '9999' };
    const failed = await run('part', '103', taken);
    expect(failed.ok).toBe(false);
    expect(failed.ran.get('Build')?.stderr).toContain('[argument-shard]');
    expect(failed.ran.get('Say what is wrong')?.exitCode).toBe(0);
  });

  it('has no step of its own that was not run here', () => {
    // The deploys are those of the workflow for one machine; see github.test.ts.
    const all = ['plan', 'part', 'build', 'attention'].flatMap((name) =>
      (jobs[name]?.steps ?? []).flatMap((step) =>
        step.run === undefined && !step.uses?.startsWith(ownRepository())
          ? []
          : [`${name}: ${step.name ?? step.run}`],
      ),
    );
    // What adds files is that of the workflow for one machine, too.
    const own = "build: Add files of the project's own";
    expect([...done].filter((step) => !step.includes(' / ')).sort()).toEqual(
      all.filter((step) => step !== own).sort(),
    );
  });
});
