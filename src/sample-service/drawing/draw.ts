import { createHash } from 'node:crypto';
import path from 'node:path';
import pLimit from 'p-limit';
import sharp from 'sharp';
import { type Random, randomOf } from '../data/random.ts';
import { drawLetters, type Letters, type Placement } from './plate.ts';
import plates from './scenes/plates.json' with { type: 'json' };
import { PAINTS, type PictureSpec, SCENES, type View } from './spec.ts';

/**
 * Size of a stored scene in pixels. The lower half of the same file is its paint mask: the amount of paint colour for
 * each pixel. 255 means 1 / 0.7 of the colour. The car in the scene is black, so one file fits every paint.
 */
const SCENE = { width: 1280, height: 960 };
const PAINT_GAIN = 1 / 0.7;

const JPEG_QUALITY = 84;

/** Views of the right side are mirrored views of the left side. */
const MIRROR_OF: Readonly<Record<string, View>> = {
  frontRight: 'frontLeft',
  right: 'left',
  rearRight: 'rearLeft',
};
const CABIN_VIEWS: ReadonlySet<View> = new Set(['interior', 'seats']);
/** Views that fill pictures of every shape. In other views, a tall picture shows the whole car. */
const FILLING_VIEWS: ReadonlySet<View> = new Set([
  ...CABIN_VIEWS,
  'wheel',
  'headlight',
  'tailLight',
]);

/** Degrees to rotate the upright drawing, so that programs that obey the tag show it upright. */
const STORED_TURN: Readonly<Record<number, number>> = { 3: 180, 6: 270, 8: 90 };

/**
 * The JPEG of a picture. The same spec gives the same bytes. A picture is a stored scene with the vehicle's
 * paint and plate, and a brightness that depends on the spec. Scenes are enlarged for larger pictures.
 */
export async function drawPicture(spec: PictureSpec): Promise<Buffer> {
  const { view, orientation } = spec;
  const turn = STORED_TURN[orientation] ?? 0;
  const isSideways = turn % 180 !== 0;
  const [width, height] = isSideways ? [spec.height, spec.width] : [spec.width, spec.height];
  const across = width / SCENE.width;
  const isTall = height / SCENE.height > across && !FILLING_VIEWS.has(view);
  const scale = Math.min(1, isTall ? across : Math.max(across, height / SCENE.height));
  const size = {
    width: Math.max(1, Math.round(SCENE.width * scale)),
    height: Math.max(1, Math.round(SCENE.height * scale)),
  };
  const pixels = await paintedScene(spec, size, scale);
  let image = sharp(pixels, { raw: { ...size, channels: 3 } }).rotate(turn);
  const rows = Math.max(1, Math.round(SCENE.height * across));
  if (isTall && rows < height) {
    // Sky and ground can be extended, because the first and last rows of each scene have one colour.
    const leading = Math.floor((height - rows) / 2);
    const trailing = height - rows - leading;
    image = isSideways
      ? image.resize(rows, width).extend({ left: leading, right: trailing, extendWith: 'copy' })
      : image.resize(width, rows).extend({ top: leading, bottom: trailing, extendWith: 'copy' });
  } else {
    image = image.resize(spec.width, spec.height);
  }
  // An upright picture needs no tag, and setting one converts every pixel to a profile.
  if (orientation !== 1) image = image.withMetadata({ orientation });
  return image.jpeg({ quality: JPEG_QUALITY }).toBuffer();
}

/** The pixels of the whole upright scene, three channels, row after row. */
async function paintedScene(
  { design, view, plate, scene }: PictureSpec,
  { width, height }: { width: number; height: number },
  scale: number,
): Promise<Buffer> {
  const isMirrored = view in MIRROR_OF;
  const name = `${CABIN_VIEWS.has(view) ? design.trim : design.model}-${MIRROR_OF[view] ?? view}`;
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] =
    (plates as Readonly<Record<string, number[]>>)[name] ?? [];
  const place: Placement = isMirrored
    ? [a, -b, -c, d, SCENE.width - x, y]
    : ([a, b, c, d, x, y] as const);
  const [layers, letters] = await Promise.all([
    sharp(path.join(SCENES, `${name}.webp`))
      .flop(isMirrored)
      .resize(width, height * 2, { fit: 'fill' })
      .raw()
      .toBuffer(),
    plate !== '' && a !== 0
      ? drawLetters(plate, place.map((number) => number * scale) as unknown as Placement)
      : undefined,
  ]);
  const pixels = layers.subarray(0, width * height * 3);
  if (letters) darken(pixels, width, letters);
  const mask = layers.subarray(pixels.length);
  develop(pixels, mask, PAINTS[design.paint], randomOf('light', scene));
  return pixels;
}

/** Adds paint and brightness to a scene. */
function develop(scene: Buffer, mask: Buffer, paint: string, random: Random): void {
  // Clamps values above 255.
  const pixels = new Uint8ClampedArray(scene.buffer, scene.byteOffset, scene.length);
  const exposure = random.between(0.92, 1.06);
  const warmth = random.between(-0.03, 0.03);
  const light = [1 + warmth, 1, 1 - warmth].map((tone) => exposure * tone);
  const colour = Buffer.from(paint.slice(1), 'hex');
  for (const [channel, gain] of light.entries()) {
    const paintGain = (gain * PAINT_GAIN * (colour[channel] ?? 0)) / 255;
    for (let at = channel; at < pixels.length; at += 3) {
      pixels[at] = gain * (pixels[at] as number) + paintGain * (mask[at] as number);
    }
  }
}

/** Draws letters by darkening pixels to nearly black. */
function darken(pixels: Buffer, stride: number, letters: Letters): void {
  for (let y = 0; y < letters.height; y++) {
    for (let x = 0; x < letters.width; x++) {
      const clear = 1 - (letters.data[y * letters.width + x] as number) / 255;
      const at = ((y + letters.top) * stride + x + letters.left) * 3;
      if (clear === 1 || at + 2 >= pixels.length) continue;
      for (let c = at; c < at + 3; c++) pixels[c] = 18 + ((pixels[c] as number) - 18) * clear;
    }
  }
}

/** Increased when the drawing changes, because ETags are made from specs, not from bytes. */
const DRAWING_VERSION = 6;

/** About 100 MB of pictures in the usual size. */
const MAX_CACHED = 800;

/** Pictures drawn at the same time. Each takes one core and the memory of an uncompressed picture. */
const DRAWN_AT_ONCE = 2;

/** Draws pictures on first use. Caches the newest in memory. */
export class PictureStore {
  readonly seed: number;
  /** Scale of a picture's usual width and height. */
  readonly scale: number;
  private readonly cache = new Map<string, Promise<Buffer>>();
  private readonly limit = pLimit(DRAWN_AT_ONCE);

  constructor(seed: number, scale = 1) {
    this.seed = seed;
    this.scale = scale;
  }

  /** Strong ETag with quotes, without drawing the picture. */
  etag(spec: PictureSpec): string {
    const text = JSON.stringify([DRAWING_VERSION, spec]);
    return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  }

  /** The JPEG of a spec. Simultaneous calls for the same picture share one drawing. */
  get(spec: PictureSpec): Promise<Buffer> {
    const key = this.etag(spec);
    const cached = this.cache.get(key);
    if (cached) return cached;
    const [oldest] = this.cache.keys();
    if (this.cache.size === MAX_CACHED && oldest !== undefined) this.cache.delete(oldest);
    const picture = this.limit(() => drawPicture(spec));
    picture.catch(() => this.cache.delete(key));
    this.cache.set(key, picture);
    return picture;
  }
}
