import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { temporaryFolder } from './build.ts';
import { freshClone, type ShellOptions, shell } from './checkout.ts';
import { type CloudflareHost, startCloudflareHost } from './cloudflare-host.ts';
import type { Ran } from './command.ts';
import { type PublishedSite, startPublishedSite } from './published-site.ts';
import { type S3Host, startS3Host } from './s3-host.ts';

export const BUCKET = 'cars';
const S3_KEYS = { id: 'AKIDEXAMPLE', secret: 'a-secret-of-the-host' };

/** What a person puts among the secrets and variables of a CI; the same for both. */
export interface Settings {
  secrets: Record<string, string>;
  variables: Record<string, string>;
}

export interface DeployWorld extends AsyncDisposable {
  service: SampleService;
  host: S3Host;
  cloudflare: CloudflareHost;
  /** What answers at `site.url`; nothing is published there yet. */
  published: PublishedSite;
  /** Where tools find the hosts that stand in for theirs, beside what the workflow gives them. */
  elsewhere: Record<string, string>;
  /** The clone, set up by init and committed. */
  project: string;
  settings: Settings;
  /** Folders before all others on the PATH: `npx` that notes its calls, and the Node of setup-node. */
  path: string[];
  /** Calls of `npx` that a deploy made: its arguments, and which files lay in the folder it named. */
  calls(): Promise<{ arguments: string[]; files: string[]; environment: string[] }[]>;
}

/** How every job installs. */
export const INSTALL = 'npm ci --omit=dev';

/**
 * Runs that line for real in the first job of a world. All its jobs have the same clone, so later ones
 * get what it installed, by links: it is nearly all of what they would take.
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

/** Files of a site that a host does not have, or not byte by byte. */
export function notDeployed(
  site: ReadonlyMap<string, string>,
  bytesAt: (file: string) => Buffer | undefined,
): string[] {
  const missing = [...site].filter(([file, bytes]) => {
    // Sent beside the files, as settings of the deployment.
    if (file === '_headers') return false;
    return bytesAt(file)?.toString('latin1') !== bytes;
  });
  return missing.map(([file]) => file);
}

/**
 * Stands before `npx`: it notes how a tool was called, which settings it was given, and what lies in
 * its folder. wrangler is then run for real, against a Cloudflare on loopback; netlify-cli, which
 * bears no other end than Netlify's own, is not.
 */
const RECORDER = `#!/usr/bin/env node
const { appendFileSync, readdirSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const given = process.argv.slice(2);
const folder = given.find((one) => ['site', '_site'].includes(one));
const files = folder ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
const environment = Object.keys(process.env).filter((name) => /CLOUDFLARE|NETLIFY|_KEY|TOKEN/.test(name));
appendFileSync(__dirname + '/calls.jsonl', JSON.stringify({ arguments: given, files, environment }) + '\\n');
if (given.some((one) => one.startsWith('wrangler@'))) {
  const PATH = process.env.PATH.split(':').filter((one) => one !== __dirname).join(':');
  process.exitCode = spawnSync('npx', given, { stdio: 'inherit', env: { ...process.env, PATH } }).status ?? 1;
}
`;

/** A fresh clone that was set up for a sample service, and hosts to deploy to. */
export async function startDeployWorld(
  ci: 'github' | 'gitlab',
  dealers: readonly string[] = ['Northgate Cars', 'Southgate Cars'],
): Promise<DeployWorld> {
  const folder = await temporaryFolder();
  const service = await startSampleService({ dealers: dealers.length, vehicles: 3, images: 2 });
  const host = await startS3Host({ bucket: BUCKET, ...S3_KEYS });
  const cloudflare = await startCloudflareHost('our-cars');
  const published = await startPublishedSite();
  published.folder = path.join(folder.path, 'nothing');
  const project = path.join(folder.path, 'project');
  await freshClone(project, 'linked');
  const flags = dealers.map((name, index) => `--dealer "${7001 + index}=${name}"`).join(' ');
  const init = await shell(
    `npm run init -- --service "${service.baseUrl}" --url ${published.url} ${flags} --ci ${ci}`,
    { cwd: project, env: { MEDIA_API_KEY: service.mediaKey } },
  );
  if (init.exitCode !== 0) throw new Error(`${init.stdout}\n${init.stderr}`);
  // What is pushed, and no more: no key, no packages, no cache.
  const committed = await shell(
    'rm -rf node_modules .env .cache && git add -A && git -c user.name=A -c user.email=a@cars.test commit --quiet -m "Our site"',
    { cwd: project },
  );
  if (committed.exitCode !== 0) throw new Error(committed.stderr);
  const wrappers = path.join(folder.path, 'bin');
  await mkdir(wrappers);
  await writeFile(path.join(wrappers, 'npx'), RECORDER);
  await chmod(path.join(wrappers, 'npx'), 0o755);
  return {
    service,
    host,
    project,
    cloudflare,
    published,
    elsewhere: { CLOUDFLARE_API_BASE_URL: cloudflare.url, WRANGLER_SEND_METRICS: 'false' },
    path: [wrappers, path.dirname(process.execPath)],
    settings: {
      secrets: {
        MEDIA_API_KEY: service.mediaKey,
        CLOUDFLARE_API_TOKEN: 'token-of-cloudflare',
        CLOUDFLARE_ACCOUNT_ID: 'account-of-cloudflare',
        NETLIFY_AUTH_TOKEN: 'token-of-netlify',
        AWS_ACCESS_KEY_ID: S3_KEYS.id,
        AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
      },
      variables: {
        CLOUDFLARE_PROJECT: 'our-cars',
        NETLIFY_SITE_ID: 'site-of-netlify',
        S3_BUCKET: BUCKET,
        S3_ENDPOINT: host.url,
        S3_REGION: 'eu-central-1',
        S3_PREFIX: '',
      },
    },
    calls: async () => {
      const text = await readFile(path.join(wrappers, 'calls.jsonl'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]();
      await cloudflare[Symbol.asyncDispose]();
      await published[Symbol.asyncDispose]();
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
