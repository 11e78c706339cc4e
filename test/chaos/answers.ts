import type { SampleDealer } from '../../src/sample-service/data/store.ts';
import { withBaseUrl } from '../../src/sample-service/data/store.ts';

type Vehicle = SampleDealer['vehicles'][number];
type Item = Vehicle['mediaList'][number];

/** Ways in which every media item of a response becomes unusable, although all vehicles are listed. */
const BARE = {
  'no items': () => [],
  'unknown type': (items: readonly Item[]) => items.map((item) => ({ ...item, type: 'Photo' })),
  'renamed address': (items: readonly Item[]) =>
    items.map(({ mediaUrl, ...item }) => ({ ...item, url: mediaUrl })),
  'relative address': (items: readonly Item[]) =>
    items.map((item) => ({ ...item, mediaUrl: URL.parse(item.mediaUrl)?.pathname ?? '' })),
  'ids as texts': (items: readonly Item[]) =>
    items.map((item) => ({ ...item, id: String(item.id) })),
};

/** Ways in which one field of a vehicle's record is malformed. Its number plate stays readable. */
const MALFORMED = {
  'date is text': { dateUpdated: 'yesterday' },
  'date is null': { dateUpdated: null },
  'no list': { mediaList: undefined },
  'list is an object': { mediaList: {} },
  'list is null': { mediaList: null },
};

/** How a response differs from the stock. */
export type Alteration =
  | { answer: 'bare'; how: keyof typeof BARE }
  | { answer: 'malformed'; how: keyof typeof MALFORMED; vehicle: number };

export const BARE_WAYS = Object.keys(BARE) as (keyof typeof BARE)[];
export const MALFORMED_WAYS = Object.keys(MALFORMED) as (keyof typeof MALFORMED)[];

/** Index of the vehicle whose record becomes malformed. */
export const placeOf = ({ vehicle }: { vehicle: number }, vehicles: number): number =>
  vehicle % vehicles;

/** The body of a response with an alteration. */
export function alteredBody(
  alteration: Alteration,
  vehicles: readonly Vehicle[],
  baseUrl: string,
): string {
  const written = withBaseUrl(structuredClone(vehicles), baseUrl) as Vehicle[];
  const altered = written.map((vehicle, index) => {
    if (alteration.answer === 'bare') {
      return { ...vehicle, mediaList: BARE[alteration.how](vehicle.mediaList) };
    }
    const isIt = index === placeOf(alteration, written.length);
    return isIt ? { ...vehicle, ...MALFORMED[alteration.how] } : vehicle;
  });
  return JSON.stringify(altered);
}

/** Media ids at the limits of the contract, and one below zero. */
export const ODD_IDS = [-1, -7_000_001, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0];
