/** Runs one measured step in a separate process to measure its peak memory. */
import { existsSync, readFileSync } from 'node:fs';
import { exportBatches } from '../../src/batches/export/export.ts';
import type { FormatName } from '../../src/batches/export/formats.ts';
import { pullAccount } from '../../src/batches/pull/pull.ts';
import { writeHistoryReport } from '../../src/batches/report/page.ts';
import { checkHistory } from '../../src/batches/store/check.ts';
import { openStore } from '../../src/batches/store/open.ts';
import { loadConfig } from '../../src/config/load.ts';

const [step = '', file = '', detail = '', output = ''] = process.argv.slice(2);
const begin = performance.now();
using store = openStore({ file, bases: [] });
let rows = 0;
if (step === 'pull') {
  const { service, accounts } = await loadConfig({ file: detail, keysFor: 'accounts' });
  for (const account of accounts) {
    const { received } = await pullAccount({ store, service, account });
    rows += received;
  }
} else if (step === 'check') {
  const { rows: checked, damage } = checkHistory(store.db);
  if (damage.length > 0) throw new Error('The history is damaged.');
  rows = checked;
} else if (step === 'duckdb') {
  rows = await readByDuckDb(detail);
} else if (step === 'report') {
  await writeHistoryReport(store, { folder: output });
  rows = Number(store.db.prepare('SELECT count(*) AS rows FROM batch').get()?.rows);
} else {
  const result = await exportBatches({
    store,
    format: detail as FormatName,
    profile: 'generic',
    personal: { mode: 'full', hashKey: undefined },
    since: step === 'changed' ? 'last' : undefined,
    to: { file: output },
  });
  rows = result.rows;
}
const seconds = (performance.now() - begin) / 1000;
console.log(JSON.stringify({ rows, seconds, peakMiB: peakMiB() }));

/** Reads NDJSON into a table of DuckDB. @returns its rows. */
async function readByDuckDb(ndjson: string): Promise<number> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE batches AS FROM read_ndjson_auto('${ndjson}')`);
  const counted = await connection.runAndReadAll('SELECT count(*) FROM batches');
  return Number(counted.getRows()[0]?.[0]);
}

/** On Linux, `maxRSS` starts with the parent's memory. The kernel's high-water mark does not. */
function peakMiB(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
  return (kib === undefined ? process.resourceUsage().maxRSS : Number(kib)) / 1024;
}
