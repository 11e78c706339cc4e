import type { DeploySettings } from '../config/deploy-settings.ts';
import type { HostWords } from './http.ts';
import type { Host, HostId } from './types.ts';

/** A host, and how it is asked. */
export interface LoadedHost {
  host: Host;
  words: HostWords;
}

type Loaders = Partial<{ [H in HostId]: (settings: DeploySettings[H]) => Promise<LoadedHost> }>;

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
};

/** Values of `--to`. */
export const DEPLOY_HOSTS = Object.keys(LOADERS) as HostId[];

export async function loadHost<H extends HostId>(
  id: H,
  settings: DeploySettings[H],
): Promise<LoadedHost> {
  const load = LOADERS[id];
  if (!load) throw new Error(`${id} is not there yet.`);
  return load(settings);
}
