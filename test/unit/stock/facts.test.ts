import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { amountOf, loadFacts, parseFacts } from '../../../src/stock/facts.ts';
import { comparablePlate } from '../../../src/stock/plate.ts';

const configOf = (stock: object) => {
  const config = configSchema.parse({
    service: { baseUrl: 'https://media.example' },
    site: { title: 'T', url: 'https://cars.example' },
    dealers: [{ id: 1, name: 'A', slug: 'a', stock: { file: 'x.csv', ...stock } }],
  });
  const found = config.dealers[0]?.stock;
  if (!found) throw new Error('no stock');
  return found;
};

const parse = (text: string, stock: object = {}) => parseFacts(text, configOf(stock), 'x.csv');

describe('comparablePlate', () => {
  it.each([
    ['ab12 cde', 'AB12CDE'],
    [' AB-12.CDE ', 'AB12CDE'],
    ['ＡＢ１２', 'AB12'],
    ['b mw-ü 1', 'BMWÜ1'],
    ['—', ''],
  ])('%j is %j', (text, plate) => expect(comparablePlate(text)).toBe(plate));
});

describe('amountOf', () => {
  it.each([
    ['14995', 14995],
    ['£14,995', 14995],
    ['14,995.00', 14995],
    ['14.995,50 €', 14995.5],
    ['1 234', 1234],
    ['12,5', 12.5],
    ['POA', undefined],
    ['', undefined],
    ['0', undefined],
    ['-5', undefined],
  ])('%j is %j', (text, amount) => expect(amountOf(text)).toBe(amount));
});

describe('parseFacts', () => {
  it('reads rows by plate, with the headings of the configuration, whatever their case', () => {
    const { byPlate, rows, problems } = parse(
      '\ufeffREG;Make;MODEL;year;Price;link\nab12 cde;Albion;"Wren; GT";2021;"£14,995";https://d.example/1\n',
      { delimiter: ';', columns: { plate: 'Reg' } },
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

  it('refuses to build without a list that is configured', async () => {
    await expect(
      loadFacts([{ id: 1, stock: configOf({}) }], '/nowhere/site.config.ts'),
    ).rejects.toMatchObject({
      code: 'stock-file-unreadable',
      exitCode: 2,
    });
  });
});
