import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ImageFormat } from '../../../src/config/image-formats.ts';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import {
  type Content,
  contentHash,
  existingOutputs,
  hasCardShape,
  isOutputName,
  LIBRARY_VERSION,
  missingShapes,
  outputNames,
  outputSuffixes,
  outputsFor,
  type Recipe,
} from '../../../src/images/recipes.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';

const content: Content = { hash: '0123456789abcdef0123', width: 1600, height: 1200 };
const outputs = (media: object, role: 'cover' | 'picture', of = content) =>
  outputsFor(of, recipeBook(mediaConfig(media))[role]);
const sizes = (list: ReturnType<typeof outputs>) =>
  list.map(({ format, width, height }) => `${format} ${width}x${height}`).sort();

describe('recipes', () => {
  const media = { formats: ['avif', 'webp'], widths: [320, 640] };
  const fit = ['avif 320x240', 'avif 640x480', 'webp 320x240', 'webp 640x480'];

  it('produce every width in every format', () => {
    expect(sizes(outputs(media, 'picture'))).toEqual(fit);
    expect(sizes(outputs(media, 'cover'))).toEqual(fit);
  });

  it('produce a JPEG of every picture if configured', () => {
    const all = { ...media, fallback: 'all' };
    expect(sizes(outputs(all, 'picture'))).toEqual([...fit, 'jpeg 640x480'].sort());
  });

  it('add a 4:3 card only for covers', () => {
    const wide = { ...content, height: 900 };
    const extra = sizes(outputs({}, 'cover', wide)).filter(
      (size) => !sizes(outputs({}, 'picture', wide)).includes(size),
    );
    // The narrow card is the narrow full picture, cropped to its middle by the style sheet.
    expect(extra).toEqual(['webp 640x480']);
  });

  it.each([
    ['no other output is as wide', { widths: [640, 1280] }],
    ['the most interesting part is kept', { crop: 'attention' }],
  ])('add a separate narrow card if %s', (_, media) => {
    const wide = { ...content, height: 900 };
    expect(sizes(outputs(media, 'cover', wide))).toContain('webp 320x240');
  });

  it('use the plain output as the card if the picture already has its shape', () => {
    const media = { widths: [320, 640, 1280] };
    expect(sizes(outputs(media, 'cover'))).toEqual(sizes(outputs(media, 'picture')));
    expect(outputs(media, 'cover').filter((one) => one.shaped)).toEqual([]);
  });

  it('never enlarge, and keep the shape of a crop that must shrink', () => {
    const small = { ...content, width: 300, height: 300 };
    for (const { width, height } of outputs({}, 'cover', small)) {
      expect(width).toBeLessThanOrEqual(300);
      expect(height).toBeLessThanOrEqual(300);
    }
    expect(sizes(outputs({}, 'cover', small))).toContain('webp 300x225');
  });
});

describe('a recipe book', () => {
  const formatsOf = (formats: ImageFormat[]) => {
    const { single, full } = recipeBook(mediaConfig({ formats, fullSize: 'mirror' }));
    return [...single, ...full].map(({ format }) => format);
  };

  it.each<[ImageFormat[], ImageFormat]>([
    [['avif', 'jpeg'], 'jpeg'],
    [['avif'], 'avif'],
    [['jpeg', 'webp', 'avif'], 'webp'],
  ])('selects for %j the format that most readers support: %s', (formats, best) => {
    expect(new Set(formatsOf(formats))).toEqual(new Set([best]));
    expect(formatsOf(formats)).toHaveLength(mediaConfig().widths.length + 1);
  });

  it('needs no narrow card if a picture is 320 to 639 pixels wide', () => {
    const cards = (widths: number[]) => recipeBook(mediaConfig({ widths })).card.length;
    expect([319, 320, 639, 640].map((width) => cards([width]))).toEqual([2, 1, 1, 2]);
  });
});

