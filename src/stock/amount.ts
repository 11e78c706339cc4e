/** Form of one kind of amount in a list, such as the price. */
export interface AmountForm {
  /** The decimal separator of the locale. */
  decimal: string;
  /** Maximum number of decimal places. */
  fraction: number;
  /** The digits of the locale, with their values. */
  digits: ReadonlyMap<string, number>;
  /** Smallest usable value. */
  least: number;
  /** Texts that are allowed before or after the number, in lower case: `€`, `eur`, `km`. */
  marks: ReadonlySet<string>;
}

/**
 * Result of reading a cell: an amount, `none` (no number), `other-unit` (another unit or unknown words) or
 * `ambiguous` (two readings).
 */
type Amount = number | 'none' | 'other-unit' | 'ambiguous';

/** Spellings of currencies and units in real lists that are missing in Intl. */
const EXTRA_MARKS: Readonly<Record<string, readonly string[]>> = {
  CHF: ['fr', 'sfr'],
  CZK: ['kc'],
  GBP: ['pound', 'pounds'],
  INR: ['rs'],
  PLN: ['zl'],
  TRY: ['tl'],
  USD: ['us$'],
  km: ['kms', 'kilometre', 'kilometres'],
  mi: ['mls'],
};

const LAST_DOTS = /(?<!\.)\.+$/;
const comparable = (text: string): string =>
  text.normalize('NFKC').trim().replace(LAST_DOTS, '').toLowerCase();

function formOf(
  locale: string,
  name: string,
  type: 'currency' | 'unit',
  displays: readonly Intl.NumberFormatOptions[],
): AmountForm {
  const marks = new Set([name, ...(EXTRA_MARKS[name] ?? [])].map(comparable));
  for (const display of displays) {
    for (const language of [locale, 'en']) {
      const format = new Intl.NumberFormat(language, { style: type, ...display });
      // These counts cover all plural forms.
      for (const count of [1, 2, 5]) {
        for (const part of format.formatToParts(count)) {
          if (part.type === type) marks.add(comparable(part.value));
        }
      }
    }
  }
  const numberFormat = new Intl.NumberFormat(locale);
  const decimal =
    numberFormat.formatToParts(0.5).find((part) => part.type === 'decimal')?.value ?? '.';
  const digits = Array.from({ length: 10 }, (_, n) => [numberFormat.format(n), n] as const);
  return { decimal, fraction: 0, least: 0, digits: new Map(digits), marks };
}

/**
 * Detects the decimal separator of a column from clear cells, such as `12.995,00` and `12995.50`. If there are none, or
 * they disagree, uses the separator of `form`. Also detects mileages in thousands.
 */
export function detectDecimal(cells: readonly string[], form: AmountForm): AmountForm {
  const marks = new Set(cells.flatMap((cell) => /\d([.,])\d\d?(?:\D*)$/.exec(cell)?.[1] ?? []));
  const [decimal = form.decimal] = marks.size === 1 ? marks : [];
  const detected = { ...form, decimal };
  // If the only broken mileages are such as 45.5, they are in thousands, and 45 probably is also. A list in another unit
  // also has 12345.67.
  const amounts = form.fraction === 0 ? cells.map((cell) => readAmount(cell, detected)) : [];
  const broken = amounts.filter((amount) => typeof amount === 'number' && amount % 1 > 0);
  const isInThousands = broken.length > 0 && broken.every((amount) => Number(amount) < 1000);
  return { ...detected, least: isInThousands ? 1000 : 0 };
}

