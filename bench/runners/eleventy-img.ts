/** Writes the same outputs with @11ty/eleventy-img and its other defaults. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
// @ts-expect-error The package has no types.
import Image from '@11ty/eleventy-img';
import { OUTPUTS } from './outputs.ts';

const { folder, output }: { folder: string; output: string } = JSON.parse(process.argv[2] ?? '{}');
const common = { outputDir: output, urlPath: '/', sharpWebpOptions: OUTPUTS.webp };
const sharpJpegOptions = { quality: OUTPUTS.jpeg.quality };
await Promise.all(
  (await readdir(folder)).flatMap((name) => {
    const file = path.join(folder, name);
    return [
      Image(file, { ...common, widths: OUTPUTS.widths, formats: ['webp'] }),
      Image(file, { ...common, sharpJpegOptions, widths: [OUTPUTS.jpeg.width], formats: ['jpeg'] }),
    ];
  }),
);
