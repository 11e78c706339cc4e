/** Statuses of a vehicle, with their spellings in stock lists, in lower case. */
const SPELLINGS = {
  available: [
    ...['available', 'in stock', 'for sale', 'live', 'verfügbar', 'verfuegbar', 'frei', 'lagernd'],
    ...['disponible', 'disponibile', 'disponível', 'beschikbaar', 'dostępny', 'tillgänglig'],
  ],
  reserved: [
    ...['reserved', 'on hold', 'deposit taken', 'pending', 'reserviert', 'réservé', 'réservée'],
    ...['reservado', 'riservato', 'prenotato', 'gereserveerd', 'zarezerwowany', 'reserverad'],
  ],
  sold: [
    ...['sold', 'sold out', 'verkauft', 'vendu', 'vendue', 'vendido', 'venduto', 'verkocht'],
    ...['sprzedany', 'såld'],
  ],
} as const satisfies Record<string, readonly string[]>;

export type VehicleStatus = keyof typeof SPELLINGS;

const STATUSES = new Map<string, VehicleStatus>(
  Object.entries(SPELLINGS).flatMap(([status, spellings]) =>
    spellings.map((spelling) => [spelling, status as VehicleStatus] as const),
  ),
);

/** The status that a cell names in any letter case; undefined if it is unknown. */
export const readStatus = (text: string): VehicleStatus | undefined =>
  STATUSES.get(text.toLowerCase().replace(/[\s_-]+/g, ' '));
