import { expect, test } from 'vitest';
import type { Layout } from '../../../src/batches/export/format.ts';
import { type FormatName, loadFormat } from '../../../src/batches/export/formats.ts';

const layout: Layout = {
  columns: [
    { name: 'id', kind: 'integer', key: true },
    { name: 'text', kind: 'text', key: false },
  ],
  time: 'iso',
};

test.each<[FormatName, chunks: number, mostRows: number]>([
  ['csv', 5, 5],
  ['ndjson', 5, 5],
  ['parquet', 2, 20_000],
])('%s reads no row before its reader asks for it', async (name, chunks, most) => {
  let read = 0;
  function* rows() {
    for (; read < 100_000; read++) yield [read, `text ${read}`];
  }
  const options = { layout, rows: rows(), remark: () => {} };
  let rowsRead = 0;
  for await (const chunk of (await loadFormat(name))(options)) {
    expect(chunk.length).toBeGreaterThan(0);
    if (++rowsRead === chunks) break;
  }
  expect(read).toBeLessThanOrEqual(most);
});
