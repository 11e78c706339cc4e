import { expect, test } from 'vitest';
import type { Layout } from '../../../src/batches/export/columns.ts';
import type { FormatName } from '../../../src/batches/export/format.ts';
import { loadFormat } from '../../../src/batches/export/formats.ts';

const layout: Layout = {
  columns: [
    { name: 'id', kind: 'integer', key: true },
    { name: 'text', kind: 'text', key: false },
  ],
  time: 'iso',
  omitUnknown: false,
  bom: false,
  reserved: undefined,
};

/** Rows that count how many were asked for, and a reader that stops taking any. */
async function rowsReadBeforeAStuckReader(name: FormatName): Promise<number> {
  const format = await loadFormat(name);
  let read = 0;
  function* rows() {
    for (; read < 100_000; read++) yield [read, `text ${read}`];
  }
  let chunks = 0;
  const stuck = new Promise<void>(() => {});
  void format.write({
    layout,
    rows: rows(),
    sink: { write: () => (++chunks > 3 ? stuck : undefined) },
    at: '2026-01-01T00:00:00.000Z',
    toSeq: 1,
    remark: () => {},
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  return read;
}

test.each([
  ['csv', 5],
  ['ndjson', 5],
  ['singer', 5],
  ['parquet', 50_000],
] as const)('%s reads no row that its reader has no room for', async (name, most) => {
  expect(await rowsReadBeforeAStuckReader(name)).toBeLessThanOrEqual(most);
});
