import { type DeploySettings, deploySettings } from '../config/deploy-settings.ts';
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

/** @throws {ConfigError} its settings are wrong. */
export const loadHost = <H extends HostId>(id: H, env: NodeJS.ProcessEnv): Promise<Host> =>
  LOADERS[id](deploySettings(id, env));
