import { curve, lerp, type Point, type Vec } from './geometry.ts';
import type { BodyKind } from './look.ts';

/** The measures of a body, metres. Profiles run from the nose (x = 0) to the tail. */
interface Measures {
  length: number;
  width: number;
  /** Underside. */
  under: readonly Point[];
  /** Bonnet, waistline and boot lid: the top of the lower body. */
  deck: readonly Point[];
  /** Windscreen, roof and rear screen. */
  roof: readonly Point[];
  axles: readonly [front: number, rear: number];
  wheelRadius: number;
  /** How far the glass leans in, as a share of the half width at roof height. */
  lean: number;
  /** How square the nose and the tail are in plan: reach in metres. */
  noseReach: number;
  tailReach: number;
  /** Where the side glass is divided, and where it ends. */
  pillars: readonly number[];
  glass: readonly [from: number, to: number];
  doors: readonly number[];
}

const MEASURES: Readonly<Record<BodyKind, Measures>> = {
  hatchback: {
    length: 4.08,
    width: 1.8,
    under: [
      [0, 0.3],
      [0.2, 0.21],
      [0.6, 0.19],
      [3.4, 0.19],
      [3.8, 0.25],
      [4.08, 0.36],
    ],
    deck: [
      [0, 0.66],
      [0.1, 0.74],
      [0.35, 0.83],
      [0.8, 0.92],
      [1.15, 0.97],
      [2, 0.98],
      [3.2, 1.03],
      [3.85, 1.05],
      [4.08, 1.0],
    ],
    roof: [
      [0.98, 0.94],
      [1.3, 1.14],
      [1.7, 1.37],
      [2.05, 1.47],
      [2.6, 1.49],
      [3.2, 1.45],
      [3.55, 1.38],
      [3.82, 1.2],
      [4.02, 1.0],
    ],
    axles: [0.8, 3.36],
    wheelRadius: 0.325,
    lean: 0.24,
    noseReach: 0.62,
    tailReach: 0.42,
    pillars: [2.27, 3.02],
    glass: [1.32, 3.5],
    doors: [1.3, 2.3, 3.12],
  },
  saloon: {
    length: 4.65,
    width: 1.84,
    under: [
      [0, 0.3],
      [0.2, 0.2],
      [0.6, 0.18],
      [3.9, 0.18],
      [4.3, 0.24],
      [4.65, 0.38],
    ],
    deck: [
      [0, 0.64],
      [0.1, 0.72],
      [0.4, 0.81],
      [0.95, 0.89],
      [1.4, 0.94],
      [2.2, 0.95],
      [3.4, 1.0],
      [4.1, 1.02],
      [4.55, 1.0],
      [4.65, 0.94],
    ],
    roof: [
      [1.2, 0.9],
      [1.55, 1.1],
      [2.0, 1.33],
      [2.35, 1.42],
      [2.85, 1.44],
      [3.3, 1.39],
      [3.75, 1.22],
      [4.2, 1.0],
    ],
    axles: [0.86, 3.68],
    wheelRadius: 0.335,
    lean: 0.26,
    noseReach: 0.66,
    tailReach: 0.5,
    pillars: [2.55, 3.3],
    glass: [1.58, 3.86],
    doors: [1.52, 2.58, 3.42],
  },
  suv: {
    length: 4.45,
    width: 1.88,
    under: [
      [0, 0.4],
      [0.2, 0.3],
      [0.6, 0.27],
      [3.7, 0.27],
      [4.1, 0.33],
      [4.45, 0.44],
    ],
    deck: [
      [0, 0.82],
      [0.1, 0.92],
      [0.35, 1.0],
      [0.85, 1.06],
      [1.2, 1.09],
      [2.1, 1.1],
      [3.4, 1.14],
      [4.2, 1.16],
      [4.45, 1.1],
    ],
    roof: [
      [1.02, 1.05],
      [1.35, 1.26],
      [1.75, 1.52],
      [2.1, 1.64],
      [2.7, 1.67],
      [3.4, 1.64],
      [3.9, 1.57],
      [4.15, 1.38],
      [4.38, 1.1],
    ],
    axles: [0.88, 3.6],
    wheelRadius: 0.375,
    lean: 0.22,
    noseReach: 0.56,
    tailReach: 0.4,
    pillars: [2.4, 3.25],
    glass: [1.4, 3.95],
    doors: [1.36, 2.44, 3.36],
  },
  estate: {
    length: 4.7,
    width: 1.84,
    under: [
      [0, 0.3],
      [0.2, 0.2],
      [0.6, 0.18],
      [3.9, 0.18],
      [4.35, 0.24],
      [4.7, 0.36],
    ],
    deck: [
      [0, 0.65],
      [0.1, 0.73],
      [0.4, 0.82],
      [0.95, 0.9],
      [1.35, 0.95],
      [2.2, 0.96],
      [3.4, 1.0],
      [4.4, 1.03],
      [4.7, 0.98],
    ],
    roof: [
      [1.15, 0.91],
      [1.5, 1.12],
      [1.92, 1.36],
      [2.3, 1.45],
      [2.9, 1.47],
      [3.7, 1.45],
      [4.2, 1.39],
      [4.45, 1.2],
      [4.64, 0.98],
    ],
    axles: [0.86, 3.66],
    wheelRadius: 0.335,
    lean: 0.25,
    noseReach: 0.66,
    tailReach: 0.42,
    pillars: [2.5, 3.3],
    glass: [1.52, 4.22],
    doors: [1.48, 2.53, 3.42],
  },
  van: {
    length: 4.6,
    width: 1.88,
    under: [
      [0, 0.36],
      [0.2, 0.26],
      [0.6, 0.22],
      [3.9, 0.22],
      [4.3, 0.26],
      [4.6, 0.32],
    ],
    deck: [
      [0, 0.82],
      [0.08, 0.94],
      [0.3, 1.05],
      [0.6, 1.12],
      [0.9, 1.15],
      [2, 1.12],
      [3.4, 1.12],
      [4.4, 1.12],
      [4.6, 1.1],
    ],
    roof: [
      [0.66, 1.08],
      [0.95, 1.3],
      [1.35, 1.62],
      [1.7, 1.8],
      [2.2, 1.86],
      [3.2, 1.87],
      [4.2, 1.85],
      [4.44, 1.78],
      [4.57, 1.1],
    ],
    axles: [0.84, 3.66],
    wheelRadius: 0.335,
    lean: 0.13,
    noseReach: 0.5,
    tailReach: 0.16,
    pillars: [1.95],
    glass: [1.02, 1.95],
    doors: [1.02, 2.08, 3.2],
  },
};

