import type { SiteFile } from '../change-set/change-set.ts';
import { countText } from '../lib/terminal/count-text.ts';
import { PUBLISHED_TIMES } from '../record/published-records.ts';
import { EARLIER_FOLDER, liveDiffers, liveUnreachable } from './host-api/errors.ts';
import type { DeployPlan, DeploySource, Host, HostRun } from './host-api/types.ts';
import { addressBelow, isPage, type LiveFile, type LiveSite, readLive } from './live-site.ts';
import type { DeployReport } from './report.ts';

/**
 * Longest wait in milliseconds until all visitors get the new site. A CDN in front of a bucket caches pages
 * for five minutes, as their headers allow.
 */
const TIMEOUT = 90_000;
const CDN_TIMEOUT = 360_000;
/** The same for the first deploy to a folder. A web server shows files at once, or is not set up yet. */
const FIRST_FOLDER_TIMEOUT = 5000;

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

interface Deployed {
  source: DeploySource;
  plan: DeployPlan;
  host: Host;
  run: HostRun;
  report: DeployReport;
}

/** Files that show whether this deploy is live: the times, the front page, one new page and picture. */
function filesToVerify({ source, plan: { altersPages = false } }: Deployed): SiteFile[] {
  const inOrder = [...source.changed, ...source.files.keys()].filter((file) =>
    source.files.has(file),
  );
  const page = inOrder.find((file) => isPage(file) && file !== 'index.html');
  const pictures = [...source.files.values()].filter((file) => file.path.startsWith('media/'));
  const newPictures = pictures.filter((file) => source.has(file.path));
  const [smallest] = (newPictures.length > 0 ? newPictures : pictures).sort(
    (a, b) => a.size - b.size,
  );
  return [PUBLISHED_TIMES, 'index.html', page, smallest?.path].flatMap((name) => {
    const file = name === undefined ? undefined : source.files.get(name);
    return !file || (altersPages && isPage(file.path)) ? [] : [file];
  });
}

/** Whether the host had no release of this site before. */
async function isFirst({ host, run, report }: Deployed): Promise<boolean> {
  // A bucket stores no releases.
  if (host.id === 's3') return !report.unchanged;
  const all = await host.releases(run).catch(() => undefined);
  return all?.every(({ isLive }) => isLive) ?? false;
}

/** Advice if the live site differs from the upload. */
async function adviceFor(deployed: Deployed): Promise<string> {
  const { id } = deployed.host;
  if (await isFirst(deployed)) {
    return id === 'folder'
      ? 'This is the first deploy to this folder, and its files are complete. Set up the web server to show its folder "current" (docs/hosting.md), then deploy again.'
      : '';
  }
  return id === 's3'
    ? EARLIER_FOLDER
    : `Back to the earlier site: npm run deploy -- --to ${id} --rollback`;
}

/** @returns milliseconds. */
async function timeoutFor(deployed: Deployed): Promise<number> {
  const { id } = deployed.host;
  // No CDN has cached a page before the first deploy.
  if (id === 's3') return (await isFirst(deployed)) ? TIMEOUT : CDN_TIMEOUT;
  return id === 'folder' && (await isFirst(deployed)) ? FIRST_FOLDER_TIMEOUT : TIMEOUT;
}

/** Why the first file differs, as sentences. Empty if the live site shows other files. @param total verified files. */
function evidenceIn(
  results: readonly LiveFile[],
  addresses: readonly string[],
  total: number,
): string {
  const why = results.map((one) => ('why' in one ? one.why : '')).find(Boolean) ?? '';
  const areFolders =
    addresses.length < total && addresses.every((address) => address.endsWith('/'));
  return /status (?:30|40[34])/.test(why) && areFolders ? `${why} It refuses only folders.` : why;
}

/**
 * Waits until the live site equals the upload, and reports the result.
 *
 * @throws {GateError} it still differs. @throws {UnreachableError} it does not respond.
 */
export async function verifyLive(live: LiveSite, deployed: Deployed): Promise<void> {
  const { report, run } = deployed;
  const { clock, signal, console } = run;
  const end = clock.now() + (await timeoutFor(deployed));
  const id = (report.release ?? String(clock.now())).replace(/[^A-Za-z0-9-]/g, '');
  // Correct files are not checked again: no host reverts to an old file.
  let remaining = filesToVerify(deployed);
  const total = remaining.length;
  let tries = 0;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    tries++;
    const done = total - remaining.length;
    const text = `Waiting until ${live.url} shows the new site: ${done} of ${countText(total, 'file')}`;
    console.progress(text, total > 0 ? done / total : 1);
    const results = await Promise.all(
      remaining.map((file) => readLive(live, file, `?deploy=${id}`)),
    );
    remaining = remaining.filter((_, index) => !('bytes' in (results[index] ?? {})));
    if (remaining.length === 0) {
      report.live = 'as-sent';
      return;
    }
    if (clock.now() + pause <= end) {
      await clock.sleep(pause, signal);
      continue;
    }
    const advice = await adviceFor(deployed);
    const unreachable = results.find((one) => 'unreachable' in one);
    report.live = unreachable ? 'unreachable' : 'differs';
    if (unreachable && 'why' in unreachable) {
      // Each request was made once, in each round.
      const why = unreachable.why.replace(
        /^After 1 try:/,
        `After ${countText(tries, 'try', 'tries')}:`,
      );
      throw liveUnreachable(live.url, why, advice);
    }
    const addresses = remaining.map(({ path }) => `${live.url}/${addressBelow(path)}`);
    throw liveDiffers(addresses, evidenceIn(results, addresses, total), advice);
  }
}
