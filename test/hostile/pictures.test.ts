import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodePicture, PictureError } from '../../src/images/encode/picture.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { decodeHere } from '../support/decoding.ts';
import { mediaConfig } from '../support/image-pipeline.ts';
import { PICTURES, pixels } from './corpus/pictures.ts';

const media = mediaConfig({ fallback: 'all' });
const recipes = recipeBook(media).cover;
decodeHere();

const encode = (bytes: Buffer) => encodePicture(bytes, recipes, { maxPixels: media.maxPixels });

const outcome = (bytes: Buffer): Promise<string> =>
  encode(bytes).then(
    () => 'made',
    (error: unknown) => (error instanceof PictureError ? error.code : `crash: ${error}`),
  );

/** A picture of one colour. */
const solid = (background: string, width = 64, height = 64) =>
  sharp({ create: { width, height, channels: 3, background } });
const channelsOf = (colour: string) =>
  [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

describe('hostile pictures', () => {
  const cases = Object.entries(PICTURES).flatMap(([becomes, all]) =>
    Object.entries(all).map(([name, bytes]) => ({ name, bytes, becomes })),
  );
  it.each(cases)('$name: $becomes', async ({ bytes, becomes }) => {
    const result = await outcome(await bytes());
    if (becomes === 'either') expect(['made', 'picture-undecodable']).toContain(result);
    else expect(result).toBe(becomes);
  });

  it('of 0 bytes are called empty', async () => {
    await expect(encode(Buffer.of())).rejects.toThrow('it is empty');
  });

  it('of other formats are also refused by libvips', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const others = [
      svg,
      await pixels().gif().toBuffer(),
      await pixels().tiff().toBuffer(),
      await pixels().avif({ effort: 0 }).toBuffer(),
    ];
    for (const bytes of others) {
      await expect(sharp(bytes).metadata()).rejects.toThrow(/unsupported image format/);
    }
  });

  it('leave none of their bytes in outputs', async () => {
    const mark = Buffer.from('PASSENGER-IN-THE-PICTURE');
    const gps = {
      IFD0: { Artist: mark.toString() },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    };
    const source = await pixels(400, 300).withExif(gps).withXmp(`<x>${mark}</x>`).jpeg().toBuffer();
    expect(source.includes(mark)).toBe(true);
    const hidden = Buffer.concat([source, mark]);
    const { files } = await encode(hidden);
    expect(files.length).toBeGreaterThan(2);
    for (const { data } of files) {
      const { exif, xmp, icc, iptc } = await sharp(data).metadata();
      expect([exif, xmp, icc, iptc]).toEqual([undefined, undefined, undefined, undefined]);
      expect(data.includes(mark)).toBe(false);
    }
  });

  it('become their first frame if they are animated', async () => {
    const frames = await Promise.all(
      ['#ff0000', '#0000ff', '#00ff00'].map((colour) => solid(colour, 60, 40).png().toBuffer()),
    );
    const animation = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    expect((await sharp(animation).metadata()).pages).toBe(3);
    const { content, colour, files } = await encode(animation);
    expect([content.width, content.height]).toEqual([60, 40]);
    expect(channelsOf(colour)[0]).toBeGreaterThan(240);
    for (const { data } of files) expect((await sharp(data).metadata()).pages ?? 1).toBe(1);
  });

  it('are flattened on white if they are transparent', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const bytes = await sharp({ create: { width: 50, height: 50, channels: 4, background: clear } })
      .png()
      .toBuffer();
    expect((await encode(bytes)).colour).toBe('ffffff');
  });

  it('with a wide gamut are converted', async () => {
    const plain = await solid('#30c040').png().toBuffer();
    const wide = await sharp(plain).withIccProfile('p3').png().toBuffer();
    expect((await sharp(wide).metadata()).icc).toBeDefined();
    const { colour } = await encode(wide);
    // Without conversion it would be too grey.
    const wanted = channelsOf('30c040');
    for (const [at, value] of channelsOf(colour).entries()) {
      expect(Math.abs(value - (wanted[at] ?? 0))).toBeLessThanOrEqual(3);
    }
  });

  it('in CMYK are converted', async () => {
    const bytes = await solid('#e02020').toColourspace('cmyk').jpeg().toBuffer();
    expect((await sharp(bytes).metadata()).space).toBe('cmyk');
    const { colour, files } = await encode(bytes);
    const [red, green] = channelsOf(colour);
    expect(red).toBeGreaterThan(150);
    expect(green).toBeLessThan(120);
    for (const { data } of files) expect((await sharp(data).metadata()).space).toBe('srgb');
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'with orientation %i are turned upright',
    async (orientation) => {
      // Upright: the left half is white, the top left corner red.
      const upright = solid('#000', 200, 120).composite([
        { input: await solid('#fff', 100, 120).png().toBuffer(), left: 0, top: 0 },
        { input: await solid('#f00', 40, 40).png().toBuffer(), left: 0, top: 0 },
      ]);
      // Transformations to the stored picture of a camera, each in a separate pipeline. Source: EXIF 2.32,
      // 4.6.4.
      const steps: ((one: Sharp) => Sharp)[][] = [
        [],
        [(one) => one.flop()],
        [(one) => one.rotate(180)],
        [(one) => one.flip()],
        [(one) => one.rotate(270), (one) => one.flip()],
        [(one) => one.rotate(270)],
        [(one) => one.rotate(90), (one) => one.flip()],
        [(one) => one.rotate(90)],
      ];
      let stored = await upright.png().toBuffer();
      for (const step of steps[orientation - 1] ?? []) {
        stored = await step(sharp(stored)).png().toBuffer();
      }
      const bytes = await sharp(stored)
        .withMetadata({ orientation })
        .jpeg({ quality: 95 })
        .toBuffer();
      expect((await sharp(bytes).metadata()).orientation).toBe(orientation);
      const { content, files } = await encode(bytes);
      expect([content.width, content.height]).toEqual([200, 120]);
      const made = files.find(({ name }) => name.endsWith('.jpg'))?.data ?? Buffer.alloc(0);
      const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true });
      const at = (x: number, y: number) =>
        [0, 1, 2]
          .map((c) => Math.round((data[(y * info.width + x) * info.channels + c] ?? 0) / 255))
          .join('');
      expect([at(10, 10), at(50, 100), at(150, 20), at(150, 100)]).toEqual([
        '100',
        '111',
        '000',
        '000',
      ]);
    },
  );
});
