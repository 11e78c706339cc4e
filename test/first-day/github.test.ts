import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { CHANGED_FILES, CHANGES, readChanges } from '../../src/publish/change-set/change-set.ts';
import { readTree } from '../support/build.ts';
import { shell } from '../support/checkout.ts';
import {
  type DeployWorld,
  notDeployed,
  REMOTE,
  startDeployWorld,
  workflowText,
} from '../support/deploy-world.ts';
import { type Call, callOf, type JobRun, runJob, runWorkflow } from '../support/github-job.ts';

let world: DeployWorld;
let text: string;
let built: JobRun;
let artifacts: string;
let caches: string;
let summary: string;
let site: Map<string, string>;
/** The names of the steps that ran, and of all steps, of the workflows that were used. */
const done = new Set<string>();
const all = new Set<string>();

const at = (name: string) => path.join(path.dirname(world.project), name);

/** The workflow for a host, with the inputs of a run. */
async function callFor(host: string, started: Parameters<typeof callOf>[2] = {}): Promise<Call> {
  const call = callOf(await workflowText('github', world, host), world, started);
  for (const [name, { steps }] of Object.entries(call.workflow.jobs)) {
    for (const step of steps) {
      if (step.run !== undefined) all.add(`${host} ${name}: ${step.name ?? step.run}`);
    }
  }
  return call;
}

const run = async (name: string, host: string): Promise<JobRun> => {
  const call = await callFor(host);
  const job = call.workflow.jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  const folder = at(`${host}-${name}`);
  await rm(folder, { recursive: true, force: true });
  const result = await runJob(job, world, { folder, call, artifacts, caches, summary });
  for (const step of result.ran.keys()) done.add(`${host} ${name}: ${step}`);
  return result;
};

/** All jobs of a night. */
const night = async (folder: string, host: string, started: Parameters<typeof callOf>[2] = {}) => {
  const result = await runWorkflow(world, {
    call: await callFor(host, started),
    folder: at(folder),
    artifacts,
    caches,
    summary,
    runId: folder,
  });
  for (const [name, { ran }] of Object.entries(result.runs)) {
    for (const step of ran.keys()) done.add(`${host} ${name}: ${step}`);
  }
  return result;
};
type Night = Awaited<ReturnType<typeof night>>;

/** Gives a vehicle another first picture, or the former one again. */
function turn(by: 1 | -1): void {
  const list = world.service.data.dealers[0]?.vehicles[0]?.mediaList ?? [];
  list.push(...list.splice(0, by === 1 ? 1 : list.length - 1));
}

/** What all steps of a night said, for when one fails. */
const told = ({ runs }: Night): string =>
  Object.values(runs)
    .flatMap(({ ran }) => [...ran.values()].map(({ stdout, stderr }) => stdout + stderr))
    .join('\n');

const WELL = {
  build: 'success',
  deploy: 'success',
  again: 'skipped',
  attention: 'skipped',
};

beforeAll(async () => {
  world = await startDeployWorld('github');
  text = await readFile(path.join(world.project, '.github/workflows/rebuild.yml'), 'utf8');
  expect(text).toBe(await workflowText('github', world, 'none'));
  artifacts = at('artifacts');
  caches = at('caches');
  summary = at('summary.md');
  await mkdir(artifacts);
  await mkdir(caches);
  built = await run('build', 'none');
  expect(built.ok, [...built.ran.values()].map(({ stderr }) => stderr).join('\n')).toBe(true);
  site = await readTree(path.join(built.folder, '_site'));
});
afterAll(() => world?.[Symbol.asyncDispose]());

