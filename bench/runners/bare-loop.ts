/**
 * The minimum work of sharp for the same outputs: decodes each file of a folder once at the largest width,
 * derives each smaller size from the next larger one and all formats from the same pixels, with three files
 * in flight. No network, no hashing, no store, no stored state.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import sharp, { type Sharp } from 'sharp';
import { OUTPUTS } from './outputs.ts';

const { folder, output }: { folder: string; output: string } = JSON.parse(process.argv[2] ?? '{}');
await mkdir(output, { recursive: true });
const widths = [...OUTPUTS.widths].sort((a, b) => b - a);

async function make(name: string): Promise<void> {
  const bytes = await readFile(path.join(folder, name));
  const write = async (picture: Sharp, to: string) =>
    writeFile(path.join(output, to), await picture.toBuffer());
  const written: Promise<void>[] = [];
  let input = sharp(bytes, { autoOrient: true });
  for (const width of widths) {
    const { data, info } = await input
      .resize({ width, withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = () =>
      sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
    written.push(write(pixels().webp(OUTPUTS.webp), `${name}-${width}.webp`));
    if (width === OUTPUTS.jpeg.width) {
      written.push(write(pixels().jpeg({ quality: OUTPUTS.jpeg.quality }), `${name}-${width}.jpg`));
    }
    input = pixels();
  }
  await Promise.all(written);
}

await pMap(await readdir(folder), make, { concurrency: 3 });
