import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readTree } from '../support/build.ts';
import type { Ran } from '../support/command.ts';
import {
  type DeployWorld,
  notDeployed,
  REMOTE,
  startDeployWorld,
  workflowText,
} from '../support/deploy-world.ts';
import { type Pipeline, readPipeline, runGitlabJob, runPipeline } from '../support/gitlab-job.ts';

let world: DeployWorld;
let built: Ran;
let site: Map<string, string>;

const folderOf = (name: string) => path.join(path.dirname(world.project), name);

/** The pipeline for a host. */
async function pipelineFor(host: string): Promise<Pipeline> {
  const text = await workflowText('gitlab', world, host);
  await writeFile(path.join(world.project, '.gitlab-ci.yml'), text);
  return readPipeline(world.project);
}

const run = async (name: string, host: string, folder = name, caches?: string): Promise<Ran> => {
  const { jobs, variables } = await pipelineFor(host);
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  return runGitlabJob(job, world, {
    folder: folderOf(folder),
    variables,
    ...(name !== 'build' && { built: folderOf('build') }),
    ...(caches !== undefined && { caches: folderOf(caches) }),
  });
};
const told = ({ stdout, stderr }: Ran): string => `${stdout}\n${stderr}`;

beforeAll(async () => {
  world = await startDeployWorld('gitlab');
  const file = path.join(world.project, '.gitlab-ci.yml');
  expect(await readFile(file, 'utf8')).toBe(await workflowText('gitlab', world, 'none'));
  built = await run('build', 'none', 'build', 'caches');
  site = await readTree(path.join(folderOf('build'), '_site')).catch(() => new Map());
});
afterAll(() => world?.[Symbol.asyncDispose]());

