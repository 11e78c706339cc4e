import { expect, it } from 'vitest';
import { decodeText } from '../../../src/stock/decode.ts';
import { atPlate } from '../../../src/stock/plate.ts';
import type { VehicleFacts } from '../../../src/stock/vehicle-facts.ts';
import { parseList } from '../../support/stock-list.ts';

/** A stock list without settings except its file, on a site of this locale. */
function read(bytes: Uint8Array, locale: string) {
  const { text, encoding } = decodeText(bytes, 'x.csv');
  return { encoding, ...parseList(text, {}, locale) };
}

const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`;
/** Text whose characters are bytes, such as `\xa4` for the euro of ISO-8859-15. */
const bytes = (text: string) => Buffer.from(text, 'latin1');

interface Layout {
  name: string;
  locale: string;
  file: Uint8Array;
  encoding: string;
  key: string;
  facts: VehicleFacts;
  units: [currency: string, mileageUnit: string];
}

// Headings and encodings follow the exports of these systems. The vehicles are invented.
const LAYOUTS: Layout[] = [
  {
    name: 'mobile.de, ISO-8859-15',
    locale: 'de-DE',
    encoding: 'ISO-8859-15',
    file: bytes(
      lines(
        'kundennummer;interne_nummer;kategorie;marke;modell;leistung;hu;ez;kilometer;preis;mwst;vin;farbe;ccm;sitze;schadstoff;verbrauch_kombiniert;kraftstoffart;getriebeart;vorbesitzer;bemerkung',
        '4711;GW-1024;Limousine;\xa6koda;Octavia;110;09.2026;03.2021;73.400;"18.990,00 \xa4";1;TMBJJ7NX0MY000001;Gr\xfcn;1968;5;Euro 6;4,3;Diesel;Automatik;1;"Scheckheft; gepflegt \xa4"',
        '4711;GW-1025;Kombi;Volkswagen;Golf;81;10.2026;11.2019;45.000;"14.500,00 \xa4";1;WVWZZZCDZLW000002;Wei\xdf;999;5;Euro 6;5,1;Benzin;Schaltgetriebe;2;',
      ),
    ),
    key: 'GW1024',
    units: ['EUR', 'km'],
    facts: {
      stockId: 'GW-1024',
      vin: 'TMBJJ7NX0MY000001',
      make: 'Škoda',
      model: 'Octavia',
      year: 2021,
      firstRegistration: '2021-03',
      price: 18990,
      mileage: 73_400,
      power: 110,
      fuel: 'Diesel',
      transmission: 'Automatik',
      colour: 'Grün',
      body: 'Limousine',
      engine: '1968 cm³',
      seats: 5,
      owners: 1,
      consumption: '4,3 l/100 km',
      description: 'Scheckheft; gepflegt €',
    },
  },
  {
    name: 'a German dealer system, Windows-1252, with inch marks in cells',
    locale: 'de',
    encoding: 'Windows-1252',
    file: bytes(
      lines(
        'VIN;HSN;TSN;Kennzeichen;Marke;Modell;Bezeichnung;Leistung (kW);Kilometerstand;Kraftstoff;Getriebeart;Hubraum;Erstzulassung;Brutto VK;Farbe',
        'WVWZZZ1KZAW000003;0603;BGU;K-AB 123;Volkswagen;Golf;Volkswagen Golf GTI 18" Felgen;155;12.500 km;Benzin;DSG;1.984 ccm;2021-03-15;27.950,00 \x80;Rot \x96 metallic',
      ),
    ),
    key: 'KAB123',
    units: ['EUR', 'km'],
    facts: {
      vin: 'WVWZZZ1KZAW000003',
      make: 'Volkswagen',
      model: 'Golf',
      variant: 'GTI 18" Felgen',
      year: 2021,
      firstRegistration: '2021-03',
      price: 27_950,
      mileage: 12_500,
      power: 155,
      fuel: 'Benzin',
      transmission: 'DSG',
      colour: 'Rot – metallic',
      engine: '1.984 ccm',
    },
  },
  {
    name: 'the UK feed of Auto Trader and Motors, UTF-8 with a byte order mark',
    locale: 'en-GB',
    encoding: 'UTF-8',
    file: Buffer.from(
      `\ufeff${lines(
        'Feed_Id,Vehicle_Id,FullRegistration,Colour,FuelType,Year,Mileage,BodyType,Doors,Make,Model,Variant,EngineSize,Price,PictureRefs,Cap_Id,Vehicle_URL',
        '"12","88123","AB12 CDE","Café Brown","Diesel","2019","45,210","Estate","5","Citroën","C5","1.5 BlueHDi","1.5","12,995","a.jpg,b.jpg","","https://d.example/1"',
      )}`,
    ),
    key: 'AB12CDE',
    units: ['GBP', 'mi'],
    facts: {
      stockId: '88123',
      make: 'Citroën',
      model: 'C5',
      variant: '1.5 BlueHDi',
      year: 2019,
      price: 12_995,
      mileage: 45_210,
      fuel: 'Diesel',
      colour: 'Café Brown',
      body: 'Estate',
      doors: 5,
      engine: '1.5 l',
      link: 'https://d.example/1',
    },
  },
  {
    name: 'vAuto, tabs, UTF-16',
    locale: 'en-US',
    encoding: 'UTF-16LE',
    file: Buffer.from(
      `\ufeff${lines(
        'VIN\tStock #\tNew/Used\tYear\tMake\tModel\tSeries\tBody\tTransmission\tOdometer\tColor\tMSRP\tPrice\tInternet Price\tCertified\tFeatures\tPhoto Url List\tListing Url',
        '1FTEW1EP5MF000004\tT1234\tUsed\t2021\tFord\tF-150\tXLT\tTruck\tAutomatic\t31,200\tBlue\t$52,000.00\t$41,995.00\t$39,995.00\tNo\tTow hitch|Heated seats\thttps://d.example/1.jpg|https://d.example/2.jpg\thttps://d.example/t1234',
      )}`,
      'utf16le',
    ),
    key: 'T1234',
    units: ['USD', 'mi'],
    facts: {
      vin: '1FTEW1EP5MF000004',
      stockId: 'T1234',
      condition: 'used',
      year: 2021,
      make: 'Ford',
      model: 'F-150',
      variant: 'XLT',
      body: 'Truck',
      colour: 'Blue',
      transmission: 'Automatic',
      mileage: 31_200,
      price: 39_995,
      equipment: ['Tow hitch', 'Heated seats'],
      link: 'https://d.example/t1234',
    },
  },
  {
    name: 'Google vehicle ads, tabs, on a site in another language',
    locale: 'fr-FR',
    encoding: 'UTF-8',
    file: Buffer.from(
      lines(
        'id\tVIN\tlink\timage_link\tprice\tcondition\tbrand\tmodel\ttrim\tyear\tcolor\tmileage\tbody_style\tengine\tdate_first_registered\tco2_emissions\tgoogle_product_category',
        'A-77\tVF1RFA00000000005\thttps://d.example/77\thttps://d.example/77.jpg\t20990.00 EUR\tused\tRenault\tMégane\tÉquilibre\t2022\tBleu\t21000 KM\thatchback\tgasoline\t2022-05\t120 g/km\tVehicles & Parts > Vehicles',
      ),
    ),
    key: 'A77',
    units: ['EUR', 'km'],
    facts: {
      stockId: 'A-77',
      vin: 'VF1RFA00000000005',
      link: 'https://d.example/77',
      price: 20_990,
      condition: 'used',
      make: 'Renault',
      model: 'Mégane',
      colour: 'Bleu',
      variant: 'Équilibre',
      year: 2022,
      firstRegistration: '2022-05',
      mileage: 21_000,
      body: 'hatchback',
      fuel: 'gasoline',
      co2: 120,
    },
  },
];

it.each(LAYOUTS)('needs no settings: $name', ({ file, locale, encoding, key, facts, units }) => {
  const list = read(file, locale);
  expect([list.encoding, list.problems, list.cut]).toEqual([encoding, [], undefined]);
  expect(atPlate(list.byPlate, key)).toEqual(facts);
  expect([list.currency, list.mileageUnit]).toEqual(units);
});

it('configured columns override the recognised ones', () => {
  const { byPlate, columns } = parseList(
    'Reg,Price,Web Price,Model,Range,Note\nA1,9000,8500,One,Two,x\n',
    { columns: { price: 'Web price', model: 'range' } },
  );
  expect(byPlate.get('A1')).toEqual({ price: 8500, model: 'Two' });
  expect(columns).toEqual([
    { heading: 'Reg', field: 'plate', samples: ['A1'] },
    { heading: 'Price', field: undefined, samples: ['9000'] },
    { heading: 'Web Price', field: 'price', samples: ['8500'] },
    { heading: 'Model', field: undefined, samples: ['One'] },
    { heading: 'Range', field: 'model', samples: ['Two'] },
    { heading: 'Note', field: undefined, samples: ['x'] },
  ]);
});

it.each([
  ['Variante', 'variant'],
  ['Streichpreis', 'previousPrice'],
  ['Alter Preis', 'previousPrice'],
  ['Ancien prix', 'previousPrice'],
  ['KM-Stand', 'mileage'],
  ['Erstzulassungsdatum', 'firstRegistration'],
  ['cc', 'engine'],
  ['Previous keepers', 'owners'],
  ['stock', 'stockId'],
  ['Engine;Image Link', 'engine'],
  ['enginedisplacement', 'engine'],
  ['Prezzo IVA inclusa', 'price'],
  ['Preis in €', 'price'],
  ['Laufleistung in km', 'mileage'],
  ['Moc [KM]', 'power'],
  ['Date de 1ère mise en circulation', 'firstRegistration'],
  ['Nº puertas', 'doors'],
  ['Kilometerstand (Tkm)', undefined],
])('knows the heading %s', (heading, field) => {
  const { columns } = parseList(`Kennzeichen;${heading}\nHH-A 1;9000\n`);
  expect(columns[1]?.field).toBe(field);
});

it.each<[headings: string, price: number | undefined, cells?: string]>([
  ['Preis (netto);Preis (brutto)', 11900],
  ['Preis (Händler);Preis (EUR, inkl. MwSt.)', 11900],
  ['Prix (HT);Prix (TTC)', 11900],
  ['Cena (netto);Cena (brutto zł)', 11900],
  ['Price (trade);Price (retail)', 11900],
  ['internet_price;sellingprice', 11900],
  ['Nettopreis;Verkaufspreis brutto', 11900],
  ['Nettopreis;VK-Preis', 11900],
  ['Preis;VK-Preis brutto', 11900],
  ['dealerPriceGross;price.consumerPriceGross', 11900],
  ['Preis;Bruttopreis', 11900],
  ['Preis;Preis brutto', 11900],
  ['Cena;Cena brutto', 11900],
  ['Prix;Prix TTC', 11900],
  ['Price;;Photo Url List;Internet Price', 11900, '10000;;;11900'],
  ['Price (ex VAT);VAT', undefined],
  ['Cost;Price (€)', 11900],
  ['price;VAT', undefined, '10000;Plus VAT'],
  ['price;VAT status', undefined, '10000;+ VAT'],
  ['price;VAT', undefined, '10000;Ex VAT'],
  ['price;VAT', undefined, '10000;Net'],
  ['price;MwSt', undefined, '10000;zzgl. MwSt.'],
  ['price;Mehrwertsteuer', undefined, '10000;netto'],
  ['price;TVA', undefined, '10000;HT'],
  ['price;BTW', undefined, '10000;exclusief'],
  ['price;price_extra', undefined, '10000;20% excl.'],
  ['price;VAT', undefined, '10000;VAT not included'],
  ['price;MwSt', undefined, '10000;zuzüglich 19 %'],
  ['price;IVA', undefined, '10000;IVA no incluido'],
  ['price;IVA', undefined, '10000;esclusa'],
  ['price;MwSt', 10_000, '10000;nicht ausweisbar'],
  ['price;MwSt', 10_000, '10000;ohne MwSt.-Ausweis'],
  ['price;VAT', 10_000, '10000;No VAT'],
  ['price;VAT', 10_000, '10000;Inc VAT'],
  ['price;VAT', 10_000, '10000;Qualifying'],
  ['price;MwSt', 10_000, '10000;1'],
  ['price;VAT', 10_000, '10000;'],
  ['price;VAT', 10_000, '10000;20%'],
])(
  'takes from %s only a price for visitors: %j of %s',
  (headings, price, cells = '10000;11900') => {
    const list = `plate;${headings}\nA1;${cells}\nB2;5000;\n`;
    const { byPlate } = parseList(list, { currency: 'EUR' });
    expect(byPlate.get('A1')?.price).toBe(price);
    if (headings.startsWith('price')) expect(byPlate.get('B2')?.price).toBe(5000);
  },
);
