import { type Cell, type Column, type Layout, timeCell } from './columns.ts';
import type { Format } from './format.ts';

function jsonCell(value: Cell, { kind }: Column, { time }: Layout): unknown {
  if (value === null || value === undefined) return null;
  return kind === 'time' ? timeCell(String(value), time) : value;
}

/** A row as an object; unknown values are null, or left out where the profile says so. */
export function rowObject(
  row: readonly Cell[],
  layout: Layout,
  toJson: typeof jsonCell = jsonCell,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [index, column] of layout.columns.entries()) {
    const value = toJson(row[index], column, layout);
    if (value !== null || !layout.omitUnknown) object[column.name] = value;
  }
  return object;
}

/** One JSON object a line, UTF-8, lines end in LF (the NDJSON convention). */
export const ndjson: Format = {
  binary: false,
  async write({ layout, rows, sink }) {
    let count = 0;
    for (const row of rows) {
      const full = sink.write(`${JSON.stringify(rowObject(row, layout))}\n`);
      if (full) await full;
      count++;
    }
    return count;
  },
};
