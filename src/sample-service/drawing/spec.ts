import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { MediaItem, VehicleMediaRecord } from '../../contract/media.ts';
import { hash32, randomOf } from '../data/random.ts';
import type { MediaLocation, PictureOverride } from '../data/store.ts';

/** The paints of cars, by their names in stock lists. */
export const PAINTS = {
  Red: '#b3121d',
  'Deep blue': '#12387d',
  White: '#f1f2f2',
  Black: '#1b1d21',
  Grey: '#8d949b',
  Silver: '#c9ced3',
  Green: '#0f5a4a',
  Orange: '#d9691e',
  Slate: '#4a5a6b',
  'Light blue': '#6fa3c7',
  Burgundy: '#5b1f2e',
  Sand: '#c7b48a',
} as const;

/** Folder of the stored scenes. The published package has fewer scenes. */
export const SCENES = path.join(import.meta.dirname, 'scenes');

const sceneFiles = readdirSync(SCENES);
const countOf = (view: View): number =>
  sceneFiles.filter((name) => name.endsWith(`-${view}.webp`)).length;

/** Stored models: a hatchback, a saloon, two SUVs, an estate and a van. Also stored cabins. */
export const MODELS = countOf('front');
const TRIMS = countOf('interior');

/** The features that distinguish cars. */
export interface CarDesign {
  /** Number of the stored model: its body, wheels and face. */
  model: number;
  paint: keyof typeof PAINTS;
  /** Number of the stored cabin: its seats and trim. */
  trim: number;
}

/** Points of view, in the usual order of a walk round the car. */
export const VIEWS = [
  'frontLeft',
  'left',
  'rearLeft',
  'front',
  'interior',
  'wheel',
  'rear',
  'frontRight',
  'headlight',
  'right',
  'rearRight',
  'seats',
  'high',
  'tailLight',
] as const;

export type View = (typeof VIEWS)[number];

/** Everything that determines a picture's bytes. Equal specs give equal bytes. */
export interface PictureSpec {
  design: CarDesign;
  view: View;
  plate: string;
  /** Size as stored, pixels, before orientation is applied. */
  width: number;
  height: number;
  /** EXIF orientation tag, 1 to 8. */
  orientation: number;
  /** Seeds light and grain. */
  scene: number;
}

const USUAL = { width: 1600, height: 1200 };
const LARGE = { width: 4000, height: 3000 };
const TURNED_RIGHT = 6;

/** Properties that all pictures of a service share. */
interface PictureStyle {
  seed: number;
  /** Scale of a picture's usual width and height. */
  scale: number;
}

type UsualPicture = Pick<PictureSpec, 'view' | 'width' | 'height' | 'orientation'>;

/** A listed image (interface 2.2), from its label's ordinal and the seed. */
function usualImage({ seed, scale }: PictureStyle, { id, label }: MediaItem): UsualPicture {
  const ordinal = Number(/(\d+)$/.exec(label)?.[1] ?? 1);
  const chance = randomOf(seed, 'picture', id);
  // A scaled service must be fast, and a large picture takes six times as long as an ordinary one.
  const size = chance.chance(0.08) && scale === 1 ? LARGE : USUAL;
  // A phone held upright stores the sensor's wide picture and a tag with the rotation.
  const isTurned = chance.chance(0.1);
  const view = VIEWS[(Math.max(ordinal, 1) - 1) % VIEWS.length] ?? 'frontLeft';
  return { view, ...size, orientation: isTurned ? TURNED_RIGHT : 1 };
}

/** The still of a video: 16:9, never rotated. */
function usualStill({ label }: MediaItem): UsualPicture {
  const view = label === 'Interior' ? 'interior' : 'frontRight';
  return { view, width: 1280, height: 720, orientation: 1 };
}

/** The picture of a listed image, or the still of a listed video. */
export function pictureSpec(
  style: PictureStyle,
  { dealer, vehicle, item }: MediaLocation,
  override: PictureOverride = {},
): PictureSpec {
  const { seed, scale } = style;
  const usual = item.type === 'Video' ? usualStill(item) : usualImage(style, item);
  const place = [seed, 'scene', dealer.id, vehicle.vrm, override.revision ?? 0].join('|');
  return {
    design: designOf(seed, dealer.id, vehicle, item.id),
    view: usual.view,
    plate: vehicle.vrm,
    width: override.width ?? Math.round(usual.width * scale),
    height: override.height ?? Math.round(usual.height * scale),
    orientation: override.orientation ?? usual.orientation,
    scene: hash32(place),
  };
}

/** The drawn car of a vehicle. `itemId` is used for a vehicle without media. */
export function designOf(
  seed: number,
  dealerId: number,
  { vrm, mediaList }: VehicleMediaRecord,
  itemId = 0,
): CarDesign {
  const random = randomOf(seed, 'car', dealerId, vrm, mediaList[0]?.id ?? itemId);
  return {
    model: random.int(0, MODELS - 1),
    paint: random.pick(Object.keys(PAINTS) as (keyof typeof PAINTS)[]),
    trim: random.int(0, TRIMS - 1),
  };
}
