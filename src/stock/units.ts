import { CURRENCY_CODES, currencyOf, mileageUnitOf } from '../config/region.ts';
import type { StockConfig } from '../config/schema.ts';
import { ConfigError } from '../errors.ts';
import { type AmountForm, detectDecimal, distanceForm, marksIn, priceForm } from './amount.ts';
import type { Field } from './columns.ts';

export const AMOUNTS = ['price', 'previousPrice', 'mileage'] as const;
export type AmountField = (typeof AMOUNTS)[number];

/** The form and the unit of each amount in a list. */
export type Forms = Readonly<Record<AmountField, { form: AmountForm; unit: string }>>;

/** The recognised columns of a list. */
export interface Columns {
  at: ReadonlyMap<Field, number>;
  headings: readonly string[];
  cellsOf: (field: Field) => string[];
}

export const headingOf = ({ at, headings }: Columns, field: Field): string =>
  headings[at.get(field) ?? -1] ?? field;

const unitMissing = (setting: string, column: string, example: string, name: string) =>
  new ConfigError({
    code: 'stock-unit-missing',
    what: `stock.${setting} is needed for the stock list ${name}.`,
    why: `Neither its column "${column}" nor the locale shows the unit of the numbers.`,
    fix: `Set dealers[].stock.${setting}, such as "${example}", or name the country in site.locale, such as "en-GB".`,
  });

/**
 * The units that any cell has, and the units that at least half of the cells with numbers have. A few prices of another
 * country must not change the unit of all others.
 */
function unitsIn<U extends string>(
  cells: readonly string[],
  units: readonly U[],
  marksOf: (unit: U) => ReadonlySet<string>,
): { any: U[]; common: U[] } {
  const filled = cells.filter((cell) => /\d/.test(cell));
  const counts = new Map<string, number>();
  for (const mark of filled.flatMap((cell) => marksIn([cell]))) {
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  const countOf = (unit: U) =>
    [...marksOf(unit)].reduce((sum, mark) => sum + (counts.get(mark) ?? 0), 0);
  const any = counts.size === 0 ? [] : units.filter((unit) => countOf(unit) > 0);
  return { any, common: any.filter((unit) => countOf(unit) * 2 >= filled.length) };
}

/** The cells of a column, each with its unit if that is in another column. */
const cellsWithUnits = ({ cellsOf }: Columns, field: Field, unit: Field): string[] => {
  const units = cellsOf(unit);
  return cellsOf(field).map((cell, index) => `${cell} ${units[index] ?? ''}`);
};

/** The currency in the prices or their heading, otherwise the currency of the locale. */
function currencyIn(columns: Columns, { currency, locale = 'en-GB' }: StockConfig, name: string) {
  if (currency !== undefined || !columns.at.has('price')) return currency;
  const heading = headingOf(columns, 'price');
  const code = CURRENCY_CODES.find((code) =>
    new RegExp(`(?<!\\p{L})${code}(?!\\p{L})`, 'iu').test(heading),
  );
  if (code !== undefined) return code;
  const local = currencyOf(locale);
  const currenciesIn = (cells: readonly string[], currencies = CURRENCY_CODES) =>
    unitsIn(cells, currencies, (code) => priceForm(locale, code).marks);
  const signs = (heading.match(/\p{Sc}/gu) ?? []).map((sign) => `1 ${sign}`);
  const cells = cellsWithUnits(columns, 'price', 'currency');
  // Most lists have it. Looking for all currencies takes much longer.
  const hasLocal = local && currenciesIn(signs.length > 0 ? signs : cells, [local]).any.length > 0;
  if (hasLocal) return local;
  const inHeading = currenciesIn(signs).any;
  const { any, common } = currenciesIn(cells);
  const [named = local ? [] : any] = [inHeading, common].filter(({ length }) => length > 0);
  const detected = named.length === 1 ? named[0] : local;
  if (detected !== undefined) return detected;
  throw unitMissing('currency', heading, 'EUR', name);
}

const UNIT_IN_HEADING = [
  ['km', /\bkms?\b|kilom|laufleistung/i],
  ['mi', /\bmi\b|mile(?!age)/i],
] as const;

/** The unit in the mileages or their heading, otherwise the unit of the locale. */
function mileageUnitIn(columns: Columns, { locale = 'en-GB' }: StockConfig, name: string) {
  const localUnit = mileageUnitOf(locale);
  if (!columns.at.has('mileage')) return localUnit ?? 'km';
  const { any, common } = unitsIn(
    cellsWithUnits(columns, 'mileage', 'mileageUnit'),
    ['km', 'mi'] as const,
    (unit) => distanceForm(locale, unit).marks,
  );
  const only = (units: typeof any) => (units.length === 1 ? units[0] : undefined);
  const heading = headingOf(columns, 'mileage');
  const inHeading = UNIT_IN_HEADING.find(([, form]) => form.test(heading))?.[0];
  const detectedUnit = only(common) ?? inHeading ?? localUnit ?? only(any);
  if (detectedUnit === undefined) throw unitMissing('locale', heading, 'de-DE', name);
  return detectedUnit;
}

/** @throws {ConfigError} the currency or unit is unknown. A guess would be published. */
export function formsOf(columns: Columns, config: StockConfig, name: string): Forms {
  const { locale = 'en-GB' } = config;
  const currency = currencyIn(columns, config, name) ?? '';
  const unit = mileageUnitIn(columns, config, name);
  const prices = detectDecimal(columns.cellsOf('price'), priceForm(locale, currency || 'XXX'));
  // Mileages rarely have decimals. Prices of the same file show its separator.
  const { decimal } = prices;
  const distances = detectDecimal(columns.cellsOf('mileage'), {
    ...distanceForm(locale, unit),
    decimal,
  });
  const price = { form: prices, unit: currency };
  return { price, previousPrice: price, mileage: { form: distances, unit } };
}
