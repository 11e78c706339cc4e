import regionalWords from './regional-words.json' with { type: 'json' };

/** Countries by the currency of their car prices. Euro countries as of 2026. */
const CURRENCIES = Object.entries({
  EUR: 'AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK',
  GBP: 'GB GG IM JE',
  USD: 'PR US',
  AED: 'AE',
  AUD: 'AU',
  BRL: 'BR',
  CAD: 'CA',
  CHF: 'CH LI',
  CZK: 'CZ',
  DKK: 'DK',
  HUF: 'HU',
  INR: 'IN',
  ISK: 'IS',
  JPY: 'JP',
  MXN: 'MX',
  NOK: 'NO',
  NZD: 'NZ',
  PLN: 'PL',
  RON: 'RO',
  SAR: 'SA',
  SEK: 'SE',
  ZAR: 'ZA',
});

/** Countries whose odometers show miles. */
const MILES = new Set(['GB', 'GG', 'IM', 'JE', 'PR', 'US']);

/** The country of a language tag such as "en-GB". Undefined if it names none. */
const regionOf = (locale: string): string | undefined => new Intl.Locale(locale).region;

/** Currency of a locale's country. Undefined if it is not certain. */
export function currencyOf(locale: string): string | undefined {
  const region = regionOf(locale);
  if (region === undefined) return undefined;
  return CURRENCIES.find(([, regions]) => regions.split(' ').includes(region))?.[0];
}

export type MileageUnit = 'mi' | 'km';

/** Unit in which a locale's country gives the mileage. Undefined if it names no country. */
export function mileageUnitOf(locale: string): MileageUnit | undefined {
  const region = regionOf(locale);
  if (region === undefined) return undefined;
  return MILES.has(region) ? 'mi' : 'km';
}

/** Currencies that stock lists may name. */
export const CURRENCY_CODES: readonly string[] = CURRENCIES.map(([currency]) => currency);

/** Spellings and words of regions, instead of the built-in ones of the language. */
const REGIONAL: Readonly<Record<string, Readonly<Record<string, string>>>> = regionalWords;

/** A built-in text in the words of a region: without ß in Switzerland, `Color` in the US. */
export function inRegion(text: string, locale: string): string {
  const replacements = Object.entries(REGIONAL[new Intl.Locale(locale).baseName] ?? {});
  return replacements.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}
