import sharp from 'sharp';
import { randomOf } from '../data/random.ts';
import { composeScene, SCENE_WIDTH } from './scene.ts';
import type { PictureSpec } from './spec.ts';

/** Side of the tile of grain, pixels. */
const GRAIN_SIDE = 256;
const JPEG_QUALITY = 84;

/** Grain as a camera's sensor adds it: a grey tile, the same bytes for the same seed. */
function grain(seed: number, side: number, strength: number): Buffer {
  const random = randomOf('grain', seed);
  const tile = Buffer.alloc(side * side * 3);
  for (let i = 0; i < tile.length; i += 3) {
    const value = 128 + (random.next() + random.next() + random.next() - 1.5) * strength;
    tile.fill(Math.round(value), i, i + 3);
  }
  return tile;
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
  // A tile may not be larger than what it covers.
  const side = Math.min(GRAIN_SIDE, width, height);
  const drawn = await sharp(svg, { density: SVG_DENSITY * scale })
    .removeAlpha()
    .composite([
      {
        input: grain(spec.scene, side, 26),
        raw: { width: side, height: side, channels: 3 },
        tile: true,
        blend: 'soft-light',
      },
    ])
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width: w, height: h, channels } = drawn.info;
  let image = sharp(drawn.data, { raw: { width: w, height: h, channels } });
  const turn = STORED_TURN[spec.orientation];
  if (turn !== undefined) image = image.rotate(turn);
  if (w !== width || h !== height) image = image.resize(spec.width, spec.height);
  return image
    .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0' })
    .withMetadata({ orientation: spec.orientation })
    .toBuffer();
}
