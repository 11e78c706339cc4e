import type { Source } from '../../images/plan.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import type { Vehicle } from '../../stock/vehicle.ts';

/** Counts by dealer of unfinished pictures when the time of `--for` ended, and of vehicles with such pictures. */
export type Waiting = ReadonlyMap<number, { vehicles: number; pictures: number }>;

type SourcesOf = (vehicles: Iterable<Vehicle>) => Pick<Source, 'key' | 'optional'>[];

/** The published state of a dealer's vehicles by number plate, according to its records. */
function formerOf({ before }: Pick<DealerStock, 'before'>) {
  const { last, live } = before ?? {};
  const vehicles = new Map(last?.vehicles.map((vehicle) => [vehicle.vrm, vehicle]));
  const withdrawn = new Map(last?.withdrawn.map((entry) => [entry.vrm, entry]));
  const listed = live?.state === 'live' ? new Set(live.vrms) : undefined;
  const isUnknown = live !== undefined && live.state !== 'absent' && 'why' in live;
  return {
    vehicles,
    withdrawn,
    /** Whether a vehicle may be live without a record of its pages. */
    isUnrecorded: ({ vrm }: Vehicle) =>
      !vehicles.has(vrm) && !withdrawn.has(vrm) && (isUnknown || listed?.has(vrm) === true),
  };
}

/**
 * Pictures that are made regardless of the time limit. Their vehicles are or may be live, but cannot stay
 * unchanged without a trusted record.
 *
 * @param first set by `--first`: nothing is live yet.
 */
export function urgentPictures(
  stock: readonly DealerStock[],
  sourcesOf: SourcesOf,
  { first }: { first: boolean },
): Set<string> {
  if (first) return new Set();
  const vehicles = stock.flatMap((one) => {
    const { isUnrecorded } = formerOf(one);
    return one.source === 'live' ? one.vehicles.filter(isUnrecorded) : [];
  });
  return new Set(sourcesOf(vehicles).map(({ key }) => key));
}

interface UnmadePictures {
  /** Keys of the pictures that were not started. */
  missing: ReadonlySet<string>;
  /** Keys of the pictures that failed without a fallback. */
  lost: ReadonlySet<string>;
  /** Whether the picture of a key is in the records. */
  isKnown: (key: string) => boolean;
}

/**
 * A stock without vehicles that wait for pictures. Published vehicles stay unchanged, and others are left out. A
 * dealer without anything to publish is also left out. A published vehicle that would lose its last picture, because
 * all its new ones failed, stays unchanged too.
 */
export function withoutWaiting(
  stock: readonly DealerStock[],
  sourcesOf: SourcesOf,
  { missing, lost, isKnown }: UnmadePictures,
): { stock: DealerStock[]; waiting: Waiting } {
  const waiting = new Map<number, { vehicles: number; pictures: number }>();
  for (const [dealer, keys] of Map.groupBy(missing, dealerOf)) {
    waiting.set(Number(dealer), { vehicles: 0, pictures: keys.length });
  }
  const reduced = stock.map((one): DealerStock => {
    if (one.source !== 'live') return one;
    const counts = waiting.get(one.dealer.id) ?? { vehicles: 0, pictures: 0 };
    const former = formerOf(one);
    const withdrawn = [...one.withdrawn];
    const vehicles = one.vehicles.flatMap((vehicle) => {
      const sources = sourcesOf([vehicle]);
      if (!sources.some(({ key }) => missing.has(key))) {
        const pictures = sources.filter(({ optional }) => !optional);
        const published = former.vehicles.get(vehicle.vrm);
        const isKept =
          published &&
          pictures.length > 0 &&
          pictures.every(({ key }) => lost.has(key)) &&
          sourcesOf([published]).some(({ key, optional }) => !optional && isKnown(key));
        return [isKept ? published : vehicle];
      }
      counts.vehicles++;
      const withdrawnEntry = former.withdrawn.get(vehicle.vrm);
      if (withdrawnEntry) withdrawn.push(withdrawnEntry);
      return former.vehicles.get(vehicle.vrm) ?? [];
    });
    const isNew = one.before?.last === undefined && one.before?.live?.state !== 'live';
    const isEmpty = vehicles.length === 0 && one.vehicles.length > 0;
    if (isNew && isEmpty) return { ...one, source: 'none', vehicles };
    return { ...one, vehicles, withdrawn: withdrawn.sort((a, b) => (a.vrm < b.vrm ? -1 : 1)) };
  });
  return { stock: reduced, waiting };
}
