import type { DeploySettings } from '../config/deploy-settings.ts';
import type { HostHttpSettings } from './host-api/http.ts';
import type { Host, HostId } from './host-api/types.ts';

/** A host, and how it is asked. */
export interface LoadedHost {
  host: Host;
  words: HostHttpSettings;
}

type Loaders = { [H in HostId]: (settings: DeploySettings[H]) => Promise<LoadedHost> };

/** Each is loaded only where it is deployed to. */
const LOADERS: Loaders = {
  netlify: async (settings) => {
    const { NETLIFY_HTTP, netlifyHost } = await import('./hosts/netlify.ts');
    return { host: netlifyHost(settings), words: NETLIFY_HTTP };
  },
  'cloudflare-workers': async (settings) => {
    const { CLOUDFLARE_HTTP, cloudflareWorkersHost } = await import(
      './hosts/cloudflare-workers.ts'
    );
    return { host: cloudflareWorkersHost(settings), words: CLOUDFLARE_HTTP };
  },
  s3: async (settings) => {
    const { S3_HTTP, s3Host } = await import('./hosts/s3.ts');
    return { host: s3Host(settings), words: S3_HTTP };
  },
  folder: async (settings) => {
    const { FOLDER_HTTP, folderHost } = await import('./hosts/folder.ts');
    return { host: folderHost(settings), words: FOLDER_HTTP };
  },
};

/** Values of `--to`. */
export const DEPLOY_HOSTS = Object.keys(LOADERS) as HostId[];

export function loadHost<H extends HostId>(
  id: H,
  settings: DeploySettings[H],
): Promise<LoadedHost> {
  return LOADERS[id](settings);
}
