import type { Point } from './geometry.ts';
import type { BodyKind } from './look.ts';

/** The measures of a body, metres. Profiles run from the nose (x = 0) to the tail. */
export interface Measures {
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

/** One set of measures for each kind of body. */
export const MEASURES: Readonly<Record<BodyKind, Measures>> = {
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
