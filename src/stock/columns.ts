import type { StockColumn } from '../config/dealer-schema.ts';

/** A column of a stock list that is read: of a field, or of the unit of another column. */
export type Field = StockColumn | 'currency' | 'mileageUnit';

/**
 * Headings of known exports by field, without spaces, `_`, `-`, `#`, `.`, `/` and letter case. If a file has several
 * headings of one field, the first is used.
 */
const LAYOUTS: readonly {
  source: string;
  /** Headings of this export that no other one has, whether they are used or not. */
  signs?: string;
  headings: Partial<Record<Field, string>>;
}[] = [
  {
    source: 'our own names, and words that dealers use for them',
    headings: {
      plate:
        'plate registration registrationnumber reg regno vrm numberplate licenseplate licenceplate rego kennzeichen amtlicheskennzeichen immatriculation plaque matricula targa kenteken nrrejestracyjny',
      vin: 'vin vinnumber chassisnumber fin fahrgestellnummer fahrgestellnr chassis',
      stockId:
        'stockid stocknumber stockno stock internenummer fahrzeugnummer vehicleid bestandsnummer lagernummer',
      make: 'make marke brand hersteller manufacturer marque marca merk marka',
      model: 'model modell modèle modele modelo modello',
      variant: 'variant derivative version trim modellvariante ausführung',
      year: 'year modelyear baujahr modelljahr année año anno bouwjaar rok',
      firstRegistration:
        'firstregistration datefirstregistered firstregistered registrationdate erstzulassung ez miseencirculation',
      price:
        'price askingprice retailprice verkaufspreis verkaufspreisbrutto bruttoverkaufspreis vkpreis vkpreisbrutto preis preisbrutto bruttopreis prix precio prezzo prijs',
      previousPrice: 'previousprice wasprice oldprice altpreis',
      mileage: 'mileage miles odometer kilometerstand kilometer km laufleistung kilométrage',
      fuel: 'fuel fueltype kraftstoff kraftstoffart carburant combustible brandstof',
      transmission: 'transmission gearbox transmissiontype getriebe getriebeart',
      colour: 'colour color exteriorcolour exteriorcolor farbe aussenfarbe außenfarbe couleur',
      body: 'body bodytype bodystyle karosserie karosserieform aufbau',
      condition: 'condition zustand newused',
      doors: 'doors numberofdoors türen tueren anzahltüren',
      seats: 'seats numberofseats sitze sitzplätze',
      owners: 'owners previousowners numberofowners vorbesitzer anzahlvorbesitzer halter',
      engine: 'engine enginesize displacement hubraum ccm enginedisplacement',
      power: 'power powerkw leistung leistungkw bhp ps hp kw',
      drivetrain: 'drivetrain drivetype antrieb antriebsart',
      consumption: 'consumption fuelconsumption verbrauch verbrauchkombiniert',
      co2: 'co2 co2emissions co2emission emissionskombiniert',
      co2Class: 'co2class co2klasse co2effizienzklasse',
      equipment: 'equipment features options ausstattung sonderausstattung',
      description: 'description comments beschreibung fahrzeugbeschreibung bemerkung',
      link: 'link url vehicleurl listingurl detailurl',
      status: 'status availability verfügbarkeit salesstatus',
      currency: 'currency währung waehrung',
      mileageUnit: 'mileageunit mileageunits odometerunit',
    },
  },
  {
    source: 'mobile.de CSV interface (column names of its upload documentation)',
    signs: 'kundennummer internenummer mwst schadstoff',
    headings: {
      stockId: 'internenummer',
      vin: 'vin',
      make: 'marke',
      model: 'modell',
      firstRegistration: 'ez',
      price: 'preis',
      mileage: 'kilometer',
      fuel: 'kraftstoffart',
      transmission: 'getriebeart',
      colour: 'farbe',
      body: 'kategorie',
      seats: 'sitze',
      owners: 'vorbesitzer',
      engine: 'ccm',
      power: 'leistung',
      consumption: 'verbrauchkombiniert',
      description: 'bemerkung',
    },
  },
  {
    source: 'German dealer systems (HSN, TSN, Marke, … Brutto VK)',
    signs: 'hsn tsn bruttovk',
    headings: { variant: 'bezeichnung', price: 'bruttovk vkbrutto', engine: 'hubraum' },
  },
  {
    source: 'UK dealer systems: the feed of 14 columns that Auto Trader and Motors take',
    signs: 'feedid capid picturerefs fullregistration',
    headings: {
      plate: 'fullregistration registration',
      stockId: 'vehicleid',
      colour: 'colour',
      fuel: 'fueltype',
      year: 'year',
      body: 'bodytype',
      engine: 'enginesize',
      description: 'description',
      equipment: 'options',
      previousPrice: 'previousprice',
      link: 'vehicleurl',
    },
  },
  {
    source: 'HomeNet inventory export',
    signs: 'imagelist enginedisplacement sellingprice',
    headings: {
      stockId: 'stock',
      variant: 'trim',
      colour: 'exteriorcolor',
      price: 'sellingprice internetprice',
      mileage: 'miles',
      engine: 'enginedisplacement',
    },
  },
  {
    source: 'vAuto inventory export',
    signs: 'photourllist newused',
    headings: {
      stockId: 'stock',
      condition: 'newused',
      variant: 'series',
      price: 'internetprice price',
      mileage: 'odometer',
      equipment: 'features',
      link: 'listingurl',
    },
  },
  {
    source: 'Australian dealer systems',
    signs: 'rego dapprice egcprice',
    headings: { plate: 'rego', variant: 'badge series', price: 'dapprice egcprice' },
  },
  {
    source: 'Google vehicle ads (support.google.com/merchants/answer/11192663)',
    signs: 'googleproductcategory imagelink additionalimagelink storecode',
    headings: {
      stockId: 'id',
      make: 'brand',
      variant: 'trim',
      colour: 'color',
      body: 'bodystyle',
      firstRegistration: 'datefirstregistered',
      fuel: 'engine',
      co2: 'co2emissions',
      consumption: 'fuelconsumption',
    },
  },
  {
    source: 'Meta vehicle catalogue (auto ads reference)',
    signs: 'image[0]url stateofvehicle mileagevalue',
    headings: {
      stockId: 'vehicleid stocknumber',
      mileage: 'mileagevalue',
      mileageUnit: 'mileageunit',
      colour: 'exteriorcolor',
      condition: 'stateofvehicle',
      link: 'url',
    },
  },
];

