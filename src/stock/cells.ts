/** Functions that read single cells. Each returns undefined for unreadable text. */
import { cut } from '../lib/cut.ts';
import { newParser } from '../lib/html.ts';
import { plainLatin } from '../lib/latin.ts';
import { LONGEST_DESCRIPTION, LONGEST_TEXT, MOST_EQUIPMENT } from './vehicle-facts.ts';

/**
 * Cells without a value. Spreadsheets write errors such as `#N/A`, `#NV`, `#BEZUG!`, `#DIV/0 !`, `Err:502` and `#####`,
 * and `1.23E+16` or `1,23E+016` for long numbers, whose other digits are lost.
 */
const NOTHING =
  /^(?:[-–—]+|n\/?a|null|none|nan|undefined|\d(?:[.,]\d+)?E\+\d\d+|(?:err|fehler|błąd) ?:5\d\d|#(?:n\/?[adv]|#+|[\p{L}\d/¿¡]+ ?[!?]))$/iu;

const CHARACTER_REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi;

/** Replaces character references of HTML, such as `&uuml;`, which exports of websites contain. */
function withoutReferences(text: string): string {
  return text.replace(CHARACTER_REFERENCE, (reference) => {
    let character = '';
    newParser({ ontext: (part) => (character += part) }).end(reference);
    return character;
  });
}

const valueIn = (text: string): string => {
  // Programs write `="00123"` so that spreadsheets keep the zeros.
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^="(.*)"$/, '$1');
  return NOTHING.test(line) ? '' : line;
};

const TAG = /<\/?[a-z!][^<>]*>/gi;

export const cellText = (cell: string): string =>
  valueIn(withoutReferences(cell.replace(TAG, ' ')));

export const shortText = (text: string): string => cut(text, LONGEST_TEXT).trim();

const DAY = 86_400_000;
const YEARS = { first: 1885, last: 2100 };
/** Programs write days of 1899 and 1900 if there is no date, and days of 1905 for a year that is formatted as a date. */
const LAST_EMPTY_YEAR = 1905;
/** Two-digit years from this number on belong to the last century, as in current versions of Windows. */
const CENTURY = 50;

interface YearMonth {
  year: number;
  /** 1 to 12. */
  month?: number;
}

/** Starts of the names of months in the languages of the site. Spreadsheets write `Mrz 21` or `mrt-21`. */
const MONTHS =
  'jan gen ene sty|feb fev lut|mar mrz mrt maa|apr avr abr kwi|may mai mag maj mei|jun juin giu cze|jul juil lug lip|aug aou ago sie|sep set wrz|oct okt ott paz|nov lis|dec dez dic gru'
    .split('|')
    .map((starts) => starts.split(' '));

/** `01-Mar-2021`, `Mar-21`, `15 mars 2021`, `March 15, 2021`. */
const NAMED_MONTH =
  /^(?:\d{1,2}[\s./-]+)?(\p{L}{3,})[\s./-]+(?:\d{1,2}, )?(\d{4}|\d\d)(?: [\d:]+(?: [ap]m)?)?$/iu;

/** The number of a month. 0 for other words. */
function monthNamed(name: string): number {
  const plainName = plainLatin(name);
  return MONTHS.findIndex((starts) => starts.some((start) => plainName.startsWith(start))) + 1;
}

/** The locale whose order the dates of a column have: only a day is above 12. `locale` if no date or not all show it. */
export function localeOfDates(dates: readonly string[], locale: string): string {
  const orders = dates.flatMap((date) => {
    const [, first = 0, second = 0] = /^(\d\d?)[./-](\d\d?)[./-]/.exec(date)?.map(Number) ?? [];
    return first > 12 ? ['en-GB'] : second > 12 ? ['en-US'] : [];
  });
  const [order = locale, other] = new Set(orders);
  return other === undefined ? order : locale;
}

/** `03.2021`, `2021-03`, `03/21`, `202103`, `2021`, full dates, and names of months. */
export function readYearMonth(date: string, locale: string): YearMonth | undefined {
  const text = date
    // British lists add the code of the plate: `2021 (71 reg)`. Programs write `2021.0`.
    .replace(/^(\d{4})(?:\.0| ?\(\d\d(?: reg| plate)?\))$/i, '$1')
    // Midnight in Europe, as JavaScript writes it, is on the next day.
    .replace(/^.*T2[0-3]:00:00.*Z$/, (time) => new Date(Date.parse(time) + DAY).toJSON() ?? time)
    .replace(NAMED_MONTH, (_, name, year) => `${monthNamed(name)}/${year}`);
  const parts =
    /^(\d{4})(\d\d)(?:\d\d)?$/.exec(text)?.slice(1) ?? text.split(/[T ]/)[0]?.split(/[-./]/);
  if (!parts || parts.length > 3 || !parts.every((part) => /^\d{1,4}$/.test(part)))
    return undefined;
  const yearFirst = parts[0]?.length === 4;
  const [yearText = '', ...otherParts] = yearFirst ? parts : parts.toReversed();
  if (yearText.length !== 4 && (yearText.length !== 2 || parts.length === 1)) return undefined;
  const yearNumber = Number(yearText);
  const year =
    yearText.length === 4 ? yearNumber : yearNumber + (yearNumber < CENTURY ? 2000 : 1900);
  if (year < YEARS.first || year > YEARS.last) return undefined;
  if (otherParts.length === 0) return { year };
  let [month = 0, day] = otherParts.map(Number);
  if (day !== undefined && year <= LAST_EMPTY_YEAR) return undefined;
  // American dates start with the month. A number above 12 must be the day.
  const isAmerican = () => !yearFirst && new Intl.Locale(locale).region === 'US';
  if (day !== undefined && (month > 12 || (day <= 12 && isAmerican()))) [month, day] = [day, month];
  return month >= 1 && month <= 12 && (day ?? 1) <= 31 ? { year, month } : undefined;
}

