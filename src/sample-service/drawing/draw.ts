import sharp from 'sharp';
import { randomOf } from '../data/random.ts';
import { composeScene, SCENE_WIDTH } from './scene.ts';
import type { PictureSpec } from './spec.ts';

const GRAIN_SIDE = 256;
const JPEG_QUALITY = 84;

/** Grain as a camera's sensor adds it: a grey tile, the same bytes for the same seed. */
function grain(seed: number, strength: number): Buffer {
  const random = randomOf('grain', seed);
  const tile = Buffer.alloc(GRAIN_SIDE * GRAIN_SIDE * 3);
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

/**
 * The JPEG of a picture. The same spec gives the same bytes. Scenes are composed at one size and
 * enlarged, so that 4000×3000 costs little more than 1600×1200.
 */
export async function drawPicture(spec: PictureSpec): Promise<Buffer> {
  const sideways = SIDEWAYS.has(spec.orientation);
  const [width, height] = sideways ? [spec.height, spec.width] : [spec.width, spec.height];
  const sceneHeight = Math.round((SCENE_WIDTH * height) / width);
  const svg = Buffer.from(composeScene(spec, sceneHeight));
  const drawn = await sharp(svg)
    .removeAlpha()
    .composite([
      {
        input: grain(spec.scene, 26),
        raw: { width: GRAIN_SIDE, height: GRAIN_SIDE, channels: 3 },
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
