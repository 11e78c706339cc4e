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

/** Vehicles in the order of one property, with the place of each; others are not in it. */
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

/** Neighbours in a line, nearest first, of the same group. */
function* neighbours({ members, places, groupOf }: Line, index: number): Iterable<number> {
  const place = places.get(index);
  if (place === undefined) return;
  const own = groupOf(index);
  const ways = new Set([-1, 1]);
  for (let distance = 1; ways.size > 0; distance++) {
    for (const way of ways) {
      const other = members[place + way * distance];
      if (other === undefined || groupOf(other) !== own) ways.delete(way);
      else yield other;
    }
  }
}

/**
 * For each vehicle, up to four others like it, by their index: of the same make, model and price; of the same
 * body and price; of a like price; else its neighbours in the given order.
 *
 * They are neighbours in sorted lines and not the nearest of all, as each vehicle then has few in whose
 * neighbourhood it is: one that comes, goes or changes its price changes few pages of others.
 */
export function similarVehicles(vehicles: readonly Comparable[]): number[][] {
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
  const given: Line = {
    members,
    places: new Map(members.map((index) => [index, index])),
    groupOf: () => '',
  };
  return members.map((index) => {
    const found = new Set<number>();
    const take = (line: Line, most: number) => {
      for (const other of neighbours(line, index)) {
        if (found.size >= most) return;
        found.add(other);
      }
    };
    take(make, SAME_MAKE);
    for (const line of [body, cost, given]) take(line, SIMILAR);
    return [...found];
  });
}
