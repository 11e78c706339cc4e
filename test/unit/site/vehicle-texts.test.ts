import { describe, expect, it } from 'vitest';
import { textsFor } from '../../../src/site/i18n/text.ts';
import type { DealerContext } from '../../../src/site/views/context.ts';
import { factRows, type ShownFacts, vehicleTexts } from '../../../src/site/views/vehicle-texts.ts';
import { RECORDED_FACTS } from '../../../src/stock/vehicle-facts.ts';

/** The context of a dealer with a stock list, on a site of this locale. */
const contextOf = (locale: string) =>
  ({
    texts: textsFor(locale, 'UTC'),
    plates: 'show',
    dealer: { stock: { locale } },
    facts: { prices: 1, currency: 'EUR', mileageUnit: 'km' },
  }) as unknown as DealerContext;

const rowsOf = (facts: ShownFacts, locale: string) =>
  factRows(facts, { plate: '', hasPlate: false, named: true }, contextOf(locale)).map(
    ({ text }) => text,
  );

describe('facts of a vehicle', () => {
  it.each([
    ['en-GB', '175 kW (235\u00a0hp)'],
    ['de-DE', '175 kW (238\u00a0PS)'],
    ['fr-FR', '175 kW (238\u00a0ch)'],
  ])('have the horsepower of %s', (locale, text) => {
    expect(rowsOf({ power: 175 }, locale)).toEqual([text]);
  });

  it('each have a row with their value, unless the page shows them elsewhere', () => {
    const rows = [
      ['year', 2021, '2021'],
      ['firstRegistration', '2021-03', '03/2021'],
      ['condition', 'used', 'Used'],
      ['mileage', 1000, '1,000 km'],
      ['fuel', 'Vodka', 'Vodka'],
      ['transmission', 'Belt', 'Belt'],
      ['colour', 'Plaid', 'Plaid'],
      ['body', 'Barrel', 'Barrel'],
      ['power', 1, '1 kW (1\u00a0hp)'],
      ['engine', '1.0 l', '1.0 l'],
      ['drivetrain', 'Allrad', 'All-wheel drive'],
      ['doors', 3, '3'],
      ['seats', 4, '4'],
      ['owners', 2, '2'],
      ['consumption', '5 l', '5 l'],
      ['co2', 7, '7 g/km'],
      ['co2Class', 'D', 'D'],
      ['stockId', 'S-7', 'S-7'],
    ] as const;
    const elsewhere = ['make', 'model', 'variant', 'price', 'previousPrice', 'equipment'];
    elsewhere.push('description', 'link', 'status');
    const facts = rows.map(([fact]) => fact);
    expect([...facts, ...elsewhere].sort()).toEqual([...RECORDED_FACTS].sort());
    for (const [fact, value, text] of rows)
      expect([fact, rowsOf({ [fact]: value }, 'en-GB')]).toEqual([fact, [text]]);
  });

  it('have the emissions with the decimal separator of the language', () => {
    expect(rowsOf({ co2: 119.5 }, 'de-DE')).toEqual(['119,5 g/km']);
  });

  it('have a previous price only beside the price', () => {
    expect(rowsOf({ previousPrice: 9995 }, 'en-GB')).toEqual([]);
    expect(rowsOf({ previousPrice: 9995, price: 9000 }, 'en-GB')).toEqual(['€9,995']);
  });

  it('offer a price on request, but not of sold vehicles', () => {
    const textOf = (facts: ShownFacts) => vehicleTexts('A1', facts, contextOf('en-GB')).priceText;
    expect([textOf({}), textOf({ status: 'reserved' }), textOf({ status: 'sold' })]).toEqual([
      'Price on request',
      'Price on request',
      '',
    ]);
  });

  it('never end a line after the hyphen of a short word', () => {
    const facts = { make: 'Mercedes-Benz', model: 'C-Class', fuel: 'Plug-in hybrid' };
    const { heading, name, keyFacts } = vehicleTexts('A-1', facts, contextOf('en-GB'));
    expect(heading).toBe('Mercedes-Benz C-\u2060Class');
    expect(name).toBe('Mercedes-Benz C-Class');
    expect(keyFacts).toBe('Plug-\u2060in\u00a0hybrid');
    expect(vehicleTexts('A-1', {}, contextOf('en-GB')).heading).toBe('A-1');
  });

  it('have no plate to copy if it is blank', () => {
    expect(vehicleTexts(' ', {}, contextOf('en-GB')).hasPlate).toBe(false);
  });
});
