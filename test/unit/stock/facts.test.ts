import { describe, expect, it } from 'vitest';
import { STOCK_COLUMNS } from '../../../src/config/dealer-schema.ts';
import { comparablePlate } from '../../../src/stock/plate.ts';
import { parseList } from '../../support/stock-list.ts';
import { thrownBy } from '../../support/thrown.ts';

it.each([
  ['ab12 cde', 'AB12CDE'],
  [' AB-12.CDE ', 'AB12CDE'],
  ['ＡＢ１２', 'AB12'],
  ['b mw-ü 1', 'BMWÜ1'],
  ['—', ''],
])('comparablePlate: %j is %j', (text, plate) => expect(comparablePlate(text)).toBe(plate));

describe('parseFacts', () => {
  it('skips headings within the list, which merged exports repeat, and errors of spreadsheets', () => {
    const head = 'Kennzeichen;Marke;Modell;Preis\r\n';
    const { byPlate, rows, problems } = parseList(
      `${head}AB 1;#BEZUG!;Golf;#NV\r\n${head}AB 2;VW;#N/A;9.000 €\r\nAB 3;#####;#NAME?;#DIV/0!\r\n`,
      {},
      'de-DE',
    );
    expect([rows, problems]).toEqual([3, []]);
    expect([...byPlate.values()]).toEqual([{ model: 'Golf' }, { make: 'VW', price: 9000 }, {}]);
  });

  it.each(['#NAME?', '#RÉF\u00a0!', '#DIV/0 !', 'Err:502', 'Err :502', 'Fehler:502', 'Błąd:522'])(
    'skips the error %s',
    (error) => {
      const { byPlate, problems } = parseList(
        `plate;model;price;mileage;description\nA1${`;${error}`.repeat(4)}\n`,
      );
      expect([...byPlate.values(), ...problems]).toEqual([{}]);
    },
  );

  it.each(['\r\n', '\n', '\r'])('finds the heading row below a title: %j', (end) => {
    const rows = ['"Filiale, ""Nord"""', '28.11.2026;;;', '', 'amtl. Kennzeichen;Marke;km;Preis'];
    const { byPlate, problems } = parseList([...rows, 'B-AB 1;VW;9', 'B-AB 2;VW;8;7000'].join(end));
    expect([...byPlate]).toEqual([['B-AB2', { make: 'VW', mileage: 8, price: 7000 }]]);
    expect(problems).toEqual([expect.stringContaining('row 5 (3 cells)')]);
  });

  it('explains why a net price is not used', () => {
    const { problems } = parseList('reg,price\nAB1,"£9,995 + VAT"\nAB2,9000 € \nAB3,"£9,000"\n');
    expect(problems).toEqual([
      '"price": 1 value is not a price with VAT: "£9,995 + VAT" (row 2)',
      '"price": 1 value is not a price in GBP: "9000 €" (row 3)',
    ]);
  });

  it('reads every field', () => {
    const { byPlate, problems } = parseList(
      [
        'plate|vin|stock id|make|model|variant|year|first registration|price|previous price|mileage|fuel|transmission|colour|body|condition|doors|seats|owners|engine|power|drivetrain|consumption|co2|co2 class|equipment|description|link|status',
        'AB 1|wvwzzz1|S-7|Albion|Wren|Albion Wren GT \t Line|2021|03/21|14995|15995|500|Petrol|Manual|Blue|Estate|Used|4/5|5|2|1598|110|AWD|5,4 l|120 g/km|D|Heated seats, Sun roof|<p>One owner.</p>Fish &amp; chips<br>£5|https://d.example/1|Reserved',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    const facts = byPlate.get('AB1') ?? {};
    expect(['plate', ...Object.keys(facts)].sort()).toEqual([...STOCK_COLUMNS].sort());
    expect(facts).toEqual({
      vin: 'WVWZZZ1',
      stockId: 'S-7',
      make: 'Albion',
      model: 'Wren',
      variant: 'GT Line',
      year: 2021,
      firstRegistration: '2021-03',
      price: 14995,
      previousPrice: 15995,
      mileage: 500,
      fuel: 'Petrol',
      transmission: 'Manual',
      colour: 'Blue',
      body: 'Estate',
      condition: 'used',
      doors: 5,
      seats: 5,
      owners: 2,
      engine: '1598 cm³',
      power: 110,
      drivetrain: 'AWD',
      consumption: '5,4 l',
      co2: 120,
      co2Class: 'D',
      status: 'reserved',
      equipment: ['Heated seats', 'Sun roof'],
      description: 'One owner.\nFish & chips\n£5',
      link: 'https://d.example/1',
    });
  });

  it('skips rows with another number of cells than the heading', () => {
    const found = parseList('plate,make,price\nA1,Albion\nB2,Halden,,\nB3,Halden,9000,more\n');
    expect([...found.byPlate]).toEqual([['B2', { make: 'Halden' }]]);
    expect(found).toMatchObject({ rows: 1, cut: undefined, endsWithNewline: true });
    expect(found.problems).toEqual([
      '2 rows with a different number of cells than the heading (3), not used: row 2 (2 cells), row 4 (4 cells)',
    ]);
  });

  it.each([
    ['plate,price,make\nA1,12200,Albion\nB2,12', 'Its last line has 2 of 3 cells.'],
    ['plate,price,make\nA1,12200,Albion\nB2,12,Albion', undefined],
  ])('detects an incomplete last line: %j', (text, cut) => {
    expect(parseList(text)).toMatchObject({ cut, endsWithNewline: false });
  });

  it("joins rows without a plate by VIN or stock number, but never another vehicle's plate", () => {
    const { byPlate, problems } = parseList(
      'plate,vin,stock number,make\n,WVW 1,A1,One\nA1,,9,Two\n,,S-7,Three\n,,,Four\n',
    );
    expect(['WVW1', 'A1', '9', 'S7'].map((key) => byPlate.get(key)?.make)).toEqual([
      ...['One', 'Two', 'Two', 'Three'],
    ]);
    expect(problems).toEqual(['1 row without a number plate, VIN or stock number: row 5']);
  });

  it.each([
    ['year', '1885', 1885],
    ['year', '2100', 2100],
    ['year', '03.2019', 2019],
    ['year', '1884', undefined],
    ['year', '2101', undefined],
    ['year', '2e3', undefined],
    ['year', '+2021', undefined],
    ['year', '21', undefined],
    ['status', 'Available', 'available'],
    ['status', 'in_stock', 'available'],
    ['status', 'RESERVED', 'reserved'],
    ['status', 'reserviert', 'reserved'],
    ['status', 'Réservé', 'reserved'],
    ['status', 'Under offer', 'reserved'],
    ['status', 'Sold 12/11', 'sold'],
    ['status', 'arriving', undefined],
  ] as const)('parses the %s %s as %j', (field, text, value) => {
    const { byPlate, problems } = parseList(`plate;${field}\nA1;${text}\n`);
    expect(byPlate.get('A1')?.[field]).toBe(value);
    const what = field === 'year' ? 'a year' : 'one of: available, reserved or sold';
    const wrong = `"${field}": 1 value is not ${what}: "${text}" (row 2)`;
    expect(problems).toEqual(value ? [] : [wrong]);
  });

  it.each([
    ['03.2021', '2021-03'],
    ['2021-03', '2021-03'],
    ['03/21', '2021-03'],
    ['202103', '2021-03'],
    ['15.03.2021', '2021-03'],
    ['2021-03-15T00:00:00', '2021-03'],
    ['2021-02-28T23:00:00.000Z', '2021-03'],
    ['3/15/2021', '2021-03'],
    ['12/98', '1998-12'],
    ['03.05.62', '1962-05'],
    ['13/21', undefined],
    ['soon', undefined],
  ])('parses the first registration %s as %j', (text, month) => {
    const facts = parseList(`plate;EZ\nA1;${text}\n`).byPlate.get('A1');
    expect(facts?.firstRegistration).toBe(month);
    expect(facts?.year).toBe(month && Number(month.slice(0, 4)));
  });

  it.each([
    ['en-GB', '', '2021-04'],
    ['en-US', '', '2021-03'],
    ['en-GB', '12/31/2020', '2021-03'],
    ['en-US', '31/12/2020', '2021-04'],
    ['en-US', '2020-12-31', '2021-03'],
    ['en-US', '31/12/2020\nA3,12/31/2020', '2021-03'],
  ])('parses dates in the order of the other dates, or of %s: %j', (locale, other, month) => {
    const list = `plate,first registration\nA1,03/04/2021\nA2,${other}\n`;
    expect(parseList(list, {}, locale).byPlate.get('A1')?.firstRegistration).toBe(month);
  });

  it.each<[string, string, number | undefined, object?]>([
    ['110 kW', 'power', 110],
    ['150 PS', 'power', 110],
    ['148', 'BHP', 110],
    ['148', 'Power BHP', 110],
    ['148', 'PowerPS', 109],
    ['148', 'enginePowerBHP', 110, { columns: { power: 'enginePowerBHP' } }],
    // The unit of a value is preferred to the unit of its column.
    ['110 kW (150 PS)', 'Leistung (PS)', 110],
    ['110kW/150PS', 'Leistung (PS)', 110],
    ['150 PS (110 kW)', 'Leistung (PS)', 110],
    ['148 bhp', 'Leistung (PS)', 110],
    ['150 KM', 'Moc', 110],
    ['150 chevaux', 'Puissance (ch)', undefined],
    ['7 CV', 'Puissance', undefined],
    ['150 CV', 'Puissance', 110],
    ['strong', 'power', undefined],
  ])('parses the power %s of the column %s as %j', (text, heading, power, settings = {}) => {
    const { byPlate } = parseList(`plate;${heading}\nA1;${text}\n`, settings);
    expect(byPlate.get('A1')?.power).toBe(power);
  });

  it.each([
    ['en-GB', 'price', '12'],
    ['en-GB', 'price', '99999999'],
    ['ja-JP', 'price', '9000'],
    ['en-GB', 'mileage', '2000001'],
  ])('omits implausible prices and mileages: %s %s %s', (locale, key, text) => {
    const { byPlate, problems } = parseList(`plate,${key}\nA1,${text}\n`, {}, locale);
    expect(byPlate.get('A1')).toEqual({});
    expect(problems).toEqual([
      `"${key}": 1 value is not a ${key} that a vehicle can have, and left out: "${text}" (row 2)`,
    ]);
  });

  it.each(['KRW 32,500,000', 'CLP 14,990,000', 'IDR 285,000,000'])('reads the price %s', (text) => {
    const [currency = '', price] = text.split(' ');
    const { prices } = parseList(`plate,price\nA1,"${price}"\n`, { currency });
    expect(prices).toBe(1);
  });

  it('treats a price of 0 as missing, and a mileage of 0 also, except for new cars', () => {
    const { byPlate, problems } = parseList(
      'plate;price;mileage;condition\nA1;0,00;0;new\nA2;;0;used\nA3;;0;\n',
    );
    expect([...byPlate.values(), problems]).toEqual([
      { mileage: 0, condition: 'new' },
      { condition: 'used' },
      {},
      [],
    ]);
  });

  it.each(['\n', '\r\n'])(
    'counts a row of several lines as one, as a spreadsheet does: %j',
    (end) => {
      const list = 'plate,description,price|A1,"Two|lines",1||A2,"In|three|lines",soon';
      expect(parseList(list.replaceAll('|', end)).problems).toEqual([
        '"price": 1 value is not a price that a vehicle can have, and left out: "1" (row 2)',
        '"price": 1 value is not a price: "soon" (row 4)',
      ]);
    },
  );

  it('reports unreadable values with the first three examples of each column', () => {
    const rows = ['soon', 'call', '???', 'later'].map((price, row) => `A${row},${price}`);
    const { problems, problemCount } = parseList(
      `plate,price\n${rows.join('\n')}\nB1,12.000\nB2,9000\nA0,9000\n`,
      { columns: { make: 'Brand name' } },
    );
    expect(problems).toEqual([
      '1 configured column that the file does not have: "Brand name" (stock.columns.make)',
      '"price": 4 values are not a price: "soon" (row 2), "call" (row 3), "???" (row 4) and 1 more',
      '"price": 1 value is not clear and can be read in two ways (see stock.locale): "12.000" (row 6)',
      '1 vehicle listed more than once (the last row is used): A0 (row 8)',
    ]);
    expect(problemCount).toBe(7);
  });

  it.each([
    ['Stock of today;;\nnumber;make;sum\n', 'Its columns are: Stock of today.'],
    ['number,make\n', 'Its columns are: number, make.'],
    [`${'x'.repeat(400)}\n`, `Its columns are: ${'x'.repeat(300)}.`],
  ])('refuses a list without a column that identifies vehicles: %#', (text, why) => {
    const fix = expect.stringContaining('Name the column with the number plate');
    const error = { code: 'stock-file-column', why, fix };
    expect(() => parseList(text)).toThrow(expect.objectContaining(error));
    expect(() => parseList('')).toThrow(/ is empty\.$/);
  });

  it.each([
    ['a truncated list', 'plate,make\n"A1,B'],
    ['truncated JSON', '[{"plate": "A1", '],
    ['JSON without a list', '{"vehicles": 3}'],
    // They would fill memory or stack.
    ['objects in each other', `[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]`],
    ['lists in each other', `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`],
    ['a new key in each row', `[${Array.from({ length: 4000 }, (_, n) => `{"k${n}":1}`)}]`],
  ])('refuses %s', (_, text) => {
    const error = { code: 'stock-file-invalid' };
    expect(() => parseList(text)).toThrow(expect.objectContaining(error));
  });

  it.each(['(', '.', '\u0301\u0323'])('reads a megabyte of %s in seconds', (sign) => {
    const text = sign.repeat(500_000);
    expect(parseList(`plate,price,"price ${text}"\nA1,5 £${text}x,\n`).rows).toBe(1);
    expect(parseList(`[{"plate":"A1","price":"5 £${text}x"}]`).rows).toBe(1);
  });

  it('reads JSON with nested values and other lists', () => {
    const vehicles = [
      { registration: 'A1', price: 12995.5, mileage: { value: 500, unit: 'KM' } },
      { registration: 'B2', features: ['Heated seats', { toString: 1 }, 'Sun roof'], price: null },
    ];
    const file = { errors: [], columns: ['registration'], vehicles };
    const { byPlate, mileageUnit, problems } = parseList(JSON.stringify(file));
    expect([...byPlate.values()]).toEqual([
      { price: 12995.5, mileage: 500 },
      { equipment: ['Heated seats', 'Sun roof'] },
    ]);
    expect([mileageUnit, problems]).toEqual(['km', []]);
  });

  it.each([
    ['en-GB', 'GBP', 'mi'],
    ['en-US', 'USD', 'mi'],
    ['de-DE', 'EUR', 'km'],
    ['de-CH', 'CHF', 'km'],
    ['sv-SE', 'SEK', 'km'],
    ['bg-BG', 'EUR', 'km'],
  ])('uses currency and unit of %s', (locale, currency, mileageUnit) => {
    expect(parseList('plate,price,mileage\nA1,120000,500\n', {}, locale)).toMatchObject({
      currency,
      mileageUnit,
      problems: [],
    });
  });

  it.each([
    ['price;mileage', '12.995,00 €;73.400 km', 'EUR', 'km'],
    ['price (EUR);Kilometer', '12995;73400', 'EUR', 'km'],
    ['Preis (€);Kilometer', '12995;73400', 'EUR', 'km'],
    ['Preis in EUR;Kilometer', '12995;73400', 'EUR', 'km'],
    ['price_gbp;miles', '12995;73400', 'GBP', 'mi'],
    ['Price £;miles', '12995;73400', 'GBP', 'mi'],
    ['price;currency;mileage;mileage unit', '12995;EUR;73400;KM', 'EUR', 'km'],
    ['price;miles', '£12,995.00;73,400', 'GBP', 'mi'],
  ])('detects currency, decimal separator and unit: %s', (headings, cells, currency, unit) => {
    for (const locale of ['en-GB', 'de', 'fr-FR']) {
      const found = parseList(`plate;${headings}\nA1;${cells}\n`, {}, locale);
      expect(found).toMatchObject({ currency, mileageUnit: unit, problems: [] });
      expect(found.byPlate.get('A1')).toEqual({ price: 12995, mileage: 73400 });
    }
  });

  it('requires a currency and a unit if neither list nor locale has them', () => {
    const asked = (text: string, stock: object = {}, locale = 'de') =>
      thrownBy(() => parseList(text, stock, locale));
    expect(asked('plate,price\nA1,12000\n')).toMatchObject({
      code: 'stock-unit-missing',
      exitCode: 2,
      message: 'stock.currency is needed for the stock list x.csv.',
      why: expect.stringContaining('its column "price"'),
      fix: expect.stringContaining('Set dealers[].stock.currency, such as "EUR"'),
    });
    expect(asked('plate,mileage\nA1,12000\n')).toMatchObject({
      code: 'stock-unit-missing',
      message: 'stock.locale is needed for the stock list x.csv.',
      why: expect.stringContaining('its column "mileage"'),
      fix: expect.stringContaining('Set dealers[].stock.locale, such as "de-DE"'),
    });
    expect(asked('plate,price\nA1,12000\n', {}, 'en-KE')).toMatchObject({
      code: 'stock-unit-missing',
    });
    expect(asked('plate,make\nA1,Albion\n')).toBeUndefined();
    expect(asked('plate,price,mileage\nA1,9000,1\n', { locale: 'de-DE' })).toBeUndefined();
  });
});
