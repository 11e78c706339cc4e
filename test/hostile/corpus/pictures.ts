import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Bytes behind a picture's address, and what must become of them. */
export interface PictureCase {
  name: string;
  bytes: () => Promise<Buffer> | Buffer;
  /** Code of the fault; `made`: thumbnails are made; `either`: damaged, but never more than that. */
  becomes: 'made' | 'either' | 'picture-format' | 'picture-too-large' | 'picture-undecodable';
}

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

const cut = async (whole: Promise<Buffer>, share: number) => {
  const bytes = await whole;
  return bytes.subarray(0, Math.floor(bytes.length * share));
};

/** Bytes flipped at places that depend on the seed alone. */
async function flipped(whole: Promise<Buffer>, seed: number): Promise<Buffer> {
  const bytes = Buffer.from(await whole);
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

/** A PNG whose head promises any size, with next to no data behind it. */
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

/** A JPEG whose head promises any size. */
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

export const PICTURES: PictureCase[] = [
  { name: 'a JPEG', bytes: jpeg, becomes: 'made' },
  { name: 'a PNG', bytes: png, becomes: 'made' },
  { name: 'a WebP', bytes: webp, becomes: 'made' },
  {
    name: 'a progressive JPEG',
    bytes: () => pixels().jpeg({ progressive: true }).toBuffer(),
    becomes: 'made',
  },
  { name: 'a grey JPEG', bytes: () => pixels().greyscale().jpeg().toBuffer(), becomes: 'made' },
  {
    name: 'a PNG of 16 bits',
    bytes: () => pixels().toColourspace('rgb16').png().toBuffer(),
    becomes: 'made',
  },
  {
    name: 'a PNG with a palette',
    bytes: () => pixels().png({ palette: true }).toBuffer(),
    becomes: 'made',
  },
  {
    name: 'a lossless WebP',
    bytes: () => pixels().webp({ lossless: true }).toBuffer(),
    becomes: 'made',
  },
  { name: 'one pixel', bytes: () => pixels(1, 1).png().toBuffer(), becomes: 'made' },
  { name: 'one line', bytes: () => flat(20_000, 1).png().toBuffer(), becomes: 'made' },
  { name: 'SVG', bytes: () => Buffer.from(SVG), becomes: 'picture-format' },
  { name: 'SVG that reads a file', bytes: () => Buffer.from(XXE), becomes: 'picture-format' },
  {
    name: 'HTML',
    bytes: () => Buffer.from('<!doctype html><script>alert(1)</script>'),
    becomes: 'picture-format',
  },
  { name: 'GIF', bytes: () => pixels().gif().toBuffer(), becomes: 'picture-format' },
  { name: 'AVIF', bytes: () => pixels().avif({ effort: 0 }).toBuffer(), becomes: 'picture-format' },
  { name: 'TIFF', bytes: () => pixels().tiff().toBuffer(), becomes: 'picture-format' },
  {
    name: 'PDF',
    bytes: () => Buffer.from('%PDF-1.4\n1 0 obj<</JS(app.alert(1))>>'),
    becomes: 'picture-format',
  },
  {
    name: 'PostScript',
    bytes: () => Buffer.from('%!PS\n(%pipe%id) (w) file'),
    becomes: 'picture-format',
  },
  {
    name: 'MVG',
    bytes: () => Buffer.from('push graphic-context\nimage over 0,0 0,0 "|id"'),
    becomes: 'picture-format',
  },
  {
    name: 'BMP',
    bytes: () => Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]),
    becomes: 'picture-format',
  },
  {
    name: 'a program',
    bytes: () => Buffer.from('\x7fELF\x02\x01\x01', 'latin1'),
    becomes: 'picture-format',
  },
  { name: 'nothing', bytes: () => Buffer.alloc(0), becomes: 'picture-format' },
  { name: 'zeros', bytes: () => Buffer.alloc(100_000), becomes: 'picture-format' },
  {
    name: 'the first bytes of a JPEG and no more',
    bytes: () => Buffer.from([0xff, 0xd8, 0xff]),
    becomes: 'picture-undecodable',
  },
  {
    name: 'SVG behind the first bytes of a JPEG',
    bytes: () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.from(SVG)]),
    becomes: 'picture-undecodable',
  },
  {
    name: 'GIF behind the first bytes of a PNG',
    bytes: async () =>
      Buffer.concat([(await png()).subarray(0, 8), await pixels().gif().toBuffer()]),
    becomes: 'picture-undecodable',
  },
  {
    name: 'a RIFF that is no WebP',
    bytes: () => Buffer.concat([Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(50)]),
    becomes: 'picture-format',
  },
  {
    name: 'an empty WebP',
    bytes: () => Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'),
    becomes: 'picture-undecodable',
  },
  {
    name: 'a JPEG with a page and an archive behind it',
    bytes: async () =>
      Buffer.concat([await jpeg(), Buffer.from('<script>alert(1)</script>PK\x03\x04')]),
    becomes: 'made',
  },
  {
    name: 'a JPEG with a script in its comment',
    bytes: async () => {
      const bytes = await jpeg();
      const comment = Buffer.from('<script>alert(1)</script>');
      const head = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
      return Buffer.concat([bytes.subarray(0, 2), head, comment, bytes.subarray(2)]);
    },
    becomes: 'made',
  },
  ...[0.99, 0.9, 0.5, 0.2, 0.05].map((share) => ({
    name: `a JPEG cut off at ${share * 100} %`,
    bytes: () => cut(jpeg(), share),
    becomes: 'picture-undecodable' as const,
  })),
  {
    name: 'a large JPEG cut off near its end',
    bytes: () => cut(pixels(3000, 2000).jpeg().toBuffer(), 0.97),
    becomes: 'picture-undecodable',
  },
  {
    name: 'a JPEG without its end mark',
    bytes: async () => (await jpeg()).subarray(0, -2),
    becomes: 'picture-undecodable',
  },
  { name: 'a PNG cut off', bytes: () => cut(png(), 0.5), becomes: 'picture-undecodable' },
  { name: 'a WebP cut off', bytes: () => cut(webp(), 0.5), becomes: 'picture-undecodable' },
  ...[1, 2, 3, 4].flatMap((seed) => [
    {
      name: `a JPEG with flipped bytes (${seed})`,
      bytes: () => flipped(jpeg(), seed),
      becomes: 'either' as const,
    },
    {
      name: `a PNG with flipped bytes (${seed})`,
      bytes: () => flipped(png(), seed),
      becomes: 'either' as const,
    },
    {
      name: `a WebP with flipped bytes (${seed})`,
      bytes: () => flipped(webp(), seed),
      becomes: 'either' as const,
    },
  ]),
  {
    name: 'a PNG of 50,000 × 50,000',
    bytes: () => pngHead(50_000, 50_000),
    becomes: 'picture-too-large',
  },
  {
    name: 'a PNG just over the limit',
    bytes: () => pngHead(7072, 7072),
    becomes: 'picture-too-large',
  },
  {
    name: 'a PNG of two thousand million each way',
    bytes: () => pngHead(2 ** 31 - 1, 2 ** 31 - 1),
    becomes: 'picture-undecodable',
  },
  { name: 'a PNG without pixels', bytes: () => pngHead(0, 0), becomes: 'picture-undecodable' },
  {
    name: 'a JPEG of 65,500 × 65,500',
    bytes: () => jpegHead(65_500, 65_500),
    becomes: 'picture-too-large',
  },
  {
    name: 'a JPEG that promises more than it has',
    bytes: () => jpegHead(4000, 4000),
    becomes: 'either',
  },
  {
    name: 'a picture too tall for any thumbnail',
    bytes: () => flat(1, 20_000).png().toBuffer(),
    becomes: 'picture-too-large',
  },
  {
    name: 'a tall picture that WebP cannot hold',
    bytes: () => flat(20, 70_000).png().toBuffer(),
    becomes: 'picture-too-large',
  },
  {
    name: 'a PNG with a text chunk that unpacks to 50 MB',
    bytes: async () => {
      const bytes = await png();
      const text = Buffer.concat([
        Buffer.from('Comment\0\0', 'latin1'),
        deflateSync(Buffer.alloc(50_000_000)),
      ]);
      return Buffer.concat([bytes.subarray(0, 33), chunk('zTXt', text), bytes.subarray(33)]);
    },
    becomes: 'either',
  },
  {
    name: 'a JPEG with two thousand scans',
    bytes: async () => {
      const bytes = await pixels().jpeg({ progressive: true }).toBuffer();
      const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
      return Buffer.concat([
        bytes.subarray(0, -2),
        ...Array(2000).fill(scan),
        Buffer.from([0xff, 0xd9]),
      ]);
    },
    becomes: 'either',
  },
];
