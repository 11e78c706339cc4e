import { LANGUAGES, type Words, wordsFor } from './index.ts';

/** Locale of dates and numbers if the words are English because the language has none. */
const FALLBACK_LOCALE = 'en-GB';

type Plural = Record<string, string> & { other: string };

/** Words, numbers and dates in one locale, which is English if the words are. */
export interface Texts {
  words: Words;
  /** Language tag for `<html lang>`. */
  lang: string;
  /** `{name}` in a text replaced by values. */
  fill(text: string, values: Readonly<Record<string, string | number>>): string;
  /** The plural form for a count, `{n}` replaced by the count in the locale's digits. */
  count(forms: Plural, n: number): string;
  /** `3 pictures and 1 video`. */
  list(items: readonly string[]): string;
  /** A UTC timestamp as a date in the site's time zone. */
  date(timestamp: string): string;
  /** A day such as `2026-12-24`, without its year. */
  day(date: string): string;
  /** The name of the day of the week of a moment, by UTC. */
  weekday(timestamp: number): string;
  /** Minutes of a day as a time. */
  time(minutes: number): string;
  /** A whole number with the locale's separators. */
  number(n: number): string;
  /** A price without its fraction, unless it has one. */
  price(amount: number, currency: string): string;
  distance(amount: number, unit: 'mi' | 'km'): string;
}

/** With a capital letter, as at the beginning of a row. */
export const capitalized = (text: string): string =>
  text.replace(/^./u, (letter) => letter.toUpperCase());

/** Name of a language in the language itself, such as `Français`. */
export function nameOfLanguage(lang: string): string {
  const { language } = new Intl.Locale(lang);
  return capitalized(new Intl.DisplayNames([lang], { type: 'language' }).of(language) ?? language);
}

export function textsFor(locale: string, timeZone: string, languages = LANGUAGES): Texts {
  const { words, lang } = wordsFor(locale, languages);
  // Dates and numbers in another language than the words could be misread.
  const formatLocale = lang === locale ? locale : FALLBACK_LOCALE;
  let dates: Intl.DateTimeFormat | undefined;
  const plurals = new Intl.PluralRules(lang);
  const lists = new Intl.ListFormat(formatLocale);
  const formats = new Map<string, Intl.NumberFormat>();
  const numbers = (options: Intl.NumberFormatOptions = {}): Intl.NumberFormat => {
    const key = Object.values(options).join();
    let format = formats.get(key);
    if (!format) {
      format = new Intl.NumberFormat(formatLocale, options);
      formats.set(key, format);
    }
    return format;
  };
  const utc = (options: Intl.DateTimeFormatOptions, at: number | Date): string =>
    new Intl.DateTimeFormat(formatLocale, { ...options, timeZone: 'UTC' }).format(at);
  const fill: Texts['fill'] = (text, values) =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
  return {
    words,
    lang,
    fill,
    count: (forms, n) => fill(forms[plurals.select(n)] ?? forms.other, { n: numbers().format(n) }),
    list: (items) => lists.format(items),
    date: (timestamp) => {
      // Created on first use, because it takes 15 ms. Builds without new pages do not need it.
      dates ??= new Intl.DateTimeFormat(formatLocale, { dateStyle: 'long', timeZone });
      return dates.format(new Date(timestamp));
    },
    day: (date) => utc({ weekday: 'short', day: 'numeric', month: 'long' }, new Date(date)),
    weekday: (timestamp) => utc({ weekday: 'long' }, timestamp),
    time: (minutes) => utc({ hour: 'numeric', minute: '2-digit' }, minutes * 60_000),
    number: (n) => numbers().format(n),
    price: (amount, currency) => {
      const whole = Number.isInteger(amount) && { maximumFractionDigits: 0 };
      return numbers({ style: 'currency', currency, ...whole }).format(amount);
    },
    // The thin space of French is hard to see in small text.
    distance: (amount, unit) =>
      numbers(DISTANCES[unit]).format(amount).replace('\u202fkm', '\u00a0km'),
  };
}

const DISTANCES = {
  mi: { style: 'unit', unit: 'mile', unitDisplay: 'long' },
  km: { style: 'unit', unit: 'kilometer' },
} as const;

// Formats of UK plates, with the place of their space. Source: DVLA leaflet INF104.
const UK_PLATES = [
  /^([A-Z]{2}\d{2})([A-Z]{3})$/,
  /^([A-Z]\d{1,3})([A-Z]{3})$/,
  /^([A-Z]{3})(\d{1,3}[A-Z])$/,
];

/**
 * A number plate as people write it. UK plates get their space. Other texts only lose line breaks, which could add a
 * header to an e-mail, and repeated spaces.
 */
export function plateText(vrm: string, noPlate: string): string {
  if (vrm.trim() === '') return noPlate;
  for (const form of UK_PLATES) {
    const match = form.exec(vrm);
    if (match) return `${match[1]} ${match[2]}`;
  }
  return vrm.replace(/\s+/g, ' ');
}
