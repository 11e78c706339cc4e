import type { SheetData } from 'write-excel-file/node';
import { timestampSchema } from '../../contract/media.ts';
import { ConfigError } from '../../errors.ts';
import { xmlSafe } from '../../lib/html.ts';
import { withPackages } from '../../lib/optional-package.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import type { Cell, Column, EncodeOptions, Layout } from './format.ts';
import { safeText } from './formula.ts';

/** The sheet is built in memory, with about 8 kB per row. This limit keeps it below a gigabyte. */
const MAX_ROWS = 100_000;

/** Maximum number of characters in an Excel cell. */
const LONGEST_TEXT = 32_767;

const DATE_FORMAT = 'yyyy-mm-dd hh:mm:ss';

/** Excel counts days from 1900, with a 29 February that did not exist. Older dates stay text. */
const FIRST_DATE = Date.UTC(1900, 2, 1);

/** Widths in characters of the narrowest and the widest column. */
const NARROWEST = 8;
const WIDEST = 50;

type Value = string | number | Date | null;

/** Number of characters that a cell shows. Excel shows `####` if a date does not fit. */
const shownLength = (value: Value): number =>
  value === null ? 0 : value instanceof Date ? DATE_FORMAT.length : String(value).length;

/**
 * Excel workbook with one sheet, for people: a fixed header, and columns as wide as their content. In all
 * profiles, times are Excel dates in UTC. Texts are text cells and also neutralised, because a user may save the sheet
 * as CSV. Telephone numbers are text, so `+447…` stays unchanged.
 */
export async function* xlsx({ layout, rows, remark }: EncodeOptions) {
  const { default: writeExcelFile } = await withPackages(
    ['write-excel-file'],
    'An export to Excel',
    () => import('write-excel-file/node'),
  );
  const { columns } = layout;
  let cutTexts = 0;
  const text = (value: string): string => {
    const clean = xmlSafe(value, '\ufffd');
    if (clean.length > LONGEST_TEXT) cutTexts++;
    return clean.slice(0, LONGEST_TEXT);
  };
  const widths = columns.map(({ name }) => name.length);
  // Plain values if possible: one object per cell would need 50 % more memory.
  const sheet: SheetData = [
    columns.map(({ name }) => ({ value: name, type: String, fontWeight: 'bold' })),
  ];
  for (const row of rows) {
    if (sheet.length > MAX_ROWS) {
      throw new ConfigError({
        code: 'export-too-many-rows',
        what: `There are more than ${MAX_ROWS} rows, which is too many for xlsx.`,
        why: 'A workbook is built in memory.',
        fix: 'Use --format csv or parquet, which accept any number, or select fewer rows with --account or --since.',
      });
    }
    const cells = columns.map((column, index) => sheetValue(row[index], column, layout, text));
    for (const [index, value] of cells.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, shownLength(value));
    }
    sheet.push(cells);
  }
  const width = (longest: number) => Math.min(Math.max(longest + 1, NARROWEST), WIDEST);
  yield await writeExcelFile(sheet, {
    sheet: 'Batches',
    stickyRowsCount: 1,
    columns: widths.map((longest) => ({ width: width(longest) })),
    dateFormat: DATE_FORMAT,
  }).toBuffer();
  if (cutTexts > 0) {
    const texts = countText(cutTexts, 'text was', 'texts were');
    remark(`${texts} cut to the ${LONGEST_TEXT} characters that a cell of Excel holds.`);
  }
}

function sheetValue(
  value: Cell,
  column: Column,
  layout: Layout,
  text: (value: string) => string,
): Value {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return value;
  // CustomerActionDate has no documented type. If it is a time, it becomes a date.
  const { kind } = column;
  if (kind === 'time' || (kind === 'json' && timestampSchema.safeParse(value).success)) {
    const moment = new Date(String(value));
    return moment.getTime() < FIRST_DATE ? text(moment.toISOString()) : moment;
  }
  return text(safeText(value, column, layout));
}
