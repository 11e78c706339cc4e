import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../src/config/load.ts';
import { loadFacts, parseFacts } from '../../../src/stock/facts.ts';
import { comparablePlate } from '../../../src/stock/plate.ts';
import { temporaryFolder } from '../../support/build.ts';

const configOf = (stock: object, locale = 'en-GB') => {
  const config = resolveConfig(
    {
      service: { baseUrl: 'https://media.example' },
      site: { title: 'T', url: 'https://cars.example', locale },
      dealers: [{ id: 1, name: 'A', slug: 'a', stock: { file: 'x.csv', ...stock } }],
    },
    { file: '/nowhere/site.config.json' },
  );
  const found = config.dealers[0]?.stock;
  if (!found) throw new Error('no stock');
  return found;
};

const parse = (text: string, stock: object = {}, locale?: string) =>
  parseFacts(text, configOf(stock, locale), 'x.csv');

describe('comparablePlate', () => {
  it.each([
    ['ab12 cde', 'AB12CDE'],
    [' AB-12.CDE ', 'AB12CDE'],
    ['ＡＢ１２', 'AB12'],
    ['b mw-ü 1', 'BMWÜ1'],
    ['—', ''],
  ])('%j is %j', (text, plate) => expect(comparablePlate(text)).toBe(plate));
});

