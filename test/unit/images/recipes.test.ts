import { describe, expect, it } from 'vitest';
import {
  type Content,
  isOutputName,
  outputNames,
  outputsFor,
  recipeBook,
} from '../../../src/images/recipes.ts';
import { mediaConfig } from '../../support/media-line.ts';

const content: Content = { hash: '0123456789abcdef0123', width: 1600, height: 1200 };
const outputs = (media: object, role: 'cover' | 'picture', of = content) =>
  outputsFor(of, recipeBook(mediaConfig(media))[role]);
const sizes = (list: ReturnType<typeof outputs>) =>
  list.map(({ format, width, height }) => `${format} ${width}x${height}`).sort();

describe('recipes', () => {
  const media = { formats: ['avif', 'webp'], widths: [320, 640] };
  const fit = ['avif 320x240', 'avif 640x480', 'webp 320x240', 'webp 640x480'];

  it('makes every width in every format, and a JPEG where something needs one', () => {
    expect(sizes(outputs(media, 'picture'))).toEqual(fit);
    const cover = sizes(outputs(media, 'cover'));
    expect(cover.filter((size) => !fit.includes(size))).toEqual(['jpeg 1200x630']);
  });

  it('makes a JPEG of every picture where the configuration says so', () => {
    const all = { ...media, fallback: 'all', fallbackWidth: 480 };
    expect(sizes(outputs(all, 'picture'))).toEqual([...fit, 'jpeg 480x360'].sort());
  });

  it('adds a 4:3 card and a sharing picture for covers alone', () => {
    const wide = { ...content, height: 900 };
    const extra = sizes(outputs({}, 'cover', wide)).filter(
      (size) => !sizes(outputs({}, 'picture', wide)).includes(size),
    );
    // The narrow card is the narrow whole picture, of which the style sheet shows the middle.
    expect(extra).toEqual(['jpeg 1200x630', 'webp 640x480']);
  });

  it.each([
    ['nothing else is as wide', { widths: [640, 1280] }],
    ['what looks interesting is kept', { crop: 'attention' }],
  ])('adds a narrow card of its own where %s', (_, media) => {
    const wide = { ...content, height: 900 };
    expect(sizes(outputs(media, 'cover', wide))).toContain('webp 320x240');
  });

  it('takes a card of the shape that the picture has already as the plain output', () => {
    const media = { widths: [320, 640, 1280] };
    expect(sizes(outputs(media, 'cover'))).toEqual([
      'jpeg 1200x630',
      ...sizes(outputs(media, 'picture')),
    ]);
  });

  it('uses a format that every browser knows where a page can name only one file', () => {
    const { card, full } = recipeBook(
      mediaConfig({ formats: ['avif', 'webp'], fullSize: 'mirror' }),
    );
    expect([...card, ...full].map(({ format }) => format)).toEqual(['webp', 'webp']);
  });

  it('never enlarges, and keeps the shape of a crop that must shrink', () => {
    const small = { ...content, width: 300, height: 300 };
    for (const { width, height } of outputs({}, 'cover', small)) {
      expect(width).toBeLessThanOrEqual(300);
      expect(height).toBeLessThanOrEqual(300);
    }
    expect(sizes(outputs({}, 'cover', small))).toContain('jpeg 300x158');
  });

  it.each([
    ['bytes', { ...content, hash: 'ffffffffffffffffffff' }, {}],
    ['quality', content, { quality: { webp: 60 } }],
    ['effort', content, { effort: { webp: 4 } }],
  ])('gives other names for other %s', (_, of, media) => {
    const webp = (list: ReturnType<typeof outputs>) =>
      list.filter(({ format }) => format === 'webp').map(({ name }) => name);
    const before = new Set(webp(outputs({}, 'picture')));
    expect(webp(outputs(media, 'picture', of)).filter((name) => before.has(name))).toEqual([]);
  });

  it('names the same outputs with and without making them, for any size', () => {
    const book = recipeBook(mediaConfig({ formats: ['webp', 'avif'], fullSize: 'mirror' }));
    for (const role of ['cover', 'picture'] as const) {
      const recipes = book[role];
      for (const [width, height] of [
        [1600, 1200],
        [200, 1000],
        [4000, 3000],
        [1, 1],
      ] as const) {
        const one = { hash: 'abcdefabcdefabcdefab', width, height };
        const names = outputNames(one, recipes);
        expect(names.sort()).toEqual(
          outputsFor(one, recipes)
            .map(({ name }) => name)
            .sort(),
        );
        expect(names.every(isOutputName)).toBe(true);
      }
    }
  });
});
