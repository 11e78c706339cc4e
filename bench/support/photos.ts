/**
 * Photograph-like JPEGs from a seed: broad gradients, shapes with sharp edges, fine texture and sensor noise,
 * mixed to match the file sizes of a phone camera at the same quality.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';

export interface Photo {
  name: string;
  bytes: Buffer;
  width: number;
  height: number;
}

/** Uniform numbers from 0 to 1 from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function scene(next: () => number, width: number, height: number): string {
  const colour = () =>
    `hsl(${Math.round(next() * 360)} ${Math.round(20 + next() * 60)}% ${Math.round(15 + next() * 65)}%)`;
  const shapes: string[] = [];
  for (let index = 0; index < 60; index++) {
    const x = Math.round(next() * width);
    const y = Math.round(next() * height);
    const size = Math.round((0.01 + next() ** 3 * 0.4) * width);
    shapes.push(
      next() < 0.5
        ? `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${Math.round(size * (0.3 + next()))}" fill="${colour()}" fill-opacity="${(0.4 + next() * 0.6).toFixed(2)}"/>`
        : `<path d="M${x} ${y}l${size} ${Math.round(size * (next() - 0.5))}l${Math.round(-size * next())} ${size}z" fill="${colour()}" stroke="${colour()}" stroke-width="${Math.ceil(next() * 6)}"/>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="0.3" y2="1"><stop stop-color="${colour()}"/><stop offset=".55" stop-color="${colour()}"/><stop offset="1" stop-color="${colour()}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>${shapes.join('')}</svg>`;
}

/** Grey noise, softened so that it looks like texture. The same for the same seed. */
async function texture(seed: number, width: number, height: number, blur: number): Promise<Buffer> {
  const next = random(seed);
  const small = { width: Math.ceil(width / blur), height: Math.ceil(height / blur) };
  const pixels = Buffer.alloc(small.width * small.height);
  for (let index = 0; index < pixels.length; index++) {
    // The sum of three approximates the noise of a sensor.
    pixels[index] = 128 + Math.round((next() + next() + next() - 1.5) * 60);
  }
  return sharp(pixels, { raw: { ...small, channels: 1 } })
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .toColourspace('srgb')
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** One picture. */
async function drawPhoto(seed: number, width: number, height: number): Promise<Photo> {
  const next = random(seed);
  const bytes = await sharp(Buffer.from(scene(next, width, height)))
    .composite([
      { input: await texture(seed + 1, width, height, 4), blend: 'soft-light' },
      { input: await texture(seed + 2, width, height, 1), blend: 'soft-light' },
    ])
    .removeAlpha()
    .jpeg({ quality: 85 })
    .toBuffer();
  return { name: `${width}x${height}-${seed}`, bytes, width, height };
}

/** `count` pictures, every fifth of 12 megapixels, the others of 2, with their sides times `scale`. */
export async function drawPhotos(seed: number, count: number, scale: number): Promise<Photo[]> {
  const photos: Photo[] = [];
  for (let index = 0; index < count; index++) {
    const width = (index % 5 === 4 ? 4000 : 1600) * scale;
    photos.push(await drawPhoto(seed * 1000 + index * 3, width, width * 0.75));
  }
  return photos;
}

/** The JPEGs of a folder that every contender reads. Empty if the folder is missing. */
export async function cameraPhotos(folder: string): Promise<Photo[]> {
  const names = await readdir(folder);
  const photos: Photo[] = [];
  for (const name of names.filter((one) => one.endsWith('.jpg')).sort()) {
    const bytes = await readFile(path.join(folder, name));
    const { width, height, space, orientation = 1 } = await sharp(bytes).metadata();
    // Some programs do not rotate pictures or convert colours, and the work should be equal.
    if (orientation !== 1 || space !== 'srgb') continue;
    photos.push({ name: path.parse(name).name, bytes, width, height });
  }
  return photos;
}

/**
 * The same picture with other bytes: a JPEG comment after the first marker. A few drawn pictures become
 * thousands of sources that no cache treats as equal.
 */
export function variant(bytes: Buffer, number: number): Buffer {
  const text = Buffer.from(`variant ${number}`);
  const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), comment, text, bytes.subarray(2)]);
}

/** Number of the picture for a source, in steps, so that neighbours differ in kind. */
export const pictureOf = (number: number, count: number): number => (number * 7) % count;
