import type { SiteFile } from '../change-set/change-set.ts';
import { GateError, UnreachableError } from '../errors.ts';
import { MEDIA } from '../images/stores/folder.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';
import { PUBLISHED_TIMES } from '../record/published-records.ts';
import { EARLIER_FOLDER } from './host-api/errors.ts';
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
  const pictures = [...source.files.values()].filter((file) => file.path.startsWith(MEDIA));
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

/** Advice for a live site that differs, by the evidence. The first that fits is used. */
const LIVE_FIXES: readonly (readonly [evidence: RegExp, fix: string])[] = [
  [
    /status 30.*only folders/,
    'Let the server show addresses with a slash at the end, without a redirect.',
  ],
  [/status 30[12378]/, 'site.url redirects. Set it to the address that the browser then shows.'],
  [/status 401/, 'The site asks for a password. Remove it, or deploy with --no-check.'],
  [
    /refuses only folders/,
    'Set index.html as the index document of the host, or of the CDN in front of it.',
  ],
  [/status 404/, 'Check that site.url leads to this host.'],
  [/status 403/, 'Make the files public: at the host, or at the CDN in front of it.'],
  [
    /Cloudflare altered/,
    'At Cloudflare, switch off Email Address Obfuscation and Web Analytics for this domain, or deploy with --no-check.',
  ],
];

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
      const after = `After ${countText(tries, 'try', 'tries')}:`;
      throw new UnreachableError({
        code: 'live-unreachable',
        what: `The host accepted the site, but ${live.url} could not be checked.`,
        why: unreachable.why.replace(/^After 1 try:/, after),
        fix: `Check site.url and where its name points. ${advice}`.trimEnd(),
      });
    }
    const addresses = remaining.map(({ path }) => `${live.url}/${addressBelow(path)}`);
    const evidence = evidenceIn(results, addresses, total);
    const [, fix] = LIVE_FIXES.find(([pattern]) => pattern.test(evidence)) ?? [];
    throw new GateError({
      code: 'live-differs',
      what: `The host accepted the site, but the live site differs from the upload: ${firstOf(addresses, 3)}.`,
      why:
        evidence === ''
          ? 'Something in front of the host still shows older files, site.url is another site, or the host alters files.'
          : evidence,
      fix: `${fix ?? 'Open the address in a browser.'} ${advice}`.trimEnd(),
    });
  }
}
