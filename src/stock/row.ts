import type { StockColumn } from '../config/dealer-schema.ts';
import { isNetNote, readAmount } from './amount.ts';
import {
  engineText,
  isDate,
  listIn,
  plainText,
  readCount,
  readMeasure,
  readPower,
  readYearMonth,
  shortText,
} from './cells.ts';
import type { Field } from './columns.ts';
import { comparablePlate } from './plate.ts';
import { isPlausible } from './plausible.ts';
import { AMOUNTS, type AmountField, type Forms } from './units.ts';
import { standardValue } from './values.ts';
import { httpAddress } from './vehicle.ts';
import { type VehicleFacts, vehicleFactsSchema } from './vehicle-facts.ts';

const TEXTS = [
  'make',
  'model',
  'variant',
  'fuel',
  'transmission',
  'colour',
  'body',
  'drivetrain',
  'consumption',
  'co2Class',
  'stockId',
] as const;
const COUNTS = ['doors', 'seats', 'owners'] as const;

/** One row, with functions that read its cells. */
interface RowReader {
  cell: (field: Field) => string;
  locale: string;
  /** Its order of day and month is used. */
  dateLocale: string;
  forms: Forms;
  heading: (field: Field) => string;
  /** Reports a cell that is not the expected value. */
  reportWrong: (field: Field, expected: string) => void;
}

/** Texts of lists in place of a price that is not public, in the languages of the site. */
const ON_REQUEST =
  /^(?:p\.?o\.?a\.?|.*(?:request|application|anfrage|demande|consultar|richiesta|aanvraag|zapytanie))$/i;

function amountOf(key: AmountField, { cell, forms, reportWrong }: RowReader): number | undefined {
  const ofPrices = `${cell('currency')} ${isNetNote(cell('vat')) ? '+ VAT' : ''}`;
  const extra = { price: ofPrices, previousPrice: ofPrices, mileage: cell('mileageUnit') };
  const text = cell(key);
  const kind = key === 'mileage' ? key : 'price';
  // Lists write 0 if there is no price. A mileage of 0 is valid for new cars, see factsOf.
  if (text === '' || /^[^\d-]*0+(?:[.,]0+)?\D*$/.test(text)) {
    return text !== '' && key === 'mileage' ? 0 : undefined;
  }
  if (key !== 'mileage' && ON_REQUEST.test(text)) return undefined;
  const { form, unit } = forms[key];
  const cellWithUnit = `${text} ${extra[key]}`.trim();
  const amount = readAmount(cellWithUnit, form);
  if (typeof amount === 'number') {
    if (amount >= form.least && isPlausible(kind, amount, unit)) {
      // Some lists convert mileages from another unit.
      return key === 'mileage' ? Math.round(amount) : amount;
    }
    reportWrong(key, `a ${kind} that a vehicle can have, and left out`);
  } else if (amount === 'none') reportWrong(key, `a ${kind}`);
  else if (amount === 'other-unit' && isNetNote(cellWithUnit)) {
    reportWrong(key, `a ${kind} with VAT`);
  } else if (amount === 'other-unit') reportWrong(key, `a ${kind} in ${unit}`);
  else reportWrong(key, 'clear and can be read in two ways (see stock.locale)');
  return undefined;
}

/** Removes make and model from the start of a variant: `Volkswagen Golf VII` becomes `VII`. */
function withoutName(variant: string, names: readonly (string | undefined)[]): string {
  let shortVariant = variant;
  for (const name of names) {
    if (name && shortVariant.toLowerCase().startsWith(`${name.toLowerCase()} `)) {
      shortVariant = shortVariant.slice(name.length).trim();
    }
  }
  return shortVariant;
}

function datesOf(row: RowReader): Pick<VehicleFacts, 'year' | 'firstRegistration'> {
  const { cell, dateLocale, reportWrong } = row;
  const [first, model] = (['firstRegistration', 'year'] as const).map((field) => {
    const yearMonth = cell(field) === '' ? undefined : readYearMonth(cell(field), dateLocale);
    if (cell(field) !== '' && !yearMonth)
      reportWrong(field, field === 'year' ? 'a year' : 'a year and month');
    return yearMonth;
  });
  const registration = first ?? model;
  const year = (model ?? first)?.year;
  const month = registration?.month;
  return {
    ...(year !== undefined && { year }),
    ...(month !== undefined && {
      firstRegistration: `${registration?.year}-${String(month).padStart(2, '0')}`,
    }),
  };
}

/** Fields whose numbers are codes of the exporting program. Visitors do not know them. */
const NEVER_NUMBER: readonly Field[] = ['fuel', 'transmission', 'colour', 'body', 'drivetrain'];

/** Fields that are never 0. Lists write 0 if they are unknown. */
const NEVER_ZERO: readonly Field[] = ['doors', 'seats', 'engine', 'power', 'consumption'];

