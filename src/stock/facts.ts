import type { MileageUnit } from '../config/region.ts';
import type { StockConfig } from '../config/schema.ts';
import { ConfigError } from '../errors.ts';
import { countText } from '../lib/terminal/count-text.ts';
import { cellText } from './cells.ts';
import { columnsOf, type Field } from './columns.ts';
import { comparablePlate } from './plate.ts';
import { Problems } from './problems.ts';
import { factsOf } from './row.ts';
import { readTable, type Table } from './table.ts';
import { type Columns, formsOf, headingOf } from './units.ts';
import type { VehicleFacts } from './vehicle-facts.ts';

/** Facts of a dealer's vehicles: of a stock list, or as the dealer's record stores them. */
export interface DealerFacts {
  /** By comparable plate. VINs and stock numbers also name rows, unless they are another row's plate. */
  byPlate: ReadonlyMap<string, VehicleFacts>;
  /** Rows of the list. */
  rows: number;
  /** Rows with a price. */
  prices: number;
  /** Empty if the list has no prices. */
  currency: string;
  mileageUnit: MileageUnit;
  /** Whether a vehicle has a price: one without then has it on request. */
  priced: boolean;
  /** Whether the file's last line is complete without doubt. */
  endsWithNewline: boolean;
}

/** A column of a stock list, and its field. */
export interface ListColumn {
  heading: string;
  field: Field | undefined;
  /** Its first values. */
  samples: string[];
}

/** A stock list that was read. */
export interface ReadList extends DealerFacts {
  /** Names of all rows as they are written in the list, with the keys that join them. */
  ids: readonly { name: string; keys: readonly string[] }[];
  columns: readonly ListColumn[];
  /** Problems of rows and cells, in words. */
  problems: readonly string[];
  problemCount: number;
  /** Why the file seems to be cut off. Undefined if it does not. */
  cut: string | undefined;
}

const SAMPLES = 3;

/** @throws {ConfigError} no column names vehicles. */
function refuseWithoutId({ at, headings }: Columns, config: StockConfig, name: string): void {
  if (at.has('plate') || at.has('vin') || at.has('stockId')) return;
  const { plate } = config.columns;
  throw new ConfigError({
    code: 'stock-file-column',
    what: `The stock list ${name} has no column ${plate === undefined ? 'with number plates, VINs or stock numbers' : `"${plate}"`}.`,
    why: `Its columns are: ${headings.join(', ').slice(0, 300) || '(none)'}.`,
    fix: 'Name the column with the number plate in stock.columns.plate. Between columns are commas, semicolons, tabs or bars.',
  });
}

/** Reports rows that the table cannot use, and settings that name no column. */
function tableProblems({ uneven, headings }: Table, config: StockConfig, problems: Problems): void {
  for (const { line, cells } of uneven) {
    const about = (count: number) =>
      `${countText(count, 'row')} ${count === 1 ? 'has' : 'have'} another number of cells than the heading (${headings.length}) and ${count === 1 ? 'is' : 'are'} not used`;
    problems.add('uneven', about, `row ${line} (${countText(cells, 'cell')})`);
  }
  const known = new Set(headings.map((heading) => heading.toLowerCase()));
  for (const [field, heading] of Object.entries(config.columns)) {
    if (known.has(heading.toLowerCase())) continue;
    const about = (count: number) =>
      `${countText(count, 'configured column')} ${count === 1 ? 'does' : 'do'} not exist`;
    problems.add('absent', about, `"${heading}" (stock.columns.${field})`);
  }
}

/** The rows of a dealer's list. Pure. A list without any column that names vehicles is refused. */
export function parseFacts(text: string, config: StockConfig, name: string): ReadList {
  const { locale = 'en-GB' } = config;
  const table = readTable(text, name, (headings) => columnsOf(headings, config.columns).size);
  const { headings, rows } = table;
  const at = columnsOf(headings, config.columns);
  const cellAt = (cells: readonly string[], field: Field) => cells[at.get(field) ?? -1] ?? '';
  const columns: Columns = {
    at,
    headings,
    cellsOf: (field) => rows.map(({ cells }) => cellAt(cells, field)),
  };
  refuseWithoutId(columns, config, name);
  const forms = formsOf(columns, config, name);
  const problems = new Problems();
  tableProblems(table, config, problems);
  const byPlate = new Map<string, VehicleFacts>();
  const others: [string, VehicleFacts][] = [];
  const ids: { name: string; keys: string[] }[] = [];
  let prices = 0;
  for (const { cells, line } of rows) {
    const cell = (field: Field) =>
      field === 'description' || field === 'equipment'
        ? cellAt(cells, field)
        : cellText(cellAt(cells, field));
    const heading = (field: Field) => headingOf(columns, field);
    const wrong = (field: Field, wanted: string) =>
      problems.cell(heading(field), wanted, { cell: cell(field), line });
    const names = (['plate', 'vin', 'stockId'] as const).map(cell);
    const keys = names.map(comparablePlate).filter((key) => key !== '');
    const [first] = keys;
    if (first === undefined) {
      const about = (count: number) =>
        `${countText(count, 'row')} without a number plate, VIN or stock number`;
      problems.add('nameless', about, `row ${line}`);
      continue;
    }
    const written = names.find((one) => comparablePlate(one) !== '') ?? first;
    if (byPlate.has(first)) {
      const about = (count: number) =>
        `${countText(count, 'vehicle')} listed more than once; the last row counts`;
      problems.add('repeated', about, `${written} (row ${line})`);
    }
    const facts = factsOf({ cell, locale, forms, heading, wrong });
    if (facts.price !== undefined) prices++;
    byPlate.set(first, facts);
    for (const key of keys.slice(1)) others.push([key, facts]);
    ids.push({ name: written, keys });
  }
  for (const [key, facts] of others) if (!byPlate.has(key)) byPlate.set(key, facts);
  const fieldAt = new Map([...at].map(([field, index]) => [index, field]));
  return {
    ...{ byPlate, ids, rows: ids.length, prices, priced: prices > 0 },
    columns: headings.map((heading, index) => {
      const filled = rows.flatMap(({ cells }) => cellText(cells[index] ?? '') || []);
      return { heading, field: fieldAt.get(index), samples: filled.slice(0, SAMPLES) };
    }),
    problems: problems.texts(),
    problemCount: problems.count,
    currency: forms.price.unit,
    mileageUnit: forms.mileage.unit as MileageUnit,
    cut: table.cut,
    endsWithNewline: table.endsWithNewline,
  };
}
