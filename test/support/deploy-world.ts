import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { namedFromProject } from '../../scripts/commands/shared/published-texts.ts';
import { hostOf } from '../../src/config/hosts.ts';
import { readProject } from '../../src/setup/project.ts';
import { workflowFor } from '../../src/setup/workflow.ts';
import { temporaryFolder } from './build.ts';
import { type ShellOptions, shell, shellText } from './checkout.ts';
import { startCloudflareHost } from './cloudflare-host.ts';
import type { Ran } from './command.ts';
import { exampleWith } from './example-answers.ts';
import { startFront } from './front.ts';
import { startCloudflareWorkersHost } from './hosts/cloudflare-workers.ts';
import { startNetlifyHost } from './hosts/netlify.ts';
import { startS3Host } from './hosts/s3.ts';
import { linkPackages } from './project.ts';
import { startPublishedSite } from './published-site.ts';
import { startSampleService } from './sample-service/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Remote hosts of `npm run deploy`. */
const REMOTE = ['cloudflare-workers', 'netlify', 's3'] as const;

export type DeployWorld = Awaited<ReturnType<typeof startDeployWorld>>;

/** The installation command of the workflows. */
export const INSTALL = 'npm ci';

/**
 * Runs that line in the first job of a world. All its jobs have the same clone, so later ones link the
 * installed packages to save most of the time.
 */
export const installOnce =
  ({ project }: DeployWorld) =>
  async (line: string, options: ShellOptions): Promise<Ran> => {
    const installed = path.join(path.dirname(project), 'installed');
    const linked = await shell(`cp -al "${installed}" node_modules`, { cwd: options.cwd });
    if (linked.exitCode === 0) return linked;
    await rm(path.join(options.cwd, 'node_modules'), { recursive: true, force: true });
    const ran = await shell(line, options);
    if (ran.exitCode === 0) await shell(`cp -al node_modules "${installed}"`, { cwd: options.cwd });
    return ran;
  };

/**
 * Files of a site that are missing or different on a host, except for the times, which differ between two
 * builds of the same stock, and settings uploaded beside the files.
 */
export function notDeployed(
  site: ReadonlyMap<string, string>,
  bytesAt: (file: string) => Buffer | undefined,
): string[] {
  const missing = [...site].filter(([file, bytes]) => {
    if (file === '_headers') return false;
    const hostBytes = bytesAt(file);
    if (file === 'api/records/times.json') return hostBytes === undefined;
    return hostBytes?.toString('latin1') !== bytes;
  });
  return missing.map(([file]) => file);
}

/**
 * Wraps `npx`: it logs the call of a tool, its settings and the files in its folder. Then it runs wrangler
 * against a Cloudflare on loopback.
 */
const RECORDER = `#!/usr/bin/env node
const { appendFileSync, readdirSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const given = process.argv.slice(2);
const folder = given.find((one) => ['site', '_site'].includes(one));
const files = folder ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
const environment = Object.keys(process.env).filter((name) => /CLOUDFLARE|NETLIFY|_KEY|TOKEN/.test(name));
if (given[0] === '--yes') appendFileSync(__dirname + '/calls.jsonl', JSON.stringify({ arguments: given, files, environment }) + '\\n');
const PATH = process.env.PATH.split(':').filter((one) => one !== __dirname).join(':');
process.exitCode = spawnSync('npx', given, { stdio: 'inherit', env: { ...process.env, PATH } }).status ?? 1;
`;

/** A fake `gh`, limited to the calls of a job. */
const GH = `#!/usr/bin/env node
const { appendFileSync } = require('node:fs');
const call = { arguments: process.argv.slice(2), token: process.env.GH_TOKEN };
appendFileSync(__dirname + '/gh.jsonl', JSON.stringify(call) + '\\n');
`;

/** A user's project with this program as its only dependency, and a lockfile. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(folder);
  const { tarball: packed } = inject('packed');
  const tarball = path.basename(packed);
  await copyFile(packed, path.join(folder, tarball));
  const dependencies = { 'vehicle-media-site': `file:${tarball}` };
  const manifest = { name: 'our-site', private: true, type: 'module', dependencies };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
}

/** The workflow that init writes for a host in a world's project. */
export const workflowText = async (
  ci: 'github' | 'gitlab',
  { project, front }: DeployWorld,
  host: string,
): Promise<string> =>
  namedFromProject(
    workflowFor(ci, exampleWith({ url: front.url }, { host }), await readProject(project)).text,
    'vehicle-media-site',
  );

