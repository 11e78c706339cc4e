/**
 * Measures pull, upsert, check and every export with 100,000 records and with 1,000,000, beside DuckDB reading
 * the same NDJSON, and whether the memory of an export grows with its rows.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BatchRecord } from '../src/contract/batch.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import type { SampleData } from '../src/sample-service/data/store.ts';
import { startSampleService } from '../src/sample-service/server.ts';
import type { BATCHES_OPTIONS } from './commands.ts';
import { type Row, reportRows } from './support/report.ts';

export const run: Run<typeof BATCHES_OPTIONS> = async ({ values }) => {
  const RECORDS = values.records;
  const ACCOUNTS = values.accounts;
  /** Changes of a night in the larger history. */
  const CHANGED = 3000;
  const CHANGED_EVERY = 20;
  const FORMATS = ['csv', 'ndjson', 'parquet', 'xlsx'] as const;

  const run = promisify(execFile);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-batches-'));
  const now = Date.now();
  const time = (ago: number) => `${new Date(now - ago).toISOString().slice(0, 19)}Z`;

  function record(index: number): BatchRecord {
    const age = (index % 25) * 86_400_000 + index * 100;
    const watched = index % 3 !== 0;
    return {
      BatchId: 1_000_000 + index,
      MarketingContactId: 40_000 + index,
      DateCreated: time(age),
      SendingUserName: `Sender ${index % 40}`,
      Title: `Your personal video of the car you asked about, number ${index}`,
      ProductType: ['vehicle_walkaround', 'service_inspection', 'handover_guide'][index % 3] ?? '',
      RecipientEmail: `person.number${index}@customers.example`,
      RecipientMobile: `+4477009${String(index).padStart(5, '0')}`,
      Data: null,
      DateSent: time(age - 60_000),
      LandingPageFirstWatched: watched ? time(age - 3_600_000) : null,
      LandingPageLastWatched: watched ? time(age - 7_200_000) : null,
      LandingPageWatchCount: watched ? 3 : 0,
      CustomerActionState: index % 9 === 0 ? 'accepted' : null,
      CustomerActionDate: index % 9 === 0 ? time(age - 7_200_000) : null,
      CustomerActionDescription: null,
      CustomerActionPrice: index % 9 === 0 ? 120.5 : 0,
      CustomerActionPriceSuffix: null,
      CustomerActionPaymentOutcome: null,
      CustomerRating: index % 7 === 0 ? 5 : null,
      CustomerRatingAdditional: null,
      VideoPlayCount: watched ? 4 : 0,
      ImageLinkClicks: index % 4,
      SocialClicks: index % 2,
      SearchClicks: 0,
    };
  }

  const service = await startSampleService({
    clock: Date.now,
    data: {
      dealers: [],
      accounts: Array.from({ length: ACCOUNTS }, (_, account) => ({
        name: `account-${account}`,
        customerId: `C-${account}`,
        pathId: String(account),
        batches: Array.from({ length: RECORDS }, (_, index) => record(index)),
      })),
    },
  });

  /** Counts one more play of every nth batch. */
  function change(accounts: SampleData['accounts'], every: number): void {
    const batches = accounts.flatMap((account) => account.batches);
    for (const [index, batch] of batches.entries()) {
      if (index % every === 0) batch.VideoPlayCount++;
    }
  }

  function configFor(accounts: readonly number[]): string {
    const file = path.join(folder, `config-${accounts.length}.json`);
    const config = {
      service: { baseUrl: service.baseUrl },
      site: { title: 'Bench', url: 'https://cars.example' },
      accounts: accounts.map((account) => ({
        name: `account-${account}`,
        customerId: `C-${account}`,
        pathId: String(account),
      })),
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  const store = path.join(folder, 'history', 'h.sqlite');
  const results: Row[] = [];

  /** Small enough that memory growing with the rows would end the process. */
  const SMALL_HEAP = ['--max-old-space-size=160', '--max-semi-space-size=1'];

  async function measure(
    step: string,
    args: readonly string[],
    output?: string,
    { flags = [], most }: { flags?: readonly string[]; most?: number } = {},
  ): Promise<void> {
    const script = path.join(import.meta.dirname, 'runners', 'batches-step.ts');
    const target = output === undefined ? [] : [output];
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const { stdout } = await run(process.execPath, [...flags, script, ...args, ...target], {
      env: { PATH, NODE_COMPILE_CACHE, BATCH_API_KEY: service.batchKey },
    });
    const { rows, seconds, peakMiB } = JSON.parse(stdout);
    const isFile = output !== undefined && statSync(output).isFile();
    const bytes = isFile ? statSync(output).size : undefined;
    const cells = {
      Step: step.replace('all accounts: ', ''),
      Rows: rows.toLocaleString('en-GB'),
      Time: `${seconds.toFixed(2)} s`,
      'Peak memory': `${peakMiB.toFixed(0)} MiB`,
      File: bytes === undefined ? '' : `${(bytes / 2 ** 20).toFixed(1)} MiB`,
    };
    results.push({
      id: step,
      cells,
      target: most === undefined ? '' : `${most} s`,
      ...(most !== undefined && { met: seconds <= most }),
      details: { rows, seconds, peakMiB, bytes },
    });
    console.log(Object.values(cells).join('  '));
  }

  const out = (name: string) => path.join(folder, name);

  try {
    const one = configFor([0]);
    await measure('pull, all new', ['pull', store, one]);
    await measure('pull, nothing changed', ['pull', store, one]);
    await measure('export since last, first run', ['changed', store, 'csv'], out('first.csv'));
    change(service.data.accounts.slice(0, 1), CHANGED_EVERY);
    await measure('pull, one in twenty changed', ['pull', store, one]);
    await measure('export since last, changes', ['changed', store, 'csv'], out('second.csv'));
    for (const format of FORMATS) {
      await measure(`export ${format}`, ['all', store, format], out(`one.${format}`));
    }
    const streaming = FORMATS.filter((name) => name !== 'xlsx');
    await measure('report', ['report', store, ''], out('report'));
    const all = configFor(service.data.accounts.map((_, index) => index));
    await measure('all accounts: pull, nine in ten new', ['pull', store, all]);
    await measure('all accounts: pull, nothing changed', ['pull', store, all], undefined, {
      most: 40,
    });
    change(service.data.accounts, Math.ceil((RECORDS * ACCOUNTS) / CHANGED));
    await measure('all accounts: pull, 3,000 changed', ['pull', store, all], undefined, {
      most: 60,
    });
    await measure('all accounts: status --check', ['check', store, ''], undefined, { most: 60 });
    for (const format of streaming) {
      const most = format === 'parquet' ? { most: 25 } : {};
      const file = out(`all.${format}`);
      await measure(`all accounts: export ${format}`, ['all', store, format], file, most);
    }
    await measure('all accounts: DuckDB reads the NDJSON', ['duckdb', store, out('all.ndjson')]);
    for (const format of streaming) {
      const step = `all accounts: export ${format}, small heap`;
      const file = out(`all-small.${format}`);
      await measure(step, ['all', store, format], file, { flags: SMALL_HEAP });
    }
  } finally {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }

  await reportRows('batches', results, values);
  return 0;
};
