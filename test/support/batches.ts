import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ExportOptions, exportBatches } from '../../src/batches/export/export.ts';
import { type PullOptions, pullAccount } from '../../src/batches/pull/pull.ts';
import { type HistoryStore, openStore } from '../../src/batches/store/open.ts';
import { resolveConfig } from '../../src/config/load.ts';
import { Secret } from '../../src/config/secret.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { timestamp } from '../../src/contract/media.ts';
import { startCommand } from './command.ts';
import { runHere } from './run-here.ts';
import { startSampleService } from './sample-service/index.ts';
import { tempFolder } from './temp-folder.ts';

export { tempFolder, timestamp as iso };

export const DAY = 86_400_000;
export const BATCH_KEY = '5a3c91e0-7b42-4d18-9c6f-2e80b17d4a35';
export const HASH_KEY = 'b1946ac92492d2347c6235b4d2611184b1946ac9';

/** A history in a separate folder. */
export function tempStore(folder = tempFolder()): HistoryStore {
  const store = openStore({ file: path.join(folder, 'history', 'h.sqlite'), bases: [folder] });
  onTestFinished(() => store[Symbol.dispose]());
  return store;
}

/** Exports a full history, by default as NDJSON. */
export const exportTo = (store: HistoryStore, file: string, more: Partial<ExportOptions> = {}) =>
  exportBatches({
    store,
    format: 'ndjson',
    profile: 'generic',
    personal: { mode: 'full', hashKey: undefined },
    to: { file },
    ...more,
  });

/** The values of a text with one JSON value per line. */
export const parseLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The rows of an NDJSON file, or the messages of a Singer one. */
export const linesOf = (file: string) => parseLines(readFileSync(file, 'utf8'));

export type Bench = Awaited<ReturnType<typeof startBench>>;

/** A sample service with one empty account, and a configuration for it. */
export async function startBench({
  clock,
  ...options
}: { clock?: () => number } & ConfigOptions = {}) {
  const service = await startSampleService({
    data: {
      dealers: [],
      accounts: [{ name: 'north', customerId: 'C-1', pathId: '7', batches: [] }],
    },
    ...(clock && { clock }),
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const config = configOf(service.baseUrl, options);
  const [account] = config.accounts;
  if (!account) throw new Error('no account');
  return {
    service,
    config,
    account,
    /** The next responses of the service. */
    serve: (records: readonly unknown[]) => {
      const [served] = service.data.accounts;
      if (served) served.batches = records as BatchRecord[];
    },
  };
}

/** A pull of the test's account at the given time. */
export const pullWith = (
  { config, account }: Bench,
  store: HistoryStore,
  now: number,
  more: Partial<PullOptions> = {},
) => pullAccount({ store, service: config.service, account, now: () => now, ...more });

/** The codes of drift, each with its field if there is one. */
export const codesOf = (result: { findings: readonly { code: string; field: string | null }[] }) =>
  result.findings.map(({ code, field }) => (field ? `${code} ${field}` : code));

export function rawConfig(
  baseUrl: string,
  { days = 30, names = {} }: { days?: number; names?: object } = {},
) {
  return {
    service: { baseUrl, fieldNames: names, timeout: '60s' },
    site: { title: 'Cars', url: 'https://cars.example' },
    accounts: [{ name: 'north', customerId: 'C-1', pathId: '7', daysOfHistory: days }],
  };
}

interface ConfigOptions {
  days?: number;
  maxDays?: number;
  names?: object;
}

/** A configuration without retries. `maxDays` limits the days of a pull. */
export function configOf(baseUrl: string, { maxDays = 400, ...options }: ConfigOptions = {}) {
  const config = resolveConfig(rawConfig(baseUrl, options), {
    file: 'test.json',
    keysFor: 'accounts',
    env: { BATCH_API_KEY: BATCH_KEY },
  });
  return {
    ...config,
    service: { ...config.service, retries: 0 },
    accounts: config.accounts.map((account) => ({ ...account, maxDaysOfHistory: maxDays })),
  };
}

export function writeConfig(folder: string, raw: unknown): string {
  const file = path.join(folder, 'site.config.json');
  writeFileSync(file, JSON.stringify(raw));
  return file;
}

export const secret = (text: string): Secret => new Secret(text);

/** Runs the command line within this process, without its environment. */
export async function batchesHere(
  args: readonly string[],
  options?: Parameters<typeof runHere>[1],
) {
  const { exitCode, ...printed } = await runHere(['batches', ...args], options);
  return { code: exitCode, ...printed };
}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Kills the process after this many milliseconds. */
  killAfter?: number;
}

/** Runs the command line in a separate process with only PATH from this environment. */
export async function runBatches(
  args: readonly string[],
  { cwd, env, killAfter: timeout }: RunOptions = {},
) {
  const { child, ended } = startCommand('batches', args, env, { cwd, timeout });
  const { exitCode: code, ...printed } = await ended;
  return { code, signal: child.signalCode, ...printed };
}
