import type { StockColumn } from '../config/dealer-schema.ts';
import { CURRENCY_CODES } from '../config/region.ts';
import { withoutGrossNote } from './amount.ts';

/** A column of a stock list: a field, the unit of another column, or a note, such as `Sold`: `yes`. */
export type Field = StockColumn | 'currency' | 'vat' | 'mileageUnit' | 'sold' | 'reserved';

/**
 * Headings by field, in lower case and without spaces, `_`, `-`, `#`, `.`, `/`, `:`, `*`: our own name, then words that dealers use.
 * If a file has several headings for a field, the first is used.
 */
const WORDS: Readonly<Record<Field, string>> = {
  plate:
    'plate fullregistration registration registrationnumber registrationno registrationmark vehicleregistration vehiclereg vehicleregistrationnumber reg regno regnumber regplate vrm vrn numberplate licenseplate licenceplate licenseplatenumber rego kennzeichen amtlicheskennzeichen amtlkennzeichen polizeilicheskennzeichen polkennzeichen kfzkennzeichen amtlkennz polkennz immatriculation immat plaque matricula targa kenteken nrrejestracyjny nrrej matrícula numerrejestracyjny kontrollschild nummerplaat',
  vin: 'vin vinnumber chassisnumber fin fahrgestellnummer fahrgestellnr fahrzeugidentnr fahrzeugidentifizierungsnummer chassisno chassis chassisnummer numérodesérie bastidor nobastidor númerodebastidor telaio ntelaio numerotelaio numervin nrvin',
  stockId:
    'stockid stocknumber stockno stock internenummer internenr internalnumber offerreference fahrzeugnummer fahrzeugnr angebotsnummer vehicleid bestandsnummer lagernummer lagernr référence referencia riferimento referentie voorraadnummer id',
  make: 'make marke brand hersteller manufacturer marque marca merk marka makename',
  model: 'model modell modèle modele modelo modello modelname',
  variant:
    'variant derivative version trim variante modellvariante ausführung finition versión versione allestimento uitvoering wersja bezeichnung modeldescription badge series',
  year: 'year modelyear baujahr modelljahr année año anno bouwjaar rok añodefabricación annodiproduzione rokprodukcji',
  firstRegistration:
    'firstregistration datefirstregistered firstregistered registrationdate dateofregistration dateoffirstregistration datefirstreg firstregdate regdate erstzulassung erstzulassungsdatum datumerstzulassung ez ezdatum miseencirculation datedemiseencirculation datemiseencirculation date1èremiseencirculation datede1èremiseencirculation datemec date1èremec mec 1èremec fechadematriculación fechamatriculación primeramatriculación dataimmatricolazione immatricolazione primaimmatricolazione datumeerstetoelating eerstetoelating pierwszarejestracja datapierwszejrejestracji inverkehrsetzung 1inverkehrsetzung eersteinschrijving',
  price:
    'grossprice pricegross consumerpricegross priceconsumerpricegross bruttopreis bruttoverkaufspreis bruttovk vkbrutto dapprice egcprice price askingprice retailprice sellingprice saleprice cashprice stickerprice internetprice webprice advertisedprice pricevalue priceamount verkaufspreis vkpreis preis endpreis prix precio prezzo prijs prixdevente prixvente pvp preciodeventa preciocontado precioalcontado prezzodivendita verkoopprijs vraagprijs consumentenprijs cena cenasprzedaży',
  previousPrice: 'previousprice wasprice oldprice altpreis alterpreis streichpreis ancienprix',
  mileage:
    'mileage mileagevalue miles odometer odometerreading currentmileage kilometerstand kilometer km kms kmstand laufleistung tachostand kilométrage kilometrage kilómetros kilometros kilometraje chilometri chilometraggio tellerstand przebieg',
  fuel: 'fuel fueltype kraftstoff kraftstoffart treibstoff carburant combustible brandstof brandstofsoort énergie energie alimentazione carburante paliwo rodzajpaliwa',
  transmission:
    'transmission gearbox transmissiontype getriebe getriebeart boîte boite boîtedevitesse boîtedevitesses boitedevitesses cambio transmisión transmissie versnellingsbak versnelling skrzyniabiegów skrzynia',
  colour:
    'colour color exteriorcolour exteriorcolor extcolour extcolor farbe aussenfarbe außenfarbe farbeaussen farbeaußen couleur couleurextérieure couleurext colorexterior colore coloreesterno kleur kolor',
  body: 'body bodytype bodystyle karosserie karosserieform aufbau carrosserie carrocería carroceria carrozzeria nadwozie typnadwozia kategorie',
  condition:
    'condition zustand fahrzeugzustand newused neugebraucht état condizione condizioni estado staat stan stateofvehicle',
  doors:
    'doors numberofdoors türen tueren anzahltüren anztüren portes nbportes nombredeportes puertas nopuertas númerodepuertas porte nporte numeroporte deuren aantaldeuren liczbadrzwi',
  seats:
    'seats numberofseats sitze sitzplätze anzahlsitze anzahlsitzplätze places nbplaces nombredeplaces plazas noplazas posti zitplaatsen aantalzitplaatsen liczbamiejsc',
  owners:
    'owners previousowners previouskeepers keepers formerkeepers numberofowners noofowners prevowners vorbesitzer anzahlvorbesitzer anzvorbesitzer halter anzahlhalter propriétaires nombredepropriétaires propietarios proprietari eigenaren aantaleigenaren liczbawłaścicieli',
  engine:
    'engine enginesize displacement cubiccapacity hubraum ccm cc cylindrée cilindrada cilindrata cilinderinhoud pojemność pojemnośćskokowa pojemnośćsilnika enginedisplacement',
  power:
    'power powerkw powerbhp powerhp powerps enginepower leistung leistungkw leistungps motorleistung bhp ps hp kw pk puissancedin puissance potencia potenza vermogen moc mocsilnika',
  drivetrain:
    'drivetrain drivetype antrieb antriebsart tracción traccion trazione aandrijving napęd',
  consumption:
    'consumption fuelconsumption verbrauch verbrauchkombiniert verbrauchkomb kraftstoffverbrauch consommation consommationmixte consumo consumomedio verbruik zużyciepaliwa spalanie',
  co2: 'co2 co2emissions co2emission emissionskombiniert co2emissionen co2kombiniert co2komb émissionsdeco2 emisionesco2 emisionesdeco2 emissionico2 co2uitstoot emisjaco2',
  co2Class: 'co2class co2klasse co2effizienzklasse classeco2',
  equipment:
    'equipment features options ausstattung sonderausstattung équipements équipement equipamiento dotazioni uitrusting opties accessoires accessori wyposażenie',
  description:
    'description comments beschreibung fahrzeugbeschreibung bemerkung bemerkungen descriptif descripción observaciones descrizione omschrijving opis',
  link: 'link url vehicleurl listingurl detailurl',
  status:
    'status availability verfügbarkeit verkaufsstatus salesstatus statut disponibilité disponibilidad disponibilità beschikbaarheid dostępność',
  currency: 'currency currencycode pricecurrency pricecurrencycode währung waehrung',
  vat: 'vat vatstatus vattype pricevat priceextra mwst mehrwertsteuer tva iva btw',
  mileageUnit: 'mileageunit mileageunits odometerunit',
  sold: 'sold issold verkauft vendu vendido venduto verkocht sprzedany sprzedane',
  reserved:
    'reserved isreserved reserviert réservé reservado riservato gereserveerd zarezerwowany rezerwacja',
};

