import { deploySettings } from '../../../src/config/deploy-settings.ts';
import type { Host, HostId } from '../../../src/deploy/host-api/types.ts';
import { loadHost } from '../../../src/deploy/hosts.ts';
import { startS3Host } from './s3.ts';
import { startCloudflareWorkersHost } from './cloudflare-workers.ts';
import type { HostServer } from './host.ts';
import { startNetlifyHost } from './netlify.ts';

/** A kind of host that is spoken to over the network. */
export interface HostKind {
  id: HostId;
  /** @param now time, where it is not that of the machine. */
  start(now?: () => number): Promise<HostServer>;
}

export const HOST_KINDS: readonly HostKind[] = [
  { id: 'netlify', start: (now) => startNetlifyHost({ ...(now && { now }) }) },
  {
    id: 'cloudflare-workers',
    start: async (now) => {
      const host = await startCloudflareWorkersHost({ ...(now && { now }) });
      // The site's address is a domain of its own; on workers.dev the first deploy has to get one.
      host.worker.hasDomain = true;
      return host;
    },
  },
  { id: 's3', start: (now) => startS3Host({ ...(now && { now }) }) },
];

/** What deploys to a host, set up as its environment says. */
export const hostOf = async (
  { id }: Pick<HostKind, 'id'>,
  server: HostServer,
): Promise<{ host: Host }> => ({
  host: await loadHost(id, deploySettings(id, server.environment())),
});

/** The secrets in a host's environment. */
export const secretOf = (server: HostServer): string =>
  Object.entries(server.environment()).find(([name]) => /TOKEN|SECRET/.test(name))?.[1] ?? '';
