/** Faults of real exports. */
import { expect, it } from 'vitest';
import { parseList } from '../../support/stock-list.ts';

const factsIn = (text: string, settings: object = {}, locale = 'en-GB') => [
  ...parseList(text, settings, locale).byPlate.values(),
];

it.each([
  'plate,price\r\nA1,9000\nA2,"9500"\n',
  'plate,price\nA1,9000\r\nA2,9500\r\n',
  'plate,price\rA1,9000\rA2,9500\r',
  'plate,price,description\rA1,9000,"One\nowner"\rA2,9500,\r',
  'plate,price\r\r\nA1,9000\r\r\nA2,9500\r\r\n',
])('reads rows whose line breaks differ from the heading: %j', (text) => {
  expect(parseList(text)).toMatchObject({ rows: 2, prices: 2, problems: [] });
});

it.each([
  ['a title', 'Stock;;;\n;;;\nReg;Make;Model;Price'],
  ['groups of columns', 'Vehicle;;;Price\n\nReg;Make;Model;Price'],
  ['groups with fewer headings than the row below', 'Reg;;;Price\n;Make;Model;Fuel'],
  ['line breaks in cells', '"Reg\nno.";"Make\n";"Model\n";"Price\n(£)"'],
  ['colons and asterisks', 'Vehicle Reg:;Make*;Model:;Price *'],
])('finds a heading row with %s', (_, heading) => {
  expect(factsIn(`${heading}\nA1;Ford;Ka;9000\n`)).toContainEqual(
    expect.objectContaining({ price: 9000 }),
  );
});

it('does not show facts that are 0 because they are unknown', () => {
  const list = [
    'plate;fuel;co2;doors;seats;owners;engine;power;consumption',
    'A1;Diesel;0;0;0;0;0 ccm;0;0,0 l/100 km',
    'A2;;0 g/km;0;0;;0;0 kW;0',
    'A3;Elektro;0;5;4;1;;110 kW;0',
    'A4;Diesel;120;5;4;1;0.9;110 kW;5,4',
  ];
  const found = parseList(list.join('\n'));
  const doors = { doors: 5, seats: 4, owners: 1, power: 110 };
  expect([...found.byPlate.values()]).toEqual([
    { fuel: 'Diesel', owners: 0 },
    {},
    { fuel: 'Elektro', co2: 0, ...doors },
    { fuel: 'Diesel', co2: 120, engine: '0.9 l', consumption: '5,4', ...doors },
  ]);
  expect(found.problems).toEqual([]);
});

it.each(['£0.00', '0,00 €', '€ 0', '0.00'])('reads the price %s as missing', (price) => {
  expect(parseList(`plate;price;mileage\nA1;${price};0 km\nB1;£-5;1\n`).problems).toEqual([
    expect.stringContaining('"£-5" (row 3)'),
  ]);
});

it.each(['POA', 'Price on request', 'auf Anfrage', 'Prix sur demande', 'op aanvraag'])(
  'reads the price %s as missing, and not as a mistake',
  (price) => {
    const { problems, prices } = parseList(`plate,price\nA1,${price}\nA2,9000\n`);
    expect([problems, prices]).toEqual([[], 1]);
  },
);

it('does not show codes of the exporting program', () => {
  const list = 'plate;kraftstoffart;getriebeart;farbe;modell\nA1;2;3;Blau;500\n';
  const { byPlate, problems } = parseList(list);
  expect(byPlate.get('A1')).toEqual({ colour: 'Blau', model: '500' });
  expect(problems).toEqual([
    '"kraftstoffart": 1 value is not a word: "2" (row 2)',
    '"getriebeart": 1 value is not a word: "3" (row 2)',
  ]);
});

it.each(['01.01.1900', '1900-01-01T00:00:00', '30.12.1899', '10.07.1905'])(
  'does not show the date %s, which programs write if there is no date, or for a number',
  (date) => {
    const { byPlate, problems } = parseList(`plate;EZ\nA1;${date}\n`);
    expect(byPlate.get('A1')).toEqual({});
    expect(problems).toEqual([`"EZ": 1 value is not a year and month: "${date}" (row 2)`]);
  },
);

