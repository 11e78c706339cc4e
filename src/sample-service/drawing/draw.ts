import sharp from 'sharp';
import { randomOf } from '../data/random.ts';
import { composeScene, SCENE_WIDTH } from './scene.ts';
import type { PictureSpec } from './spec.ts';

const JPEG_QUALITY = 84;

/** Grain of a camera's sensor, levels of 255: enough to keep a sky from showing bands. */
const GRAIN = 3;
const GRAIN_LENGTH = 65_521;

/** Levels to add to one pixel after another, the same for the same seed. */
function grain(seed: number): Int8Array {
  const random = randomOf('grain', seed);
  return Int8Array.from({ length: GRAIN_LENGTH }, () => Math.round((random.next() - 0.5) * GRAIN));
}

/** EXIF orientations that exchange width and height. */
const SIDEWAYS = new Set([5, 6, 7, 8]);

/** Degrees to turn the upright drawing by, so that a viewer who obeys the tag sees it upright. */
const STORED_TURN: Readonly<Record<number, number>> = { 3: 180, 6: 270, 8: 90 };

/** Below this the library refuses to draw. Pixels. */
const SMALLEST_SCENE = 32;

/** Dots per inch at which a unit of SVG is one pixel. */
const SVG_DENSITY = 72;

/**
 * The JPEG of a picture. The same spec gives the same bytes. Scenes are composed at one size; larger
 * pictures are enlarged from it, so that 4000×3000 costs little more than 1600×1200, and smaller ones
 * are drawn small, at a fraction of the cost.
 */
export async function drawPicture(spec: PictureSpec): Promise<Buffer> {
  const sideways = SIDEWAYS.has(spec.orientation);
  const [width, height] = sideways ? [spec.height, spec.width] : [spec.width, spec.height];
  const sceneHeight = Math.round((SCENE_WIDTH * height) / width);
  const svg = Buffer.from(composeScene(spec, sceneHeight));
  const scale = Math.min(1, Math.max(width, SMALLEST_SCENE) / SCENE_WIDTH);
  const { data, info } = await sharp(svg, { density: SVG_DENSITY * scale })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width: w, height: h, channels } = info;
  addGrain(data, channels, grain(spec.scene));
  let image = sharp(data, { raw: { width: w, height: h, channels } });
  const turn = STORED_TURN[spec.orientation];
  if (turn !== undefined) image = image.rotate(turn);
  if (w !== width || h !== height) image = image.resize(spec.width, spec.height);
  return image
    .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0' })
    .withMetadata({ orientation: spec.orientation })
    .toBuffer();
}

/** Every channel of a pixel gets the same, so that grain is grey. Mended in place: it is ours. */
function addGrain(pixels: Buffer, channels: number, levels: Int8Array): void {
  const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
  for (let at = 0, i = 0; at < clamped.length; at += channels, i++) {
    const level = levels[i % GRAIN_LENGTH] ?? 0;
    if (level === 0) continue;
    for (let c = at; c < at + channels; c++) clamped[c] = (clamped[c] ?? 0) + level;
  }
}
