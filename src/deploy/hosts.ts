import { type DeploySettings, deploySettings } from '../config/deploy-settings.ts';
import { ConfigError } from '../errors.ts';
import type { Host, HostId } from './host-api/types.ts';

/** A host is loaded only for a deploy to it. */
const LOADERS: { [H in HostId]: (settings: DeploySettings[H]) => Promise<Host> } = {
  netlify: async (settings) => new (await import('./hosts/netlify.ts')).Netlify(settings),
  'cloudflare-workers': async (settings) =>
    new (await import('./hosts/cloudflare-workers.ts')).CloudflareWorkers(settings),
  s3: async (settings) => new (await import('./hosts/s3.ts')).S3Host(settings),
  folder: async (settings) => new (await import('./hosts/folder.ts')).Folder(settings),
};

/** Values of `--to`. */
export const DEPLOY_HOSTS = Object.keys(LOADERS) as HostId[];

/** @param to its id. @throws {ConfigError} the host is unknown, or its settings are wrong. */
export async function loadHost(to: string | undefined, env: NodeJS.ProcessEnv): Promise<Host> {
  const id = DEPLOY_HOSTS.find((host) => host === to);
  const load = <H extends HostId>(host: H) => LOADERS[host](deploySettings(host, env));
  if (id !== undefined) return load(id);
  throw new ConfigError({
    code: 'deploy-to',
    what:
      to === undefined || to === 'none'
        ? 'No host is chosen.'
        : `npm run deploy does not support ${to}.`,
    why: `Supported: ${DEPLOY_HOSTS.join(', ')}. The workflow of a project deploys to other hosts.`,
    fix: 'Set DEPLOY_TO in .env, or use --to.',
  });
}