describe('the workflow for GitHub', () => {
  it('installs and builds, and writes the summary', async () => {
    expect([...built.ran].map(([name, { exitCode }]) => [name, exitCode])).toEqual([
      ['Install', 0],
      ['Build', 0],
      ['Pack', 0],
    ]);
    expect(site.has('index.html')).toBe(true);
    expect(await readFile(summary, 'utf8')).toContain('Northgate Cars');
  });

  it('lets the doctor speak where the build fails', async () => {
    world.service.faults.set({ route: 'media', status: 403 });
    try {
      const failed = await run('build', 'none');
      expect(failed.ok).toBe(false);
      expect(failed.ran.get('Explain the failure')?.stdout).toContain('[dealer-fails]');
    } finally {
      world.service.faults.clear();
    }
  });

  it('deploys to Cloudflare Pages: the whole site, by a pinned tool, without the key of the service', async () => {
    const result = await night('pages-of-cloudflare', 'cloudflare');
    expect(result.outcomes, told(result)).toEqual({
      build: 'success',
      deploy: 'success',
      attention: 'skipped',
    });
    const [call] = await world.calls();
    expect(call?.arguments.join(' ')).toMatch(/^--yes wrangler@\d+\.\d+\.\d+ /);
    expect(call?.arguments).toContain('our-cars');
    expect(call?.files).toEqual(expect.arrayContaining([...site.keys()]));
    expect(call?.environment).toContain('CLOUDFLARE_API_TOKEN');
    expect(call?.environment).not.toContain('MEDIA_API_KEY');
  });

  it('had wrangler itself deploy every file, byte by byte', () => {
    const deployed = world.cloudflare.deployed();
    expect(notDeployed(site, (file) => deployed.get(file))).toEqual([]);
    expect(world.cloudflare.tokens).toContain(world.settings.secrets.CLOUDFLARE_API_TOKEN);
  });

  describe.each(REMOTE)('with %s as the host', (id) => {
    const saved = async () => readFile(path.join(caches, 'saved.json'), 'utf8');
    let first: number;

    beforeAll(() => {
      world.front.to = world.hosts[id].siteUrl;
    });
    afterAll(() => turn(-1));

    it('brings the whole site there on the first night, byte by byte', async () => {
      const before = await saved();
      const result = await night(`${id}-first`, id);
      expect(result.outcomes, told(result)).toEqual(WELL);
      expect(result.red).toBe(false);
      const served = world.hosts[id].served();
      expect(notDeployed(site, (file) => served.get(file))).toEqual([]);
      expect(await saved()).toBe(before);
      first = (await stat(path.join(artifacts, 'site/site.tar'))).size;
    });

    it('moves what changed on the next one, from an empty disk', async () => {
      turn(1);
      const result = await night(`${id}-second`, id);
      expect(result.outcomes, told(result)).toEqual(WELL);
      const folder = result.runs.build?.folder ?? '';
      expect(await readdir(folder)).not.toContain('_site');
      const changes = await readChanges(path.join(folder, '_changes', CHANGES));
      const moved = await readTree(path.join(folder, '_changes', CHANGED_FILES));
      expect(changes?.files.size).toBeGreaterThan(60);
      expect(moved.size).toBeLessThan((changes?.files.size ?? 0) / 2);
      expect((await stat(path.join(artifacts, 'site/site.tar'))).size).toBeLessThan(first / 2);
      // What is served is the site that one machine makes from nothing.
      const whole = await shell(
        'npx --no -- vehicle-media-site build --whole --output whole --report whole.json',
        {
          cwd: folder,
          env: { MEDIA_API_KEY: world.settings.secrets.MEDIA_API_KEY ?? '' },
          path: world.path,
        },
      );
      expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
      const served = world.hosts[id].served();
      const expected = await readTree(path.join(folder, 'whole'));
      expect(notDeployed(expected, (file) => served.get(file))).toEqual([]);
      expect(served.size).toBe([...expected.keys()].filter((file) => file !== '_headers').length);
    });
  });

  describe('where a host has forgotten what did not change', () => {
    const id = 'netlify';
    const lost = 'southgate-cars/index.html';

    beforeAll(() => {
      world.front.to = world.hosts[id].siteUrl;
    });
    afterEach(() => {
      world.front.instead.clear();
    });
    afterAll(() => turn(-1));

    it('switches nothing, and starts itself once more, for the whole site', async () => {
      turn(1);
      const before = world.hosts[id].served();
      world.hosts[id].forget([lost]);
      world.front.instead.set('/southgate-cars/', { status: 404, text: 'gone' });
      const result = await night('lost', id);
      expect(result.outcomes, told(result)).toEqual({ ...WELL, again: 'success' });
      expect(result.red).toBe(false);
      expect(told(result)).toContain('[deploy-content-lost]');
      expect(world.hosts[id].served()).toEqual(before);
      expect(await world.ghCalls()).toEqual([
        {
          arguments: [
            ...['workflow', 'run', 'Rebuild the site', '--repo', 'cars/site', '--ref', 'main'],
            ...['-f', 'whole=true', '-f', 'accept-loss='],
          ],
          token: 'token-of-github',
        },
      ]);
    });

    it('makes it again then, and starts nothing more', async () => {
      const result = await night('again', id, { whole: true });
      expect(result.outcomes, told(result)).toEqual(WELL);
      const whole = await readTree(path.join(result.runs.build?.folder ?? '', '_site'));
      const served = world.hosts[id].served();
      expect(notDeployed(whole, (file) => served.get(file))).toEqual([]);
      expect(await world.ghCalls()).toHaveLength(1);
    });
  });

  it('ends red where the website does not show what was sent', async () => {
    world.front.to = world.hosts['cloudflare-workers'].siteUrl;
    world.front.instead.set('/', { status: 200, text: 'Somebody else' });
    try {
      const result = await night('other', 'cloudflare-workers');
      expect(result.outcomes, told(result)).toEqual({ ...WELL, deploy: 'failure' });
      expect(result.red).toBe(true);
      expect(told(result)).toContain('[live-differs]');
    } finally {
      world.front.instead.clear();
    }
  });

  it('fills a folder, where its runner is the server', async () => {
    const into = world.settings.variables.DEPLOY_FOLDER ?? '';
    const server = await startStaticServer({ folder: path.join(into, 'current'), port: 0 });
    world.front.to = server.url.replace(/\/$/, '');
    try {
      const result = await night('folder', 'folder');
      expect(result.outcomes, told(result)).toEqual(WELL);
      const served = await readTree(path.join(into, 'current'));
      const bytesAt = (file: string) => Buffer.from(served.get(file) ?? '', 'latin1');
      expect(notDeployed(site, bytesAt)).toEqual([]);
    } finally {
      await server.close();
    }
  });

  it('adds the project’s own files, if OWN_FILES names their folder', async () => {
    const { variables } = world.settings;
    variables.OWN_FILES = 'theme/assets';
    try {
      const { ok, folder, ran } = await run('build', 'none');
      expect(ok, [...ran.values()].map(({ stderr }) => stderr).join('\n')).toBe(true);
      const sent = await shell('tar -tf site.tar', { cwd: folder });
      expect(sent.stdout.split('\n')).toContain('./theme.css');
    } finally {
      delete variables.OWN_FILES;
    }
  });

  describe('on a later night', () => {
    beforeAll(() => {
      world.front.to = world.hosts.s3.siteUrl;
    });
    afterEach(() => {
      world.service.faults.clear();
      world.front.instead.clear();
    });

    it('deploys, and then ends red, where a person is needed', async () => {
      const [lost, other] = world.service.data.dealers;
      const [vehicle] = other?.vehicles ?? [];
      if (!lost || !vehicle) throw new Error('no vehicles');
      other?.vehicles.push({ ...structuredClone(vehicle), vrm: 'NE26WAA' });
      world.service.faults.set({ route: 'media', dealerId: lost.id, emptyList: true });
      const result = await night('attention', 's3');
      expect(result.outcomes, told(result)).toEqual({ ...WELL, attention: 'failure' });
      expect(result.red).toBe(true);
      const { exitCode, stdout } =
        result.runs.attention?.ran.get('Report what needs attention') ?? {};
      expect({ exitCode, stdout }).toEqual({
        exitCode: 8,
        stdout: expect.stringContaining('needs your attention. The summary of this run'),
      });
      const deployed = world.hosts.s3.served();
      expect([...deployed.keys()]).toContain('southgate-cars/ne26waa/index.html');
      for (const file of site.keys()) {
        if (file.startsWith('northgate-cars/')) expect(deployed.has(file), file).toBe(true);
      }
    });

    it('accepts a loss that a person names in the form of the run', async () => {
      const { id } = world.service.data.dealers[0] ?? {};
      world.service.faults.set({ route: 'media', dealerId: id, emptyList: true });
      const reportOf = async (name: string) =>
        JSON.parse(await readFile(path.join(at(name), 'build/build-report.json'), 'utf8'));
      const held = await night('held', 's3');
      const [, token = ''] =
        /--accept-loss ([^\s"]+)/.exec(JSON.stringify(await reportOf('held'))) ?? [];
      expect(token, told(held)).toMatch(/^[\w-]+@[0-9a-f]+$/);
      const result = await night('accepted', 's3', { 'accept-loss': token });
      const { dealers } = await reportOf('accepted');
      expect(
        dealers.find((dealer: { id: number }) => dealer.id === id),
        told(result),
      ).toMatchObject({ state: 'fresh', vehicles: { used: 0 } });
    });

    it('deploys nothing where the build says 4', async () => {
      const before = world.hosts.s3.served();
      world.front.to = 'http://127.0.0.1:1';
      world.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
      const result = await night('unreachable', 's3');
      const outcomes = { ...WELL, build: 'failure', deploy: 'skipped' };
      expect(result.outcomes, told(result)).toEqual(outcomes);
      expect(result.red).toBe(true);
      expect(result.runs.build?.ran.get('Build')?.exitCode).toBe(4);
      expect(world.hosts.s3.served()).toEqual(before);
    });

    it('keeps the cache for a host that gets the whole site', async () => {
      const result = await night('pages', 'github');
      expect(result.outcomes, told(result)).toMatchObject({ build: 'success', deploy: 'success' });
      expect(JSON.parse(await readFile(path.join(caches, 'saved.json'), 'utf8')).at(-1)).toBe(
        'media-pages-1',
      );
    });
  });

  it('never shows the key, nor leaves it in a file', async () => {
    const shown = [...built.ran.values()].map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect(shown).not.toContain(world.service.mediaKey);
    const found = await shell(
      `grep -rlF --exclude-dir=node_modules "${world.service.mediaKey}" . || true`,
      { cwd: built.folder },
    );
    expect(found.stdout).toBe('');
  });

  it('has no step that was not run here', () => {
    // Failures, and hosts that share their steps with one of which all ran.
    const alike = [...done].map((step) => step.slice(step.indexOf(' ')));
    const missing = [...all].filter((step) => !alike.includes(step.slice(step.indexOf(' '))));
    expect(missing).toEqual([]);
  });
});