it.each<[heading: string, text: string, facts: object]>([
  [
    'equipment',
    'ABS\nSun roof, panoramic\r\nNavi',
    { equipment: ['ABS', 'Sun roof, panoramic', 'Navi'] },
  ],
  ['equipment', '<ul><li>ABS</li><li>Navi</li></ul>', { equipment: ['ABS', 'Navi'] }],
  ['equipment', 'ABS; Sun\nroof; Navi', { equipment: ['ABS', 'Sun roof', 'Navi'] }],
  ['equipment', 'Heating &amp; air, Navi', { equipment: ['Heating & air', 'Navi'] }],
  ['condition', 'Gebrauchtfahrzeug', { condition: 'used' }],
  ['condition', 'Nearly-New', { condition: 'used' }],
  ['condition', 'd’occasion', { condition: 'used' }],
  ['condition', 'Seminuevo', { condition: 'used' }],
  ['condition', 'Neuve', { condition: 'new' }],
  ['Estado', 'Vendido', { status: 'sold' }],
  ['Status', 'Sold STC', { status: 'sold' }],
  ['Verkauft', 'ja', { status: 'sold' }],
  ['isReserved', 'TRUE', { status: 'reserved' }],
  ['Sold', 'No', {}],
  ['Statut', 'Vendue', { status: 'sold' }],
  ['Disponibilidad', 'Vendida', { status: 'sold' }],
  ['Disponibilità', 'Venduta', { status: 'sold' }],
  ['Beschikbaarheid', 'Verkocht', { status: 'sold' }],
  ['Dostępność', 'Sprzedana', { status: 'sold' }],
  ['Verkaufsstatus', 'Verkauft', { status: 'sold' }],
])('understands the %s %j', (heading, text, facts) => {
  expect(factsIn(`plate;${heading}\nA1;"${text}"\n`)).toEqual([facts]);
});

it('decodes the character references of HTML in all texts, and removes its tags', () => {
  const list =
    'plate,make,variant,price,description,link\nA1,<b>Citro&euml;n</b>,Citro&euml;n A<br/>&amp; B &#8211; C,<span class="woo">£9500</span>,<p>Gepr&uuml;ft &amp; 5&nbsp;&euro; &lt;b&gt; R&D,https://d.example/?a=1&amp;b=2\n';
  expect(factsIn(list)).toEqual([
    {
      make: 'Citroën',
      variant: 'A & B – C',
      price: 9500,
      description: 'Geprüft & 5 € <b> R&D',
      link: 'https://d.example/?a=1&b=2',
    },
  ]);
});

it('marks a cut text with an ellipsis, and never cuts a character into halves', () => {
  const text = (count: number) => `${'x'.repeat(count)}🚗🚗`;
  const list = `plate,variant,description,equipment\nA1,${text(118)},${text(4998)},${text(118)}\n`;
  const cut = (count: number) => `${'x'.repeat(count)}…`;
  expect(factsIn(list)).toEqual([
    { variant: cut(118), description: cut(4998), equipment: [cut(118)] },
  ]);
});

it.each([
  ['price', ['9000', '9500', '€12,000'], { currency: 'GBP', prices: 2 }],
  ['price', ['£9000', '9500', '€12,000'], { currency: 'GBP', prices: 2 }],
  ['price (£)', ['9000', '9500', '€12,000'], { currency: 'GBP', prices: 2 }],
  ['price', ['9000', '€9500', '€12,000'], { currency: 'EUR', prices: 3 }],
  ['mileage', ['9000', '9500', '12,000 km'], { mileageUnit: 'mi' }],
  ['mileage', ['9000', '9500 km', '12,000 km'], { mileageUnit: 'km' }],
  ['Kilometer', ['9000', '9500', '12,000 miles'], { mileageUnit: 'km' }],
  ['Kms', ['9000', '9500', '12,000'], { mileageUnit: 'km' }],
])(
  'a few values in another unit do not change the unit of the others: %s %j',
  (heading, cells, units) => {
    const rows = cells.map((cell, index) => `A${index};${cell}\n`).join('');
    expect(parseList(`plate;${heading}\n${rows}`)).toMatchObject(units);
  },
);

