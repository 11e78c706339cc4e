import { CURRENCY_CODES, currencyOf, mileageUnitOf } from '../config/region.ts';
import type { StockConfig } from '../config/schema.ts';
import { ConfigError } from '../errors.ts';
import { type AmountForm, detectDecimal, distanceForm, marksIn, priceForm } from './amount.ts';
import type { Field } from './columns.ts';

export type AmountField = 'price' | 'previousPrice' | 'mileage';

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

/** The currency in the prices or their heading, otherwise the currency of the locale. */
function currencyIn(columns: Columns, { currency, locale = 'en-GB' }: StockConfig, name: string) {
  if (currency !== undefined || !columns.at.has('price')) return currency;
  const heading = headingOf(columns, 'price');
  const [inHeading] = /\b[A-Z]{3}\b/.exec(heading.toUpperCase()) ?? [];
  const localCurrency = currencyOf(locale);
  const marks = marksIn([
    ...columns.cellsOf('price'),
    ...asMarks(columns.cellsOf('currency')),
    ...asMarks(heading.match(/\p{Sc}/gu) ?? []),
  ]);
  const hasMarks = (code: string) => {
    const currencyMarks = priceForm(locale, code).marks;
    return marks.some((mark) => currencyMarks.has(mark));
  };
  if (CURRENCY_CODES.includes(inHeading ?? '')) return inHeading;
  if (localCurrency !== undefined && (marks.length === 0 || hasMarks(localCurrency)))
    return localCurrency;
  const matches = CURRENCY_CODES.filter(hasMarks);
  const onlyMatch = matches.length === 1 ? matches[0] : undefined;
  if (onlyMatch ?? localCurrency) return onlyMatch ?? localCurrency;
  throw unitMissing('currency', heading, 'EUR', name);
}

/** Adds a number to the cells of a column with units, for {@link marksIn}. */
const asMarks = (cells: readonly string[]) => cells.map((cell) => `1 ${cell}`);

const UNIT_IN_HEADING = [
  ['km', /\bkm\b|kilom|laufleistung/i],
  ['mi', /\bmi\b|mile(?!age)/i],
] as const;

/** The unit in the mileages or their heading, otherwise the unit of the locale. */
function mileageUnitIn(columns: Columns, { locale = 'en-GB' }: StockConfig, name: string) {
  const localUnit = mileageUnitOf(locale);
  if (!columns.at.has('mileage')) return localUnit ?? 'km';
  const marks = marksIn([
    ...columns.cellsOf('mileage'),
    ...asMarks(columns.cellsOf('mileageUnit')),
  ]);
  const namedUnits = (['km', 'mi'] as const).filter((unit) => {
    const unitMarks = distanceForm(locale, unit).marks;
    return marks.some((mark) => unitMarks.has(mark));
  });
  const heading = headingOf(columns, 'mileage');
  const inHeading = UNIT_IN_HEADING.find(([, form]) => form.test(heading))?.[0];
  const detectedUnit =
    (namedUnits.length === 1 ? namedUnits[0] : undefined) ?? inHeading ?? localUnit;
  if (detectedUnit === undefined) throw unitMissing('locale', heading, 'de-DE', name);
  return detectedUnit;
}

/** @throws {ConfigError} the currency or unit is unknown. A guess would be published. */
export function formsOf(columns: Columns, config: StockConfig, name: string): Forms {
  const { locale = 'en-GB' } = config;
  const currency = currencyIn(columns, config, name) ?? '';
  const unit = mileageUnitIn(columns, config, name);
  const prices = detectDecimal(columns.cellsOf('price'), priceForm(locale, currency || 'XXX'));
  const distances = detectDecimal(columns.cellsOf('mileage'), distanceForm(locale, unit));
  const price = { form: prices, unit: currency };
  return { price, previousPrice: price, mileage: { form: distances, unit } };
}