/** A count, such as the number of doors. `4/5` is 5. */
export function readCount(text: string): number | undefined {
  const count = Number(/^(?:\d\/)?(\d{1,2})(?:[.,]0+)?$/.exec(text)?.[1]);
  return Number.isNaN(count) ? undefined : count;
}

/** A measure such as `120 g/km` or `5,4`. */
export function readMeasure(text: string): number | undefined {
  const number = /^(\d{1,4}(?:[.,]\d+)?)(?![\d.,])/.exec(text)?.[1];
  return number === undefined ? undefined : Number(number.replace(',', '.'));
}

/** Kilowatts of a unit of power: metric horsepower, and the horsepower of English-speaking countries. */
export const KILOWATTS = { kw: 1, ps: 0.73549875, bhp: 0.7457 };
const POWER_UNIT = /(?<![a-z])(?:(?<kw>kw)|(?<ps>ps|cv|ch|pk|km|hk)|(?<bhp>b?hp))(?![a-z])/i;

/** Power in kilowatts. Undefined if its unit is unknown. @param heading names the unit if the cell does not. */
export function readPower(text: string, heading: string): number | undefined {
  const number = readMeasure(text);
  // `7 CV` is a class of French taxes.
  if (number && number < 20 && /\dcv/i.test(text.replaceAll(' ', ''))) return undefined;
  const unitIn = (place: string) => {
    // Separates words such as `enginePowerBHP`, but not `kW`.
    const { groups } = POWER_UNIT.exec(place.replace(/(?<=[a-z]{2})(?=[A-Z])/g, ' ')) ?? {};
    return (['kw', 'ps', 'bhp'] as const).find((unit) => groups?.[unit] !== undefined);
  };
  const unit = unitIn(text) ?? (/\p{L}/u.test(text) ? undefined : (unitIn(heading) ?? 'kw'));
  return number && unit ? Math.round(number * KILOWATTS[unit]) : undefined;
}

/** Whether a text is a date. Spreadsheets turn the model `9-3` and the engine `1.6` into dates such as `01. Jun`. */
export const isDate = (text: string): boolean =>
  /^(?:\d\d?[./-]\d\d?[./-](?:\d\d|\d{4})|\d{4}-\d\d-\d\d)$/.test(text) ||
  monthNamed(/^\d\d?[ .-]+(\p{L}{3})$/u.exec(text)?.[1] ?? '-') > 0;

/** Adds the unit to a displacement if it is missing: `1598` and `1.598` are in cm³, `1.6` in litres. */
export function engineText(text: string): string {
  if (/^\d\.\d{3}$/.test(text)) return `${Number(text.replace('.', ''))} cm³`;
  if (!/^\d{1,5}(?:[.,]\d{1,3})?$/.test(text)) return text;
  const number = Number(text.replace(',', '.'));
  return number >= 50 ? `${Math.round(number)} cm³` : `${text} l`;
}

const CODE = /<(?:script|style)\b.*?<\/(?:script|style)\s*>/gis;
/** The text up to the end of the last script or style. Without this limit, the search could take hours. */
const UP_TO_CODE = /^.*<\/(?:script|style)\s*>/is;

/** The lines of HTML or text as plain text. Paragraphs, items of lists and breaks are lines. */
function linesOf(html: string): string[] {
  const text = html
    .replace(UP_TO_CODE, (part) => part.replace(CODE, ''))
    .replace(/<(?:br|\/p|\/li|\/div|\/h\d)\b[^<>]*>|\\\\/gi, '\n')
    .replace(TAG, '');
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => withoutReferences(line).replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}

/** HTML as plain text, with a line for each paragraph. */
export function plainText(html: string): string {
  const text = linesOf(html).join('\n');
  return NOTHING.test(text) ? '' : cut(text, LONGEST_DESCRIPTION);
}

/** Splits a cell at `|`, otherwise at `;`, otherwise into lines, otherwise at `,`. */
export function listIn(html: string): string[] {
  const text = linesOf(html).join('\n');
  const delimiter = ['|', ';', '\n', ','].find((mark) => text.includes(mark)) ?? '|';
  const parts = text.split(delimiter).map((part) => shortText(valueIn(part)));
  return [...new Set(parts)].filter((part) => part !== '').slice(0, MOST_EQUIPMENT);
}
