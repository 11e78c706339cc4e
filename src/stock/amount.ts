/** How one kind of amount, such as the price, is written in a list. */
export interface AmountForm {
  /** The locale's decimal mark. */
  decimal: string;
  /** Most digits after it. */
  fraction: number;
  /** The locale's own digits, with their values. */
  digits: ReadonlyMap<string, number>;
  /** Texts that are allowed before or after the number, in lower case: `€`, `eur`, `km`. */
  marks: ReadonlySet<string>;
}

/** Result of reading a cell: an amount, `none` (no number), `other-unit` (another unit or unknown words) or `ambiguous` (two readings). */
export type Amount = number | 'none' | 'other-unit' | 'ambiguous';

/** Spellings of currencies and units in real lists that Intl does not know. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
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

const comparable = (text: string): string =>
  text.normalize('NFKC').trim().replace(/\.+$/, '').toLowerCase();

function formOf(
  locale: string,
  name: string,
  type: 'currency' | 'unit',
  displays: readonly Intl.NumberFormatOptions[],
): AmountForm {
  const marks = new Set([name, ...(ALSO[name] ?? [])].map(comparable));
  for (const display of displays) {
    for (const language of [locale, 'en']) {
      const format = new Intl.NumberFormat(language, { style: type, ...display });
      // These counts cover the plural forms.
      for (const count of [1, 2, 5]) {
        for (const part of format.formatToParts(count)) {
          if (part.type === type) marks.add(comparable(part.value));
        }
      }
    }
  }
  const plain = new Intl.NumberFormat(locale);
  const decimal = plain.formatToParts(0.5).find((part) => part.type === 'decimal')?.value ?? '.';
  const digits = Array.from({ length: 10 }, (_, n) => [plain.format(n), n] as const);
  return { decimal, fraction: 0, digits: new Map(digits), marks };
}

/**
 * How the cells of a column write amounts: the decimal mark comes from cells that show it clearly, such as
 * `12.995,00` and `12995.50`. If there are none, or they disagree, it comes from `form`.
 */
export function detectDecimal(cells: readonly string[], form: AmountForm): AmountForm {
  const marks = new Set(cells.flatMap((cell) => /\d([.,])\d\d?(?:\D*)$/.exec(cell)?.[1] ?? []));
  const [decimal = form.decimal] = marks.size === 1 ? marks : [];
  return { ...form, decimal };
}

/** Texts around the number, such as `€`, in cells that have one. */
export const marksIn = (cells: readonly string[]): string[] =>
  [...new Set(cells.flatMap((cell) => (/\d/.test(cell) ? cell.split(/[\d.,'’\s:–—-]+/) : [])))]
    .map(comparable)
    .filter((mark) => mark !== '');

/** How prices in a currency are written in a locale. */
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

/** How distances are written in a locale. */
export function distanceForm(locale: string, unit: 'mi' | 'km'): AmountForm {
  const displays = (['short', 'long', 'narrow'] as const).map((unitDisplay) => ({
    unit: unit === 'mi' ? 'mile' : 'kilometer',
    unitDisplay,
  }));
  return formOf(locale, unit, 'unit', displays);
}

/** `12,995`, `1.234.567`, `12 995`, `12'995`, and the Indian `12,34,567`. */
const GROUPED = /^(?:[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*|[1-9]\d?,(?:\d\d,)+\d{3})$/;

/** A number of digits and separators, of any locale. */
function amountIn(number: string, { decimal, fraction }: AmountForm): Amount {
  const grouped = GROUPED.test(number);
  const [, whole = '', mark, behind = ''] = /^(.*)([.,٫])(\d+)$/.exec(number) ?? [];
  const fractional = !whole.includes(mark ?? '') && (/^\d+$/.test(whole) || GROUPED.test(whole));
  if (grouped && fractional && mark === decimal) {
    // One mark and three digits, such as 12.995 in an "en" list, can also mean 12,995.
    if (fraction < behind.length && behind === '000') return 'ambiguous';
    if (fraction >= behind.length) return Number(`${whole}.${behind}`);
  }
  if (grouped || /^\d+$/.test(number)) return Number(number.replace(/\D/g, ''));
  return fractional ? Number(`${whole.replace(/\D/g, '')}.${behind}`) : 'none';
}

/**
 * An amount greater than 0, read from a cell: `14,995.00`, `£14 995`, `14.995,00 €`, `12'995.–`.
 * If the number does not show which mark is decimal, the locale decides.
 */
export function readAmount(text: string, form: AmountForm): Amount {
  const plain = Array.from(
    text.normalize('NFKC').replace(/[\u061C\u200E\u200F]/g, ''),
    (character) => form.digits.get(character) ?? character,
  )
    .join('')
    .replace(/\s/g, ' ')
    .replace(/['’ʼ′٬]/g, "'")
    // `12.995,-`
    .replace(/(?<=\d) ?[.,:] ?[-–—]+(?! ?\d)/, '');
  const [, before = '', number = '', behind = ''] =
    /^(\D*)(\d(?:[\d.,٫' ]*\d)?)(\D*)$/.exec(plain) ?? [];
  const value = amountIn(number, form);
  if (value === 'none' || value === 0 || /^\s*[-−–]|[-−–]\s*$/.test(before)) return 'none';
  const known = [before, behind].map(comparable).every((mark) => !mark || form.marks.has(mark));
  return known ? value : 'other-unit';
}
