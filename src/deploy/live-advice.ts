import type { Host, Release } from './host-api/types.ts';
import type { DeployReport } from './report.ts';

/**
 * Longest wait in milliseconds until all visitors get a new site. A CDN before the host keeps pages
 * for as long as their headers allow: five minutes.
 */
const TIMEOUT = 90_000;
const CDN_TIMEOUT = 360_000;
/** The same for the first deploy to a folder: a web server shows files at once, or is not set up yet. */
const FIRST_FOLDER_TIMEOUT = 5000;

export interface LiveAdvice {
  timeout: number;
  /** What to do if the live site is not the one that was sent. */
  advice(): Promise<string>;
}

interface Deployed {
  host: Pick<Host, 'id'>;
  report: Pick<DeployReport, 'unchanged' | 'removed'>;
  /** Lists the releases of the host. */
  releases(): Promise<Release[]>;
}

/** Whether the host had no release of this site before. */
async function isFirst({ host, report, releases }: Deployed): Promise<boolean> {
  // A bucket stores no releases.
  if (host.id === 's3') return !report.unchanged && !report.removed;
  const all = await releases().catch(() => undefined);
  return all?.every(({ isLive }) => isLive) ?? false;
}

/** How long to wait for the live site after a deploy, and what to do if that is in vain. */
export async function liveAdvice(deployed: Deployed): Promise<LiveAdvice> {
  const { id } = deployed.host;
  if (id === 'folder' && (await isFirst(deployed))) {
    const advice =
      'This is the first deploy to this folder, and its files are complete. Set up the web server to show its folder "current" (docs/hosting.md), then deploy again.';
    return { timeout: FIRST_FOLDER_TIMEOUT, advice: async () => advice };
  }
  const goBack = id === 's3' ? 'deploy its build' : `npm run deploy -- --to ${id} --rollback`;
  return {
    timeout: id === 's3' ? CDN_TIMEOUT : TIMEOUT,
    advice: async () => ((await isFirst(deployed)) ? '' : `Back to the earlier site: ${goBack}`),
  };
}