/** Half of the lower cross-section: share of the half width by share of the height. */
const FLANK = curve([
  [0, 0.87],
  [0.07, 0.945],
  [0.2, 0.968],
  [0.42, 0.972],
  [0.6, 0.994],
  [0.66, 1],
  [0.74, 0.985],
  [0.9, 0.955],
  [1, 0.915],
]);

const CROWN_M = 0.05;
const ROOF_CROWN_M = 0.035;
const ROOF_EDGE_M = 0.1;
const PLAN_POWER = 2.9;

/** The surface of a car: where points given on a side, face or top view lie in space. */
export interface Body extends Measures {
  kind: BodyKind;
  roofTop: number;
  underAt(x: number): number;
  deckAt(x: number): number;
  roofAt(x: number): number;
  halfWidth(x: number): number;
  /** A point of the flank or side glass; `side` is −1 for the left, 1 for the right. */
  sidePoint(x: number, z: number, side: number): Vec;
  /** A point of the bonnet or boot; `share` of the half width, −1 to 1. */
  deckPoint(x: number, share: number): Vec;
  /** A point of windscreen, roof or rear screen; `share` of the half width, −1 to 1. */
  roofPoint(x: number, share: number): Vec;
  /** The point of the nose at a place of the front view, metres. */
  nosePoint(y: number, z: number): Vec;
  /** The point of the tail at a place of the rear view, metres. */
  tailPoint(y: number, z: number): Vec;
}