/** Texts next to numbers in cells, such as `€`. */
export const marksIn = (cells: readonly string[]): string[] =>
  [...new Set(cells.flatMap((cell) => (/\d/.test(cell) ? cell.split(/[\d.,'’\s:–—-]+/) : [])))]
    .map(comparable)
    .filter((mark) => mark !== '');

export function priceForm(locale: string, currency: string): AmountForm {
  const displays = (['code', 'symbol', 'narrowSymbol', 'name'] as const).map((currencyDisplay) => ({
    currency,
    currencyDisplay,
  }));
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const form = formOf(locale, currency, 'currency', displays);
  return { ...form, fraction: maximumFractionDigits };
}

export function distanceForm(locale: string, unit: 'mi' | 'km'): AmountForm {
  const displays = (['short', 'long', 'narrow'] as const).map((unitDisplay) => ({
    unit: unit === 'mi' ? 'mile' : 'kilometer',
    unitDisplay,
  }));
  return formOf(locale, unit, 'unit', displays);
}

/** Notes of prices that include VAT, such as `inkl. 19 % MwSt.`. Prices `+ VAT` are lower and have no such note. */
const GROSS_NOTE =
  /(?<![\s,(])[\s,(]*(?<!\p{L})(?:in[ck]\p{L}*\.? ?(?:\d\d ?% ?)?(?:vat|mwst|ust|btw|tva|iva)|(?:vat|mwst|ust|btw|tva|iva)\.? (?:in[ck]\p{L}*|(?:nicht )?ausw(?:eisbar)?)|brutto|gross|ttc|tvac|vh?b)(?!\p{L})\.?\)?/iu;

export const withoutGrossNote = (text: string): string => text.replace(GROSS_NOTE, '');

/** Whether a note beside a price means that VAT is not included: `Plus VAT`, `19 % exkl.`, `IVA no incluido`, `HT`. */
export const isNetNote = (text: string): boolean =>
  /(?<!\p{L})(?:(?:\+|plus|ex|zzgl|net(?:to)?|hors|ht(?:va)?|más|sin|sans|senza|zonder|bez)(?!\p{L})|e[xs][ck]l|extra|zuzüg|ohne(?!.*ausw)|n(?:o[nt]?|icht|iet) (?:in[ck]|comp|enth))/iu.test(
    text,
  );

/** `12,995`, `1.234.567`, `12 995`, `12'995`, and the Indian `12,34,567`. */
const GROUPED = /^(?:[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*|[1-9]\d?,(?:\d\d,)+\d{3})$/;

/** Parses digits and separators of any locale. */
function amountIn(number: string, { decimal, fraction }: AmountForm): Amount {
  const grouped = GROUPED.test(number);
  const [, integer = '', mark, decimals = ''] = /^(.*)([.,٫])(\d+)$/.exec(number) ?? [];
  const fractional =
    !integer.includes(mark ?? '') && (/^\d+$/.test(integer) || GROUPED.test(integer));
  if (grouped && fractional && mark === decimal) {
    // One separator and three digits, such as 12.995 in an "en" list, can also mean 12,995.
    if (fraction < decimals.length && decimals === '000') return 'ambiguous';
    if (fraction >= decimals.length) return Number(`${integer}.${decimals}`);
  }
  if (grouped || /^\d+$/.test(number)) return Number(number.replace(/\D/g, ''));
  return fractional ? Number(`${integer.replace(/\D/g, '')}.${decimals}`) : 'none';
}

/**
 * Reads an amount greater than 0 from a cell: `14,995.00`, `£14 995`, `14.995,00 €`, `12'995.–`.
 * If the decimal separator is unclear, uses the separator of the locale.
 */
export function readAmount(text: string, form: AmountForm): Amount {
  const normalised = Array.from(
    withoutGrossNote(text.normalize('NFKC')).replace(/[\u061C\u200E\u200F]/g, ''),
    (character) => form.digits.get(character) ?? character,
  )
    .join('')
    .replace(/\s/g, ' ')
    .replace(/['’ʼ′٬]/g, "'")
    // `12.995,-`
    .replace(/(?<=\d) ?[.,:] ?[-–—]+(?! ?\d)/, '');
  const [, prefix = '', number = '', suffix = ''] =
    /^(\D*)(\d(?:[\d.,٫' ]*\d)?)(\D*)$/.exec(normalised) ?? [];
  const value = amountIn(number, form);
  if (value === 'none' || value === 0 || /^\s*[-−–]|[-−–]\s*$/.test(prefix)) return 'none';
  const hasKnownMarks = [prefix, suffix]
    .map(comparable)
    .every((mark) => !mark || form.marks.has(mark));
  return hasKnownMarks ? value : 'other-unit';
}
