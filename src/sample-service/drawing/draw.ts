import sharp from 'sharp';
import { randomOf } from '../data/random.ts';
import {
  BACKDROP_HORIZON,
  BACKDROPS,
  LAYER,
  layerOf,
  openBackdrop,
  openLayer,
  PAINT_GAIN,
  type Pixels,
} from './layers.ts';
import { drawLetters, type Letters } from './plate.ts';
import type { PictureSpec, View } from './spec.ts';

const JPEG_QUALITY = 84;

/** Grain of a camera's sensor, levels of 255: enough to keep a sky from showing bands. */
const GRAIN = 3;
const GRAIN_LENGTH = 65_521;

/** Levels to add to one pixel after another. */
const GRAINS = grains();

function grains(): Int8Array {
  const random = randomOf('grain');
  return Int8Array.from({ length: GRAIN_LENGTH }, () => Math.round((random.next() - 0.5) * GRAIN));
}

/** EXIF orientations that exchange width and height. */
const SIDEWAYS = new Set([5, 6, 7, 8]);

/** Degrees to turn the upright drawing by, so that a viewer who obeys the tag sees it upright. */
const STORED_TURN: Readonly<Record<number, number>> = { 3: 180, 6: 270, 8: 90 };

/** Views that fill the picture whatever its shape; of the others, a tall one shows the whole car. */
const FILLING: ReadonlySet<View> = new Set([
  'interior',
  'seats',
  'wheel',
  'headlight',
  'tailLight',
]);

/**
 * The JPEG of a picture. The same spec gives the same bytes. A picture is a stored drawing of a
 * model in front of a backdrop, with the vehicle's own paint and plate; one that is larger than
 * the stored drawing is enlarged.
 */
export async function drawPicture(spec: PictureSpec): Promise<Buffer> {
  const sideways = SIDEWAYS.has(spec.orientation);
  const [width, height] = sideways ? [spec.height, spec.width] : [spec.width, spec.height];
  const w = Math.min(width, LAYER.width);
  const h = Math.max(1, Math.round((w * height) / width));
  const data = await upright(spec, w, h);
  let image = sharp(data, { raw: { width: w, height: h, channels: 3 } });
  const turn = STORED_TURN[spec.orientation];
  if (turn !== undefined) image = image.rotate(turn);
  if (w !== width || h !== height) {
    image = image.resize(spec.width, spec.height, { fit: 'fill' });
  }
  // An upright picture needs no tag, and setting one converts every pixel to a profile.
  if (spec.orientation !== 1) image = image.withMetadata({ orientation: spec.orientation });
  return image.jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0' }).toBuffer();
}

/** The pixels of a picture as one looks at it, three channels. */
async function upright(spec: PictureSpec, width: number, height: number): Promise<Buffer> {
  const { look, view, scene } = spec;
  const layer = layerOf(spec);
  const tall = height / width > LAYER.height / LAYER.width && !FILLING.has(view);
  const scale = tall ? width / LAYER.width : Math.max(width / LAYER.width, height / LAYER.height);
  const rows = tall ? Math.max(1, Math.round(LAYER.height * scale)) : height;
  const left = (width - LAYER.width * scale) / 2;
  const top = (height - LAYER.height * scale) / 2;
  const size = { width, height: rows };
  const random = randomOf('backdrop', scene);
  const backdrop = random.int(0, BACKDROPS - 1);

  const [car, paint, behind, letters] = await Promise.all([
    openLayer(layer.file, size, layer.mirrored, 4),
    layer.paintFile ? openLayer(layer.paintFile, size, layer.mirrored, 1) : undefined,
    layer.horizon === undefined ? undefined : openBackdrop(backdrop, width),
    layer.plate &&
      drawLetters(
        spec.plate,
        layer.plate.map(([x, y]) => [x * scale + left, y * scale + top] as const),
        { width, height },
      ),
  ]);
  const pixels = Buffer.alloc(width * height * 3);
  if (behind) {
    const horizon = Math.round((layer.horizon ?? 0) * scale + top);
    const first = Math.round((BACKDROP_HORIZON * width) / LAYER.width) - horizon;
    fillBackdrop(pixels, height, behind, first);
  }
  addCar(pixels.subarray(Math.floor((height - rows) / 2) * width * 3), car, paint, look.paint);
  if (letters) addLetters(pixels, width, letters);
  addGrain(pixels, scene % GRAIN_LENGTH);
  return pixels;
}

/** Rows of a backdrop from `first` on; its own first and last go on for ever. */
function fillBackdrop(pixels: Buffer, height: number, backdrop: Pixels, first: number): void {
  const stride = backdrop.width * 3;
  for (let y = 0; y < height; y++) {
    const row = Math.min(Math.max(first + y, 0), backdrop.height - 1);
    backdrop.data.copy(pixels, y * stride, row * stride, (row + 1) * stride);
  }
}

/** Lays a car over what is there, in its own paint: a layer is stored as if painted black. */
function addCar(under: Buffer, car: Pixels, mask: Pixels | undefined, colour: string): void {
  const pixels = new Uint8ClampedArray(under.buffer, under.byteOffset, under.length);
  const value = Number.parseInt(colour.slice(1), 16);
  const [red, green, blue] = [value >> 16, value >> 8, value].map(litLevels) as [
    Int16Array,
    Int16Array,
    Int16Array,
  ];
  const from = car.data;
  const count = car.width * car.height;
  for (let i = 0, at = 0, own = 0; i < count; i++, at += 3, own += 4) {
    const opaque = from[own + 3] as number;
    if (opaque === 0) continue;
    const lit = mask ? (mask.data[i] as number) : 0;
    const r = (from[own] as number) + (red[lit] as number);
    const g = (from[own + 1] as number) + (green[lit] as number);
    const b = (from[own + 2] as number) + (blue[lit] as number);
    pixels[at] = over(pixels[at] as number, r, opaque);
    pixels[at + 1] = over(pixels[at + 1] as number, g, opaque);
    pixels[at + 2] = over(pixels[at + 2] as number, b, opaque);
  }
}

/** What each level of a layer of paint adds to a channel that the paint has this much of. */
function litLevels(channel: number): Int16Array {
  const share = ((channel & 255) / 255) * PAINT_GAIN;
  return Int16Array.from({ length: 256 }, (_, level) => Math.round(level * share));
}

/** Whole numbers alone: this runs for every pixel. */
function over(under: number, level: number, opaque: number): number {
  return under + (((level - under) * opaque * 257 + 32_768) >> 16);
}

/** Letters are nearly black. */
function addLetters(pixels: Buffer, stride: number, letters: Letters): void {
  for (let y = 0; y < letters.height; y++) {
    for (let x = 0; x < letters.width; x++) {
      const clear = 1 - (letters.data[y * letters.width + x] as number) / 255;
      if (clear === 1) continue;
      const at = ((y + letters.top) * stride + x + letters.left) * 3;
      for (let c = at; c < at + 3; c++) pixels[c] = 18 + ((pixels[c] as number) - 18) * clear;
    }
  }
}

/** Every channel of a pixel gets the same, so that grain is grey. */
function addGrain(bytes: Buffer, first: number): void {
  const pixels = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0, i = first; at < pixels.length; at += 3) {
    const level = GRAINS[i] as number;
    i = i + 1 === GRAIN_LENGTH ? 0 : i + 1;
    if (level === 0) continue;
    pixels[at] = (pixels[at] as number) + level;
    pixels[at + 1] = (pixels[at + 1] as number) + level;
    pixels[at + 2] = (pixels[at + 2] as number) + level;
  }
}
