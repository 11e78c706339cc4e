import { describe, expect, it } from 'vitest';
import { namesOf, shownValue, standardValue, type ValuedFact } from '../../../src/stock/values.ts';

describe('a standard value', () => {
  it.each<[ValuedFact, string, string, string | undefined]>([
    ['fuel', 'PETROL', 'en-GB', 'petrol'],
    ['fuel', 'Petrol Plug-in Hybrid', 'en-GB', 'plugin-hybrid'],
    ['fuel', 'Electricité', 'fr-FR', 'electric'],
    ['transmission', '6-speed manual', 'en-GB', 'manual'],
    ['transmission', 'Automatikgetriebe', 'de-DE', 'automatic'],
    ['body', 'Van', 'de-DE', 'mpv'],
    ['body', 'Van', 'en-GB', 'van'],
    ['colour', 'Black Sapphire Metallic', 'en-GB', 'black'],
    ['colour', 'Burgunderrot-Metallic', 'de-DE', 'red'],
    ['colour', 'WEIß', 'de-DE', 'white'],
    ['colour', 'biały', 'pl-PL', 'white'],
    ['condition', 'd’occasion', 'de-DE', 'used'],
    ['status', 'In-Stock', 'en-GB', 'available'],
    // Only in languages that write colours as one word.
    ['colour', 'Inspired', 'en-GB', undefined],
    ['fuel', 'Steam', 'en-GB', undefined],
  ])('%s "%s" in %s: %s', (fact, text, locale, key) => {
    expect(standardValue(fact, text, locale)?.key).toBe(key);
  });

  it.each<[ValuedFact, string, string, string, string]>([
    ['body', 'Estate', 'en-GB', 'de-DE', 'Kombi'],
    ['fuel', 'Benzin', 'de-DE', 'pl-PL', 'Benzyna'],
    ['colour', 'Blanc', 'fr-CH', 'de-CH', 'Weiss'],
    ['body', 'Kombi', 'de-DE', 'en-US', 'Station wagon'],
    ['transmission', 'Manual', 'en-GB', 'pl-PL', 'Manualna'],
    ['transmission', 'Manuelle', 'fr-CH', 'de-CH', 'Schaltgetriebe'],
    ['drivetrain', 'Allrad', 'de-DE', 'en-GB', 'All-wheel drive'],
    ['drivetrain', 'AWD', 'en-GB', 'fr-FR', 'Intégrale'],
    // Written by the dealer: another spelling of the same language, more than the value, no value.
    ['body', 'Sedan', 'en-US', 'en-US', 'Sedan'],
    ['transmission', '7-speed DSG', 'en-GB', 'de-DE', '7-speed DSG'],
    ['colour', 'Sunset', 'en-GB', 'de-DE', 'Sunset'],
    ['body', 'Estate', 'en-GB', 'is-IS', 'Estate'],
  ])('%s "%s" of %s in %s: %s', (fact, text, from, to, shown) => {
    expect(shownValue(fact, text, { from, to }).text).toBe(shown);
  });

  it('has its name in the language, the English name and other spellings', () => {
    expect(namesOf('fuel', 'petrol', 'de-DE').slice(0, 3)).toEqual([
      'Benzin',
      'Petrol',
      'Benziner',
    ]);
    expect(namesOf('fuel', 'petrol', 'en-US').slice(0, 2)).toEqual(['Gasoline', 'Petrol']);
  });
});
