import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { writeFileAtomic } from '../lib/files/write.ts';
import type { HttpClient } from '../lib/http/client.ts';
import { type Clock, SYSTEM_CLOCK } from '../lib/http/http.ts';
import { countText } from '../lib/terminal/count-text.ts';
import type { SiteFile } from '../publish/change-set/change-set.ts';
import { LOST, readLost, writeLost } from '../publish/change-set/lost.ts';
import { NETLIFY_FORMS } from '../site/documents/netlify-forms.ts';
import { noRelease } from './host-api/errors.ts';
import { type HostHttpSettings, hostHttp } from './host-api/http.ts';
import { LostContent } from './host-api/lost-content.ts';
import type {
  DeployEvent,
  DeployPlan,
  DeploySource,
  Host,
  HostRun,
  Release,
} from './host-api/types.ts';
import { notifyIndexNow } from './index-now.ts';
import { LiveSite, waitUntilLive } from './live.ts';
import { liveAdvice } from './live-advice.ts';
import type { DeployReport } from './report.ts';
import { checkSize, sizeOf } from './size.ts';
import { openSource } from './source.ts';

export interface DeployRun {
  host: Host;
  takeOver: boolean;
  onEvent(event: DeployEvent | { kind: 'warning'; text: string }): void;
  signal: AbortSignal;
  clock?: Clock | undefined;
}

export interface DeployOptions extends DeployRun {
  /** Folder of a build: a change set, or a whole site. */
  folder: string;
  /** Address of the site, if the folder does not name it. */
  site(): Promise<string | undefined>;
  /** Only report what would be done. */
  dryRun: boolean;
  /** Whether the live site is verified afterwards. */
  verify: boolean;
  /** Address to which changed addresses are reported. */
  indexNow: string;
}

const LIVE: HostHttpSettings = {
  code: 'live',
  name: 'The live site',
  fix: 'Open it in a browser.',
};
const INDEX_NOW: HostHttpSettings = {
  code: 'indexnow',
  name: 'IndexNow',
  fix: 'Nothing: the site is online.',
};

const httpFor = (
  { onEvent, signal, clock }: DeployRun,
  settings: HostHttpSettings & { retries?: number },
): HttpClient =>
  hostHttp({
    ...settings,
    signal,
    onWait: (text) => onEvent({ kind: 'line', text }),
    ...(clock && { clock }),
  });

/** Files of rules for hosts that read them. */
const RULES = new Set(['_headers', '_redirects']);

const withoutRules = (source: DeploySource): DeploySource => ({
  ...source,
  files: new Map([...source.files].filter(([path]) => !RULES.has(path))),
});

/** What a host needs to work. */
function runFor(options: DeployRun): { http: HttpClient; run: HostRun } {
  const http = httpFor(options, options.host.http);
  const { clock = SYSTEM_CLOCK, signal, takeOver, onEvent } = options;
  return { http, run: { http, clock, signal, takeOver, notify: onEvent } };
}

/** Files that show whether this deploy is live: the times, the front page, one new page and picture. */
function filesToVerify(source: DeploySource, { altersPages = false }: DeployPlan): SiteFile[] {
  const isPage = (file: string) =>
    file.endsWith('.html') && file !== '404.html' && file !== NETLIFY_FORMS;
  const inOrder = [...source.changed, ...source.files.keys()].filter((file) =>
    source.files.has(file),
  );
  const page = inOrder.find((file) => isPage(file) && file !== 'index.html');
  const pictures = [...source.files.values()].filter((file) => file.path.startsWith('media/'));
  const made = pictures.filter((file) => source.has(file.path));
  const [smallest] = (made.length > 0 ? made : pictures).sort((a, b) => a.size - b.size);
  const picture = smallest?.path;
  const names = ['api/records/times.json', 'index.html', page, picture];
  return names.flatMap((name) => {
    const file = name === undefined ? undefined : source.files.get(name);
    return !file || (altersPages && isPage(file.path)) ? [] : [file];
  });
}

/** @throws {GateError} | {UnreachableError} the live site is not the one that was sent. */
async function verifyLive(
  source: DeploySource,
  plan: DeployPlan,
  options: DeployOptions,
  report: DeployReport,
) {
  const { host, onEvent, signal, clock = SYSTEM_CLOCK } = options;
  if (source.site === undefined) {
    onEvent({ kind: 'line', text: 'The live site is not verified: its URL is unknown.' });
    return;
  }
  await using http = httpFor(options, { ...LIVE, retries: 0 });
  const files = filesToVerify(source, plan);
  const total = files.length;
  try {
    await waitUntilLive({
      live: new LiveSite(source.site, http),
      files,
      onCheck: (left) => {
        const text = `Waiting until ${source.site} shows the new site: ${total - left} of ${countText(total, 'file')}`;
        onEvent({ kind: 'progress', text, done: total - left, total });
      },
      id: (report.release ?? String(clock.now())).replace(/[^A-Za-z0-9-]/g, ''),
      ...(await liveAdvice({ host, report, releases: () => releases(options) })),
      clock,
      signal,
    });
    report.live = 'as-sent';
  } catch (error) {
    const code = error instanceof AppError ? error.code : '';
    if (code === 'live-unreachable') report.live = 'unreachable';
    if (code === 'live-differs') report.live = 'differs';
    throw error;
  }
}