/** A project set up for a sample service, and hosts to deploy to. */
export async function startDeployWorld(ci: 'github' | 'gitlab') {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const options = { dealers: 2, vehicles: 3, images: 2, pictureScale: 0.25 };
  const service = opened.use(await startSampleService(options));
  let passed = 0;
  const hosts = {
    'cloudflare-workers': opened.use(await startCloudflareWorkersHost()),
    // It accepts few deploys a minute, and nights here are seconds apart.
    netlify: opened.use(await startNetlifyHost({ now: () => Date.now() + passed })),
    s3: opened.use(await startS3Host()),
  };
  // Cloudflare Pages.
  const cloudflare = opened.use(await startCloudflareHost('our-cars'));
  // A host that shows a folder, initially empty.
  const published = opened.use(await startPublishedSite());
  published.folder = path.join(folder.path, 'nothing');
  // The site at `site.url`.
  const front = opened.use(await startFront(published.url));
  const project = path.join(folder.path, 'project');
  await makeProject(project);
  const runs = (line: string) =>
    shellText(line, {
      cwd: project,
      env: { MEDIA_API_KEY: service.mediaKey },
      path: [path.dirname(process.execPath)],
    });
  // Adds packages for other platforms to the lockfile, which a mirror of the registry may not have.
  await runs(
    `git init --quiet && npm install --package-lock-only --no-audit --no-fund && node "${ROOT}/scripts/run.ts" lockfile`,
  );
  // The first job installs the packages.
  await linkPackages(project);
  await runs(
    `npx --no -- vehicle-media-site init --service "${service.baseUrl}" --url ${front.url} --dealer "7001=Northgate Cars" --dealer "7002=Southgate Cars" --ci ${ci}`,
  );
  // Only pushed files: no key, no packages, no cache.
  await runs(
    'rm -rf node_modules .env .cache && git add -A && git -c user.name=A -c user.email=a@cars.test commit --quiet -m "Our site"',
  );
  const wrappers = path.join(folder.path, 'bin');
  await mkdir(wrappers);
  for (const [name, text] of [
    ['npx', RECORDER],
    ['gh', GH],
  ] as const) {
    await writeFile(path.join(wrappers, name), text);
    await chmod(path.join(wrappers, name), 0o755);
  }
  const linesOf = async <T>(name: string): Promise<T[]> => {
    const text = await readFile(path.join(wrappers, name), 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line));
  };
  // Values that users of each host set where the workflows read them.
  const given = Object.assign({}, ...REMOTE.map((id) => hosts[id].environment()));
  const ofKind = (kind: 'secrets' | 'variables') =>
    Object.fromEntries(
      REMOTE.flatMap((id) => hostOf(id)?.[kind] ?? []).map((name) => [name, given[name] ?? '']),
    );
  return {
    service,
    hosts,
    project,
    cloudflare,
    front,
    published,
    /** Settings that redirect tools to the fake hosts, in addition to the workflow's. */
    elsewhere: {
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
      WRANGLER_SEND_METRICS: 'false',
      NETLIFY_API_URL: given.NETLIFY_API_URL,
      CLOUDFLARE_API_URL: given.CLOUDFLARE_API_URL,
    } as Record<string, string>,
    /** Folders at the start of the PATH: an `npx` that logs its calls, and the Node of setup-node. */
    path: [wrappers, path.dirname(process.execPath)],
    /** Secrets and variables that a user sets in a CI. The same for both CIs. */
    settings: {
      secrets: {
        MEDIA_API_KEY: service.mediaKey,
        ...ofKind('secrets'),
      },
      variables: {
        CLOUDFLARE_PROJECT: 'our-cars',
        DEPLOY_FOLDER: path.join(folder.path, 'served'),
        ...ofKind('variables'),
      },
    } as Record<'secrets' | 'variables', Record<string, string>>,
    /** Advances the hosts by a day, so their limits per day or minute restart. */
    nextDay: () => {
      passed += 86_400_000;
    },
    /** Calls of tools through `npx` by a deploy: its arguments, and the files in the given folder. */
    calls: () => linesOf<Record<'arguments' | 'files' | 'environment', string[]>>('calls.jsonl'),
    /** Calls of `gh`: arguments, and whether it had the token of the job. */
    ghCalls: () => linesOf<{ arguments: string[]; token: string }>('gh.jsonl'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
