import type { VehicleFacts } from '../../stock/vehicle-facts.ts';

/** Number of similar vehicles on a page. */
const SIMILAR = 4;
/** Maximum number of them with the same make. Others have the same body or a similar price. */
const SAME_MAKE = 2;

/** The data of a vehicle by which similar ones are found. */
export interface Comparable {
  /** Unique among the vehicles of the dealer. */
  slug: string;
  facts: VehicleFacts;
}

/** Vehicles in an order, with the position of each. */
interface Line {
  members: readonly number[];
  places: ReadonlyMap<number, number>;
  /** Neighbours of different groups are not similar. Vehicles without a group are left out. */
  groupOf: (index: number) => string | undefined;
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

/** Vehicles sorted by their group, then by keys, then by name. */
function lineOf(
  vehicles: readonly Comparable[],
  group: (facts: VehicleFacts) => string | undefined,
  keys: readonly ((facts: VehicleFacts) => string | number)[],
): Line {
  const at = (index: number) => vehicles[index] as Comparable;
  const groupOf = (index: number) => group(at(index).facts);
  const allKeys = [(facts: VehicleFacts) => group(facts) ?? '', ...keys];
  const members = [...vehicles.keys()]
    .filter((index) => groupOf(index) !== undefined)
    .sort((first, second) => {
      const a = at(first);
      const b = at(second);
      for (const key of allKeys) {
        const order = compare(key(a.facts), key(b.facts));
        if (order !== 0) return order;
      }
      return compare(a.slug, b.slug);
    });
  return { members, places: new Map(members.map((index, place) => [index, place])), groupOf };
}

/** Neighbours in a line, nearest first, of the same group, that are for sale. */
function* neighbours(
  { members, places, groupOf }: Line,
  index: number,
  isForSale: (index: number) => boolean,
): Iterable<number> {
  const place = places.get(index);
  if (place === undefined) return;
  const group = groupOf(index);
  const ways = new Map([-1, 1].map((way) => [way, place]));
  while (ways.size > 0) {
    for (const [way, from] of ways) {
      let at = from + way;
      let other = members[at];
      while (other !== undefined && !isForSale(other)) {
        at += way;
        other = members[at];
      }
      ways.set(way, at);
      if (other === undefined || groupOf(other) !== group) ways.delete(way);
      else yield other;
    }
  }
}

/**
 * For each vehicle, the indices of up to four similar ones: by make, model and price, then by body and price, then
 * by price. If there are fewer, its neighbours in the given order are added.
 *
 * Similar vehicles are neighbours in sorted lines, not the nearest of all. So each vehicle is on few pages of
 * others, and few pages change if it is added, withdrawn or changes its price.
 *
 * @param offered the number of listed vehicles, which come first. Withdrawn vehicles follow. They and sold vehicles
 *   get similar vehicles, but are not shown as similar. Withdrawn ones have no place in the given order, so their
 *   last line is by name.
 */
export function similarVehicles(
  vehicles: readonly Comparable[],
  offered = vehicles.length,
): number[][] {
  const price = (facts: VehicleFacts) => facts.price ?? Number.POSITIVE_INFINITY;
  const modelOf = ({ model = '' }: VehicleFacts) => model.toLowerCase();
  const make = lineOf(vehicles, (facts) => facts.make?.toLowerCase(), [modelOf, price]);
  const body = lineOf(vehicles, (facts) => facts.body?.toLowerCase(), [price]);
  const cost = lineOf(vehicles, (facts) => (facts.price === undefined ? undefined : ''), [price]);
  const isForSale = (index: number) => index < offered && vehicles[index]?.facts.status !== 'sold';
  const members = [...vehicles.keys()];
  const inOrder = members.slice(0, offered);
  const inGivenOrder: Line = {
    members: inOrder,
    places: new Map(inOrder.map((index) => [index, index])),
    groupOf: () => '',
  };
  const byName = offered < vehicles.length ? lineOf(vehicles, () => '', []) : inGivenOrder;
  return members.map((index) => {
    const similar = new Set<number>();
    const take = (line: Line, most: number) => {
      for (const other of neighbours(line, index, isForSale)) {
        if (similar.size >= most) return;
        similar.add(other);
      }
    };
    take(make, SAME_MAKE);
    for (const line of [body, cost, index < offered ? inGivenOrder : byName]) take(line, SIMILAR);
    return [...similar];
  });
}