/** Reports changed addresses to search engines; a failure is a warning. */
async function notifySearchEngines(
  source: DeploySource,
  options: DeployOptions,
  report: DeployReport,
): Promise<void> {
  const { site, indexNow: key, changed } = source;
  if (site === undefined || key === undefined || changed.length === 0) return;
  await using http = httpFor(options, { ...INDEX_NOW, retries: 2 });
  const address = options.indexNow;
  const { notified, problem } = await notifyIndexNow({ address, site, key, changed, http });
  report.indexNow = notified;
  if (problem === undefined) return;
  const text = `Search engines were not told of all changed pages: ${problem}`;
  options.onEvent({ kind: 'warning', text });
}

/** Where lost content is listed: beside what is deployed. */
const lostList = ({ folder }: DeployOptions): string => path.join(path.dirname(folder), LOST);

/** The list of an earlier deploy says nothing of this one. */
async function forgetLost(options: DeployOptions): Promise<void> {
  const text = await readFile(lostList(options), 'utf8').catch(() => '');
  if (readLost(text)) await rm(lostList(options));
}

async function send(source: DeploySource, plan: DeployPlan, run: HostRun, options: DeployOptions) {
  await forgetLost(options);
  try {
    return await options.host.deploy(source, plan, run);
  } catch (error) {
    if (!(error instanceof LostContent)) throw error;
    await writeFileAtomic(lostList(options), writeLost(error.files.map((file) => file.path)));
    throw error;
  }
}

async function deployInto(options: DeployOptions, report: DeployReport): Promise<void> {
  const { host, folder, dryRun, site, onEvent } = options;
  const say = (text: string) => onEvent({ kind: 'line', text });
  await using live = httpFor(options, LIVE);
  const opened = await openSource(folder, {
    site,
    live: (url) => new LiveSite(url, live),
    onProgress: (done, total) =>
      onEvent({ kind: 'progress', text: `Files read: ${done} of ${total}`, done, total }),
  });
  const source = host.readsRules ? opened : withoutRules(opened);
  const size = sizeOf(opened.files.values());
  report.form = source.form;
  report.site = { files: size.files, bytes: size.bytes };
  const note = checkSize(host.id, size);
  if (note !== undefined) say(note);
  const { http, run } = runFor(options);
  let plan: DeployPlan;
  try {
    plan = await host.plan(source, run);
    for (const text of plan.notes) say(text);
    if (dryRun) {
      const bytes = plan.send?.reduce((sum, file) => sum + file.size, 0) ?? 0;
      const toSend = plan.send ? { files: plan.send.length, bytes } : null;
      report.planned = { send: toSend, remove: plan.remove.length, unchanged: plan.unchanged };
      return;
    }
    const { files, bytes, ...rest } = await send(source, plan, run, options);
    Object.assign(report, { sent: { files, bytes }, live: 'not-looked-at', ...rest });
  } finally {
    const { requests, up, down } = http.counts;
    Object.assign(report, { requests, wireBytes: up, receivedBytes: down });
    await http[Symbol.asyncDispose]();
  }
  if (options.verify) await verifyLive(source, plan, options, report);
  // Search engines fetch the live site when they are notified, so it is checked first.
  if (report.live === 'as-sent' || !options.verify)
    await notifySearchEngines(source, options, report);
}

/**
 * Brings what a build made to a host: what it would do, or what it did, and why it failed where it did.
 * Never throws.
 */
export async function deploy(
  options: DeployOptions,
): Promise<{ report: DeployReport; error?: unknown }> {
  const clock = options.clock ?? SYSTEM_CLOCK;
  const began = clock.now();
  const report: DeployReport = { to: options.host.id };
  let failure: { error: unknown } | undefined;
  try {
    await deployInto(options, report);
  } catch (error) {
    failure = { error };
    if (error instanceof LostContent) {
      report.lost = lostList(options);
    }
    if (error instanceof AppError) {
      const { code, message: what, why, fix } = error;
      report.problem = { code, what, ...(why && { why }), ...(fix && { fix }) };
    }
  }
  report.ms = Math.round(clock.now() - began);
  return { report, ...failure };
}

/** Deploys that a host still has, the newest first. */
export async function releases(options: DeployRun): Promise<Release[]> {
  const { http, run } = runFor(options);
  await using _http = http;
  return await options.host.releases(run);
}

/**
 * Shows a former deploy again.
 *
 * @param to its id; without it, the one before the live one.
 */
export async function rollback(to: string | undefined, options: DeployRun): Promise<Release> {
  const { http, run } = runFor(options);
  await using _http = http;
  const { host } = options;
  const all = await host.releases(run);
  const live = all.findIndex(({ isLive }) => isLive);
  const release = to === undefined ? all[live + 1] : all.find(({ id }) => id === to);
  if (!release) throw noRelease(host.http.name, to);
  await host.show(release, run);
  return { ...release, isLive: true };
}
