import { curve, type Vec } from './geometry.ts';
import type { BodyKind } from './look.ts';
import { MEASURES, type Measures } from './measures.ts';

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