describe('parseFacts', () => {
  it('reads rows by plate, with the headings of the configuration, whatever their case', () => {
    const { byPlate, rows, problems } = parse(
      '\ufeffREG;Make;MODEL;year;Price;link\nab12 cde;Albion;"Wren; GT";2021;"£14,995";https://d.example/1\n',
      { columns: { plate: 'Reg' } },
    );
    expect(rows).toBe(1);
    expect(problems).toEqual([]);
    expect(byPlate.get('AB12CDE')).toEqual({
      make: 'Albion',
      model: 'Wren; GT',
      year: 2021,
      price: 14995,
      link: 'https://d.example/1',
    });
  });

  it('reads every column, without needless spaces, of rows of any length', () => {
    const found = parse(
      [
        'plate,make,model,variant,fuel,transmission,colour,mileage,body',
        '',
        ' AB 1 , Albion ,Wren,"GT \n Line",Petrol,Manual,Blue,500,Estate',
        'B2',
        'B3,Halden,Elm,,,,,1,,one cell more',
      ].join('\n'),
    );
    expect([...found.byPlate]).toEqual([
      [
        'AB1',
        {
          make: 'Albion',
          model: 'Wren',
          variant: 'GT Line',
          fuel: 'Petrol',
          transmission: 'Manual',
          colour: 'Blue',
          mileage: 500,
          body: 'Estate',
        },
      ],
      ['B2', {}],
      ['B3', { make: 'Halden', model: 'Elm', mileage: 1 }],
    ]);
    expect([...found.plates]).toEqual([
      ['AB1', 'AB 1'],
      ['B2', 'B2'],
      ['B3', 'B3'],
    ]);
    expect(found).toMatchObject({ rows: 3, problems: [], notes: [] });
  });

  it('of a locale without a country has no currency where no price stands in it', () => {
    expect(parse('plate\nA1\n', {}, 'de')).toMatchObject({ currency: '', mileageUnit: 'km' });
  });

  it.each([
    ['1885', 1885],
    ['2100', 2100],
    ['1884', undefined],
    ['2101', undefined],
    ['2e3', undefined],
    ['+2021', undefined],
    ['2021.5', undefined],
  ])('takes the year %s as %j', (text, year) => {
    const { byPlate, problems } = parse(`plate,year\nA1,${text}\n`);
    expect(byPlate.get('A1')?.year).toBe(year);
    expect(problems).toEqual(year ? [] : [`row 2: "${text}" is no year`]);
  });

  it.each([
    ['Available', 'available'],
    ['in_stock', 'available'],
    ['RESERVED', 'reserved'],
    ['reserviert', 'reserved'],
    ['Verkauft', 'sold'],
    ['Réservé', 'reserved'],
    ['arriving', undefined],
  ])('reads the status %s as %j', (text, status) => {
    const { byPlate, problems } = parse(`plate,status\nA1,${text}\n`);
    expect(byPlate.get('A1')?.status).toBe(status);
    const unknown = `row 2: "${text}" is not a known status: available, reserved or sold`;
    expect(problems).toEqual(status ? [] : [unknown]);
  });

  it('tells of an amount that can be read in two ways, and of long cells not all', () => {
    expect(parse(`plate,price,year\nA1,12.000,${'x'.repeat(300)}\n`).problems).toEqual([
      `row 2: "${'x'.repeat(199)}`,
      'row 2: "12.000" is a price that can be read in two ways; see stock.locale',
    ]);
  });

  it.each([
    ['', '(none)'],
    ['reg,make\n', 'reg, make'],
    [`${'x'.repeat(400)}\n`, 'x'.repeat(300)],
  ])('names the columns that it finds instead of the plate: %#', (text, columns) => {
    const why = `Its columns are: ${columns}.`;
    expect(() => parse(text)).toThrow(expect.objectContaining({ why }));
  });

  it('tells what cannot be used, and uses the rest of the row', () => {
    const { byPlate, problems } = parse(
      'plate,make,year,price,link\nA1,Albion,21,POA,javascript:alert(1)\n,Halden,,,\nA1,Corvane,,,\n',
    );
    expect(byPlate.get('A1')).toEqual({ make: 'Corvane' });
    expect(problems).toEqual([
      'row 2: "21" is no year',
      'row 2: "POA" is no price',
      'row 2: "javascript:alert(1)" is no http(s) address',
      'row 3: there is no number plate',
      'row 4: A1 is listed twice; the last counts',
    ]);
  });

  it.each([
    ['', 'stock-file-column'],
    ['reg,make\nA1,B', 'stock-file-column'],
    ['plate,make\n"A1,B', 'stock-file-invalid'],
  ])('refuses a list without its plate column or form: %j', (text, code) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['en-GB', 'GBP', 'mi'],
    ['en-US', 'USD', 'mi'],
    ['de-DE', 'EUR', 'km'],
    ['de-CH', 'CHF', 'km'],
    ['sv-SE', 'SEK', 'km'],
    ['bg-BG', 'EUR', 'km'],
  ])('takes currency and unit of %s', (locale, currency, mileageUnit) => {
    expect(parse('plate,price,mileage\nA1,12000,500\n', {}, locale)).toMatchObject({
      currency,
      mileageUnit,
      problems: [],
    });
  });

  it('asks for a currency and a unit that the locale does not name, where a list needs them', () => {
    const asked = (text: string, stock: object = {}, locale = 'de') => {
      try {
        parse(text, stock, locale);
      } catch (error) {
        return error;
      }
    };
    expect(asked('plate,price\nA1,12000\n')).toMatchObject({
      code: 'stock-unit-missing',
      exitCode: 2,
      message: 'stock.currency is needed for the stock list x.csv.',
      why: expect.stringContaining('a column "price"'),
      fix: expect.stringContaining('Set dealers[].stock.currency, such as "EUR"'),
    });
    expect(asked('plate,mileage\nA1,12000\n')).toMatchObject({
      code: 'stock-unit-missing',
      message: 'stock.locale is needed for the stock list x.csv.',
      why: expect.stringContaining('a column "mileage"'),
      fix: expect.stringContaining('Set dealers[].stock.locale, such as "de-DE"'),
    });
    expect(asked('plate,price\nA1,12000\n', {}, 'en-KE')).toMatchObject({
      code: 'stock-unit-missing',
    });
    expect(asked('plate,make\nA1,Albion\n')).toBeUndefined();
    expect(asked('plate,price,mileage\nA1,1,1\n', { locale: 'de-DE' })).toBeUndefined();
  });

  it('refuses to build without a list that is configured', async () => {
    await expect(
      loadFacts([{ id: 1, stock: configOf({}) }], '/nowhere/site.config.ts'),
    ).rejects.toMatchObject({
      code: 'stock-file-unreadable',
      exitCode: 2,
    });
  });

  it('reads the lists of dealers that have one, and says so where one is not in UTF-8', async () => {
    await using folder = await temporaryFolder();
    const list = 'plate,make\nA1,Škoda\n';
    await writeFile(path.join(folder.path, 'utf8.csv'), list);
    await writeFile(path.join(folder.path, 'utf16.csv'), Buffer.from(`\ufeff${list}`, 'utf16le'));
    const facts = await loadFacts(
      [
        { id: 1 },
        { id: 2, stock: configOf({ file: 'utf8.csv' }) },
        { id: 3, stock: configOf({ file: 'utf16.csv' }) },
      ],
      path.join(folder.path, 'site.config.ts'),
    );
    const of = (id: number) => facts.get(id)?.byPlate.get('A1')?.make;
    expect([...facts.keys()].map((id) => [id, of(id), facts.get(id)?.notes])).toEqual([
      [2, 'Škoda', []],
      [3, 'Škoda', ['The stock list utf16.csv was read as UTF-16LE.']],
    ]);
  });
});
