import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { expect, onTestFinished, test } from 'vitest';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { exportTo } from '../support/batches.ts';

async function exported(records: readonly BatchRecord[]): Promise<string> {
  const { folder, store } = historyOf(records);
  const file = path.join(folder, 'batches.parquet');
  await exportTo(store, file, { format: 'parquet' });
  return file;
}

async function duckdb(timeZone: string) {
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => duck.closeSync());
  await duck.run(`SET TimeZone = '${timeZone}'`);
  return async (sql: string) => (await duck.runAndReadAll(sql)).getRowObjectsJson();
}

test('Parquet is read back by DuckDB with its types', async () => {
  const many = Array.from({ length: 12_000 }, (_, index) =>
    batchRecord({
      BatchId: index + 1,
      RecipientMobile: '+447700900123',
      CustomerActionPrice: 0.5,
      LandingPageWatchCount: 2,
    }),
  );
  const file = await exported([...many, batchRecord({ BatchId: 20_000, CustomerRating: 5 })]);
  const ask = await duckdb('UTC');
  const [sums] = await ask(
    `SELECT count(*) AS rows, sum(CustomerActionPrice) AS price, sum(LandingPageWatchCount) AS views,
       count(DISTINCT BatchId) AS ids, count(DateSent) AS sent, min(RecipientMobile) AS mobile
     FROM '${file}' WHERE BatchId < 20000`,
  );
  expect(sums).toEqual({
    rows: '12000',
    price: 6000,
    views: '24000',
    ids: '12000',
    sent: '0',
    mobile: '+447700900123',
  });
  const [last] = await ask(`SELECT CustomerRating FROM '${file}' WHERE BatchId = 20000`);
  expect(last).toEqual({ CustomerRating: '5' });
  const types = Object.fromEntries(
    (await ask(`DESCRIBE SELECT * FROM '${file}'`)).map((row) => [
      row.column_name,
      row.column_type,
    ]),
  );
  expect(types).toMatchObject({
    BatchId: 'BIGINT',
    CustomerActionPrice: 'DOUBLE',
    Title: 'VARCHAR',
    DateCreated: 'TIMESTAMP WITH TIME ZONE',
    DateSent: 'TIMESTAMP WITH TIME ZONE',
    ChangeSeen: 'TIMESTAMP WITH TIME ZONE',
  });
});

test('the DuckDB example of the documentation counts each batch once, in weeks of UTC', async () => {
  const created = { BatchId: 1, DateCreated: '2026-01-12T01:00:00Z' };
  const { folder, store } = historyOf([batchRecord(created)]);
  for (const part of [1, 2]) {
    const file = path.join(folder, `changes-${part}.parquet`);
    await exportTo(store, file, { format: 'parquet', rows: 'history', since: 'last' });
    fill(store, [batchRecord({ ...created, DateSent: '2026-01-14T10:00:00Z' })]);
  }
  const page = readFileSync('docs/batches.md', 'utf8');
  const [, example = ''] = /\*\*DuckDB\.\*\*.*?```sql\n(.*?)```/s.exec(page) ?? [];
  const ask = await duckdb('America/New_York');
  expect(await ask(example.replace('.batches/exports', folder))).toEqual([
    { Account: 'north', monday: '2026-01-12 00:00:00', created: '1', sent: '1' },
  ]);
});

const SENT = '2026-07-05T13:15:56Z';

test('two readers find UTC in Parquet: DuckDB shows a time in the time zone of its session', async () => {
  const file = await exported([
    batchRecord({ BatchId: 1, DateSent: SENT }),
    batchRecord({ BatchId: 2 }),
  ]);
  for (const [zone, shown] of [
    ['America/New_York', '2026-07-05 09:15:56-04'],
    ['Asia/Kolkata', '2026-07-05 18:45:56+05:30'],
  ] as const) {
    const ask = await duckdb(zone);
    const rows = await ask(
      `SELECT CAST(DateSent AS VARCHAR) AS shown, epoch_ms(DateSent) AS ms FROM '${file}' LIMIT 1`,
    );
    expect(rows).toEqual([{ shown, ms: String(Date.parse(SENT)) }]);
  }
  const buffer = await asyncBufferFromFile(file);
  const { schema } = await parquetMetadataAsync(buffer);
  const times = schema.filter(({ converted_type }) => converted_type === 'TIMESTAMP_MILLIS');
  expect(times.map(({ name }) => name)).toContain('DateSent');
  for (const { logical_type } of times) {
    expect(logical_type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' });
  }
  const rows = await parquetReadObjects({ file: buffer, columns: ['DateSent'] });
  expect(rows).toEqual([{ DateSent: new Date(SENT) }, { DateSent: null }]);
});
