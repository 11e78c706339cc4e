import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CHANGED_FILES } from '../../src/change-set/change-set.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { readTree } from './build.ts';
import { shell, shellText } from './checkout.ts';
import { type JobRun, runGithubJob, runGitlabJob } from './ci-job.ts';
import { type DeployWorld, notDeployed, startDeployWorld, workflowText } from './deploy-world.ts';
import { writeFilesBelow } from './files-below.ts';

/** A file in the folder that `OWN_FILES` names here. */
const OWN_FILE = 'theme.css';

/** The host that each CI deploys to here. A deploy is the same in both. */
const HOSTS = { github: 'netlify', gitlab: 'cloudflare-workers' } as const;

/** Tests for the workflow of a CI, which run its shell lines. Each CI has a test file. */
export function testWorkflow(ci: 'github' | 'gitlab'): void {
  const file = { github: '.github/workflows/rebuild.yml', gitlab: '.gitlab-ci.yml' }[ci];
  const id = HOSTS[ci];
  let world: DeployWorld;
  let built: JobRun;
  let site: Map<string, string>;

  const at = (name: string) => path.join(path.dirname(world.project), name);
  const run = (
    name: string,
    host: string,
    options: { built?: JobRun; started?: Record<string, string> } = {},
  ) => {
    const folder = at(`${host}-${name}`);
    return (ci === 'github' ? runGithubJob : runGitlabJob)(world, name, {
      host,
      folder,
      ...options,
    });
  };
  /** A build and its deploy. */
  async function night(host: string, started: Record<string, string> = {}) {
    world.nextDay();
    const build = await run('build', host, { started });
    expect(build.exitCode, build.printed).toBe(0);
    // On GitLab, the job build also deploys.
    if (ci === 'gitlab') return { build, deploy: build };
    return { build, deploy: await run('deploy', host, { built: build, started }) };
  }
  /** Runs jobs with the variable for the project's own files. */
  async function withOwnFiles<T>(jobs: () => Promise<T>): Promise<T> {
    const { variables } = world.settings;
    variables.OWN_FILES = 'theme/assets';
    try {
      return await jobs();
    } finally {
      delete variables.OWN_FILES;
    }
  }
  /** Gives a vehicle another first picture, or the previous one again. */
  function turn(by: 1 | -1): void {
    const list = world.service.data.dealers[0]?.vehicles[0]?.mediaList ?? [];
    list.push(...list.splice(0, by === 1 ? 1 : list.length - 1));
  }

  beforeAll(async () => {
    world = await startDeployWorld(ci);
    const text = await readFile(path.join(world.project, file), 'utf8');
    expect(text).toBe(await workflowText(ci, world, 'none'));
    built = await run('build', 'none');
    expect(built.exitCode, built.printed).toBe(0);
    site = await readTree(path.join(built.folder, '_site'));
  });
  afterEach(() => {
    world.service.faults.clear();
    world.front.instead.clear();
    world.front.to = world.published.url;
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  it('installs and builds, shows the key to nobody, and leaves it in no file', async () => {
    expect(site.has('index.html')).toBe(true);
    expect(built.printed).not.toContain(world.service.mediaKey);
    const found = await shell(
      `grep -rlF --exclude-dir=node_modules "${world.service.mediaKey}" . || true`,
      { cwd: built.folder },
    );
    expect(found.stdout).toBe('');
    if (ci === 'gitlab') return;
    expect(built.steps).toEqual(['Install', 'Build', 'Pack']);
    expect(await readFile(`${built.folder}.summary`, 'utf8')).toContain('Northgate Cars');
  });

  it.runIf(ci === 'gitlab')('hands the folder public to GitLab Pages', async () => {
    for (const old of ['_site', 'public']) {
      await writeFilesBelow(path.join(at('gitlab-deploy'), old), { 'sold/index.html': 'old' });
    }
    // The project's own files may be in a folder of that name.
    await writeFilesBelow(path.join(world.project, 'public'), { 'ads.txt': 'own' });
    await shellText(
      'git add public && git -c user.name=A -c user.email=a@cars.test commit --quiet -m Own',
      { cwd: world.project },
    );
    const ran = await run('deploy', 'gitlab', { built });
    expect(ran.exitCode, ran.printed).toBe(0);
    const handed = [...(await readTree(path.join(ran.folder, 'public'))).keys()];
    const compressed = handed.filter((name) => name.endsWith('.gz'));
    expect(handed.filter((name) => !compressed.includes(name))).toEqual([...site.keys()]);
    const texts = [...site.keys()].filter((name) => !name.startsWith('media/'));
    expect(compressed.sort()).toEqual(texts.map((name) => `${name}.gz`).sort());
  });

  it('ends as the build ends, and runs the doctor, if the service refuses', async () => {
    world.service.faults.set({ route: 'media', status: 403 });
    const failed = await run('build', 'none');
    expect(failed.exitCode).toBe(3);
    expect(failed.printed).toContain('[dealer-fails]');
    expect(failed.printed).not.toContain(world.service.mediaKey);
  });

  it.runIf(ci === 'github')(
    'deploys every file to Cloudflare Pages, by a pinned tool, with the project’s own files',
    async () => {
      const { deploy } = await withOwnFiles(() => night('cloudflare'));
      expect(deploy.exitCode, deploy.printed).toBe(0);
      const [call] = await world.calls();
      expect(call?.arguments.join(' ')).toMatch(/^--yes wrangler@\d+\.\d+\.\d+ /);
      expect(call?.arguments).toContain('our-cars');
      expect(call?.files).toEqual(expect.arrayContaining([...site.keys(), OWN_FILE]));
      expect(call?.environment).not.toContain('MEDIA_API_KEY');
      const deployed = world.cloudflare.deployed();
      expect(notDeployed(site, (one) => deployed.get(one))).toEqual([]);
      expect(world.cloudflare.tokens).toContain(world.settings.secrets.CLOUDFLARE_API_TOKEN);
    },
  );

  it(`deploys everything to ${id}, and to a folder`, async () => {
    world.front.to = world.hosts[id].siteUrl;
    const { build, deploy } = await (ci === 'gitlab' ? withOwnFiles(() => night(id)) : night(id));
    expect(deploy.exitCode, deploy.printed).toBe(0);
    const served = world.hosts[id].served();
    expect(notDeployed(site, (one) => served.get(one))).toEqual([]);
    expect(served.has(OWN_FILE)).toBe(ci === 'gitlab');

    const into = path.join(world.settings.variables.DEPLOY_FOLDER ?? '', 'current');
    await using server = await startStaticServer({ folder: into, port: 0 });
    world.front.to = server.url.replace(/\/$/, '');
    // A deploy is the same in every CI. It waits longest for hosts with a CDN, and shortly for a new folder.
    if (ci === 'github') world.front.instead.set('/', { status: 200, text: 'Somebody else' });
    const folder =
      ci === 'github'
        ? await run('deploy', 'folder', { built: build })
        : (await night('folder')).deploy;
    const bytes = await readTree(into);
    expect(notDeployed(site, (one) => Buffer.from(bytes.get(one) ?? '', 'latin1'))).toEqual([]);
    if (ci === 'gitlab') expect(folder.exitCode, folder.printed).toBe(0);
    else {
      expect(folder.exitCode).not.toBe(0);
      expect(folder.printed).toContain('[live-differs]');
    }
  });

  it('switches nothing if the host lost a file, and makes it with a full build', async () => {
    const host = world.hosts[id];
    world.front.to = host.siteUrl;
    turn(1);
    const before = host.served();
    host.forget(['southgate-cars/index.html']);
    world.front.instead.set('/southgate-cars/', { status: 404, text: 'gone' });
    const lost = await night(id);
    expect(lost.deploy.printed).toContain('[deploy-content-lost]');
    expect(lost.deploy.exitCode, lost.deploy.printed).toBe(0);
    // On GitLab, the same job builds the full site.
    let { folder } = lost.deploy;
    if (ci === 'github') {
      expect(host.served()).toEqual(before);
      expect(lost.deploy.outputs).toEqual({ lost: 'true' });
      const again = await run('again', id);
      expect(again.exitCode, again.printed).toBe(0);
      const run_ = ['workflow', 'run', 'Rebuild the site', '--repo', 'cars/site', '--ref', 'main'];
      expect(await world.ghCalls()).toEqual([
        {
          arguments: [...run_, '-f', 'whole=true', '-f', 'accept-loss=', '-f', 'hide='],
          token: 'token-of-github',
        },
      ]);
      const full = await night(id, { whole: 'true' });
      expect(full.deploy.exitCode, full.deploy.printed).toBe(0);
      folder = full.build.folder;
    }
    const served = host.served();
    const made = await readTree(path.join(folder, '_site'));
    expect(notDeployed(made, (one) => served.get(one))).toEqual([]);
    expect(served.size).toBe([...made.keys()].filter((one) => one !== '_headers').length);
    turn(-1);
  });

  it('deploys changes from an empty disk, and then fails, if something needs attention', async () => {
    world.front.to = world.hosts[id].siteUrl;
    const [lost, other] = world.service.data.dealers;
    const [vehicle] = other?.vehicles ?? [];
    if (!lost || !vehicle) throw new Error('no vehicles');
    other?.vehicles.push({ ...structuredClone(vehicle), vrm: 'NE26WAA' });
    world.service.faults.set({ route: 'media', dealerId: lost.id, body: '[]' });
    const { build, deploy } = await night(id);
    expect(deploy.exitCode, deploy.printed).toBe(0);
    const moved = await readTree(path.join(build.folder, '_changes', CHANGED_FILES));
    expect(moved.size).toBeGreaterThan(0);
    expect(moved.size).toBeLessThan(site.size / 2);
    expect(await readdir(build.folder)).not.toContain('_site');
    expect(build.outputs[ci === 'github' ? 'code' : 'BUILD_CODE']).toBe('8');
    const attention = await run('attention', id, { built: build });
    expect([attention.exitCode, attention.printed]).toEqual([
      8,
      expect.stringContaining('needs your attention'),
    ]);
    const served = [...world.hosts[id].served().keys()];
    expect(served).toContain('southgate-cars/ne26waa/index.html');
    const pages = [...site.keys()].filter((one) => one.startsWith('northgate-cars/'));
    expect(served).toEqual(expect.arrayContaining(pages));

    const reportOf = async ({ folder }: JobRun) =>
      JSON.parse(await readFile(path.join(folder, 'build-report.json'), 'utf8'));
    const report = JSON.stringify(await reportOf(build));
    const [, token = ''] = /--accept-loss ([^\s"]+)/.exec(report) ?? [];
    const started = { 'accept-loss': token };
    const accepted = await run('build', id, { started });
    expect(accepted.exitCode, accepted.printed).toBe(0);
    const { dealers } = await reportOf(accepted);
    expect(dealers.find(({ id }: { id: number }) => id === lost.id)).toMatchObject({
      state: 'fresh',
      vehicles: { used: 0 },
    });
  });
}
