import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { type MileageUnit, mileageUnitOf } from '../config/region.ts';
import type { StockConfig } from '../config/schema.ts';
import { ConfigError } from '../errors.ts';
import { type AmountForm, distanceForm, priceForm, readAmount } from './amount.ts';
import { decodeText } from './decode.ts';
import { comparablePlate } from './plate.ts';
import { readStatus, type VehicleStatus } from './status.ts';
import { httpAddress } from './vehicle.ts';

/** Facts of a vehicle from the dealer's own list. The service knows only the plate. */
export interface VehicleFacts {
  make?: string;
  model?: string;
  variant?: string;
  year?: number;
  /** In the currency of the list. */
  price?: number;
  /** In the unit of the list. */
  mileage?: number;
  fuel?: string;
  transmission?: string;
  colour?: string;
  /** Kind of body, such as `Estate`. */
  body?: string;
  /** The dealer's own page of the vehicle, http(s). */
  link?: string;
  status?: VehicleStatus;
}

export interface DealerFacts {
  byPlate: ReadonlyMap<string, VehicleFacts>;
  /** Plates of all rows as they are written in the list, by comparable plate. */
  plates: ReadonlyMap<string, string>;
  /** Rows of the list. */
  rows: number;
  /** What is wrong with rows and cells, in words. */
  problems: string[];
  /** Notes for people on how the list was read. */
  notes: string[];
  /** Empty where the list has no prices. */
  currency: string;
  mileageUnit: MileageUnit;
  /** Whether a vehicle has a price: one without then has it on request. */
  priced: boolean;
}

/** Longest text of a cell that is used. */
const LONGEST = 120;
/** Columns whose cells are taken as they are. */
const TEXTS = ['make', 'model', 'variant', 'fuel', 'transmission', 'colour', 'body'] as const;
const YEARS = { first: 1885, last: 2100 };

type Cells = Partial<Record<keyof StockConfig['columns'], string>>;

/** How the amounts of a list are written. */
type Forms = Readonly<Record<'price' | 'mileage', { form: AmountForm; unit: string }>>;

/** @throws {ConfigError} no currency or unit of amounts is configured: a guess would be published. */
function formsOf(
  config: StockConfig,
  has: (key: 'price' | 'mileage') => boolean,
  name: string,
): Forms {
  const { currency, locale = 'en-GB' } = config;
  const mileageUnit = mileageUnitOf(locale);
  const missing = (setting: 'currency' | 'locale', column: 'price' | 'mileage') =>
    new ConfigError({
      code: 'stock-unit-missing',
      what: `stock.${setting} is needed for the stock list ${name}.`,
      why: `It has a column "${config.columns[column]}", and the locale "${locale}" does not say for certain what its numbers count.`,
      fix: `Set dealers[].stock.${setting}, such as ${setting === 'currency' ? '"EUR"' : '"de-DE"'}, or name the country in site.locale, such as "en-GB".`,
    });
  if (currency === undefined && has('price')) throw missing('currency', 'price');
  if (mileageUnit === undefined && has('mileage')) throw missing('locale', 'mileage');
  // An absent column needs no currency or unit.
  return {
    price: { form: priceForm(locale, currency ?? 'XXX'), unit: currency ?? '' },
    mileage: { form: distanceForm(locale, mileageUnit ?? 'km'), unit: mileageUnit ?? 'km' },
  };
}

function factsOf(cells: Cells, forms: Forms, problem: (text: string) => void): VehicleFacts {
  const facts: VehicleFacts = {};
  for (const key of TEXTS) {
    const text = cells[key]?.replace(/\s+/g, ' ').slice(0, LONGEST);
    if (text) facts[key] = text;
  }
  const { year, price, mileage, link, status } = cells;
  if (status) {
    const known = readStatus(status);
    if (known) facts.status = known;
    else problem(`"${status}" is not a known status: available, reserved or sold`);
  }
  if (year) {
    const number = /^\d{4}$/.test(year) ? Number(year) : 0;
    if (number >= YEARS.first && number <= YEARS.last) facts.year = number;
    else problem(`"${year}" is no year`);
  }
  for (const [key, text] of [
    ['price', price],
    ['mileage', mileage],
  ] as const) {
    if (!text) continue;
    const { form, unit } = forms[key];
    const amount = readAmount(text, form);
    if (typeof amount === 'number') facts[key] = amount;
    else if (amount === 'none') problem(`"${text}" is no ${key}`);
    else if (amount === 'other-unit') problem(`"${text}" is no ${key} in ${unit}`);
    else problem(`"${text}" is a ${key} that can be read in two ways; see stock.locale`);
  }
  if (link) {
    const address = httpAddress(link);
    if (address !== undefined) facts.link = address;
    else problem(`"${link}" is no http(s) address`);
  }
  return facts;
}