/** Headings that have another meaning in known exports. */
const LAYOUTS: readonly {
  /** Headings that only this export has. Each identifies it, even if it is not used. */
  signs: string;
  headings: Partial<Record<Field, string>>;
}[] = [
  // vAuto inventory export
  {
    signs: 'photourllist newused',
    headings: { price: 'internetprice price' },
  },
  // Google vehicle ads (support.google.com/merchants/answer/11192663)
  {
    signs: 'googleproductcategory',
    headings: { stockId: 'id', fuel: 'engine' },
  },
];

/** A unit at the end of a heading, such as `Preis in EUR`, `price_gbp` or `Laufleistung in km`. */
const UNIT_AT_END = new RegExp(
  `(?<=\\p{L}[\\s_./-])(?:in (?:\\p{Sc}|km|kw|ps|ccm)|(?:in )?(?:${CURRENCY_CODES.join('|')}))$`,
  'iu',
);

/** A note in brackets. Mileages in thousands, such as `(Tkm)`, are another column. */
const NOTE = /[([](?![^()[\]]*(?:tkm|tsd|tausend|thousand|tys|000))([^()[\]]*)[)\]]?/gi;

/** Normalises a heading for comparison. Ignores currencies, units and notes. */
const comparableHeading = (heading: string): string =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(NOTE, '')
    .replace(UNIT_AT_END, '')
    .replace(/[\s_#./:*-]|\p{Sc}/gu, '');

/** Currencies and other harmless notes of prices. Others, such as `(netto)` or `(trade)`, may name a lower price. */
const PRICE_NOTE = new RegExp(
  `^(?:(?:${CURRENCY_CODES.join('|')}|\\p{Sc}|kč|zł|kr|s?fr\\.?|retail)[\\s,;/]*)*$`,
  'iu',
);

const mayBePrice = (heading: string): boolean =>
  [...heading.matchAll(NOTE)].every(([, note = '']) =>
    PRICE_NOTE.test(withoutGrossNote(note.trim()).trim()),
  );

/**
 * The index of each recognised column of a file.
 *
 * @param settings headings from the configuration. They override known headings.
 */
export function columnsOf(
  headings: readonly string[],
  settings: Readonly<Partial<Record<StockColumn, string>>>,
): Map<Field, number> {
  const comparableHeadings = headings.map(comparableHeading);
  const priceHeadings = headings.map((heading, index) =>
    mayBePrice(heading) ? comparableHeadings[index] : undefined,
  );
  // Beside `Preis brutto`, a column `Preis` may have net prices.
  const grossHeadings = headings.map((heading, index) => {
    const text = withoutGrossNote(heading);
    return text === heading || !priceHeadings[index] ? undefined : comparableHeading(text);
  });
  const columns = new Map<Field, number>();
  const usedIndexes = new Set<number>();
  const assign = (field: Field, index: number) => {
    if (index < 0 || columns.has(field) || usedIndexes.has(index)) return;
    columns.set(field, index);
    usedIndexes.add(index);
  };
  const lowerCase = headings.map((heading) => heading.toLowerCase());
  for (const [field, heading] of Object.entries(settings)) {
    assign(field as Field, lowerCase.indexOf(heading.toLowerCase()));
  }
  const layouts = LAYOUTS.filter(({ signs }) =>
    signs.split(' ').some((sign) => comparableHeadings.includes(sign)),
  );
  for (const { headings: byField } of [...layouts, { headings: WORDS }]) {
    for (const [field, names] of Object.entries(byField)) {
      // If a configured column is missing, no other column is used instead.
      if (field in settings) continue;
      const isPrice = /price/i.test(field);
      for (const known of isPrice ? [grossHeadings, priceHeadings] : [comparableHeadings]) {
        for (const heading of names.split(' ')) assign(field as Field, known.indexOf(heading));
      }
    }
  }
  return columns;
}
