import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { CARD_VERSION, type SocialCard } from '../../../src/images/card/card.ts';
import { CardDrawer } from '../../../src/images/card/draw.ts';
import { setText } from '../../../src/images/card/text.ts';
import { fingerprintOf } from '../../../src/images/fingerprint.ts';
import { putOutput } from '../../../src/images/stores/folder.ts';
import { isIntact } from '../../../src/images/stores/intact-outputs.ts';
import { mediaConfig } from '../../support/image-pipeline.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const card: SocialCard = {
  picture: undefined,
  title: '2019 Volkswagen Golf',
  detail: '£15,950',
  seller: 'Northgate Cars',
  logo: undefined,
  ground: '#0b57d0',
  on: '#ffffff',
};
const RED = '#d01020';
const NAME = '01/23456789abcdef0123-1280-abcdef.webp';
const CARD = '01/23456789abcdef0123-….card';

/** The card drawn by a build with a thumbnail of these bytes. */
async function drawCard(
  shown: SocialCard,
  thumbnail?: { bytes: Buffer; width: number; height: number },
): Promise<Buffer> {
  const folder = tempFolder();
  let picture: SocialCard['picture'];
  if (thumbnail) {
    const { bytes, ...size } = thumbnail;
    const fingerprint = fingerprintOf(bytes);
    await putOutput(folder, NAME, bytes, fingerprint);
    picture = { name: NAME, fingerprint, ...size };
  }
  const drawn: Uint8Array[] = [];
  const sources = { folder: folder, media: mediaConfig() };
  // Two equal cards in one call.
  const same = ['/a/card.jpg', '/b/card.jpg'].map((file) => ({
    file,
    key: 'K'.repeat(22),
    card: { ...shown, picture },
  }));
  const draw = async () => {
    await using drawer = new CardDrawer(sources);
    await drawer.draw(same, (_, { bytes, isIncomplete }) => {
      expect(isIncomplete).toBe(false);
      drawn.push(bytes);
    });
  };
  // Builds that share a cache may draw it at the same time.
  await Promise.all([draw(), draw()]);
  expect(new Set(drawn.map((bytes) => fingerprintOf(bytes))).size).toBe(1);
  // The cache keeps the cards beside the thumbnail. It has no other file.
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\./.test(name));
  expect(files.map((name) => name.replace(/-.{10}\.card$/, '-….card')).sort()).toEqual(
    thumbnail ? [NAME, CARD, CARD] : [],
  );
  return Buffer.from(drawn[0] ?? '');
}

const picture = async (width: number, height: number) => ({
  width,
  height,
  bytes: await sharp({ create: { width, height, channels: 3, background: RED } })
    .webp({ lossless: true })
    .toBuffer(),
});
const logo = (fill: string, ground: 'light' | 'dark') => ({
  ground,
  bytes: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100"><path fill="${fill}" d="M20 20h300v60H20z"/><path fill="#777" d="M0 0h1v1z"/></svg>`,
  ),
});

/** The colour of a pixel, as hex digits rounded to 16 levels a channel. */
async function at(jpeg: Buffer, left: number, top: number): Promise<string> {
  const pixel = await sharp(jpeg).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  return Array.from(pixel.subarray(0, 3), (value) => Math.round(value / 51).toString(16)).join('');
}

it.each([
  ['4:3', 1024, 768, [2, 2], [837, 627]],
  ['wide', 1280, 720, [2, 82], [837, 547]],
  ['small', 420, 315, [2, 2], [837, 627]],
  ['upright', 600, 800, [186, 2], [652, 627]],
] as const)('shows the full picture, which is %s', async (_, width, height, first, last) => {
  const jpeg = await drawCard(card, await picture(width, height));
  expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 });
  for (const [x, y] of [first, last]) expect(await at(jpeg, x, y)).toBe('401');
  // Its surroundings have the dealer's colour.
  expect(await at(jpeg, 1195, 300)).toBe('024');
});

/** The greys of the texts of a card, in 6 columns and 12 rows. */
const GREYS =
  'ZGhmZmBfaHVyb2FeXVtcXV9fYWRiYGBfcodvV1tdbIN+gIRpcIl0bHNiZ3FhW1xeXVteX2BfYWNgYV9fc4SGhV9fY2VmZF9f';

