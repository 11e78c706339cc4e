import type { SiteFile } from '../change-set/change-set.ts';
import { countText } from '../lib/terminal/count-text.ts';
import { PUBLISHED_TIMES } from '../record/published-records.ts';
import { NETLIFY_FORMS } from '../site/documents/netlify-forms.ts';
import { liveDiffers, liveUnreachable } from './host-api/errors.ts';
import type { DeployPlan, DeploySource, Host, HostRun } from './host-api/types.ts';
import { addressBelow, type LiveSite } from './live-site.ts';
import type { DeployReport } from './report.ts';

/**
 * Longest wait in milliseconds until all visitors get a new site. A CDN before a bucket keeps pages
 * for as long as their headers allow: five minutes.
 */
const TIMEOUT = 90_000;
const CDN_TIMEOUT = 360_000;
/** The same for the first deploy to a folder: a web server shows files at once, or is not set up yet. */
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
  const isPage = (file: string) =>
    file.endsWith('.html') && file !== '404.html' && file !== NETLIFY_FORMS;
  const inOrder = [...source.changed, ...source.files.keys()].filter((file) =>
    source.files.has(file),
  );
  const page = inOrder.find((file) => isPage(file) && file !== 'index.html');
  const pictures = [...source.files.values()].filter((file) => file.path.startsWith('media/'));
  const made = pictures.filter((file) => source.has(file.path));
  const [smallest] = (made.length > 0 ? made : pictures).sort((a, b) => a.size - b.size);
  return [PUBLISHED_TIMES, 'index.html', page, smallest?.path].flatMap((name) => {
    const file = name === undefined ? undefined : source.files.get(name);
    return !file || (altersPages && isPage(file.path)) ? [] : [file];
  });
}

/** Whether the host had no release of this site before. */
async function isFirst({ host, run, report }: Deployed): Promise<boolean> {
  // A bucket stores no releases.
  if (host.id === 's3') return !report.unchanged && !report.removed;
  const all = await host.releases(run).catch(() => undefined);
  return all?.every(({ isLive }) => isLive) ?? false;
}

/** Advice if the live site differs from the sent one. */
async function adviceFor(deployed: Deployed): Promise<string> {
  const { id } = deployed.host;
  if (await isFirst(deployed)) {
    return id === 'folder'
      ? 'This is the first deploy to this folder, and its files are complete. Set up the web server to show its folder "current" (docs/hosting.md), then deploy again.'
      : '';
  }
  return `Back to the earlier site: ${id === 's3' ? 'deploy its build' : `npm run deploy -- --to ${id} --rollback`}`;
}

/** @returns milliseconds. */
async function timeoutFor(deployed: Deployed): Promise<number> {
  const { id } = deployed.host;
  if (id === 's3') return CDN_TIMEOUT;
  return id === 'folder' && (await isFirst(deployed)) ? FIRST_FOLDER_TIMEOUT : TIMEOUT;
}

/**
 * Waits until the live site equals the sent one, and reports the result.
 *
 * @throws {GateError} it is not. @throws {UnreachableError} it does not answer.
 */
export async function verifyLive(live: LiveSite, deployed: Deployed): Promise<void> {
  const { report, run } = deployed;
  const { clock, signal, notify } = run;
  const end = clock.now() + (await timeoutFor(deployed));
  const id = (report.release ?? String(clock.now())).replace(/[^A-Za-z0-9-]/g, '');
  // A file that was right stays right: no host goes back to the old one.
  let left = filesToVerify(deployed);
  const total = left.length;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const done = total - left.length;
    const text = `Waiting until ${live.url} shows the new site: ${done} of ${countText(total, 'file')}`;
    notify({ kind: 'progress', text, done, total });
    const found = await Promise.all(left.map((file) => live.readAgain(file, `?deploy=${id}`)));
    left = left.filter((_, index) => !('bytes' in (found[index] ?? {})));
    if (left.length === 0) {
      report.live = 'as-sent';
      return;
    }
    if (clock.now() + pause <= end) {
      await clock.sleep(pause, signal);
      continue;
    }
    const advice = await adviceFor(deployed);
    const silent = found.find((one) => 'unreachable' in one);
    report.live = silent ? 'unreachable' : 'differs';
    if (silent && 'why' in silent) throw liveUnreachable(live.url, silent.why, advice);
    const paths = left.map(({ path }) => `/${addressBelow(path)}`);
    throw liveDiffers(paths, advice);
  }
}
