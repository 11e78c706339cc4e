import type { VehicleFacts } from '../../stock/vehicle-facts.ts';

/** Vehicles that a page shows besides its own. */
const SIMILAR = 4;
/** How many of them have the make in common, at most: others share the body, or cost as much. */
const SAME_MAKE = 2;

/** What is needed of a vehicle to find others like it. */
export interface Comparable {
  /** Unique among the vehicles of the dealer. */
  slug: string;
  facts: VehicleFacts;
}

/** Vehicles in the order of one property, with the place of each. Others are not in it. */
interface Line {
  members: readonly number[];
  places: ReadonlyMap<number, number>;
  /** Vehicles of different groups are not alike, even side by side. */
  groupOf: (index: number) => string;
}

const folded = (text: string | undefined): string => (text ?? '').toLowerCase();

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

function lineOf(
  vehicles: readonly Comparable[],
  isIn: (facts: VehicleFacts) => boolean,
  keys: readonly ((facts: VehicleFacts) => string | number)[],
  group: (facts: VehicleFacts) => string = () => '',
): Line {
  const at = (index: number) => vehicles[index] as Comparable;
  const members = [...vehicles.keys()]
    .filter((index) => isIn(at(index).facts))
    .sort((one, other) => {
      const [a, b] = [at(one), at(other)];
      for (const key of keys) {
        const order = compare(key(a.facts), key(b.facts));
        if (order !== 0) return order;
      }
      return compare(a.slug, b.slug);
    });
  return {
    members,
    places: new Map(members.map((index, place) => [index, place])),
    groupOf: (index) => group(at(index).facts),
  };
}

/** Neighbours in a line, nearest first, of the same group, whose index is below `most`. */
function* neighbours(
  { members, places, groupOf }: Line,
  index: number,
  most: number,
): Iterable<number> {
  const place = places.get(index);
  if (place === undefined) return;
  const group = groupOf(index);
  const ways = new Map([-1, 1].map((way) => [way, place]));
  while (ways.size > 0) {
    for (const [way, from] of ways) {
      let at = from + way;
      // Others in between are not offered.
      while ((members[at] ?? -1) >= most) at += way;
      const other = members[at];
      ways.set(way, at);
      if (other === undefined || groupOf(other) !== group) ways.delete(way);
      else yield other;
    }
  }
}

/**
 * For each vehicle, up to four others like it, by their index: of the same make, model and price. Of the same
 * body and price. Of a like price; else its neighbours in the given order.
 *
 * They are neighbours in sorted lines and not the nearest of all, as each vehicle then has few in whose
 * neighbourhood it is: one that comes, goes or changes its price changes few pages of others.
 *
 * @param offered how many of them, from the first, are for sale. Withdrawn ones after them are like others, and no
 *   other is like them. They have no place in the given order, so their last line is by name.
 */
export function similarVehicles(
  vehicles: readonly Comparable[],
  offered = vehicles.length,
): number[][] {
  const price = (facts: VehicleFacts) => facts.price ?? Number.POSITIVE_INFINITY;
  const make = lineOf(
    vehicles,
    (facts) => facts.make !== undefined,
    [({ make }) => folded(make), ({ model }) => folded(model), price],
    ({ make }) => folded(make),
  );
  const body = lineOf(
    vehicles,
    (facts) => facts.body !== undefined,
    [({ body }) => folded(body), price],
    ({ body }) => folded(body),
  );
  const cost = lineOf(vehicles, (facts) => facts.price !== undefined, [price]);
  const members = [...vehicles.keys()];
  const inOrder = members.slice(0, offered);
  const given: Line = {
    members: inOrder,
    places: new Map(inOrder.map((index) => [index, index])),
    groupOf: () => '',
  };
  const byName = offered < vehicles.length ? lineOf(vehicles, () => true, []) : given;
  return members.map((index) => {
    const found = new Set<number>();
    const take = (line: Line, most: number) => {
      for (const other of neighbours(line, index, offered)) {
        if (found.size >= most) return;
        found.add(other);
      }
    };
    take(make, SAME_MAKE);
    for (const line of [body, cost, index < offered ? given : byName]) take(line, SIMILAR);
    return [...found];
  });
}