it('is drawn as before, unless CARD_VERSION increases and all cards are drawn again', async () => {
  const texts = { left: 840, top: 0, width: 360, height: 630 };
  const tiny = sharp(await drawCard(card, await picture(1024, 768)))
    .extract(texts)
    .greyscale();
  const greys = await tiny.resize(6, 12, { fit: 'fill' }).raw().toBuffer();
  const before = { 1: GREYS }[CARD_VERSION] ?? '';
  const differences = Array.from(
    Buffer.from(before, 'base64'),
    (grey, at) => grey - (greys[at] ?? 0),
  );
  expect(differences, greys.toString('base64')).toHaveLength(72);
  for (const difference of differences) expect(Math.abs(difference)).toBeLessThanOrEqual(1);
});

it.each([
  ['#111', 'light', '555'],
  ['#fff', 'dark', '001'],
] as const)('shows a logo in %s on a %s plate', async (fill, ground, plate) => {
  const jpeg = await drawCard({ ...card, logo: logo(fill, ground) });
  expect(await at(jpeg, 104, 160)).toBe(plate);
});

it('is drawn without its thumbnail, and marked as incomplete, if the thumbnail cannot be used', async () => {
  const { bytes, ...size } = await picture(1024, 768);
  const folder = tempFolder();
  const sources = { folder: folder, media: mediaConfig() };
  const known = fingerprintOf(bytes);
  const draw = async (fingerprint = known) => {
    let result: { bytes: Uint8Array; isIncomplete: boolean } | undefined;
    const shown = { ...card, picture: { name: NAME, fingerprint, ...size } };
    const planned = { file: '/a/card.jpg', key: 'K'.repeat(22), card: shown };
    await using drawer = new CardDrawer(sources);
    await drawer.draw([planned], (_, drawn) => {
      result = drawn;
    });
    return result;
  };
  const plain = await drawCard(card);
  expect(await draw()).toEqual({ bytes: plain, isIncomplete: true });
  // Other bytes under its name are not used, and the next build notices them despite their size and time.
  await putOutput(folder, NAME, Buffer.from(bytes).reverse(), known);
  const file = path.join(folder, NAME);
  expect(isIntact(file, known)).toBe(true);
  expect(await draw()).toEqual({ bytes: plain, isIncomplete: true });
  expect(isIntact(file, known)).toBe(false);
  // The decoder refuses it.
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>');
  await putOutput(folder, NAME, svg, fingerprintOf(svg));
  expect(await draw(fingerprintOf(svg))).toEqual({ bytes: plain, isIncomplete: true });
  // No incomplete card is in the cache.
  await putOutput(folder, NAME, bytes, known);
  const complete = await draw();
  expect(complete?.isIncomplete).toBe(false);
  expect(plain.equals(complete?.bytes ?? plain)).toBe(false);
});

it('is drawn without picture, logo, price or a printable name', async () => {
  const jpeg = await drawCard({ ...card, title: 'Тойота', detail: '', seller: '' });
  const { channels } = await sharp(jpeg).stats();
  expect(channels.every(({ stdev }) => stdev < 1)).toBe(true);
});

it('shortens text only if a smaller size does not fit', () => {
  const box = { width: 296, sizes: [52, 26], lines: 4 };
  expect(setText('2019 Volkswagen Golf', box)).toMatchObject({ size: 52 });
  const long = setText('Mercedes-Benz Sprinter 316 CDI Kastenwagen Hochdach', box);
  expect(long.size).toBe(26);
  expect(long.lines.join(' ')).toBe('Mercedes-Benz Sprinter 316 CDI Kastenwagen Hochdach');
  expect(setText('Kraftfahrzeuge', box)).toMatchObject({ size: 26, lines: ['Kraftfahrzeuge'] });
  expect(setText('Škoda Łódź £ € ŵ', box).lines.join(' ')).toBe('Škoda Łódź £ € ŵ');
  const cut = setText('Word '.repeat(80), box).lines;
  expect(cut.map((line) => line.endsWith('…'))).toEqual([false, false, false, true]);
});