/** A heading as headings are compared. Units and notes in brackets do not count. */
export const comparableHeading = (heading: string): string =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\([^)]*\)/g, '')
    .replace(/[\s_#./-]/g, '');

/** Layouts in the order in which they name columns: first the likeliest one of which the file has a sign. */
function likeliest(headings: ReadonlySet<string>) {
  const count = (known: readonly string[]) => known.filter((one) => headings.has(one)).length;
  return LAYOUTS.map(({ headings: own, signs = '' }) => {
    const isSeen = count(signs.split(' ')) > 0;
    return { own, found: isSeen ? count(Object.values(own).join(' ').split(' ')) : 0 };
  }).sort((a, b) => b.found - a.found);
}

/**
 * The index of each recognised column of a file.
 *
 * @param settings headings from the configuration, which override the known ones.
 */
export function columnsOf(
  headings: readonly string[],
  settings: Readonly<Partial<Record<StockColumn, string>>>,
): Map<Field, number> {
  const plain = headings.map(comparableHeading);
  const columns = new Map<Field, number>();
  const taken = new Set<number>();
  const take = (field: Field, index: number) => {
    if (index < 0 || columns.has(field) || taken.has(index)) return;
    columns.set(field, index);
    taken.add(index);
  };
  for (const [field, heading] of Object.entries(settings)) {
    const wanted = heading.toLowerCase();
    take(
      field as Field,
      headings.findIndex((one) => one.toLowerCase() === wanted),
    );
  }
  for (const { own } of likeliest(new Set(plain))) {
    for (const [field, known] of Object.entries(own)) {
      // A configured column that the file lacks is not replaced by a guess.
      if (field in settings) continue;
      for (const heading of known.split(' ')) take(field as Field, plain.indexOf(heading));
    }
  }
  return columns;
}
