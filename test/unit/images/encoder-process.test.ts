import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { answer } from '../../../src/images/encode/encoder-process.ts';
import { contentHash, recipeBook } from '../../../src/images/recipes.ts';
import { temporaryFolder } from '../../support/build.ts';
import { decodeHere } from '../../support/decoding.ts';

decodeHere();

const { media } = configSchema.parse({
  service: { baseUrl: 'https://media.example' },
  site: { title: 'x', url: 'https://cars.example' },
});

it('the encoder answers with what it made, or why it could not', async () => {
  await using folder = await temporaryFolder();
  const bytes = await sharp({
    create: { width: 300, height: 200, channels: 3, background: '#369' },
  })
    .jpeg()
    .toBuffer();
  const file = path.join(folder.path, 'incoming');
  const recipes = recipeBook(media).cover;
  const request = {
    id: 7,
    hash: contentHash(bytes),
    file,
    recipes,
    maxPixels: 1e6,
    folder: folder.path,
  };
  await writeFile(file, bytes);
  const made = await answer(request);
  expect(made).toMatchObject({ id: 7, ok: true, content: { width: 300, height: 200 } });
  await writeFile(file, 'no picture');
  expect(await answer(request)).toMatchObject({ id: 7, ok: false, code: 'picture-format' });
});
