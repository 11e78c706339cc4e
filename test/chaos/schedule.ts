import { type Random, randomOf } from '../../src/sample-service/data/random.ts';
import { ODD_IDS } from './answers.ts';
import { type Damage, drawDamage } from './damage.ts';
import { DEALERS, type Drawn, drawAlterations, drawFaults } from './faults.ts';

/** One change of the stock between two nights. */
export type Edit =
  | { kind: 'remove'; dealer: number; vehicle: number }
  | { kind: 'restore'; dealer: number }
  | { kind: 'shrink'; dealer: number; keep: number }
  | { kind: 'update'; dealer: number; vehicle: number }
  | { kind: 'repaint'; dealer: number; vehicle: number }
  /** The vehicle's first picture is listed a second time, with this id. */
  | { kind: 'odd id'; dealer: number; vehicle: number; id: number };

/** Disks that have or can request the live state. Their builds have equal results. */
export const KNOWING = ['kept', 'restored', 'empty'] as const;
type Knowing = (typeof KNOWING)[number];

/**
 * The disk of a night. `kept` belongs to the last build. `restored` is new with a restored cache. `empty` is
 * new. `unreachable` is new, and the published site cannot be read.
 */
export type DiskKind = Knowing | 'unreachable';

/** Parts of a cache that are lost before a build, such as after eviction by a CI. */
export type Lost = 'media' | 'records' | 'all';

export interface Night {
  /** Hours that the clock advances. Negative if it is set back. */
  hours: number;
  edits: Edit[];
  faults: Drawn[];
  disk: DiskKind;
  /** The restored cache: from the last night or from the one before. */
  cache: 0 | 1;
  /** Reason why the published site is unreachable. */
  outage: 'status' | 'refused' | 'hang';
  lost: Lost | undefined;
  /** Milliseconds until the build is killed. Undefined: it completes. */
  killAfter: number | undefined;
  /** Dealers whose key changes from this night on, at the service and in the configuration. */
  rotated: number[];
  /** Dealers whose configured key is wrong in this night. */
  wrongKey: number[];
  /** Damaged published records. */
  damage: Damage[];
  /** The user accepts the losses that the last build held. */
  accepts: boolean;
  /** The night is built on every disk for comparison. */
  compared: boolean;
  /** Runs a thin build and applies it to the public site. */
  thin: boolean;
  /** Hours by which the clock is ahead, in this night only. */
  ahead: number;
  /** The site's address returns 404 for everything during the build, although the host has the release. */
  detached: boolean;
}

export interface Schedule {
  nights: Night[];
  /** Disk of the calm night at the end. */
  calm: Knowing;
  /** First night in which the new dealer's service responds, and its responses before. */
  opens: { night: number; before: 404 | 401 | 503 };
  /** Dealers whose keys are too short for a signature from the first night on. */
  short: number[];
}

function edit(random: Random, vehicles: number): Edit {
  const dealer = random.int(0, DEALERS - 1);
  const vehicle = random.int(0, vehicles - 1);
  return random.pick<Edit>([
    { kind: 'remove', dealer, vehicle },
    { kind: 'restore', dealer },
    { kind: 'shrink', dealer, keep: random.int(0, vehicles - 1) },
    { kind: 'update', dealer, vehicle },
    { kind: 'repaint', dealer, vehicle },
  ]);
}

const several = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.int(0, most) }, make);

function disk(random: Random): DiskKind {
  const kind = random.next();
  if (kind < 0.35) return 'kept';
  if (kind < 0.55) return 'restored';
  return kind < 0.82 ? 'empty' : 'unreachable';
}

function night(
  random: Random,
  vehicles: number,
): Omit<Night, 'damage' | 'thin' | 'ahead' | 'detached'> {
  const where = disk(random);
  const compared = where !== 'unreachable' && random.chance(0.4);
  const someDealer = () => random.int(0, DEALERS - 1);
  return {
    disk: where,
    compared,
    cache: random.chance(0.6) ? 0 : 1,
    outage: random.pick(['status', 'status', 'refused', 'hang'] as const),
    // Mostly a day; sometimes a jump beyond the age of snapshots and withdrawn pages, or back.
    hours: random.pick([1, 24, 24, 24, 24, 80, 400, -30]),
    edits: several(random, 3, () => edit(random, vehicles)),
    faults: drawFaults(random, compared),
    killAfter: !compared && random.chance(0.45) ? random.int(0, 1500) : undefined,
    lost: random.chance(0.25) ? random.pick(['media', 'records', 'all'] as const) : undefined,
    rotated: random.chance(0.15) ? [...new Set(several(random, 3, someDealer))] : [],
    wrongKey: random.chance(0.08) ? [...new Set([someDealer(), someDealer()])] : [],
    accepts: random.chance(0.3),
  };
}

const someVehicle = (random: Random, vehicles: number) => ({
  dealer: random.int(0, DEALERS - 1),
  vehicle: random.int(0, vehicles - 1),
});

/** Adds faults of a service, a clock or a domain. */
function withOddities(random: Random, vehicles: number, night: Night): Night {
  const oddId = random.chance(0.15)
    ? [{ kind: 'odd id', ...someVehicle(random, vehicles), id: random.pick(ODD_IDS) } as const]
    : [];
  const alterations = drawAlterations(random);
  const ahead = random.chance(0.12) ? random.pick([30, 72, 480, 9600]) : 0;
  const next = {
    ...night,
    edits: [...night.edits, ...oddId],
    // The first matching fault counts.
    faults: [...alterations, ...night.faults],
    ahead,
  };
  if (!random.chance(0.12)) return next;
  const disk = random.pick(['empty', 'empty', 'restored', 'kept'] as const);
  return { ...next, disk, detached: true, compared: false };
}

/** The nights of a seed: the same seed gives the same nights. */
export function scheduleOf(seed: number, vehicles: number): Schedule {
  const random = randomOf('chaos', seed);
  const other = randomOf('chaos with damage', seed);
  const third = randomOf('chaos of changes', seed);
  const fourth = randomOf('chaos of oddities', seed);
  const places = Array.from({ length: DEALERS }, (_, dealer) => dealer);
  const short = other.chance(0.2) ? places.filter(() => other.chance(0.5)) : [];
  const nights: Night[] = [];
  for (let left = random.int(2, 4); left > 0; left--) {
    const next = night(random, vehicles);
    const thin = third.chance(0.4);
    const all = { ...next, damage: drawDamage(other), thin, ahead: 0, detached: false };
    nights.push(withOddities(fourth, vehicles, all));
  }
  // The calm night removes these pictures. For a small dealer, two would be a loss that a build may hold.
  const odd = new Set<number>();
  for (const one of nights) {
    one.edits = one.edits.filter(({ kind, dealer }) => {
      if (kind !== 'odd id') return true;
      const isFirst = !odd.has(dealer);
      odd.add(dealer);
      return isFirst;
    });
  }
  const [first] = nights;
  if (first) first.rotated = [...new Set([...first.rotated, ...short])];
  return {
    nights,
    short,
    calm: random.pick(KNOWING),
    opens: { night: random.int(0, 3), before: random.pick([404, 401, 503] as const) },
  };
}
