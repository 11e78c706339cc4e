import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { fill, historyOf } from '../support/batch-fill.ts';
import { batchRecord } from '../support/batch-record.ts';
import { exportTo } from '../support/batches.ts';

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
  const { folder, store } = historyOf([
    ...many,
    batchRecord({ BatchId: 20_000, CustomerRating: 5 }),
  ]);
  const file = path.join(folder, 'batches.parquet');
  await exportTo(store, file, { format: 'parquet' });
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
    await exportTo(store, file, { format: 'parquet', history: true, since: 'last' });
    fill(store, [batchRecord({ ...created, DateSent: '2026-01-14T10:00:00Z' })]);
  }
  const page = readFileSync('docs/batches.md', 'utf8');
  const [, example = ''] = /\*\*DuckDB\.\*\*.*?```sql\n(.*?)```/s.exec(page) ?? [];
  const ask = await duckdb('America/New_York');
  expect(await ask(example.replace('.batches/exports', folder))).toEqual([
    { Account: 'north', monday: '2026-01-12 00:00:00', created: '1', sent: '1' },
  ]);
});
