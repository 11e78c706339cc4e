import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { encodePicture } from '../../src/media/encode/picture.ts';
import { contentHash, recipeBook, recipesFor } from '../../src/media/recipes.ts';
import { putOutput } from '../../src/media/store/folder.ts';
import { mediaConfig } from './media-config.ts';

const { folder, output }: { folder: string; output: string } = JSON.parse(process.argv[2] ?? '{}');
await mkdir(output, { recursive: true });
const recipes = recipesFor(recipeBook(mediaConfig('http://127.0.0.1')), 'picture');
await pMap(
  await readdir(folder),
  async (name) => {
    const bytes = await readFile(path.join(folder, name));
    const { files } = await encodePicture(bytes, recipes, {
      hash: contentHash(bytes),
      maxPixels: 5e7,
    });
    await Promise.all(files.map(({ name, data }) => putOutput(output, name, data)));
  },
  { concurrency: 3 },
);
