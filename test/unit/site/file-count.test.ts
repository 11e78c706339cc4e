import { describe, expect, it } from 'vitest';
import type { UserConfig } from '../../../src/config/schema.ts';
import { contentHash } from '../../../src/images/recipes.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { plannedFiles } from '../../support/planned-files.ts';
import { pictureOf, vehicleOf } from '../../support/vehicle.ts';

const PICTURES = 20;
/** Enough for a second page of the list. */
const FEW = 25;

const stock = Array.from({ length: 300 }, (_, n) => {
  const media = Array.from({ length: PICTURES }, (_, index) => pictureOf(n * PICTURES + index));
  return vehicleOf(`AB${String(n).padStart(3, '0')}CDE`, media);
});

async function count(
  width: number,
  height: number,
  media: NonNullable<UserConfig['media']> = {},
  site: Partial<UserConfig['site']> = {},
  vehicles = stock.slice(0, FEW),
): Promise<{ media: number; pages: number }> {
  const config = offlineConfig({ media, site });
  const files = await plannedFiles(config, vehicles, (key) => ({
    hash: contentHash(Buffer.from(key)),
    width,
    height,
  }));
  return { media: files.media.size, pages: files.pages.size };
}

it(`${stock.length} vehicles × ${PICTURES} pictures fit into 20,000 files`, async () => {
  const { media, pages } = await count(1600, 1200, {}, {}, stock);
  expect(media).toBe(stock.length * (PICTURES * 3 + 1));
  expect(media + pages).toBeLessThanOrEqual(20_000);
});

describe(`vehicles × ${PICTURES} pictures`, () => {
  it.each([
    ['4:3, of large cameras', 4000, 3000],
    ['3:2', 1500, 1000],
    ['16:9', 1920, 1080],
    ['upright', 1200, 1600],
  ])('have the same number of files %s', async (_, width, height) => {
    const { media } = await count(width, height);
    // Three widths of each picture, and a wide card of each cover.
    expect(media).toBe(FEW * (PICTURES * 3 + 1));
  });

  it('have one more file per vehicle and one more per dealer with sheets for windows', async () => {
    const usual = (await count(1600, 1200)).pages;
    expect((await count(1600, 1200, {}, { sticker: true })).pages).toBe(usual + FEW + 1);
    const saved = { favourites: true, locales: ['de-DE'] };
    const german = (await count(1600, 1200, {}, { locales: ['de-DE'] })).pages;
    expect((await count(1600, 1200, {}, saved)).pages).toBe(german + 2);
    const netlify = { enquiry: { netlify: 'enquiries' } };
    expect((await count(1600, 1200, {}, netlify)).pages).toBe(usual + 1);
  });

  it('have pages in each language, and pictures and data once', async () => {
    const single = await count(1600, 1200);
    const three = await count(1600, 1200, {}, { locales: ['de-DE', 'fr-FR'] });
    expect(three.media).toBe(single.media);
    // Page, embed page and oembed.json of each vehicle, lists, and five more.
    const lists = Math.ceil(FEW / 24);
    expect(three.pages - single.pages).toBe(2 * (FEW * 4 + lists + 6));
  });

  it('exceed it with a JPEG of each picture', async () => {
    const all = await count(1600, 1200, { fallback: 'all' });
    expect(all.media).toBe(FEW * (PICTURES * 4 + 1));
  });

  it('need a narrow crop of each cover only if the full picture does not fit', async () => {
    const perCover = async (media: object) =>
      (await count(1500, 1000, media)).media / FEW - PICTURES * 2;
    expect(await perCover({ widths: [320, 800] })).toBe(1);
    expect(await perCover({ widths: [640, 800] })).toBe(2);
    expect(await perCover({ widths: [320, 800], crop: 'attention' })).toBe(2);
  });
});
