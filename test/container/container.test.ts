import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleService, startSampleService } from '../../src/sample-service/server.ts';
import { temporaryFolder } from '../support/build.ts';
import { shell, shellText } from '../support/checkout.ts';
import { makeProject } from '../support/deploy-world.ts';
import { type Redis, startRedis } from '../support/redis.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NEEDED = ['buildah', 'mmdebstrap', 'unshare', 'redis-server'];
const missing = NEEDED.filter((name) => {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
});
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) console.warn(`No container is built here. Missing: ${missing.join(', ')}.`);

/** A base image like node:26-slim, from packages of this machine's Debian and the Node that runs this test. */
const BASE = `FROM scratch
ADD base.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
RUN ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
`;

/**
 * Runs a command in an image's files like a container with minimal rights: as another user, with a root that
 * is read-only except for /tmp and the volume. Arguments: the files, the volume, the user, the command.
 */
const RUN = `set -e
root=$1; data=$2; user=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount --bind "$data" "$root/data"
exec chroot --userspec="$user" "$root" /usr/bin/env --chdir /data "$@"
`;

interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Healthcheck?: { Test: string[] };
}

describe.skipIf(missing.length > 0)('the container', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: SampleService;
  let mounted: string;
  let worker: ImageConfig;
  let site: ImageConfig;
  const at = (name: string) => path.join(folder.path, name);
  const buildah = async (args: string) => {
    const [name, ...others] = args.split(' ');
    const storage = `--storage-driver vfs --root ${at('store')} --runroot ${at('run')}`;
    const line = `buildah ${storage} ${name} ${others.join(' ')}`;
    return shellText(line, { cwd: folder.path });
  };
  const configOf = async (image: string): Promise<ImageConfig> =>
    JSON.parse(await buildah(`inspect --type image ${image}`)).Docker.config;

  /** Command line of an image, with its own or other arguments. */
  const commandOf = (
    { Entrypoint, Cmd, Env, User }: ImageConfig,
    args: readonly string[] = Cmd,
    env: Record<string, string> = {},
  ) => {
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return [
      '-m',
      'bash',
      '-c',
      RUN,
      'run',
      mounted,
      at('data'),
      User,
      '-i',
      ...Env,
      ...given,
    ].concat(Entrypoint, args);
  };
  const start = (args: readonly string[]): ChildProcess =>
    spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const run = (args: readonly string[]): Promise<{ exitCode: number | null; output: string }> => {
    const child = start(args);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    return new Promise((resolve) => child.on('close', (exitCode) => resolve({ exitCode, output })));
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    service = await startSampleService({ dealers: 1, vehicles: 3, images: 2 });
    for (const dealer of service.data.dealers) dealer.apiKey = MEDIA_KEY;
    await makeProject(at('project'));
    const init = await shell(
      `npm install --no-audit --no-fund bullmq ioredis && node "${ROOT}/scripts/run.ts" lockfile && npx --no -- vehicle-media-site init --service "${service.baseUrl}" --url https://cars.test --dealer "7001=Northgate Cars" --account "north=C-1001/1" --ci none`,
      {
        cwd: at('project'),
        env: { MEDIA_API_KEY: MEDIA_KEY, BATCH_API_KEY: service.batchKey },
        path: [path.dirname(process.execPath)],
      },
    );
    if (init.exitCode !== 0) throw new Error(`${init.stdout}\n${init.stderr}`);

    await mkdir(at('base'));
    const npm = path.dirname(
      path.dirname(await realpath(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())),
    );
    await cp(process.execPath, at('base/node'));
    await cp(npm, at('base/npm'), { recursive: true, dereference: true });
    await writeFile(at('base/Containerfile'), BASE);
    const debian = await shell(
      '. /etc/os-release && mmdebstrap --quiet --variant=minbase --include=ca-certificates,libatomic1 "$VERSION_CODENAME" base/base.tar',
      { cwd: folder.path },
    );
    if (debian.exitCode !== 0) throw new Error(debian.stderr);
    await buildah(`bud --isolation chroot -t base ${at('base')}`);

    // Registry settings of this machine as a secret of the build.
    const registry = await shell('npm config get registry', { cwd: folder.path });
    await writeFile(
      at('npmrc'),
      `registry=${registry.stdout.trim()}\ncafile=/etc/ssl/certs/ca-certificates.crt\n`,
    );
    const program = at('project/node_modules/vehicle-media-site');
    const flags = `--isolation chroot --network host --format docker --build-arg BASE=localhost/base --pull-never --secret id=npmrc,src=${at('npmrc')} -v /etc/ssl/certs:/etc/ssl/certs:ro -f ${program}/Dockerfile --ignorefile ${program}/Dockerfile.dockerignore`;
    await buildah(`bud ${flags} --layers -t site ${at('project')}`);
    await buildah(`bud ${flags} --layers --target worker -t worker ${at('project')}`);
    [site, worker] = [await configOf('localhost/site'), await configOf('localhost/worker')];
    mounted = await buildah(`mount ${await buildah('from --pull-never localhost/site')}`);
    await mkdir(at('data'));
    await chown(at('data'), 1000, 1000);
  });
  afterAll(async () => {
    if (mounted) await buildah('umount --all');
    await service?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it('contains the project and the program, but no key', async () => {
    expect(
      (await readdir(path.join(mounted, 'site'))).filter((name) => name !== 'node_modules').sort(),
    ).toEqual(
      (await readdir(at('project')))
        .filter((name) => !['node_modules', '.env', '.cache', '.git'].includes(name))
        .sort(),
    );
    expect(await readFile(at('project/.env'), 'utf8')).toContain(MEDIA_KEY);
    const found = await shell(`grep -rlF "${MEDIA_KEY}" "${mounted}/site" || true`, {
      cwd: folder.path,
    });
    expect(found.stdout).toBe('');
  });

  it('runs as an unprivileged user who can only write to the volume and /tmp', async () => {
    expect(site).toMatchObject({ User: '1000:1000', WorkingDir: '/data', Cmd: ['build'] });
    const probe = `touch /data/own && rm /data/own && touch /tmp/own && ! touch /site/own && id -u`;
    const { exitCode, output } = await run(
      commandOf({ ...site, Entrypoint: ['sh', '-c'] }, [probe]),
    );
    expect({ exitCode, output }).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/Read-only[\s\S]*\b1000\n$/),
    });
  });

  it('builds the site into the volume, and again with the stored state', async () => {
    const env = { MEDIA_API_KEY: MEDIA_KEY };
    const first = await run(commandOf(site, ['build', '--first'], env));
    expect(first.exitCode, first.output).toBe(0);
    expect(await readdir(at('data/_site'))).toContain('index.html');
    // As docs/container.md has it: a secret that is mounted as a file.
    await writeFile(at('data/.env'), `MEDIA_API_KEY=${MEDIA_KEY}\n`);
    const again = await run(commandOf(site));
    await rm(at('data/.env'));
    expect(again.exitCode, again.output).toBe(0);
    const { media } = JSON.parse(await readFile(at('data/build-report.json'), 'utf8'));
    expect(media).toMatchObject({ downloaded: 0, outputsMade: 0, failed: 0 });
  });

  it('keeps the history of sent videos in the volume', async () => {
    const env = { BATCH_API_KEY: service.batchKey };
    const { exitCode, output } = await run(commandOf(site, ['batches', 'pull'], env));
    expect(exitCode, output).toBe(0);
    expect(await readdir(at('data'))).toContain('.batches');
  });

  /** A separate key: the program contains the key of the sample service. */
  const MEDIA_KEY = '0d5c1b7e-62f4-4a9e-9d3b-7c1f8e2a4b60';

  describe('as a worker', () => {
    let redis: Redis;
    let child: ChildProcess;
    /** Exit code of the health check of the image. */
    const health = async () => {
      const [, ...test] = worker.Healthcheck?.Test ?? [];
      return (await run(commandOf({ ...worker, Entrypoint: test }, []))).exitCode;
    };

    beforeAll(async () => {
      redis = await startRedis(at('data'));
      // From inside, as a user who does not own it.
      const url = redis.url.replace(at('data'), '/data');
      for (const file of [
        path.dirname(redis.url.replace('unix://', '')),
        redis.url.replace('unix://', ''),
      ]) {
        await chmod(file, 0o777);
      }
      child = start(commandOf(worker, undefined, { QUEUE_URL: url }));
    });
    afterAll(async () => {
      child?.kill('SIGTERM');
      await redis?.[Symbol.asyncDispose]();
    });

    it('is healthy while its queue responds, and unhealthy without it', async () => {
      expect(site.Healthcheck).toBeUndefined();
      await expect.poll(health, { timeout: 60_000 }).toBe(0);
      await redis.kill();
      expect(await health()).toBe(1);
    });
  });
});
