import type { Random } from '../data/random.ts';

/** What makes one car differ from another. */
export interface CarLook {
  /** Number of the stored model: its body, wheels and face. */
  model: number;
  /** `#rrggbb` */
  paint: string;
  /** Number of the stored cabin: its seats and trim. */
  trim: number;
}

/** A hatchback, a saloon, two SUVs, an estate and a van. */
const MODELS = 6;
const TRIMS = 4;

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

export function carLook(random: Random): CarLook {
  return {
    model: random.int(0, MODELS - 1),
    paint: random.pick(PAINTS),
    trim: random.int(0, TRIMS - 1),
  };
}