/** Marks of sold and reserved vehicles in columns such as `Verkauft`, in the languages of the site. */
const YES = /^(?:x|1|y|yes|true|ja?|wahr|waar|oui|vrai|sí?|si|vero|verdadero|tak|prawda)$/i;
const NO = /^(?:0|n|non?|nein|nee|nie|false|falsch|faux|falso|onwaar|fałsz)?$/i;

/** Fuels of vehicles without exhaust. Otherwise, emissions of 0 g/km mean that they are unknown. */
const WITHOUT_EXHAUST = ['electric', 'hydrogen'];

/** Units of a consumption without a unit, in lists with kilometres. Other countries count miles per gallon. */
const CONSUMPTION_UNITS: Readonly<Record<string, string>> = {
  petrol: 'l/100 km',
  diesel: 'l/100 km',
  hybrid: 'l/100 km',
  electric: 'kWh/100 km',
};

export function factsOf(row: RowReader): VehicleFacts {
  const { reportWrong, heading, locale, forms } = row;
  // Columns such as `Estado` have conditions, or whether a vehicle is sold.
  const condition = row.cell('condition');
  const isStatus = !row.cell('status') && standardValue('status', condition, locale)?.exact;
  const flags = ['sold', 'reserved'] as const;
  const flag = flags.find((field) => YES.test(row.cell(field)));
  for (const field of flags) {
    const text = row.cell(field);
    if (!YES.test(text) && !NO.test(text)) reportWrong(field, 'yes or no');
  }
  const cell = (field: Field) => {
    if (flag && field === 'status') return flag;
    if (isStatus && field === 'condition') return '';
    if (isStatus && field === 'status') return condition;
    const text = row.cell(field);
    return NEVER_ZERO.includes(field) && readMeasure(text) === 0 ? '' : text;
  };
  const facts: VehicleFacts = datesOf(row);
  const set = <K extends keyof VehicleFacts>(
    key: K,
    value: VehicleFacts[K] | '',
    expected = '',
  ) => {
    if (value !== undefined && value !== '') facts[key] = value as VehicleFacts[K];
    else if (expected && cell(key as StockColumn) !== '') reportWrong(key as StockColumn, expected);
  };
  for (const key of TEXTS) {
    const text = cell(key);
    const isCode = NEVER_NUMBER.includes(key) && /^\d+$/.test(text);
    const isWrong = isCode || (key !== 'stockId' && isDate(text));
    set(key, isWrong ? undefined : shortText(text), 'a word');
  }
  if (facts.variant) {
    set('variant', shortText(withoutName(cell('variant'), [facts.make, facts.model])));
  }
  set('vin', shortText(comparablePlate(cell('vin'))));
  for (const key of AMOUNTS) set(key, amountOf(key, row));
  // Lists repeat the price if it was never higher.
  if ((facts.previousPrice ?? 0) <= (facts.price ?? 0)) delete facts.previousPrice;
  for (const key of COUNTS) set(key, readCount(cell(key)), 'a number');
  for (const key of ['condition', 'status'] as const) {
    const allowed = key === 'status' ? 'available, reserved or sold' : 'new or used';
    const text = shortText(cell(key));
    // `Sold 12/11/2026`, `Reserviert bis Montag`
    const readings = key === 'status' ? [text, text.split(/[^\p{L}]/u)[0] ?? ''] : [text];
    const values = readings.map((reading) => standardValue(key, reading, locale));
    const name = values.find((value) => value?.exact)?.key;
    set(key, name as VehicleFacts[typeof key], `one of: ${allowed}`);
  }
  // Lists write 0 if the mileage is unknown.
  if (facts.mileage === 0 && facts.condition !== 'new') delete facts.mileage;
  const engine = cell('engine');
  set('engine', isDate(engine) ? undefined : shortText(engineText(engine)), 'an engine');
  set('power', readPower(cell('power'), heading('power')), 'a power');
  set('co2', readMeasure(cell('co2')), 'a number in g/km');
  const fuel = standardValue('fuel', facts.fuel ?? '', locale)?.key ?? '';
  if (facts.co2 === 0 && !WITHOUT_EXHAUST.includes(fuel)) delete facts.co2;
  const unit = forms.mileage.unit === 'km' && CONSUMPTION_UNITS[fuel];
  if (unit && /^\d{1,2}(?:[.,]\d{1,2})?$/.test(facts.consumption ?? '')) {
    facts.consumption += ` ${unit}`;
  }
  const equipment = listIn(cell('equipment'));
  if (equipment.length > 0) facts.equipment = equipment;
  set('description', plainText(cell('description')));
  set('link', httpAddress(cell('link')), 'an http(s) address');
  // Facts in the order of records: a list and its copy in a record give the same bytes.
  return vehicleFactsSchema.parse(facts);
}