describe('outputs', () => {
  it('of a crop have the shape of the recipe, also of tall and wide pictures', () => {
    const [card] = recipeBook(mediaConfig({ widths: [320] })).card;
    if (!card) throw new Error('no recipe');
    const shape = (width: number, height: number) => {
      const [one] = outputsFor({ ...content, width, height }, [card]);
      return [one?.width, one?.height, one?.crop, one?.shaped];
    };
    expect(shape(1600, 900)).toEqual([640, 480, true, true]);
    expect(shape(4000, 240)).toEqual([320, 240, true, true]);
    expect(shape(320, 4000)).toEqual([320, 240, true, true]);
    expect(shape(640, 480)).toEqual([640, 480, false, true]);
    expect(shape(640, 240)).toEqual([320, 240, true, true]);
    expect(shape(1, 1)).toEqual([1, 1, false, true]);
  });

  it('are named only after the bytes, width, recipe, crop and encoder', () => {
    const { fit, card } = recipeBook(mediaConfig({ formats: ['webp'], widths: [320] }));
    const encoder = `1/${LIBRARY_VERSION}`;
    const named = (width: number, end: string, ...parts: unknown[]) => {
      const tag = hash('sha256', JSON.stringify([...parts, encoder]), 'hex').slice(0, 6);
      return `01/23456789abcdef0123-${width}-${tag}.${end}`;
    };
    const [{ effort = 0 } = {}] = fit;
    const [{ position } = {}] = card;
    const wide = { ...content, height: 900 };
    expect(outputsFor(wide, [...fit, ...card]).map(({ name }) => name)).toEqual([
      named(640, 'webp', 'webp', 75, effort, '640x480', position),
      named(320, 'webp', 'webp', 75, effort, '320xundefined', undefined),
    ]);
  });

  it('of two recipes are one, which others can be made from', () => {
    const recipe = { format: 'webp', width: 640, quality: 75, effort: 2 } as const;
    const only = (...recipes: Recipe[]) =>
      outputsFor({ ...content, width: 640, height: 480 }, recipes);
    const shaped = { ...recipe, height: 480 };
    const exact = { ...recipe, exact: true as const };
    for (const other of [shaped, exact]) {
      const [output, ...more] = only(other, recipe);
      expect(more).toEqual([]);
      expect(output).toMatchObject({ width: 640, shaped: false });
      expect(output).not.toHaveProperty('exact');
      expect(only(recipe, other)).toEqual([output]);
    }
  });

  it('that exist are found by their suffix, narrowest first', () => {
    const { picture } = recipeBook(mediaConfig({ widths: [320, 640, 1280] }));
    const suffixes = outputSuffixes(content, picture);
    const existing = suffixes.filter((_, index) => index !== 1);
    const names = outputNames(content, picture);
    const encoded = outputsFor(content, picture).map(({ name }) => name);
    expect(names).toEqual(encoded.reverse());
    expect(existingOutputs(content, picture, existing)).toEqual([
      { name: names[0], width: 320, height: 240 },
      { name: names[2], width: 1280, height: 960 },
    ]);
    expect(missingShapes(content, picture, existing)).toEqual([1]);
    expect(missingShapes(content, picture, suffixes)).toEqual([]);
    expect(missingShapes(content, picture, [])).toEqual([0, 1, 2]);
    const tall = { width: 1200, height: 1600 };
    expect(outputSuffixes(tall, picture)).not.toEqual(suffixes);
    expect(outputSuffixes({ ...content }, picture)).toBe(suffixes);
  });

  it.each([
    [{ width: 640, height: 480 }, true],
    [{ width: 641, height: 481 }, true],
    [{ width: 640, height: 360 }, false],
  ])('of %j have the shape of a card: %s', (size, is) => {
    expect(hasCardShape(size)).toBe(is);
  });

  it.each([
    ['ab/0123456789abcdef01-640-0a1b2c.webp', true],
    ['ab/0123456789abcdef01-640-0a1b2c.avif', true],
    ['ab/0123456789abcdef01-640-0a1b2c.jpg', true],
    ['ab/0123456789abcdef01-640-0a1b2c.jpeg', false],
    ['ab/0123456789abcdef01-640-0a1b2c.jpg.old', false],
    ['ab/x0123456789abcdef01-640-0a1b2c.jpg', false],
    ['ab/0123456789abcdef01-64x-0a1b2c.jpg', false],
    ['ab/0123456789abcdef01-640-0a1b2.jpg', false],
    ['xab/123456789abcdef0123-640-0a1b2c.jpg', false],
    ['gh/0123456789abcdef01-640-0a1b2c.jpg', false],
    ['0123456789abcdef01-640-0a1b2c.jpg', false],
  ])('are recognised by their names: %s: %s', (name, is) => {
    expect(isOutputName(name)).toBe(is);
  });
});

it('the bytes of a picture are named by 20 digits of their SHA-256', () => {
  expect(contentHash(Buffer.from('abc'))).toBe('ba7816bf8f01cfea4141');
});