it.each([
  [
    'fr-FR',
    'Immatriculation;Marque;Prix TTC;Kilométrage;Énergie;Boîte de vitesses;Date de mise en circulation',
  ],
  ['es-ES', 'Matrícula;Marca;Precio;Kilómetros;Combustible;Cambio;Fecha de matriculación'],
  ['en-DE', 'Reg Number;Make;Cash Price;Odometer Reading;Fuel Type;Gearbox;Date First Reg'],
  ['it-IT', 'Targa;Marca;Prezzo;Chilometri;Alimentazione;Cambio;Immatricolazione'],
  ['nl-NL', 'Kenteken;Merk;Vraagprijs;Kilometerstand;Brandstof;Transmissie;Datum eerste toelating'],
  [
    'pl-PL',
    'Numer rejestracyjny;Marka;Cena;Przebieg;Rodzaj paliwa;Skrzynia biegów;Pierwsza rejestracja',
  ],
])('recognises headings in %s: %s', (locale, headings) => {
  expect(factsIn(`${headings}\nA1;Fiat;9.000;50 000;Diesel;Manual;03/2021\n`, {}, locale)).toEqual([
    {
      make: 'Fiat',
      price: 9000,
      mileage: 50_000,
      fuel: 'Diesel',
      transmission: 'Manual',
      year: 2021,
      firstRegistration: '2021-03',
    },
  ]);
});

it('reports prices that are not used, if the list has no other prices', () => {
  const problems = (headings: string) => parseList(`plate,${headings}\nA1,9000,1\n`).problems;
  const unused = 'price column not used (see stock.columns.price): "Inseratspreis"';
  expect(problems('Inseratspreis,was price')).toEqual([`1 ${unused}`]);
  expect(problems('Inseratspreis,price')).not.toContain(`1 ${unused}`);
});

it('names the line and the remedy of a quotation mark that spoils the file', () => {
  expect(() => parseList('plate,variant\nA1,"GTI 18" alloys"\n')).toThrow(
    expect.objectContaining({
      code: 'stock-file-invalid',
      why: expect.stringContaining('at line 2'),
      fix: expect.stringContaining('write a quotation mark within a quoted cell twice.'),
    }),
  );
});

it('reads a displacement with a thousands separator, and rounds mileages', () => {
  const list = 'plate;Hubraum;Kilometer\nA1;1.968;12.345,5\nA2;1.6;9000\n';
  expect(factsIn(list, {}, 'de-DE')).toEqual([
    { engine: '1968 cm³', mileage: 12_346 },
    { engine: '1.6 l', mileage: 9000 },
  ]);
});

it('does not use mileages in thousands, which one of them shows', () => {
  const list = 'plate,mileage\nA1,45\nA2,45.5\nA3,45000\n';
  expect(factsIn(list)).toEqual([{}, {}, { mileage: 45_000 }]);
  expect(factsIn(list.replace('45.5', '46'))[0]).toEqual({ mileage: 45 });
  // In a list whose unit was converted, others also have fractions.
  expect(factsIn(list.replace('45000', '45000.5'))[1]).toEqual({ mileage: 46 });
});

it('shows a previous price only if it was higher', () => {
  const list = 'plate,price,was price\nA1,9000,9995\nA2,9000,9000\nA3,9000,8000\nA4,POA,8000\n';
  const prices = factsIn(list).map(({ previousPrice }) => previousPrice);
  expect(prices).toEqual([9995, undefined, undefined, 8000]);
});

it('uses a price whose heading is there twice only if both columns agree', () => {
  const list = (second: number) =>
    `plate,price,mileage,Price\nA1,9000,5,9000\nA2,8000,6,${second}\n`;
  expect(factsIn(list(8000)).map(({ price }) => price)).toEqual([9000, 8000]);
  expect(factsIn(list(6500)).map(({ price }) => price)).toEqual([undefined, undefined]);
  expect(parseList(list(6500)).problems).toEqual([
    '1 heading there twice with different values, not used: "price"',
  ]);
});

it('reads VINs with spaces, and mileages with the separator of the prices', () => {
  const list = 'VIN;Preis;Kilometer\nwvwzzz1kz aw-000001;12.995,00;45.000\n';
  expect(factsIn(list, {}, 'de-CH')).toEqual([
    { vin: 'WVWZZZ1KZAW000001', price: 12995, mileage: 45_000 },
  ]);
});