describe('the pipeline for GitLab', () => {
  it('installs and builds', () => {
    expect(built.exitCode, told(built)).toBe(0);
    expect(site.has('index.html')).toBe(true);
  });

  it('deploys to Cloudflare Pages: the whole site, by a pinned tool', async () => {
    const ran = await run('deploy', 'cloudflare');
    expect(ran.exitCode, told(ran)).toBe(0);
    const [call] = await world.calls();
    expect(call?.arguments.join(' ')).toMatch(/^--yes wrangler@\d+\.\d+\.\d+ /);
    expect(call?.arguments).toContain('our-cars');
    expect(call?.files).toEqual(expect.arrayContaining([...site.keys()]));
  });

  it('had wrangler itself deploy every file, byte by byte', () => {
    const deployed = world.cloudflare.deployed();
    expect(notDeployed(site, (file) => deployed.get(file))).toEqual([]);
    expect(world.cloudflare.tokens).toContain(world.settings.secrets.CLOUDFLARE_API_TOKEN);
  });

  it.each(REMOTE)('deploys to %s what changed, two nights long', async (id) => {
    world.front.to = world.hosts[id].siteUrl;
    const pipeline = await pipelineFor(id);
    try {
      for (const name of ['first', 'second']) {
        const folder = folderOf(`${id}-${name}`);
        const { ran, red } = await runPipeline(pipeline, world, { folder });
        const said = [...ran.values()].map(told).join('\n');
        expect(
          [...ran].map(([job, { exitCode }]) => [job, exitCode]),
          said,
        ).toEqual([
          ['build', 0],
          ['deploy', 0],
          ['attention', 0],
        ]);
        expect(red).toBe(false);
        const served = world.hosts[id].served();
        expect(notDeployed(site, (file) => served.get(file))).toEqual([]);
        // Nothing is kept for the next night.
        expect(pipeline.jobs.build?.cache).toBeUndefined();
        const moved = await readTree(path.join(folder, 'build/_changes/files'));
        if (name === 'first') expect([...moved.keys()]).toEqual([...site.keys()]);
        else expect(moved.size).toBeLessThan(site.size / 2);
      }
    } finally {
      world.front.to = world.published.url;
    }
  });

  it('starts with WHOLE=1 for what a host has forgotten', async () => {
    const id = 'netlify';
    world.front.to = world.hosts[id].siteUrl;
    const vehicle = world.service.data.dealers[0]?.vehicles[0];
    vehicle?.mediaList.push(...vehicle.mediaList.splice(0, 1));
    world.hosts[id].forget(['southgate-cars/index.html']);
    world.front.instead.set('/southgate-cars/', { status: 404, text: 'gone' });
    try {
      const before = world.hosts[id].served();
      const pipeline = await pipelineFor(id);
      const options = { folder: folderOf('lost') };
      const lost = await runPipeline(pipeline, world, options);
      expect(lost.red).toBe(true);
      const said = told(lost.ran.get('deploy') as Ran);
      expect(said).toContain('[deploy-content-lost]');
      expect(world.hosts[id].served()).toEqual(before);
      const again = await runPipeline(pipeline, world, options, { WHOLE: '1' });
      expect(again.red, [...again.ran.values()].map(told).join('\n')).toBe(false);
      expect(world.hosts[id].served().get('southgate-cars/index.html')?.toString('latin1')).toBe(
        site.get('southgate-cars/index.html'),
      );
    } finally {
      vehicle?.mediaList.unshift(...vehicle.mediaList.splice(-1, 1));
      world.front.instead.clear();
      world.front.to = world.published.url;
    }
  });

  it('hands the folder public to GitLab Pages', async () => {
    const ran = await run('pages', 'gitlab');
    expect(ran.exitCode, told(ran)).toBe(0);
    const { jobs } = await pipelineFor('gitlab');
    expect(jobs.pages?.artifacts?.paths).toEqual(['public/']);
    const handed = await readTree(path.join(folderOf('pages'), 'public'));
    expect([...handed.keys()]).toEqual([...site.keys()]);
  });

  it('ends as the build ends, and lets the doctor speak, where the build fails', async () => {
    world.service.faults.set({ route: 'media', status: 403 });
    try {
      const ran = await run('build', 'none', 'failed');
      expect(ran.exitCode).toBe(3);
      expect(told(ran)).toContain('[dealer-fails]');
      expect(told(ran)).not.toContain(world.service.mediaKey);
    } finally {
      world.service.faults.clear();
    }
  });

  describe('on a later night', () => {
    /** All jobs, with GitLab Pages as the host; what was built before is online. */
    const night = async (name: string, caches = 'caches') =>
      runPipeline(await pipelineFor('gitlab'), world, {
        folder: folderOf(name),
        caches: folderOf(caches),
      });
    const codes = ({ ran }: Awaited<ReturnType<typeof night>>) =>
      Object.fromEntries([...ran].map(([name, { exitCode }]) => [name, exitCode]));

    beforeAll(() => {
      world.published.folder = path.join(folderOf('build'), '_site');
    });
    afterEach(() => {
      world.service.faults.clear();
      world.published.instead = undefined;
    });

    it('deploys, and ends green, where all is well', async () => {
      const pipeline = await night('well');
      expect(codes(pipeline)).toEqual({ build: 0, pages: 0, attention: 0 });
      expect(pipeline.red).toBe(false);
    });

    it('deploys, keeps the cache, and then ends red, where a person is needed', async () => {
      const [lost, other] = world.service.data.dealers;
      const [vehicle] = other?.vehicles ?? [];
      if (!lost || !vehicle) throw new Error('no vehicles');
      other?.vehicles.push({ ...structuredClone(vehicle), vrm: 'NE26WAA' });
      world.service.faults.set({ route: 'media', dealerId: lost.id, emptyList: true });
      const pipeline = await night('attention');
      expect(codes(pipeline)).toEqual({ build: 0, pages: 0, attention: 8 });
      expect(pipeline.red).toBe(true);
      expect(pipeline.ran.get('attention')?.stdout).toContain('needs your attention');
      const cache = await readTree(path.join(folderOf('attention/build'), '.cache'));
      const saved = await readTree(folderOf('caches/.cache'));
      expect([...saved.keys()]).toEqual(expect.arrayContaining([...cache.keys()]));
      const online = await readTree(path.join(folderOf('attention/pages'), 'public'));
      expect([...online.keys()]).toContain('southgate-cars/ne26waa/index.html');
      for (const file of site.keys()) {
        if (file.startsWith('northgate-cars/')) expect(online.has(file), file).toBe(true);
      }
    });

    it('deploys nothing where the build says 4', async () => {
      world.published.instead = () => ({ status: 503 });
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
      const pipeline = await night('unreachable', 'evicted');
      expect(codes(pipeline)).toEqual({ build: 4 });
      expect(pipeline.red).toBe(true);
    });
  });
});
