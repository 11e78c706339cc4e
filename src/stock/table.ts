import { CsvError, type Info, type Options, parse } from 'csv-parse/sync';
import { ConfigError } from '../errors.ts';
import { isTooComplex } from '../lib/json.ts';
import { streamSafe } from '../lib/latin.ts';

/** A stock list as text cells. */
export interface Table {
  headings: string[];
  rows: CsvRow[];
  /** Rows that do not have the same number of cells as the heading. */
  uneven: { line: number; cells: number }[];
  /** Why the file seems to be truncated. */
  cut?: string;
  endsWithNewline: boolean;
}

const DELIMITERS = [',', ';', '\t', '|'];

/** Rows in which the heading row is searched. Exports may start with a title, a date, groups of columns and an empty row. */
const HEADING_ROWS = 10;
/** Known headings that a row below such rows must have. */
const FEWEST_HEADINGS = 3;

export interface CsvRow {
  cells: string[];
  /** Its number in a spreadsheet: a cell with several lines is in one row. */
  line: number;
}

/** Whether rows end with CR, as in files of Excel for Mac. Their cells have LF. */
const endsWithCr = (csv: string): boolean =>
  /\r(?!\n)/.test(csv) && !csv.replace(/"[^"]*"/g, '').includes('\n');

/** @throws {CsvError} the text is not valid CSV. */
function parseRows(csv: string, options: Options): CsvRow[] {
  const records = parse(csv, {
    trim: true,
    // Programs may end the heading and the rows differently. The parser would only look for the first line break.
    record_delimiter: endsWithCr(csv) ? '\r' : ['\r\n', '\n'],
    // Allows inch marks in cells.
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    info: true,
    ...options,
  }) as unknown as { record: string[]; info: Info }[];
  // The parser counts each character of a line break within a cell as a line.
  let breaks = 0;
  return records.map(({ record, info }) => {
    breaks += record.join('').replace(/[^\r\n]/g, '').length;
    return { cells: record, line: info.lines - breaks };
  });
}

/** Finds the heading row and its delimiter: the row with most known headings, or the first if none has enough. */
function findHeading(csv: string, countKnown: (headings: readonly string[]) => number) {
  // Quotes may be wrong for other delimiters.
  const options = { to: HEADING_ROWS, skip_records_with_error: true };
  const candidates = DELIMITERS.flatMap((delimiter) =>
    parseRows(csv, { delimiter, ...options }).map(({ cells }, at) => {
      return { at, delimiter, known: countKnown(cells), cells: cells.length };
    }),
  );
  const sorted = candidates.toSorted((a, b) => b.known - a.known || b.cells - a.cells);
  const [best] = sorted;
  return best && best.known >= FEWEST_HEADINGS ? best : sorted.find(({ at }) => at === 0);
}

/**
 * Reads CSV from its heading row. Rows may have any number of cells, and empty rows are skipped.
 *
 * @param countKnown counts the known headings.
 * @throws {CsvError} the text is not valid CSV.
 */
export function readCsv(
  text: string,
  countKnown: (headings: readonly string[]) => number,
): CsvRow[] {
  // Removes Excel's hint about the delimiter.
  const csv = streamSafe(text).replace(/^\ufeff?sep=.\r?\n/i, '');
  const { at = 0, delimiter = ',' } = findHeading(csv, countKnown) ?? {};
  return parseRows(csv, { delimiter }).slice(at);
}

const invalid = (name: string, format: 'CSV' | 'JSON', cause: Error) =>
  new ConfigError({
    code: 'stock-file-invalid',
    what: `The stock list ${name} is not valid ${format}.`,
    why: `${cause.message.replace(/\.$/, '')}.`,
    fix: 'Export it again. If it was uploaded, check that the upload was complete. In CSV, write a quotation mark within a quoted cell twice.',
    cause,
  });