export function bodyOf(kind: BodyKind): Body {
  const m = MEASURES[kind];
  const [underAt, deckAt, roofAt] = [curve(m.under), curve(m.deck), curve(m.roof)];
  const roofTop = Math.max(...m.roof.map(([, z]) => z));
  const half = m.width / 2;

  const plan = (distance: number, reach: number): number =>
    distance >= reach
      ? 1
      : (1 - (1 - Math.max(distance, 0) / reach) ** PLAN_POWER) ** (1 / PLAN_POWER);
  const waist = (x: number): number =>
    1 - 0.03 * (Math.abs(x - m.length / 2) / (m.length / 2)) ** 2;
  const halfWidth = (x: number): number =>
    half * plan(x, m.noseReach) * plan(m.length - x, m.tailReach) * waist(x);

  const flankShare = (x: number, z: number): number => {
    const [low, high] = [underAt(x), deckAt(x)];
    return FLANK((z - low) / Math.max(high - low, 0.01));
  };
  const glassShare = (x: number, z: number): number => {
    const belt = deckAt(x);
    return 0.915 - m.lean * ((z - belt) / (roofTop - belt)) ** 1.15;
  };

  /** The distance from an end at which the surface is as wide as |y|. */
  const inset = (y: number, z: number, reach: number, at: (distance: number) => number): number => {
    let distance = 0.02;
    for (let i = 0; i < 4; i++) {
      const full = half * flankShare(at(distance), z) * waist(at(distance));
      const share = Math.min(Math.abs(y) / full, 0.999);
      distance = reach * (1 - (1 - share ** PLAN_POWER) ** (1 / PLAN_POWER));
    }
    return distance;
  };

  return {
    ...m,
    kind,
    roofTop,
    underAt,
    deckAt,
    roofAt,
    halfWidth,
    sidePoint: (x, z, side) => {
      const share = z <= deckAt(x) ? flankShare(x, z) : glassShare(x, z);
      return [x, side * halfWidth(x) * share, z];
    },
    deckPoint: (x, share) => {
      const y = share * halfWidth(x) * 0.915;
      return [x, y, deckAt(x) + CROWN_M * (1 - share * share) * Math.min(1, halfWidth(x) / half)];
    },
    roofPoint: (x, share) => {
      const top = roofAt(x);
      const edge = Math.max(0, (Math.abs(share) - 0.82) / 0.18);
      const drop = Math.min(ROOF_EDGE_M, Math.max(top - deckAt(x), 0)) * 0.9 * edge * edge;
      const z = top - drop + ROOF_CROWN_M * (1 - share * share);
      const width = halfWidth(x) * glassShare(x, Math.max(top - drop, deckAt(x)));
      return [x, share * width, z];
    },
    nosePoint: (y, z) => [inset(y, z, m.noseReach, (d) => d), y, z],
    tailPoint: (y, z) => [m.length - inset(y, z, m.tailReach, (d) => m.length - d), y, z],
  };
}

/** Rows of points that cover the lower body; each row runs from the left underside over the top. */
export function lowerMesh(body: Body, detail: number): Vec[][] {
  const open = openMesh(body, detail);
  // Nose and tail are blunt: the first and last rows are drawn together to close them.
  const caps = (row: readonly Vec[]): Vec[][] =>
    [0, 0.5, 0.85].map((share) => row.map(([x, y, z]): Vec => [x, y * share, z]));
  return [...caps(open[0] ?? []), ...open, ...caps(open.at(-1) ?? []).reverse()];
}

function openMesh(body: Body, detail: number): Vec[][] {
  const shares = finer(
    [
      0, 0.03, 0.07, 0.12, 0.18, 0.26, 0.34, 0.42, 0.5, 0.56, 0.6, 0.63, 0.66, 0.69, 0.73, 0.78,
      0.84, 0.9, 0.95, 0.98, 1,
    ],
    detail,
  );
  const tops = finer([1, 0.97, 0.92, 0.84, 0.72, 0.55, 0.35, 0.15], detail);
  return endsClose(80 * detail).map((t) => {
    const x = lerp(0.002, body.length - 0.002, t);
    const [low, high] = [body.underAt(x), body.deckAt(x)];
    const right = [
      ...shares.map((s) => body.sidePoint(x, lerp(low, high - 1e-6, s), 1)),
      ...tops.slice(1).map((s) => body.deckPoint(x, s)),
    ];
    return [...right.map(([px, py, pz]): Vec => [px, -py, pz]), ...right.reverse()];
  });
}

/** Rows of points that cover glass and roof, from the left waistline over the roof to the right. */
export function upperMesh(body: Body, detail: number): Vec[][] {
  const [from, to] = [body.roof[0]?.[0] ?? 0, body.roof.at(-1)?.[0] ?? body.length];
  const rows = 50 * detail;
  const tops = finer([1, 0.97, 0.94, 0.9, 0.86, 0.82, 0.7, 0.5, 0.25], detail);
  return Array.from({ length: rows }, (_, i) => {
    const x = lerp(from + 0.005, to - 0.005, i / (rows - 1));
    const low = body.deckAt(x) - 0.02;
    const high = Math.max(body.roofPoint(x, 1)[2], low);
    const right: Vec[] = [
      ...[0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9].map((s) => body.sidePoint(x, lerp(low, high, s), 1)),
      ...tops.map((s) => body.roofPoint(x, s)),
    ];
    return [...right.map(([px, py, pz]): Vec => [px, -py, pz]), ...right.reverse()];
  });
}

/** Places from 0 to 1 that crowd towards both ends, where the surface turns fastest. */
function endsClose(count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    return lerp(t, 0.5 - Math.cos(t * Math.PI) / 2, 0.85);
  });
}

/** The same places with each gap divided into `parts`. */
function finer(places: readonly number[], parts: number): number[] {
  return places.flatMap((place, i) => {
    const next = places[i + 1];
    if (next === undefined) return [place];
    return Array.from({ length: parts }, (_, s) => lerp(place, next, s / parts));
  });
}
