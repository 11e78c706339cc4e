import path from 'node:path';
import sharp from 'sharp';
import places from './layers/places.json' with { type: 'json' };
import type { PictureSpec } from './spec.ts';

/** Size of every layer, pixels. */
export const LAYER = { width: 1280, height: 960 };

/** Of a layer of paint: 255 stands for light that makes a paint this much brighter than it is. */
export const PAINT_GAIN = 1 / 0.7;

/** Backdrops to choose from, and the row of each where the sky ends, at the width of a layer. */
export const BACKDROPS = 12;
export const BACKDROP_HORIZON = 448;

const FOLDER = path.join(import.meta.dirname, 'layers');

/** The views of the right side are those of the left, mirrored. */
const MIRROR_OF: Readonly<Record<string, string>> = {
  frontRight: 'frontLeft',
  right: 'left',
  rearRight: 'rearLeft',
};

/** A corner of a number plate, pixels of the layer. */
export type Corner = readonly [x: number, y: number];

/** A stored drawing: what of it is paint, and where its horizon and its plate lie. */
export interface Layer {
  file: string;
  mirrored: boolean;
  /** Absent where nothing shows the vehicle's paint. */
  paintFile?: string;
  /** Row of the horizon; absent where the layer covers all of the picture. */
  horizon?: number;
  /** Corners of the plate as one reads it: top left, top right, bottom right, bottom left. */
  plate?: readonly Corner[];
}

/** The layer that a picture is made from. */
export function layerOf({ look, view }: Pick<PictureSpec, 'look' | 'view'>): Layer {
  const file = (name: string): string => path.join(FOLDER, `${name}.webp`);
  if (view === 'interior' || view === 'seats') {
    const name = `${look.trim}-${view}`;
    return {
      file: file(name),
      mirrored: false,
      ...(view === 'interior' && { paintFile: file(`${name}-paint`) }),
    };
  }
  const name = `${look.model}-${MIRROR_OF[view] ?? view}`;
  const mirrored = view in MIRROR_OF;
  const [horizon = 0, ...numbers] = (places as Record<string, number[]>)[name] ?? [];
  const corners = [0, 2, 4, 6].map((at): Corner => [numbers[at] ?? 0, numbers[at + 1] ?? 0]);
  return {
    file: file(name),
    paintFile: file(`${name}-paint`),
    mirrored,
    horizon,
    ...(numbers.length > 0 && { plate: mirrored ? mirror(corners) : corners }),
  };
}

function mirror(corners: readonly Corner[]): Corner[] {
  const flipped = corners.map(([x, y]): Corner => [LAYER.width - x, y]);
  return [1, 0, 3, 2].map((at) => flipped[at] as Corner);
}

/** Pixels, row after row. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** A layer's colours and opacity (four channels) or its paint (one), filling a size. */
export async function openLayer(
  file: string,
  { width, height }: { width: number; height: number },
  mirrored: boolean,
  channels: 1 | 4,
): Promise<Pixels> {
  let image = sharp(file);
  if (width !== LAYER.width || height !== LAYER.height) {
    image = image.resize(width, height, { fit: 'cover' });
  }
  if (mirrored) image = image.flop();
  image = channels === 1 ? image.extractChannel(0) : image.ensureAlpha();
  return { data: await image.raw().toBuffer(), width, height };
}

const opened = new Map<string, Promise<Pixels>>();
const MOST_OPENED = 24;

/** A backdrop at a width, three channels. Kept, since every picture has one. */
export function openBackdrop(index: number, width: number): Promise<Pixels> {
  const key = `${index}|${width}`;
  const found = opened.get(key);
  if (found) return found;
  if (opened.size >= MOST_OPENED) opened.clear();
  const begun = readBackdrop(index, width);
  opened.set(key, begun);
  return begun;
}

async function readBackdrop(index: number, width: number): Promise<Pixels> {
  const { data, info } = await sharp(path.join(FOLDER, `backdrop-${index}.webp`))
    .resize({ width })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
