import { type Cell, type Column, type Format, jsonText, type Layout, timeCell } from './format.ts';
import { neutralise, neutralisePhone } from './formula.ts';

/** RFC 4180, section 2: quotes around text with a separator, a quote or a line end. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(value: Cell, { kind }: Column, layout: Layout): string {
  if (value === null || value === undefined) return '';
  if (kind === 'time') return String(timeCell(String(value), layout));
  if (kind === 'phone') return neutralisePhone(String(value));
  if (typeof value === 'number') return String(value);
  return neutralise(jsonText(value), layout.reserved);
}

/** CSV: RFC 4180, UTF-8, CRLF, a header row. No cell becomes a formula; phone numbers stay whole. */
export const format: Format = {
  binary: false,
  *encode({ layout, rows }) {
    const { columns, bom } = layout;
    yield `${bom ? '\ufeff' : ''}${columns.map(({ name }) => quoted(name)).join(',')}\r\n`;
    for (const row of rows) {
      const cells = columns.map((column, index) => quoted(cellText(row[index], column, layout)));
      yield `${cells.join(',')}\r\n`;
    }
  },
};
