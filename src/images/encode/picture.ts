import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { printable } from '../../errors.ts';
import {
  CARD_JPEG,
  CARD_SIZE,
  CARD_STAGE,
  type CardGround,
  type Content,
  contentHash,
  type Output,
  outputsFor,
  type Recipe,
} from '../recipes.ts';

let isRestricted = false;

/**
 * Restricts libvips in this process for untrusted pictures. It decodes only JPEG, PNG and WebP, but not SVG,
 * PDF, GIF, AVIF, TIFF or any other format.
 */
export function restrictDecoding(): void {
  isRestricted = true;
  // Each source is processed once, so libvips' cache of recent operations would only use memory.
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  });
}

/** Reasons why a picture cannot be used. The codes are stable, and counted in the build report. */
type PictureFault = 'picture-format' | 'picture-too-large' | 'picture-undecodable';

export class PictureError extends Error {
  readonly code: PictureFault;
  constructor(code: PictureFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Error with libvips' message, which can quote the picture and have several lines. */
const undecodable = (problem: string, error: unknown): PictureError => {
  const reason = error instanceof Error ? error.message : String(error);
  return new PictureError('picture-undecodable', `${problem}: ${printable(reason).slice(0, 200)}`);
};

/** Longest side of a WebP picture, the lowest limit of the three formats. Source: RFC 9649, 2.6. */
const LONGEST_SIDE = 16_383;

interface Pixels {
  data: Buffer;
  info: OutputInfo;
}

/** Decoded pixels always have three channels: sRGB without transparency. */
const fromPixels = ({ data, info: { width, height } }: Pixels): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 } });

/** Draws a picture in the middle of a card's left side, next to the card's texts. */
async function drawOnCard(pixels: Pixels, { png, colour }: CardGround): Promise<Sharp> {
  const picture = await fromPixels(pixels)
    .resize({ ...CARD_STAGE, fit: 'contain', background: colour })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const texts = await sharp(Buffer.from(png, 'base64')).removeAlpha().raw().toBuffer();
  // Joining the rows takes a fifth of the time of composing with libvips.
  const { width, height } = CARD_SIZE;
  const joined = Buffer.alloc(3 * width * height);
  const left = 3 * CARD_STAGE.width;
  const row = 3 * width;
  for (let y = 0; y < height; y++) {
    picture.copy(joined, y * row, y * left, (y + 1) * left);
    texts.copy(joined, y * row + left, y * (row - left), (y + 1) * (row - left));
  }
  return sharp(joined, { raw: { ...CARD_SIZE, channels: 3 } });
}

const encoder = (pixels: Sharp, { format, quality, effort, ground }: Output): Sharp =>
  pixels.toFormat(format, ground ? CARD_JPEG : { quality, effort, chromaSubsampling: '4:2:0' });

/** Detects the format by the first bytes. Names and headers are not trusted. */
function sniff(bytes: Uint8Array): 'jpeg' | 'png' | 'webp' | undefined {
  const starts = (offset: number, ...expected: number[]) =>
    expected.every((byte, index) => bytes[offset + index] === byte);
  if (starts(0, 0xff, 0xd8, 0xff)) return 'jpeg';
  if (starts(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'webp';
  return undefined;
}

async function readHeader(bytes: Buffer, maxPixels: number): Promise<Omit<Content, 'hash'>> {
  const format = sniff(bytes);
  if (format === undefined) {
    const what = bytes.length === 0 ? 'empty' : 'not a JPEG, PNG or WebP picture';
    throw new PictureError('picture-format', `it is ${what}`);
  }
  // This reads only the header. The number of pixels is checked below.
  const header = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: Error) => {
      throw undecodable('its header cannot be read', error);
    });
  const { width, height } = header.autoOrient;
  if (!width || !height || width * height > maxPixels) {
    throw new PictureError(
      'picture-too-large',
      `it has ${width} × ${height} pixels, more than ${maxPixels}`,
    );
  }
  return { width, height };
}

/** Width in pixels at which the source is decoded, large enough for every output. */
function decodeWidth(content: Content, outputs: readonly Output[]): number {
  const widths = outputs.map(({ width, height, crop }) =>
    crop ? Math.max(width, Math.ceil((height * content.width) / content.height)) : width,
  );
  return Math.min(content.width, Math.max(1, ...widths));
}

