import type { Random } from '../data/random.ts';

export const BODY_KINDS = ['hatchback', 'saloon', 'suv', 'estate', 'van'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export const WHEEL_STYLES = ['five', 'ten', 'mesh', 'turbine'] as const;
export type WheelStyle = (typeof WHEEL_STYLES)[number];

/** What makes one car differ from another. */
export interface CarLook {
  body: BodyKind;
  /** `#rrggbb` */
  paint: string;
  wheel: WheelStyle;
  /** Rims painted dark. */
  darkRims: boolean;
  /** Colour of the seats, `#rrggbb`. */
  trim: string;
  /** Shape of grille and lights, 0 to 2. */
  face: number;
}

const PAINTS = [
  '#b3121d',
  '#12387d',
  '#f1f2f2',
  '#1b1d21',
  '#8d949b',
  '#c9ced3',
  '#0f5a4a',
  '#d9691e',
  '#4a5a6b',
  '#6fa3c7',
  '#5b1f2e',
  '#c7b48a',
] as const;

const TRIMS = ['#2a2c30', '#2a2c30', '#5d4330', '#8a8378', '#3b4148'] as const;

export function carLook(random: Random): CarLook {
  return {
    body: random.pick([...BODY_KINDS, 'hatchback', 'suv', 'saloon'] as const),
    paint: random.pick(PAINTS),
    wheel: random.pick(WHEEL_STYLES),
    darkRims: random.chance(0.3),
    trim: random.pick(TRIMS),
    face: random.int(0, 2),
  };
}
