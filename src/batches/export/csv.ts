import { type Cell, type Column, jsonText, type Layout, timeCell } from './columns.ts';
import type { Format } from './format.ts';
import { neutralise, neutralisePhone } from './formula.ts';

/** RFC 4180, section 2: quotes around what holds a separator, a quote or a line end. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that neither a spreadsheet nor the target reads as a command. */
export function harmless(text: string, reserved: RegExp | undefined): string {
  const safe = neutralise(text);
  return reserved?.test(safe) ? `'${safe}` : safe;
}

function cellText(value: Cell, { kind }: Column, { time, reserved }: Layout): string {
  if (value === null || value === undefined) return '';
  if (kind === 'integer' || kind === 'number') return String(value);
  if (kind === 'time') return String(timeCell(String(value), time));
  if (kind === 'phone') return neutralisePhone(String(value));
  if (kind === 'json' && typeof value === 'number') return String(value);
  return harmless(jsonText(value), reserved);
}

/** CSV: RFC 4180, UTF-8, CRLF, a header row. Nothing in it becomes a formula; phones stay whole. */
export const csv: Format = {
  binary: false,
  async write({ layout, rows, sink }) {
    const { columns } = layout;
    await sink.write(
      `${layout.bom ? '\ufeff' : ''}${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    );
    let count = 0;
    for (const row of rows) {
      const cells = columns.map((column, index) => quoted(cellText(row[index], column, layout)));
      const full = sink.write(`${cells.join(',')}\r\n`);
      if (full) await full;
      count++;
    }
    return count;
  },
};
