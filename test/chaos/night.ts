import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { build } from '../support/build.ts';
import { startCommand } from '../support/command.ts';
import type { PublishedSite } from '../support/published-site.ts';
import { cacheOf, changesOf, siteOf } from './disks.ts';
import { readReport } from './invariants.ts';
import type { Night } from './schedule.ts';
import { keyVariable } from './stage.ts';

/** Result of a build. */
export interface Ran {
  killed: boolean;
  printed: string;
  /** Undefined if it was killed. */
  report: BuildReport | undefined;
}

export interface RunInput {
  config: LoadedConfig;
  /** Configured keys, by index of the dealer. */
  keys: readonly string[];
  now: number;
  acceptLoss: readonly string[];
  /** See `RunOptions`: a low number uses additional processes. */
  chunkVehicles?: number;
  /** Output of the build for a deploy, outside of the site's folder. */
  leaves?: 'change set' | 'whole site';
}

interface Command {
  disk: string;
  /** Default: the site of the disk. */
  output?: string;
  args?: readonly string[];
}

/** Runs a build in a separate process, and kills it if the night demands it. */
async function runKilled(
  { disk, output = siteOf(disk), args = [] }: Command,
  { config, keys }: RunInput,
  killAfter: number,
): Promise<Ran> {
  const file = path.join(disk, 'report.json');
  await rm(file, { force: true });
  const { child, ended } = startCommand(
    'build',
    ['--config', config.file, '--output', output, '--report', file, '--strict', ...args],
    Object.fromEntries(keys.map((key, index) => [keyVariable(index), key])),
    // Zero would be no limit.
    { timeout: killAfter || 1 },
  );
  const { stdout, stderr } = await ended;
  const killed = child.signalCode === 'SIGKILL';
  return { killed, printed: stdout + stderr, report: killed ? undefined : await readReport(file) };
}

const buildArguments = (disk: string, { now, acceptLoss }: RunInput): string[] => [
  ...['--cache', cacheOf(disk)],
  ...['--now', new Date(now).toISOString()],
  ...acceptLoss.flatMap((token) => ['--accept-loss', token]),
];

/** One build on one disk. */
export async function runBuildOn(
  disk: string,
  input: RunInput,
  { killAfter }: { killAfter?: number } = {},
): Promise<Ran> {
  const { config, now, acceptLoss, chunkVehicles, leaves } = input;
  const output = leaves && changesOf(disk);
  const isThin = leaves === 'change set';
  if (killAfter !== undefined) {
    const args = [...buildArguments(disk, input), ...(isThin ? ['--thin'] : [])];
    return runKilled({ disk, args, ...(output && { output }) }, input, killAfter);
  }
  const { report, lines } = await build(config, disk, {
    now,
    acceptLoss,
    strict: true,
    fromPublished: true,
    chunkVehicles,
    ...(output && { form: isThin ? 'thin' : 'whole', output }),
  });
  return { killed: false, printed: `${lines.join('\n')}\n${JSON.stringify(report)}`, report };
}

/** Runs an action with or without the published site. `detached`: every URL returns 404. */
export async function withOutage<T>(
  site: PublishedSite,
  outage: Night['outage'] | 'detached' | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (outage === 'refused') {
    const { comeBack } = await site.refuse();
    return work().finally(comeBack);
  }
  if (outage === 'status') {
    site.instead = () => ({ status: 503, headers: { 'retry-after': '3600' } });
  }
  if (outage === 'detached') site.instead = () => ({ status: 404, body: 'no such site' });
  if (outage === 'hang') site.instead = () => ({ hang: true });
  return work().finally(() => {
    site.instead = undefined;
  });
}
