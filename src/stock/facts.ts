import { hash } from 'node:crypto';
import type { MileageUnit } from '../config/region.ts';
import type { StockConfig } from '../config/schema.ts';
import { ConfigError } from '../errors.ts';
import { countText } from '../lib/terminal/count-text.ts';
import { cellText, isDate, localeOfDates } from './cells.ts';
import { columnsOf, type Field } from './columns.ts';
import { plateKey } from './plate.ts';
import type { Amounts } from './plausible.ts';
import { Problems } from './problems.ts';
import { factsOf } from './row.ts';
import { readTable, type Table } from './table.ts';
import { AMOUNTS, type AmountField, type Columns, formsOf, headingOf } from './units.ts';
import type { VehicleFacts } from './vehicle-facts.ts';

/** Facts of a dealer's vehicles, from a stock list or the dealer's record. */
export interface DealerFacts {
  /** Facts by plate, see `plateKey`. Keys are also VINs and stock numbers, unless they equal the plate of another row. */
  byPlate: ReadonlyMap<string, VehicleFacts>;
  rows: number;
  /** Number of rows with a price. If there are any, the price of other vehicles is on request. */
  prices: number;
  /** Empty if the list has no prices. */
  currency: string;
  mileageUnit: MileageUnit;
  /** Whether the file ends with a line break, so that its last line is certainly complete. */
  endsWithNewline: boolean;
  /** Hash of its text. */
  hash: string;
}

/** The list in a dealer's record. It has only rows of vehicles in stock. */
export interface LastList extends DealerFacts {
  /** The last accepted values of prices and mileages that are left out, see `plateKey`. */
  omitted: ReadonlyMap<string, Amounts>;
  /** The day on which a list with this content was first read, `2026-11-28`. */
  since: string;
  /** When the facts of a vehicle last changed, UTC, see `plateKey`. */
  changed: ReadonlyMap<string, string>;
}

/** A column of a stock list, and its field. */
export interface ListColumn {
  heading: string;
  field: Field | undefined;
  /** Its first values. */
  samples: string[];
}

/** A parsed stock list. */
export interface ReadList extends DealerFacts {
  /** Names of all rows as written in the list, with their keys. */
  ids: readonly { name: string; keys: readonly string[] }[];
  columns: readonly ListColumn[];
  /** Descriptions of problems of rows and cells. */
  problems: readonly string[];
  problemCount: number;
  /** Why the file seems to be truncated. Undefined if it seems complete. */
  cut: string | undefined;
}

const SAMPLES = 3;

/** Descriptions and equipment are HTML, which has line breaks. */
const textIn = (field: Field, cell: string): string =>
  field === 'description' || field === 'equipment' ? cell : cellText(cell);

const hasId = (at: ReadonlyMap<Field, number>): boolean =>
  at.has('plate') || at.has('vin') || at.has('stockId');

/** @throws {ConfigError} no column identifies vehicles. */
function refuseWithoutId({ at, headings }: Columns, config: StockConfig, name: string): void {
  if (hasId(at)) return;
  const { plate } = config.columns;
  if (headings.length === 0) {
    const what = `The stock list ${name} is empty.`;
    const why = 'It has no heading row.';
    throw new ConfigError({ code: 'stock-file-column', what, why, fix: 'Check the export.' });
  }
  throw new ConfigError({
    code: 'stock-file-column',
    what: `The stock list ${name} has no column ${plate === undefined ? 'with number plates, VINs or stock numbers' : `"${plate}"`}.`,
    why: `Its columns are: ${headings.join(', ').slice(0, 300)}.`,
    fix: 'Name the column with the number plate in stock.columns.plate. The heading row must be one of the first ten. Columns are separated by commas, semicolons, tabs or bars.',
  });
}

/** Headings that may name a price. */
const PRICE_WORD = /price|preis|prix|precio|prezzo|prijs|cena/i;

/** Reports unusable rows, settings with missing columns, and unused prices of a list without other prices. */
function tableProblems(table: Table, { at }: Columns, config: StockConfig, problems: Problems) {
  const { uneven, headings } = table;
  const used = [...at.values()];
  for (const [index, heading] of at.has('price') ? [] : headings.entries()) {
    if (used.includes(index) || !PRICE_WORD.test(heading)) continue;
    problems.add('price column', 'not used (see stock.columns.price)', `"${heading}"`);
  }
  for (const { line, cells } of uneven) {
    const text = `with a different number of cells than the heading (${headings.length}), not used`;
    problems.add('row', text, `row ${line} (${countText(cells, 'cell')})`);
  }
  const knownHeadings = new Set(headings.map((heading) => heading.toLowerCase()));
  for (const [field, heading] of Object.entries(config.columns)) {
    if (knownHeadings.has(heading.toLowerCase())) continue;
    const example = `"${heading}" (stock.columns.${field})`;
    problems.add('configured column', 'that the file does not have', example);
  }
}

