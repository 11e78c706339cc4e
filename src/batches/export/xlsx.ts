import type { Blob } from 'node:buffer';
import type Stream from 'node:stream';
import type { Feature, SheetData } from 'write-excel-file/node';
import { timestampSchema } from '../../contract/media.ts';
import { withPackages } from '../../lib/optional-package.ts';
import { type Cell, type Column, type Format, jsonText, type Layout } from './format.ts';
import { neutralise, neutralisePhone } from './formula.ts';

/** The whole sheet is built in memory, about 8 kB a row. This keeps it below a gigabyte. */
const MAX_ROWS = 100_000;

/** Most characters that a cell of Excel holds. */
const LONGEST_TEXT = 32_767;

/** Characters that XML 1.0 cannot hold, in any spelling. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const DATE_FORMAT = 'yyyy-mm-dd hh:mm:ss';

/** Excel counts days from 1900, with one day too many in its February. Older dates stay text. */
const FIRST_DATE = Date.UTC(1900, 2, 1);

/** Widths in characters: room for the arrow of the filter, and no text takes the whole screen. */
const [ARROW, NARROWEST, WIDEST] = [4, 8, 50];

type Value = string | number | Date | null;

/** How many characters a cell shows; Excel shows a date that has no room for it as `####`. */
const shownLength = (value: Value): number =>
  value === null ? 0 : value instanceof Date ? DATE_FORMAT.length : String(value).length;

/** Arrows in the header to sort and choose by. Its place, right after the rows, is prescribed. */
const headerFilter = (columns: number, rows: number): Feature<Stream | Buffer | Blob> => ({
  files: {
    transform: {
      'xl/worksheets/sheet{id}.xml': {
        transform: (xml) => {
          const end = xml.lastIndexOf('</sheetData>') + '</sheetData>'.length;
          const filter = `<autoFilter ref="A1:${letters(columns)}${rows}"/>`;
          return `${xml.slice(0, end)}${filter}${xml.slice(end)}`;
        },
      },
    },
  },
});

/** Name of the n-th column, from 1: A, …, Z, AA, … */
function letters(column: number): string {
  const remainder = (column - 1) % 26;
  const last = String.fromCharCode(65 + remainder);
  return column <= 26 ? last : letters((column - 1 - remainder) / 26) + last;
}

/**
 * Excel workbook with one sheet, for people: a header that stays and filters, columns as wide as
 * their content, and every time as a date of Excel, in UTC, in every profile, for readers.
 * Every text is a text cell, and also neutralised, because the next user saves it as CSV.
 * Columns of telephone numbers are text, so `+447…` stays.
 */
export const format: Format = {
  binary: true,
  maxRows: MAX_ROWS,
  async *encode({ layout, rows, remark }) {
    const { default: writeExcelFile } = await withPackages(
      ['write-excel-file'],
      'An export to Excel',
      () => import('write-excel-file/node'),
    );
    const { columns } = layout;
    let cutTexts = 0;
    const text = (value: string): string => {
      const clean = value.toWellFormed().replace(NOT_XML, '\ufffd');
      if (clean.length > LONGEST_TEXT) cutTexts++;
      return clean.slice(0, LONGEST_TEXT);
    };
    const widths = columns.map(({ name }) => name.length + ARROW);
    // Plain values if possible: an object for each cell would take half as much again.
    const sheet: SheetData = [
      columns.map(({ name }) => ({ value: name, type: String, fontWeight: 'bold' })),
    ];
    for (const row of rows) {
      const cells = columns.map((column, index) => sheetValue(row[index], column, layout, text));
      for (const [index, value] of cells.entries()) {
        widths[index] = Math.max(widths[index] ?? 0, shownLength(value));
      }
      sheet.push(cells);
    }
    const width = (longest: number) => Math.min(Math.max(longest + 1, NARROWEST), WIDEST);
    const book = await writeExcelFile(
      sheet,
      {
        sheet: 'Batches',
        stickyRowsCount: 1,
        columns: widths.map((longest) => ({ width: width(longest) })),
        dateFormat: DATE_FORMAT,
      },
      { features: [headerFilter(columns.length, sheet.length)] },
    ).toBuffer();
    yield book;
    if (cutTexts > 0) {
      remark(
        `${cutTexts} texts were cut to the ${LONGEST_TEXT} characters that a cell of Excel holds.`,
      );
    }
  },
};

function sheetValue(
  value: Cell,
  { kind }: Column,
  { reserved }: Layout,
  text: (value: string) => string,
): Value {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return value;
  // CustomerActionDate has no documented type. A moment is shown as one.
  if (kind === 'time' || (kind === 'json' && timestampSchema.safeParse(value).success)) {
    const moment = new Date(String(value));
    return moment.getTime() < FIRST_DATE ? text(moment.toISOString()) : moment;
  }
  if (kind === 'phone') return text(neutralisePhone(String(value)));
  return text(neutralise(jsonText(value), reserved));
}
