import { describe, expect, it } from 'vitest';
import { currencyOf } from '../../../src/config/region.ts';
import { distanceForm, priceForm, readAmount } from '../../../src/stock/amount.ts';

const price = (text: string, locale = 'en-GB', currency = 'GBP') =>
  readAmount(text, priceForm(locale, currency));
const mileage = (text: string, unit: 'mi' | 'km', locale = 'en-GB') =>
  readAmount(text, distanceForm(locale, unit));

describe('prices', () => {
  it.each([
    ['14995', 14995],
    ['GBP 14,995.5', 14995.5],
    ['14995.0000', 14995],
    ['1 234', 1234],
    ['12,5', 12.5],
    ['12\u202f995', 12995],
    ['12\u00a0995,50', 12995.5],
    ["12'995.00", 12995],
    ['12’995', 12995],
    ['1.234.567,89', 1234567.89],
    ['£14,995.', 14995],
    ['１２９９５', 12995],
    ['12.995', 12995],
    ['POA', 'none'],
    ['', 'none'],
    ['0', 'none'],
    ['-5', 'none'],
    ['£-5', 'none'],
    ['12-13', 'none'],
    ['12,995 (was 13,995)', 'none'],
    ['12 995 13 995', 'none'],
    ['12,99,5', 'none'],
    ['12 99,5', 'none'],
    ["12'99", 'none'],
    ['1.234.5', 'none'],
    ['12,995 5', 'none'],
    ['12,99,5 km', 'none'],
    ['-£5', 'none'],
    ['12995 pounds', 12995],
    ['1 pound', 1],
    ['low-price 12995', 'other-unit'],
    ['12.995,00 €', 'other-unit'],
    ['EUR 12995', 'other-unit'],
    ['$12,995', 'other-unit'],
    ['12k', 'other-unit'],
    ['12995 km', 'other-unit'],
    ['12.000', 'ambiguous'],
  ])('%j is %j in pounds of Great Britain', (text, amount) => expect(price(text)).toBe(amount));

  it.each([
    ['de-DE', 'EUR', '12.000', 12000],
    ['de-DE', 'EUR', '12.995,- €', 12995],
    ['de-DE', 'EUR', 'Euro 12.995,--', 12995],
    ['de-DE', 'EUR', '12,000', 'ambiguous'],
    ['de-CH', 'CHF', "Fr. 12'995.–", 12995],
    ['de-CH', 'CHF', 'CHF 12.000', 'ambiguous'],
    ['fr-FR', 'EUR', '12.995 euros', 12995],
    ['sv-SE', 'SEK', '129 900 kr', 129900],
    ['sv-SE', 'SEK', '129 900:-', 129900],
    ['en-IN', 'INR', 'Rs. 12,34,567.00', 1234567],
    ['fa-IR', 'EUR', '۱۲۳۴۵', 12345],
    ['en-AU', 'AUD', '$32,990', 32990],
    ['en-KW', 'KWD', '950.500', 950.5],
    ['en-KW', 'KWD', '950.000', 950],
    ['en-US', 'USD', 'US$12,995', 12995],
    ['de-CH', 'CHF', "sFr. 12'995", 12995],
    ['cs-CZ', 'CZK', '349 000 Kc', 349000],
    ['pl-PL', 'PLN', '52 900 zl', 52900],
    ['tr-TR', 'TRY', '12.995 TL', 12995],
    ['de-DE', 'EUR', '12.995,00 € inkl. 19% MwSt.', 12995],
    ['de-DE', 'EUR', '12.995,00 EUR (MwSt. nicht ausweisbar)', 12995],
    ['de-DE', 'EUR', '12.995 € MwSt. ausw.', 12995],
    ['de-DE', 'EUR', '12.995,- € VB', 12995],
    ['de-DE', 'EUR', '12.995 € brutto', 12995],
    ['de-DE', 'EUR', '12.995 € zzgl. MwSt.', 'other-unit'],
    ['de-DE', 'EUR', '12.995 € netto', 'other-unit'],
    ['en-GB', 'GBP', '£12,995 inc. VAT', 12995],
    ['en-GB', 'GBP', '£12,995 + VAT', 'other-unit'],
    ['en-GB', 'GBP', '£12,995 ex VAT', 'other-unit'],
    ['fr-FR', 'EUR', '12 995 € TTC', 12995],
    ['fr-FR', 'EUR', '12 995 € HT', 'other-unit'],
    ['es-ES', 'EUR', '12.995 € (IVA incluido)', 12995],
    ['es-ES', 'EUR', '12.995 € + IVA', 'other-unit'],
    ['nl-NL', 'EUR', '€ 12.995 incl. btw', 12995],
    ['nl-NL', 'EUR', '€ 12.995 excl. btw', 'other-unit'],
    ['pl-PL', 'PLN', '49 900,00 zł brutto', 49900],
    ['pl-PL', 'PLN', '49 900,00 zł netto', 'other-unit'],
    ['en-IN', 'INR', 'R.s 12,000', 'other-unit'],
    ['de-DE', 'EUR', ', 12995', 'other-unit'],
  ])('of %s in %s: %j is %j', (locale, currency, text, amount) =>
    expect(price(text, locale, currency)).toBe(amount),
  );

  it('are parsed with the format of their locale', () => {
    const locales =
      'en-GB de-DE de-AT de-CH fr-FR fr-CH es-ES it-IT nl-NL pt-PT pl-PL cs-CZ da-DK nb-NO hu-HU en-IN hi-IN ar-AE ar-SA ja-JP en-ZA';
    for (const locale of locales.split(' ')) {
      const currency = currencyOf(locale) ?? '';
      for (const style of ['currency', 'decimal'] as const) {
        for (const amount of [9, 950, 9500, 12995, 1234567]) {
          const text = new Intl.NumberFormat(locale, { style, currency }).format(amount);
          expect([locale, text, price(text, locale, currency)]).toEqual([locale, text, amount]);
        }
      }
    }
  });
});

describe('mileages', () => {
  it.each<[string, 'mi' | 'km', number | string, locale?: string]>([
    ['73,400', 'mi', 73400],
    ['73,400 miles', 'mi', 73400],
    ['73400 MLS', 'mi', 73400],
    ['73.400 km', 'mi', 'other-unit'],
    ['73.400 km', 'km', 73400],
    ['73 400 kms.', 'km', 73400],
    ['73,400 miles', 'km', 'other-unit'],
    ['7 340 mil', 'km', 'other-unit'],
    ['15.000', 'km', 'ambiguous'],
    ['15000.000', 'km', 15000],
    ['73.400 Kilometer', 'km', 73400, 'de-DE'],
    ['73.400 kilometres', 'km', 73400, 'de-DE'],
    ['1 kilometre', 'km', 1, 'de-DE'],
    ['73 400 км', 'km', 73400, 'ru-RU'],
    ['15.000', 'km', 15000, 'de-DE'],
  ])('%j in %s is %j', (text, unit, amount, locale) =>
    expect(mileage(text, unit, locale)).toBe(amount),
  );
});
