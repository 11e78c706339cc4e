import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodePicture } from '../../../src/images/encode/picture.ts';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import { decodeHere } from '../../support/decoding.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';

decodeHere();

const bookOf = (widths: readonly number[], viewerWidths: number[] = []) =>
  recipeBook(mediaConfig({ widths: [...widths], viewerWidths }));

/** A picture whose details depend on how it is scaled. */
async function detailed(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < data.length; at++) data[at] = (at * 31 + (at >> 7) * 17) & 0xff;
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

const textOf = ({ name, data }: { name: string; data: Buffer }) => name + data.toString('latin1');

describe.each([
  ['usual widths', [160, 320, 600], 700, 525],
  ['small widths, so that the sharing picture needs a separate decode', [50, 100], 700, 394],
  ['a tall picture', [160, 320], 394, 700],
] as const)('%s', (_, widths, width, height) => {
  const book = bookOf(widths);
  const options = { maxPixels: 50_000_000 };

  it('give the same bytes with and without larger ones for the viewer, which never enlarge', async () => {
    const bytes = await detailed(width, height);
    const larger = bookOf(widths, [650, 680, 1000]);
    const before = await encodePicture(bytes, book.cover, options);
    const after = await encodePicture(bytes, larger.cover, options);
    const added = after.files.filter(({ name }) => !before.files.some((one) => one.name === name));
    expect(
      after.files
        .filter((file) => !added.includes(file))
        .map(textOf)
        .sort(),
    ).toEqual(before.files.map(textOf).sort());
    const sizes = await Promise.all(added.map(({ data }) => sharp(data).metadata()));
    expect(sizes.map((one) => one.width)).toEqual(width === 700 ? [680, 650] : []);
    const [first] = added;
    if (!first) return;
    const alone = bookOf(widths, [680]);
    const { files } = await encodePicture(bytes, alone.large, options);
    expect(files.map(textOf)).toEqual([textOf(first)]);
  });

  it('give each output the same bytes, whichever other outputs are requested', async () => {
    const bytes = await detailed(width, height);
    const complete = await encodePicture(bytes, book.cover, options);
    const byName = new Map(complete.files.map(({ name, data }) => [name, data.toString('latin1')]));
    for (const { name } of complete.files) {
      const alone = await encodePicture(bytes, book.cover, {
        ...options,
        exists: (other) => other !== name,
      });
      expect(alone.files.map((file) => file.name)).toEqual([name]);
      expect(alone.files[0]?.data.toString('latin1')).toBe(byName.get(name));
      expect(alone.colour).toBe(complete.colour);
    }
    const picture = await encodePicture(bytes, book.picture, options);
    expect(picture.colour).toBe(complete.colour);
    for (const { name, data } of picture.files) {
      expect(data.toString('latin1')).toBe(byName.get(name));
    }
    const empty = await encodePicture(bytes, book.cover, { ...options, exists: () => true });
    expect(empty).toMatchObject({ files: [], colour: complete.colour });
  });
});