const NO_COLUMN = -1;

const DELIMITERS = [',', ';', '\t', '|'];

/** The delimiter between the columns of a list: the one that gives its heading a column of plates. */
function delimiterOf(text: string, plate: string): string | undefined {
  const [heading = ''] = text.trimStart().split(/[\r\n]/, 1);
  const isPlate = (cell: string) =>
    cell.replaceAll('"', '').trim().toLowerCase() === plate.toLowerCase();
  return DELIMITERS.find((delimiter) => heading.split(delimiter).some(isPlate));
}

/** The rows of a dealer's list, by plate. Pure. A list without the plate column is refused. */
export function parseFacts(text: string, config: StockConfig, name: string): DealerFacts {
  let rows: string[][];
  try {
    rows = parse(text, {
      trim: true,
      delimiter: delimiterOf(text, config.columns.plate),
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new ConfigError({
      code: 'stock-file-invalid',
      what: `The stock list ${name} is no valid CSV.`,
      why: cause.message,
      fix: 'Export it again; quotes inside a quoted cell must be doubled.',
      cause,
    });
  }
  const [heading = [], ...body] = rows;
  const headings = heading.map((cell) => cell.toLowerCase());
  const columns = Object.entries(config.columns).map(
    ([key, column]) => [key, headings.indexOf(column.toLowerCase())] as const,
  );
  if (columns.find(([key]) => key === 'plate')?.[1] === NO_COLUMN) {
    throw new ConfigError({
      code: 'stock-file-column',
      what: `The stock list ${name} has no column "${config.columns.plate}".`,
      why: `Its columns are: ${heading.join(', ').slice(0, 300) || '(none)'}.`,
      fix: 'Name the column with the number plate in stock.columns.plate. Between columns are commas, semicolons, tabs or bars.',
    });
  }
  const forms = formsOf(
    config,
    (wanted) => columns.some(([key, column]) => key === wanted && column !== NO_COLUMN),
    name,
  );
  const byPlate = new Map<string, VehicleFacts>();
  const plates = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, row] of body.entries()) {
    const cells: Cells = Object.fromEntries(
      columns.map(([key, column]) => [key, row[column] ?? '']),
    );
    const where = `row ${index + 2}`;
    const plate = comparablePlate(cells.plate ?? '');
    if (plate === '') {
      problems.push(`${where}: there is no number plate`);
      continue;
    }
    if (byPlate.has(plate))
      problems.push(`${where}: ${cells.plate} is listed twice; the last counts`);
    byPlate.set(
      plate,
      factsOf(cells, forms, (problem) => problems.push(`${where}: ${problem.slice(0, 200)}`)),
    );
    plates.set(plate, cells.plate ?? plate);
  }
  const { currency = '', locale = 'en-GB' } = config;
  const mileageUnit = mileageUnitOf(locale) ?? 'km';
  const priced = [...byPlate.values()].some(({ price = 0 }) => price > 0);
  return { byPlate, plates, rows: body.length, problems, notes: [], currency, mileageUnit, priced };
}

/**
 * The stock lists of the dealers that have one, by dealer id.
 *
 * @throws {ConfigError} a list cannot be read: without it all titles and prices would vanish.
 */
export async function loadFacts(
  dealers: readonly { id: number; stock?: StockConfig | undefined }[],
  configFile: string,
): Promise<Map<number, DealerFacts>> {
  const facts = new Map<number, DealerFacts>();
  for (const { id, stock } of dealers) {
    if (!stock) continue;
    const file = path.resolve(path.dirname(configFile), stock.file);
    const bytes = await readFile(file).catch((cause: Error) => {
      throw new ConfigError({
        code: 'stock-file-unreadable',
        what: `The stock list ${stock.file} could not be read.`,
        why: cause.message,
        fix: 'Check dealers[].stock.file; a relative path counts from the configuration file.',
        cause,
      });
    });
    const { text, encoding } = decodeText(bytes, stock.file);
    const found = parseFacts(text, stock, stock.file);
    if (encoding !== 'UTF-8') {
      found.notes.push(`The stock list ${stock.file} was read as ${encoding}.`);
    }
    facts.set(id, found);
  }
  return facts;
}
