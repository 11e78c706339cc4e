import { type Random, randomOf } from '../../src/sample-service/data/random.ts';
import type { Fault } from '../../src/sample-service/faults.ts';

/** One thing that happens to the stock between two nights. */
export type Edit =
  | { kind: 'remove'; dealer: number; vehicle: number }
  | { kind: 'restore'; dealer: number }
  | { kind: 'shrink'; dealer: number; keep: number }
  | { kind: 'update'; dealer: number; vehicle: number }
  | { kind: 'repaint'; dealer: number; vehicle: number };

export interface Night {
  /** Hours by which the clock moves; negative where it is set back. */
  hours: number;
  edits: Edit[];
  faults: Fault[];
  /** Milliseconds after which the build is killed; undefined: it may end. */
  killAfter: number | undefined;
  /** What of the cache is lost before the build, as when a CI's cache is evicted. */
  lost: 'media' | 'manifest' | undefined;
}

const RENAMED = JSON.stringify([{ registration: 'AB10XYZ', updated: 'now', media: [] }]);

const SERVICE_FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 503, headers: { 'retry-after': '0' } },
  { status: 429, headers: { 'retry-after': '99' } },
  { status: 401 },
  { status: 404 },
  { delayMs: 150 },
  { delayMs: 700 },
  { hang: true },
  { reset: true },
  { truncate: true },
  { wrongJson: true },
  { emptyList: true },
  { body: '{"Success":false,"Message":"no"}' },
  { body: RENAMED },
  { body: '{}' },
];

const PICTURE_FAULTS: readonly Fault[] = [
  { status: 404 },
  { status: 500 },
  { reset: true },
  { truncate: true },
  { hang: true },
  { body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  { redirectTo: 'http://169.254.169.254/latest/meta-data/' },
  { delayMs: 100 },
];

function fault(random: Random): Fault {
  const times = random.chance(0.5) ? { times: random.int(1, 3) } : {};
  if (random.chance(0.6)) {
    const dealerId = random.chance(0.6) ? { dealerId: 7001 + random.int(0, 1) } : {};
    return { route: 'media', ...random.pick(SERVICE_FAULTS), ...dealerId, ...times };
  }
  return { route: 'picture', ...random.pick(PICTURE_FAULTS), ...times };
}

function edit(random: Random, vehicles: number): Edit {
  const dealer = random.int(0, 1);
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

/** The nights of a seed: the same seed gives the same nights. */
export function scheduleOf(seed: number, vehicles: number): Night[] {
  const random = randomOf('chaos', seed);
  return Array.from({ length: random.int(2, 4) }, () => ({
    // Mostly a day; sometimes a jump that ends snapshots and withdrawn pages, or goes back.
    hours: random.pick([1, 24, 24, 24, 24, 80, 400, -30]),
    edits: several(random, 3, () => edit(random, vehicles)),
    faults: several(random, 3, () => fault(random)),
    killAfter: random.chance(0.4) ? random.int(0, 1500) : undefined,
    lost: random.chance(0.25) ? random.pick(['media', 'manifest'] as const) : undefined,
  }));
}
