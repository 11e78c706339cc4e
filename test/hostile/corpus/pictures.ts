import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

type Bytes = () => Promise<Buffer> | Buffer;

const WIDTH = 120;
const HEIGHT = 80;

/** A picture with details, so that compressed data is long enough to be damaged. */
export function pixels(width = WIDTH, height = HEIGHT): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < data.length; at++) data[at] = (at * 7 + ((at / 3) | 0) * 13) & 0xff;
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const jpeg = () => pixels().jpeg().toBuffer();
const png = () => pixels().png().toBuffer();
const webp = () => pixels().webp().toBuffer();

const cut = async (picture: Promise<Buffer>, share: number) => {
  const bytes = await picture;
  return bytes.subarray(0, Math.floor(bytes.length * share));
};

/** Flips bytes at positions that depend only on the seed. */
async function flipped(picture: Promise<Buffer>, seed: number): Promise<Buffer> {
  const bytes = Buffer.from(await picture);
  for (let n = 1; n <= 20; n++) {
    const at = 20 + ((seed * 7919 + n * 104_729) % (bytes.length - 20));
    bytes[at] = (bytes[at] ?? 0) ^ 0xa5;
  }
  return bytes;
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A PNG whose header declares any size, with almost no data. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A JPEG whose header declares any size. */
async function jpegHead(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await jpeg());
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c00' }, limitInputPixels: false });

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>';
const XXE = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${SVG}`;
const text = (bytes: string) => () => Buffer.from(bytes, 'latin1');

/**
 * Bytes of a picture by expected result. `made`: thumbnails are encoded. A code: that fault. `either`:
 * damaged, with either result.
 */
export const PICTURES: Record<
  'made' | 'either' | 'picture-format' | 'picture-too-large' | 'picture-undecodable',
  Record<string, Bytes>
> = {
  made: {
    'a JPEG': jpeg,
    'a PNG': png,
    'a WebP': webp,
    'a progressive JPEG': () => pixels().jpeg({ progressive: true }).toBuffer(),
    'a grey JPEG': () => pixels().greyscale().jpeg().toBuffer(),
    'a PNG of 16 bits': () => pixels().toColourspace('rgb16').png().toBuffer(),
    'a PNG with a palette': () => pixels().png({ palette: true }).toBuffer(),
    'a lossless WebP': () => pixels().webp({ lossless: true }).toBuffer(),
    'one pixel': () => pixels(1, 1).png().toBuffer(),
    'one line': () => flat(20_000, 1).png().toBuffer(),
    'a JPEG with a page and an archive behind it': async () =>
      Buffer.concat([await jpeg(), Buffer.from('<script>alert(1)</script>PK\x03\x04')]),
    'a JPEG with a script in its comment': async () => {
      const bytes = await jpeg();
      const comment = Buffer.from('<script>alert(1)</script>');
      const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
      return Buffer.concat([bytes.subarray(0, 2), head, comment, bytes.subarray(2)]);
    },
  },
  'picture-format': {
    SVG: text(SVG),
    'SVG that reads a file': text(XXE),
    HTML: text('<!doctype html><script>alert(1)</script>'),
    GIF: () => pixels().gif().toBuffer(),
    AVIF: () => pixels().avif({ effort: 0 }).toBuffer(),
    TIFF: () => pixels().tiff().toBuffer(),
    PDF: text('%PDF-1.4\n1 0 obj<</JS(app.alert(1))>>'),
    PostScript: text('%!PS\n(%pipe%id) (w) file'),
    MVG: text('push graphic-context\nimage over 0,0 0,0 "|id"'),
    BMP: text(`BM${'\0'.repeat(100)}`),
    'a program': text('\x7fELF\x02\x01\x01'),
    nothing: text(''),
    zeros: () => Buffer.alloc(100_000),
    'a RIFF file without WebP': text(`RIFF\x10\0\0\0WAVEfmt ${'\0'.repeat(50)}`),
  },
  'picture-undecodable': {
    'the first bytes of a JPEG and no more': text('\xff\xd8\xff'),
    'SVG behind the first bytes of a JPEG': text(`\xff\xd8\xff${SVG}`),
    'GIF behind the first bytes of a PNG': async () =>
      Buffer.concat([(await png()).subarray(0, 8), await pixels().gif().toBuffer()]),
    'an empty WebP': text('RIFF\x04\0\0\0WEBP'),
    ...Object.fromEntries(
      [0.99, 0.9, 0.5, 0.2, 0.05].map((share) => [
        `a JPEG cut off at ${share * 100} %`,
        () => cut(jpeg(), share),
      ]),
    ),
    'a large JPEG cut off near its end': () => cut(pixels(3000, 2000).jpeg().toBuffer(), 0.97),
    'a JPEG without its end mark': async () => (await jpeg()).subarray(0, -2),
    'a PNG cut off': () => cut(png(), 0.5),
    'a WebP cut off': () => cut(webp(), 0.5),
    'a PNG of two thousand million each way': () => pngHead(2 ** 31 - 1, 2 ** 31 - 1),
    'a PNG without pixels': () => pngHead(0, 0),
  },
  'picture-too-large': {
    'a PNG of 50,000 × 50,000': () => pngHead(50_000, 50_000),
    'a PNG just over the limit': () => pngHead(7072, 7072),
    'a JPEG of 65,500 × 65,500': () => jpegHead(65_500, 65_500),
    'a picture too tall for any thumbnail': () => flat(1, 20_000).png().toBuffer(),
    'a tall picture that WebP cannot hold': () => flat(20, 70_000).png().toBuffer(),
  },
  either: {
    ...Object.fromEntries(
      Object.entries({ JPEG: jpeg, PNG: png, WebP: webp }).flatMap(([kind, bytes]) =>
        [1, 2, 3, 4].map((seed) => [
          `a ${kind} with flipped bytes (${seed})`,
          () => flipped(bytes(), seed),
        ]),
      ),
    ),
    'a JPEG that promises more than it has': () => jpegHead(4000, 4000),
    'a PNG with a text chunk that unpacks to 50 MB': async () => {
      const bytes = await png();
      const packed = deflateSync(Buffer.alloc(50_000_000));
      const comment = chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), packed]));
      return Buffer.concat([bytes.subarray(0, 33), comment, bytes.subarray(33)]);
    },
    'a JPEG with two thousand scans': async () => {
      const bytes = await pixels().jpeg({ progressive: true }).toBuffer();
      const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
      const end = Buffer.from([0xff, 0xd9]);
      return Buffer.concat([bytes.subarray(0, -2), ...Array(2000).fill(scan), end]);
    },
  },
};