/** Leaves out amounts for which two columns with the same heading have different values. A guess would be published. */
function omitDoubled({ headings, rows }: Table, at: Map<Field, number>, problems: Problems): void {
  for (const field of AMOUNTS) {
    const index = at.get(field);
    const heading = headings[index ?? -1];
    if (index === undefined || heading === undefined) continue;
    const isDoubled = headings.some(
      (text, other) =>
        text.toLowerCase() === heading.toLowerCase() &&
        rows.some(({ cells }) => cells[other] !== cells[index]),
    );
    if (!isDoubled) continue;
    at.delete(field);
    problems.add('heading', 'there twice with different values, not used', `"${heading}"`);
  }
}

function listColumns({ headings, rows }: Table, at: ReadonlyMap<Field, number>): ListColumn[] {
  const fieldAt = new Map([...at].map(([field, index]) => [index, field]));
  return headings.map((heading, index) => {
    const samples: string[] = [];
    for (const { cells } of rows) {
      if (samples.length === SAMPLES) break;
      const text = cellText(cells[index] ?? '');
      if (text !== '') samples.push(text);
    }
    return { heading, field: fieldAt.get(index), samples };
  });
}

/** Parses the rows of a dealer's list. @throws {ConfigError} no column identifies vehicles. */
export function parseFacts(text: string, config: StockConfig, name: string): ReadList {
  const { locale = 'en-GB' } = config;
  const table = readTable(text, name, (headings) => {
    const known = columnsOf(headings, config.columns);
    // Groups of columns above the heading have known words. Only the heading identifies vehicles.
    return hasId(known) ? known.size * 10 : known.size;
  });
  const { headings, rows } = table;
  const at = columnsOf(headings, config.columns);
  const problems = new Problems();
  const columns: Columns = {
    at,
    headings,
    cellsOf: (field) => rows.map(({ cells }) => cells[at.get(field) ?? -1] ?? ''),
  };
  refuseWithoutId(columns, config, name);
  tableProblems(table, columns, config, problems);
  omitDoubled(table, at, problems);
  const forms = formsOf(columns, config, name);
  const dateLocale = localeOfDates(columns.cellsOf('firstRegistration'), locale);
  const byPlate = new Map<string, VehicleFacts>();
  const otherKeys: [string, VehicleFacts][] = [];
  /** Amounts in which the rows of a vehicle differ. */
  const unclear = new Map<string, ReadonlySet<AmountField>>();
  const ids: { name: string; keys: string[] }[] = [];
  let prices = 0;
  for (const { cells, line } of rows) {
    const texts = new Map(
      Array.from(at, ([field, index]) => [field, textIn(field, cells[index] ?? '')]),
    );
    const cell = (field: Field) => texts.get(field) ?? '';
    const heading = (field: Field) => headingOf(columns, field);
    const reportWrong = (field: Field, expected: string) =>
      problems.cell(heading(field), expected, { cell: cell(field), line });
    // Spreadsheets turn plates such as `1E23456` and `MAR 1` into numbers and dates.
    const plate = cells[at.get('plate') ?? -1] ?? '';
    if (/\dE\+\d+$/.test(plate) || isDate(plate)) {
      problems.cell(heading('plate'), 'a number plate', { cell: plate, line });
    }
    const names = (['plate', 'vin', 'stockId'] as const).map(cell);
    const keys = names.map(plateKey).filter((key) => key !== '');
    const [firstKey] = keys;
    if (firstKey === undefined) {
      problems.add('row', 'without a number plate, VIN or stock number', `row ${line}`);
      continue;
    }
    const rowName = names.find((name) => plateKey(name) !== '') ?? firstKey;
    const facts = factsOf({ cell, locale, dateLocale, forms, heading, reportWrong });
    const former = byPlate.get(firstKey);
    if (former) {
      const other = AMOUNTS.filter(
        (key) => ![former[key], facts[key]].includes(undefined) && former[key] !== facts[key],
      );
      const omitted = new Set([...(unclear.get(firstKey) ?? []), ...other]);
      unclear.set(firstKey, omitted);
      for (const key of omitted) delete facts[key];
      const what = `listed more than once (${other.length > 0 ? 'their different prices or mileages are left out' : 'the last row is used'})`;
      problems.add('vehicle', what, `${rowName} (row ${line})`);
    }
    if (facts.price !== undefined) prices++;
    byPlate.set(firstKey, facts);
    for (const key of keys.slice(1)) otherKeys.push([key, facts]);
    ids.push({ name: rowName, keys });
  }
  for (const [key, facts] of otherKeys) if (!byPlate.has(key)) byPlate.set(key, facts);
  return {
    byPlate,
    ids,
    rows: ids.length,
    prices,
    columns: listColumns(table, at),
    problems: problems.texts(),
    problemCount: problems.count,
    currency: forms.price.unit,
    mileageUnit: forms.mileage.unit as MileageUnit,
    cut: table.cut,
    endsWithNewline: table.endsWithNewline,
    hash: hash('sha256', text, 'base64url').slice(0, 22),
  };
}
