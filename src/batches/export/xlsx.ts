import { type Cell, type Column, jsonText, type Layout, timeCell } from './columns.ts';
import { harmless } from './csv.ts';
import type { Format } from './format.ts';
import { neutralisePhone } from './formula.ts';

/** The whole sheet is built in memory, about 8 kB a row; this keeps it below a gigabyte. */
export const XLSX_MAX_ROWS = 100_000;

/** Most characters that a cell of Excel holds. */
const LONGEST_TEXT = 32_767;

/** Characters that XML 1.0 cannot hold, in any spelling. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

type SheetCell = { value: string | number | Date; type: unknown; format?: string } | null;

/**
 * Excel workbook with one sheet. Every text is a text cell, and neutralised besides, because the
 * next person saves it as CSV. Columns of telephone numbers are text, so `+447…` stays.
 */
export const xlsx: Format = {
  binary: true,
  maxRows: XLSX_MAX_ROWS,
  async write({ layout, rows, sink, remark }) {
    const { default: writeExcelFile } = await import('write-excel-file/node');
    let cut = 0;
    const text = (value: string): SheetCell => {
      const clean = value.toWellFormed().replace(NOT_XML, '\ufffd');
      if (clean.length > LONGEST_TEXT) cut++;
      return { value: clean.slice(0, LONGEST_TEXT), type: String };
    };
    const sheet: SheetCell[][] = [
      layout.columns.map(({ name }) => ({ value: name, type: String, fontWeight: 'bold' })),
    ];
    for (const row of rows) {
      sheet.push(
        layout.columns.map((column, index) => sheetCell(row[index], column, layout, text)),
      );
    }
    const book = await writeExcelFile(sheet as never, { stickyRowsCount: 1 }).toBuffer();
    await sink.write(book);
    if (cut > 0) {
      remark(`${cut} texts were cut to the ${LONGEST_TEXT} characters that a cell of Excel holds.`);
    }
    return sheet.length - 1;
  },
};

function sheetCell(
  value: Cell,
  { kind }: Column,
  { time, reserved }: Layout,
  text: (value: string) => SheetCell,
): SheetCell {
  if (value === null || value === undefined || value === '') return null;
  if (kind === 'integer' || kind === 'number' || (kind === 'json' && typeof value === 'number')) {
    return { value: value as number, type: Number };
  }
  if (kind === 'time') {
    const moment = timeCell(String(value), time);
    if (typeof moment === 'number') return { value: moment, type: Number };
    if (time !== 'iso') return text(moment);
    return { value: new Date(moment), type: Date, format: 'yyyy-mm-dd hh:mm:ss' };
  }
  if (kind === 'phone') return text(neutralisePhone(String(value)));
  return text(harmless(jsonText(value), reserved));
}
