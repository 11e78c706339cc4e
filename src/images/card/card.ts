import type { Sharp } from 'sharp';
import { DARK_GROUND } from '../icon.ts';
import { CARD_JPEG, CARD_SIZE, CARD_STAGE, type CardGround } from '../recipes.ts';
import { LEADING, setText, textSvg } from './text.ts';

/** A picture for shared links, as plain data. */
export interface SocialCard {
  /** The thumbnail that it shows. Undefined without a picture. */
  picture: CardPicture | undefined;
  title: string;
  /** Price of a vehicle, or town of a dealer. */
  detail: string;
  /** Text instead of a logo. */
  seller: string;
  logo: { bytes: Uint8Array; ground: 'light' | 'dark' | '' } | undefined;
  /** Colours as hex digits. */
  ground: string;
  on: string;
}

export interface CardPicture {
  /** Name, size and fingerprint of the output. */
  name: string;
  width: number;
  height: number;
  fingerprint: string;
}

export const isCard = (content: string | Uint8Array | SocialCard): content is SocialCard =>
  typeof content !== 'string' && !(content instanceof Uint8Array);

/** Increased when the drawing changes, so that all cards are drawn again. */
export const CARD_VERSION = 1;

const PADDING = 32;
/** Maximum height of a logo, and the padding of its plate, in pixels. */
const LOGO = { height: 96, padding: 18 } as const;

type SharpModule = typeof import('sharp').default;

/** Decoded logos, by the bytes of their files and by width: all cards of a dealer have the same. */
const decodedLogos = new WeakMap<Uint8Array, Map<number, ReturnType<typeof decodeLogo>>>();

/** A logo in the largest allowed size, as raw pixels with an alpha channel. */
async function decodeLogo(sharp: SharpModule, bytes: Uint8Array, width: number) {
  const { data, info } = await sharp(bytes, { density: 300 })
    .resize({ width: width - 2 * LOGO.padding, height: LOGO.height, fit: 'inside' })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: 4 as const } };
}

/** A logo, and the plate that makes it visible on any colour. */
async function logoLayer(
  sharp: SharpModule,
  { bytes, ground }: NonNullable<SocialCard['logo']>,
  width: number,
) {
  const byWidth = decodedLogos.get(bytes) ?? new Map();
  decodedLogos.set(bytes, byWidth);
  const decoding = byWidth.get(width) ?? decodeLogo(sharp, bytes, width);
  byWidth.set(width, decoding);
  return { ...(await decoding), plate: ground === 'dark' ? DARK_GROUND : '#fff' };
}

/** Width at which a picture is decoded, so that it fits without a crop. */
export const drawnWidth = ({ width, height }: CardPicture): number =>
  Math.min(width, CARD_STAGE.width, Math.max(1, Math.floor((CARD_SIZE.height * width) / height)));

/**
 * A card without its picture: logo, title and price on the colour. They use the right side next to a picture,
 * or the full card without a picture. The pixels depend only on the input and libvips.
 */
async function drawBeside(card: SocialCard): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  const { picture } = card;
  const { height } = CARD_SIZE;
  const width = picture ? CARD_SIZE.width - CARD_STAGE.width : CARD_SIZE.width;
  const left = picture ? PADDING : 3 * PADDING;
  const top = picture ? PADDING + 8 : 3 * PADDING;
  const textWidth = width - 2 * left;
  const logo = card.logo && (await logoLayer(sharp, card.logo, Math.min(textWidth, 480)));
  const seller = setText(card.logo ? '' : card.seller, {
    width: textWidth,
    sizes: picture ? [30, 26] : [40],
    lines: 2,
  });
  const detail = setText(card.detail, {
    width: textWidth,
    sizes: picture ? [56, 48, 40, 34, 28] : [80, 64, 48],
    lines: 1,
  });
  const header = logo ? logo.raw.height + 2 * LOGO.padding : seller.height;
  const between = height - 2 * top - header - detail.height - 2 * PADDING;
  const sizes = picture ? [52, 46, 40, 34, 29, 25] : [92, 76, 60, 48, 40];
  const boxes = sizes.map((size) =>
    setText(card.title, {
      width: textWidth,
      sizes: [size],
      lines: Math.max(1, Math.floor(between / size / LEADING)),
    }),
  );
  // The largest size at which nothing is cut off.
  const title =
    boxes.find(({ lines }) => !lines.some((line) => line.endsWith('…'))) ?? boxes.at(-1);
  const svg = [
    `<rect fill="${card.ground}" width="${width}" height="${height}"/>`,
    logo &&
      `<rect fill="${logo.plate}" rx="14" x="${left}" y="${top}" width="${logo.raw.width + 2 * LOGO.padding}" height="${header}"/>`,
    `<g fill="${card.on}">`,
    textSvg(seller, left, top),
    title &&
      textSvg(title, left, top + header + PADDING + Math.max(0, (between - title.height) / 2)),
    textSvg(detail, left, height - top - detail.height),
    '</g>',
  ].join('');
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${svg}</svg>`;
  const drawing = sharp(Buffer.from(markup));
  if (!logo) return drawing;
  const { data, raw } = logo;
  return drawing.composite([
    { input: data, raw, left: left + LOGO.padding, top: top + LOGO.padding },
  ]);
}

/** The background on which another process draws the picture. */
export async function cardGround(card: SocialCard, file: string): Promise<CardGround> {
  const png = await (await drawBeside(card)).png({ compressionLevel: 1 }).toBuffer();
  return { file, png: png.toString('base64'), colour: card.ground };
}

/** A card without a picture as JPEG. */
export const plainCard = async (card: SocialCard): Promise<Buffer> =>
  (await drawBeside({ ...card, picture: undefined })).jpeg(CARD_JPEG).toBuffer();
