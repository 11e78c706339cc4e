import { type Cell, type Column, type Format, type Layout, timeCell } from './format.ts';

function jsonCell(value: Cell, { kind }: Column, layout: Layout): unknown {
  if (value === null || value === undefined) return null;
  return kind === 'time' ? timeCell(String(value), layout) : value;
}

/** A row as an object; unknown values are null, or left out if the target says so. */
export function rowObject(
  row: readonly Cell[],
  layout: Layout,
  toJson = jsonCell,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [index, column] of layout.columns.entries()) {
    const value = toJson(row[index], column, layout);
    if (value !== null || !layout.omitUnknown) object[column.name] = value;
  }
  return object;
}

/** One JSON object a line, UTF-8, lines end in LF (the NDJSON convention). */
export const format: Format = {
  binary: false,
  *encode({ layout, rows }) {
    for (const row of rows) yield `${JSON.stringify(rowObject(row, layout))}\n`;
  },
};
