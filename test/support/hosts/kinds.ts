import type { Host, HostId } from '../../../src/deploy/host-api/types.ts';
import { loadHost } from '../../../src/deploy/hosts.ts';
import { startCloudflareWorkersHost } from './cloudflare-workers.ts';
import { startFolderHost } from './folder.ts';
import type { HostServer } from './host.ts';
import { startNetlifyHost } from './netlify.ts';
import { startS3Host } from './s3.ts';

/** A kind of host that `npm run deploy` supports, and its server on loopback. */
export interface HostKind<S extends HostServer = HostServer, O = { now?: () => number }> {
  id: HostId;
  /** Whether visitors get either the old site or the new one, never a mixture. */
  isAtomic: boolean;
  start(options?: O): Promise<S>;
}

export const NETLIFY = { id: 'netlify', isAtomic: true, start: startNetlifyHost } as const;
export const CLOUDFLARE = {
  id: 'cloudflare-workers',
  isAtomic: true,
  start: startCloudflareWorkersHost,
} as const;
export const S3 = { id: 's3', isAtomic: false, start: startS3Host } as const;
export const FOLDER = { id: 'folder', isAtomic: true, start: () => startFolderHost() } as const;

/** Hosts reached over the network. On workers.dev a site would first need a URL. */
export const REMOTE_KINDS: readonly HostKind[] = [
  NETLIFY,
  { ...CLOUDFLARE, start: (options) => CLOUDFLARE.start({ hasDomain: true, ...options }) },
  S3,
];
export const ALL_KINDS: readonly HostKind[] = [...REMOTE_KINDS, FOLDER];

/** The client of a host configured by its environment, and the secrets in that environment. */
export async function clientOf(
  id: HostId,
  environment: Readonly<Record<string, string>>,
): Promise<{ host: Host; secrets: string[] }> {
  const secrets = Object.entries(environment).filter(([name]) => /TOKEN|SECRET/.test(name));
  return {
    host: await loadHost(id, environment),
    secrets: secrets.map(([, value]) => value).filter((value) => value !== ''),
  };
}