async function decode(bytes: Buffer, width: number, maxPixels: number): Promise<Pixels> {
  return sharp(bytes, { limitInputPixels: maxPixels, autoOrient: true, failOn: 'error' })
    .resize({ width })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      throw undecodable('it cannot be decoded', error);
    });
}

/**
 * Makes all outputs of a source from one decode. The picture is decoded at the largest needed size (with
 * shrink-on-load). Each smaller size is made from the next larger one, and all formats of a width from the same
 * pixels. An `exact` output has a separate decode, so that it does not change the bytes of others. Orientation is
 * applied, transparency is flattened on white, colours are converted to sRGB, and metadata is removed.
 *
 * Source of the method: measured, see docs/performance.md.
 *
 * @param recipes of the outputs.
 * @param hash of the bytes, if the caller knows it already.
 * @param exists which outputs need not be made again.
 * @throws {PictureError} the bytes are not a usable picture.
 */
export async function encodePicture(
  bytes: Buffer,
  recipes: readonly Recipe[],
  {
    maxPixels,
    hash = contentHash(bytes),
    exists = () => false,
  }: { maxPixels: number; hash?: string; exists?: (name: string) => boolean },
) {
  if (!isRestricted) throw new Error('restrictDecoding() must be called first');
  const content = { hash, ...(await readHeader(bytes, maxPixels)) };
  const outputs = outputsFor(content, recipes);
  if (outputs.some(({ width, height }) => Math.max(width, height) > LONGEST_SIDE)) {
    throw new PictureError(
      'picture-too-large',
      `it has ${content.width} × ${content.height} pixels: too narrow for thumbnails`,
    );
  }
  const exact = outputs.filter(({ exact }) => exact);
  const shared = outputs.filter(({ exact }) => !exact);
  const scaled = shared.filter(({ shaped }) => !shaped);
  const shaped = shared.filter((output) => output.shaped);
  const width = decodeWidth(content, shared.length > 0 ? scaled : exact);
  const shapedWidth = decodeWidth(content, shaped);
  const decoded = await decode(bytes, width, maxPixels);
  // Crops are made from the usual widths. A second decode is needed only if all of these are too small.
  const forShapes =
    shapedWidth <= width || shaped.every(({ name }) => exists(name))
      ? decoded
      : await decode(bytes, shapedWidth, maxPixels);

  try {
    const { colour, files } = await encodeAll(decoded, forShapes, shared, exists);
    for (const output of exact) {
      if (exists(output.name)) continue;
      const isDecoded = shared.length === 0 && output.width === width;
      const pixels = isDecoded ? decoded : await decode(bytes, output.width, maxPixels);
      const image = output.ground ? await drawOnCard(pixels, output.ground) : fromPixels(pixels);
      files.push({ name: output.name, data: await encoder(image, output).toBuffer() });
    }
    return { content, colour, files };
  } catch (error) {
    // The only input is the picture's own pixels, so every failure here is a fault of the picture.
    throw undecodable('it cannot be encoded', error);
  }
}

/**
 * Makes every missing output from decoded pixels, and computes their mean colour. It also computes existing
 * sizes, so that the bytes of an output do not depend on which others are missing.
 */
async function encodeAll(
  decoded: Pixels,
  forShapes: Pixels,
  outputs: readonly Output[],
  exists: (name: string) => boolean,
) {
  const encodings: Promise<{ name: string; data: Buffer }>[] = [];
  const encode = (pixels: Sharp, output: Output) => {
    if (exists(output.name)) return;
    const encoding = encoder(pixels, output)
      .toBuffer()
      .then((data) => ({ name: output.name, data }));
    // It may fail before it is awaited below. An unhandled rejection would end the process.
    encoding.catch(() => {});
    encodings.push(encoding);
  };
  let larger: Pixels = decoded;
  for (const output of outputs) {
    const { width, height, crop, position } = output;
    if (output.shaped) {
      const fit = crop ? 'cover' : 'fill';
      encode(fromPixels(forShapes).resize({ width, height, fit, position }), output);
      continue;
    }
    if (larger.info.width !== width || larger.info.height !== height) {
      larger = await fromPixels(larger)
        .resize({ width, height, fit: 'fill' })
        .raw()
        .toBuffer({ resolveWithObject: true });
    }
    encode(fromPixels(larger), output);
  }
  // The placeholder until the picture has loaded.
  const mean = await fromPixels(larger).resize(1, 1, { fit: 'fill' }).raw().toBuffer();
  return { colour: mean.toString('hex'), files: await Promise.all(encodings) };
}
