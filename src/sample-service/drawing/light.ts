import { randomOf } from '../data/random.ts';
import { unit, type Vec } from './geometry.ts';
import { type Rgb, rgb } from './svg.ts';

/** The light and the place of a picture. */
export interface Light {
  /** Towards the sun. */
  sun: Vec;
  /** How strongly the sun shines, 0 (overcast) to about 0.6. */
  strength: number;
  zenith: Rgb;
  horizon: Rgb;
  trees: Rgb;
  ground: Rgb;
  place: 'showroom' | 'trees' | 'wall';
}

const SKIES = [
  { zenith: '#3f7fc4', horizon: '#dcebf7', strength: 0.5 },
  { zenith: '#6f9fcf', horizon: '#eef4f8', strength: 0.38 },
  { zenith: '#a9b7c4', horizon: '#f0f2f4', strength: 0.14 },
  { zenith: '#5b7fb4', horizon: '#fbe4c6', strength: 0.46 },
] as const;

export function lightOf(scene: number): Light {
  const random = randomOf('light', scene);
  const sky = random.pick(SKIES);
  return {
    sun: unit([random.between(-0.9, 0.2), random.between(-1, -0.3), random.between(0.9, 1.5)]),
    strength: sky.strength,
    zenith: rgb(sky.zenith),
    horizon: rgb(sky.horizon),
    trees: rgb('#39434a'),
    ground: rgb('#6d6f72'),
    place: random.pick(['showroom', 'showroom', 'trees', 'wall'] as const),
  };
}