/** Reads CSV or JSON. @param countKnown counts the known headings, to detect the delimiter. */
export function readTable(
  text: string,
  name: string,
  countKnown: (headings: readonly string[]) => number,
): Table {
  const start = text.trimStart()[0];
  if (start === '[' || start === '{') return jsonTable(text, name);
  let records: CsvRow[];
  try {
    records = readCsv(text, countKnown);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw invalid(name, 'CSV', cause);
  }
  const [heading, ...others] = records;
  // Merged exports repeat the heading.
  const headingText = heading?.cells.join('\0');
  const body = others.filter(({ cells }) => cells.join('\0') !== headingText);
  // People break lines in headings. In settings and messages, they are spaces.
  const headings = withoutEmptyEnd(heading?.cells ?? []).map((cell) => cell.replace(/\s+/g, ' '));
  const table: Table = { headings, rows: [], uneven: [], endsWithNewline: /[\r\n]$/.test(text) };
  // Some programs end each row with a delimiter. If only some rows are longer, a delimiter in a cell shifted their cells.
  const longest = Math.max(heading?.cells.length ?? 0, usualLength(body));
  for (const row of body) {
    const { line, cells } = row;
    const isEven =
      cells.length >= headings.length &&
      cells.length <= longest &&
      withoutEmptyEnd(cells).length <= headings.length;
    if (isEven) table.rows.push(row);
    else table.uneven.push({ line, cells: cells.length });
  }
  const last = body.at(-1);
  if (last && !table.endsWithNewline && last.cells.length < headings.length) {
    table.cut = `Its last line has ${last.cells.length} of ${headings.length} cells.`;
  }
  return table;
}

/** The number of cells that most rows have. */
function usualLength(rows: readonly CsvRow[]): number {
  const byLength = Map.groupBy(rows, ({ cells }) => cells.length);
  const [[length] = [0]] = [...byLength].sort(([, a], [, b]) => b.length - a.length);
  return length;
}

/** The cells up to the last filled cell. Spreadsheets write empty columns at the end. */
export function withoutEmptyEnd(cells: readonly string[]): string[] {
  const end = cells.findLastIndex((cell) => cell !== '');
  return cells.slice(0, end + 1);
}

/** Most cells of a table: 50,000 vehicles with 200 columns. Objects without common keys would need far more. */
const MOST_CELLS = 10_000_000;

/** Reads a list of objects, or an object that contains it. Lists in cells become text. */
function jsonTable(text: string, name: string): Table {
  let value: unknown;
  try {
    if (isTooComplex(Buffer.from(text))) throw new Error('It is nested too deeply or too large.');
    // Escapes of JSON are characters only once it is parsed.
    value = JSON.parse(streamSafe(JSON.stringify(JSON.parse(text))));
    if (!Array.isArray(value)) {
      const lists = Object.values(value as object).filter(Array.isArray);
      // Another list, such as `errors`, may be empty or have no objects.
      value = lists.find(([first]) => typeof first === 'object') ?? lists[0];
    }
    if (!Array.isArray(value)) throw new Error('It contains no list of vehicles.');
  } catch (cause) {
    throw invalid(name, 'JSON', cause as Error);
  }
  const records = value.map((row) => new Map(cellsIn(row)));
  const headings = [...new Set(records.flatMap((record) => [...record.keys()]))];
  if (headings.length * records.length > MOST_CELLS) {
    const size = `${records.length} objects have ${headings.length} different keys`;
    throw invalid(name, 'JSON', new Error(`Its ${size}, which are too many columns.`));
  }
  const rows = records.map((record, index) => ({
    line: index + 1,
    cells: headings.map((heading) => record.get(heading) ?? ''),
  }));
  return { headings, rows, uneven: [], endsWithNewline: true };
}

/** The cells of an object: `{ mileage: { value: 5 } }` has the cell `mileage.value`. */
function* cellsIn(value: unknown, name = ''): Iterable<[string, string]> {
  // Objects in lists have no text.
  if (Array.isArray(value)) {
    const texts = value.flat(Number.POSITIVE_INFINITY).filter((one) => typeof one !== 'object');
    yield [name, texts.join('|')];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      yield* cellsIn(child, name ? `${name}.${key}` : key);
    }
  } else yield [name, value === null ? '' : String(value).trim()];
}
