import { describe, expect, it } from 'vitest';
import { recipeBook } from '../../../src/images/recipe-book.ts';
import { outputSuffixes } from '../../../src/images/recipes.ts';
import { textsFor } from '../../../src/site/i18n/text.ts';
import { Images } from '../../../src/site/views/images.ts';
import { MediaViews } from '../../../src/site/views/media-views.ts';
import { siteAddress } from '../../../src/site/views/site-url.ts';
import type { ImageMedia, Vehicle } from '../../../src/stock/vehicle.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';

const URL = 'https://pictures.example/AB12CDE/1.jpg';
const content = { hash: 'a'.repeat(20), width: 1600, height: 1200, colour: '000000' };
const image: ImageMedia = { kind: 'image', id: 1, label: '1', source: 'AAAAAAAAAAA', url: URL };

function optionsOf(fullSize: 'link' | 'mirror', hasOutputs: boolean, hidesPlates = false) {
  const book = recipeBook(mediaConfig({ fullSize }));
  const suffixes = hasOutputs ? outputSuffixes(content, book.picture) : [];
  return {
    place: siteAddress('https://cars.example'),
    book,
    pictures: { contentOf: () => content, suffixesOf: () => suffixes },
    texts: textsFor('en-GB', 'UTC'),
    providers: [],
    hidesPlates,
  };
}

describe('the full size of a picture is', () => {
  it.each([
    ['link', true, URL],
    ['mirror', true, expect.stringMatching(/^\/media\/aa\/a{18}-1600-/)],
    ['mirror', false, URL],
  ] as const)('with fullSize: %s, outputs: %s: %s', (fullSize, hasOutputs, address) => {
    const images = new Images(optionsOf(fullSize, hasOutputs));
    expect(images.fullAddress(content, image)).toEqual(address);
  });

  it('never a URL of the service if plates are hidden, because it may contain them', () => {
    const vehicle = {
      dealerId: 7,
      vrm: 'v-1',
      dateUpdated: '',
      media: [image],
    } as Partial<Vehicle>;
    const publicUrl = (hidesPlates: boolean) =>
      new MediaViews(optionsOf('link', true, hidesPlates)).publicOf(vehicle as Vehicle, new Map())
        .media[0];
    expect(publicUrl(false)).toHaveProperty('url', URL);
    expect(publicUrl(true)).not.toHaveProperty('url');
  });
});
