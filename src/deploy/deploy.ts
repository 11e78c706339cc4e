import { fittingPlan, hostOf, limitText, sizeOf } from '../config/hosts.ts';
import { AppError, GateError, problemOf } from '../errors.ts';
import { explainSystemError } from '../lib/files/system-errors.ts';
import type { HttpClient } from '../lib/http/http.ts';
import { noRelease } from './host-api/errors.ts';
import { type HostHttpSettings, hostHttp } from './host-api/http.ts';
import { countOf } from './host-api/send-files.ts';
import type { DeployPlan, Host, HostRun, Release } from './host-api/types.ts';
import { notifyIndexNow } from './index-now.ts';
import type { DeployReport } from './report.ts';
import { openSource } from './source.ts';
import { verifyLive } from './verify-live.ts';

export interface DeployRun extends Omit<HostRun, 'http'> {
  host: Host;
}

export interface DeployOptions extends DeployRun {
  /** Folder of a build: a change set, or a whole site. */
  folder: string;
  /** Only report the plan. */
  dryRun: boolean;
  /** Whether the live site is verified afterwards. */
  verify: boolean;
  /** URL of the IndexNow service, which receives the changed URLs. */
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
  { console, signal, clock }: DeployRun,
  settings: HostHttpSettings & { retries?: number },
): HttpClient => hostHttp({ ...settings, signal, onWait: console.line, clock });

/** Rule files for hosts that support them. */
const RULES = new Set(['_headers', '_redirects']);

/**
 * @returns a note for the user. Undefined if the cheapest plan accepts this size.
 * @throws {GateError} no plan of the host accepts it.
 */
function checkSize(id: string, size: ReturnType<typeof sizeOf>): string | undefined {
  const host = hostOf(id);
  if (!host) return undefined;
  const { cheapest, fitting, exceeded } = fittingPlan(host, size);
  if (exceeded.length === 0) return undefined;
  const limits = exceeded
    .map(({ limit, expected, allowed }) => {
      const which = limit === 'fileBytes' ? ` (${size.largest})` : '';
      return `${limitText(limit, expected)}${which}, at most ${limitText(limit, allowed)}`;
    })
    .join('; ');
  if (!fitting) {
    throw new GateError({
      code: 'deploy-too-large',
      what: `The site is larger than ${host.name} accepts: ${limits}.`,
      why: 'Its largest plan accepts no more. Nothing was sent.',
      fix: 'Make fewer or smaller files: see the limits in docs/hosting.md, or choose another host.',
    });
  }
  return `${host.name}: the plan "${cheapest.name}" is too small (${limits}). Use "${fitting.name}".`;
}

async function deployInto(options: DeployOptions, report: DeployReport): Promise<void> {
  const { host, folder, dryRun, console } = options;
  await using live = httpFor(options, LIVE);
  const buildOutput = await openSource(folder, live, console);
  const files = new Map([...buildOutput.files].filter(([path]) => !RULES.has(path)));
  const withoutRules = { ...buildOutput, files };
  const source = host.rules === 'unread' ? withoutRules : buildOutput;
  const counted = host.rules === 'files' ? buildOutput : withoutRules;
  const size = sizeOf(counted.files.values());
  report.form = source.form;
  report.site = { files: size.files, bytes: size.bytes };
  const note = checkSize(host.id, size);
  if (note !== undefined) console.line(note);
  await using http = httpFor(options, options.host.http);
  const run = { ...options, http };
  let plan: DeployPlan;
  try {
    plan = await host.plan(source, run);
    for (const text of plan.notes) console.line(text);
    if (dryRun) {
      const toSend = plan.send ? countOf(plan.send) : null;
      report.planned = { send: toSend, remove: plan.remove.length, unchanged: plan.unchanged };
      return;
    }
    const { files, bytes, ...rest } = await host.deploy(source, plan, run);
    Object.assign(report, { sent: { files, bytes }, live: 'not-looked-at', ...rest });
  } finally {
    const { requests, up, down } = http.counts;
    Object.assign(report, { requests, wireBytes: up, receivedBytes: down });
  }
  if (options.verify && source.site === undefined) {
    console.line('The live site is not verified: its URL is unknown.');
    return;
  }
  // Search engines fetch the live site when they are notified, so it is verified first.
  if (options.verify) {
    await using visitor = httpFor(options, { ...LIVE, retries: 0 });
    await verifyLive(
      { url: source.site ?? '', http: visitor },
      { source, plan, host, run, report },
    );
  }
  await using indexNow = httpFor(options, { ...INDEX_NOW, retries: 2 });
  const notified = await notifyIndexNow(options.indexNow, source, indexNow, console);
  if (notified !== undefined) report.indexNow = notified;
}

/** Deploys the result of a build, or only plans it, and reports the outcome. Never throws. */
export async function deploy(
  options: DeployOptions,
): Promise<{ report: DeployReport; error?: unknown }> {
  const start = options.clock.now();
  const report: DeployReport = { to: options.host.id };
  let error: unknown;
  try {
    await deployInto(options, report);
  } catch (cause) {
    error = explainSystemError(cause) ?? cause;
    if (error instanceof AppError) report.problem = problemOf(error);
  }
  report.ms = Math.round(options.clock.now() - start);
  return { report, error };
}

/** Deploys that the host still stores, newest first. */
export async function releases(options: DeployRun): Promise<Release[]> {
  await using http = httpFor(options, options.host.http);
  return await options.host.releases({ ...options, http });
}

/**
 * Makes an earlier deploy live again.
 *
 * @param to its id. Default: the deploy before the live one.
 */
export async function rollback(to: string | undefined, options: DeployRun): Promise<Release> {
  await using http = httpFor(options, options.host.http);
  const run = { ...options, http };
  const { host } = options;
  const all = await host.releases(run);
  const live = all.findIndex(({ isLive }) => isLive);
  const release = to === undefined ? all[live + 1] : all.find(({ id }) => id === to);
  if (!release) throw noRelease(host.http.name, to, all.length);
  await host.show(release, run);
  return { ...release, isLive: true };
}
