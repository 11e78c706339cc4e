import { quoted } from '../../lib/csv.ts';
import {
  type Cell,
  type Column,
  type EncodeOptions,
  jsonText,
  type Layout,
  timeCell,
} from './format.ts';
import { safeText } from './formula.ts';

function cellText(value: Cell, column: Column, layout: Layout): string {
  if (value === null || value === undefined) return layout.clears?.csv ?? '';
  if (column.kind === 'time') return String(timeCell(String(value), layout));
  return typeof value === 'number' ? String(value) : safeText(value, column, layout);
}

/** CSV: RFC 4180, UTF-8, CRLF, a header row. No cell becomes a formula, and phone numbers stay intact. */
export function* csv({ layout, rows }: EncodeOptions) {
  const { columns, bom } = layout;
  yield `${bom ? '\ufeff' : ''}${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
  for (const row of rows) {
    const cells = columns.map((column, index) => quoted(cellText(row[index], column, layout)));
    yield `${cells.join(',')}\r\n`;
  }
}

/**
 * A row as an object. Unknown values are null, or omitted if the target requires it.
 *
 * @param asText writes values of unknown type as text.
 */
export function rowObject(row: readonly Cell[], layout: Layout, { asText = false } = {}) {
  const object: Record<string, unknown> = {};
  for (const [index, { name, kind }] of layout.columns.entries()) {
    const value = row[index] ?? null;
    if (value === null && layout.omitUnknown) continue;
    if (value !== null && kind === 'time') object[name] = timeCell(String(value), layout);
    else if (value !== null && kind === 'json' && asText) object[name] = jsonText(value);
    else object[name] = value ?? layout.clears?.json ?? null;
  }
  return object;
}

export const line = (content: object): string => `${JSON.stringify(content)}\n`;

/** One JSON object per line, UTF-8, LF line breaks (the NDJSON convention). */
export function* ndjson({ layout, rows }: EncodeOptions) {
  for (const row of rows) yield line(rowObject(row, layout));
}
