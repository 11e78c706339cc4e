import { expect, it } from 'vitest';
import { textsFor } from '../../../src/site/i18n/text.ts';
import type { PictureView } from '../../../src/site/views/gallery-types.ts';
import { galleryOf } from '../../../src/site/views/gallery-view.ts';

it.each([
  ['portrait format', 900, 1200, false],
  ['a square', 1000, 1000, true],
  ['the format of cameras', 1200, 900, true],
  ['the format of videos', 1920, 1080, true],
  ['a panorama', 4000, 1000, false],
])('a mosaic never cuts off most of its first picture: %s', (_, width, height, expected) => {
  const picture = { kind: 'picture', width: 1200, height: 900 } as PictureView;
  const media = [{ ...picture, width, height }, picture, picture];
  expect(galleryOf(media, 'Golf', textsFor('en-GB', 'UTC')).mosaic).toBe(expected);
});
