import { z } from 'zod';
import { LONGEST } from '../contract/media.ts';

/** Values with a fixed set of names, and their spellings in stock lists, in lower case. */
export const NAMED = {
  condition: {
    new: [
      'new',
      'n',
      'brand new',
      'new car',
      'neu',
      'neuwagen',
      'neufahrzeug',
      'neuf',
      'neuve',
      'nuevo',
      'nueva',
      'nuovo',
      'nuova',
      'nieuw',
      'nowy',
      'nowa',
      'nowe',
      'vn',
    ],
    used: [
      'used',
      'u',
      'used car',
      'approved used',
      'nearly new',
      'ex demo',
      'pre owned',
      'certified',
      'cpo',
      'gebraucht',
      'gebrauchtwagen',
      'gebrauchtfahrzeug',
      'occasion',
      "d'occasion",
      'vorführwagen',
      'vorführfahrzeug',
      'dienstwagen',
      'jahreswagen',
      'tageszulassung',
      'usado',
      'usada',
      'usato',
      'usata',
      'gebruikt',
      'tweedehands',
      'używany',
      'używana',
      'używane',
      'vo',
      'ocasión',
      'seminuevo',
      'km0',
      'km 0',
    ],
  },
  status: {
    available: [
      'available',
      'in stock',
      'for sale',
      'live',
      'verfügbar',
      'verfuegbar',
      'frei',
      'lagernd',
      'disponible',
      'disponibile',
      'disponível',
      'beschikbaar',
      'dostępny',
      'tillgänglig',
    ],
    reserved: [
      'reserved',
      'on hold',
      'under offer',
      'sale agreed',
      'deposit taken',
      'pending',
      'reserviert',
      'réservé',
      'réservée',
      'reservado',
      'reservada',
      'riservato',
      'prenotato',
      'prenotata',
      'riservata',
      'gereserveerd',
      'zarezerwowany',
      'zarezerwowana',
      'rezerwacja',
      'reserverad',
    ],
    sold: [
      'sold',
      'sold out',
      'not available',
      'out of stock',
      'verkauft',
      'vendu',
      'vendue',
      'vendido',
      'vendida',
      'venduto',
      'venduta',
      'verkocht',
      'sprzedany',
      'sprzedana',
      'såld',
    ],
  },
} as const;

type NamedField = keyof typeof NAMED;

/** The value of a cell, in any letter case. Undefined if it is unknown. */
export function readNamed<K extends NamedField>(field: K, text: string) {
  const plain = text
    .toLowerCase()
    .replace('’', "'")
    .replace(/[\s_-]+/g, ' ');
  const entry = Object.entries<readonly string[]>(NAMED[field]).find(([, spellings]) =>
    spellings.includes(plain),
  );
  return entry?.[0] as VehicleFacts[K] | undefined;
}

export const LONGEST_TEXT = 120;
export const LONGEST_DESCRIPTION = 5000;
export const MOST_EQUIPMENT = 100;

const text = z.string().min(1).max(LONGEST_TEXT);
const count = z.int().min(0);
const amount = z.number().min(0);
const names = <K extends NamedField>(field: K) =>
  z.enum(Object.keys(NAMED[field]) as [keyof (typeof NAMED)[K] & string]);

/** Facts of a vehicle from the dealer's stock list. The service knows only the plate. */
export const vehicleFactsSchema = z
  .strictObject({
    make: text,
    model: text,
    variant: text,
    year: count,
    firstRegistration: z.string().regex(/^\d{4}-\d\d$/),
    /** In the currency of the list. */
    price: amount,
    previousPrice: amount,
    /** In the unit of the list. */
    mileage: amount,
    fuel: text,
    transmission: text,
    colour: text,
    /** Kind of body, such as `Estate`. */
    body: text,
    condition: names('condition'),
    doors: count,
    seats: count,
    owners: count,
    /** Displacement with its unit, or a name. */
    engine: text,
    /** Kilowatts. */
    power: amount,
    drivetrain: text,
    /** As written in the list, with a unit if the list has none. */
    consumption: text,
    /** Grams per kilometre. */
    co2: amount,
    /** As written in the list. */
    co2Class: text,
    equipment: z.array(text).max(MOST_EQUIPMENT),
    /** Plain text. Line breaks separate its paragraphs. */
    description: z.string().min(1).max(LONGEST_DESCRIPTION),
    stockId: text,
    /** Identifies rows and is part of feeds. Pages and records do not have it, because some countries protect it. */
    vin: text,
    /** The vehicle's page on the dealer's website, http(s). */
    link: z.string().max(LONGEST.address),
    status: names('status'),
  })
  .partial();

export type VehicleFacts = z.infer<typeof vehicleFactsSchema>;

/** The facts that records store. */
export const recordedFactsSchema = vehicleFactsSchema.omit({ vin: true });