it.each([
  ['de-DE', 'Benzin', '5,4', '5,4 l/100 km'],
  ['de-DE', 'Elektro', '16,1', '16,1 kWh/100 km'],
  ['de-DE', 'Plug-in-Hybrid', '1,4', '1,4'],
  ['de-DE', 'Benzin', '5,4 l', '5,4 l'],
  ['en-GB', 'Petrol', '52.3', '52.3'],
])('a consumption in %s, of %s: %s is %s', (locale, fuel, text, consumption) => {
  const list = `plate;fuel;consumption\nA1;${fuel};${text}\n`;
  expect(factsIn(list, {}, locale)).toEqual([{ fuel, consumption }]);
});

it('does not use numbers whose digits a spreadsheet lost', () => {
  const list =
    'plate,stock number,vin,make\nA1,"1,2E+46",1.23457E+16,Ford\n"1,79E+308",,1.23457E+016,Opel\n';
  expect(factsIn(list)).toEqual([{ make: 'Ford' }]);
  expect(parseList(list).problems).toEqual([
    '"plate": 1 value is not a number plate: "1,79E+308" (row 3)',
    expect.stringContaining('or stock number: row 3'),
  ]);
});

it('reports plates that a spreadsheet turned into numbers or dates', () => {
  const list = 'plate;vin\n1,79E+308;WVWZZZ1KZAW000001\n01/03/2024;WVWZZZ1KZAW000002\n-;V3\n';
  expect(parseList(list).problems).toEqual([
    '"plate": 2 values are not a number plate: "1,79E+308" (row 2), "01/03/2024" (row 3)',
  ]);
});

it('does not use words and engines that a spreadsheet turned into dates', () => {
  const list =
    'plate;make;model;variant;engine;consumption;stock number\nA1;Saab;09. Mrz;2.0;1.06.2026;2026-05-04;1.2.24\n';
  const { byPlate, problems } = parseList(list, {}, 'pl-PL');
  expect(byPlate.get('A1')).toEqual({ make: 'Saab', variant: '2.0', stockId: '1.2.24' });
  expect(problems).toHaveLength(3);
  expect(problems[2]).toBe('"engine": 1 value is not an engine: "1.06.2026" (row 2)');
});

it.each(['WAHR', 'VRAI', 'VERO', 'VERDADERO', 'WAAR', 'PRAWDA', 'TRUE'])(
  'reads %s, as spreadsheets write it, as sold',
  (text) => expect(factsIn(`plate;sold\nA1;${text}\n`)).toEqual([{ status: 'sold' }]),
);

it('reports a cell in a column of sold vehicles that is neither yes nor no', () => {
  const cells = ['12.11.2026', 'FALSCH', 'FAŁSZ', 'FAUX', 'FALSO', 'ONWAAR', 'nein', '0', ''];
  expect(parseList(`plate;Verkauft\nA1;${cells.join('\nA1;')}\n`).problems[0]).toBe(
    '"Verkauft": 1 value is not yes or no: "12.11.2026" (row 2)',
  );
});

it('finds a configured column whose heading has a line break or a no-break space', () => {
  const list = '"plate";"Our\nprice\u00a0EUR";"VK-\nPreis"\nA1;9000;8000\n';
  const settings = { columns: { price: 'Our price EUR' } };
  expect(parseList(list, settings).problems).toEqual([]);
  expect(factsIn(list, settings)).toEqual([{ price: 9000 }]);
});

it('reads cells that programs write as formulas for spreadsheets', () => {
  const list = 'plate;stock number;price\n="AB12 CDE";="00123";"=""12995"""\n';
  expect(factsIn(list)[0]).toEqual({ stockId: '00123', price: 12995 });
});

it('leaves out prices and mileages in which the rows of a vehicle differ', () => {
  const list = 'plate,price,mileage\nA1,9995,5\na 1,8995,5\nB2,7000,\nB2,7000,8\nA1,9995,6\n';
  expect(factsIn(list)).toEqual([{}, { price: 7000, mileage: 8 }]);
  expect(parseList(list).problems).toEqual([
    '2 vehicles listed more than once (their different prices or mileages are left out): a 1 (row 3), A1 (row 6)',
    '1 vehicle listed more than once (the last row is used): B2 (row 5)',
  ]);
});
