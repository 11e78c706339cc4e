import { plainLatin } from '../lib/latin.ts';
import letters from './letters.json' with { type: 'json' };

/** Strokes of capital letters in a box of 20 × 28. Fonts are not used, because they differ between machines. */
const LETTERS: Readonly<Record<string, string>> = letters;

/** A car from the side, in the same box, for names that begin with another character. */
const CAR =
  'M-6 20V14l5-1 5-7h11l6 7 6 2v5M-6 20h4M4 20h11M21 20h6M-2 20a3 3 0 0 0 6 0 3 3 0 0 0-6 0M15 20a3 3 0 0 0 6 0 3 3 0 0 0-6 0';

/** The first letter of a name on a background, as an SVG of 64 × 64. It fits in the middle four fifths. */
export function initialIcon(name: string, { ground, on }: { ground: string; on: string }): string {
  const letter = plainLatin(name.trim()).charAt(0).toUpperCase();
  const strokes = LETTERS[letter] ?? CAR;
  const width = strokes === CAR ? 3 : 5;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="${ground}" d="M0 0h64v64H0z"/><path fill="none" stroke="${on}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" transform="translate(22 18)" d="${strokes}"/></svg>`;
}

/** Loaded on demand, because it takes 50 ms and builds without changes do not need it. */
const loadSharp = async () => (await import('sharp')).default;

/** An icon as a square PNG. @param size pixels. */
export async function iconPng(svg: string, size: number): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(Buffer.from(svg), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ palette: true, effort: 10 })
    .toBuffer();
}

/** Background of a logo that is invisible on white. */
export const DARK_GROUND = '#16191d';

/** Highest ratio of a logo's sides at which it is recognisable as an icon. */
const SQUARE_ENOUGH = 1.6;

/**
 * A logo in the middle of a square, white unless the logo is invisible on white, as PNG. Undefined if the logo is
 * too wide or too high.
 * @param size pixels.
 * @param isMaskable launchers may show only the circle in the middle four fifths.
 */
export async function logoIcon(
  logo: { bytes: Uint8Array; width: number; height: number; ground: 'light' | 'dark' | '' },
  size: number,
  isMaskable: boolean,
): Promise<Buffer | undefined> {
  const shape = Math.max(logo.width / logo.height, logo.height / logo.width);
  if (shape > SQUARE_ENOUGH) return undefined;
  const longestSide = isMaskable ? 0.8 / Math.hypot(1, 1 / shape) : 0.8;
  const edge = Math.ceil((size * (1 - longestSide)) / 2);
  const inner = size - 2 * edge;
  const background = logo.ground === 'dark' ? DARK_GROUND : '#fff';
  const sharp = await loadSharp();
  return sharp(logo.bytes)
    .resize(inner, inner, { fit: 'contain', background })
    .flatten({ background })
    .extend({ top: edge, left: edge, bottom: edge, right: edge, background })
    .png({ palette: true, effort: 10 })
    .toBuffer();
}

/** More than twice the largest logo of a header (site/views/assets.ts), and 300 dpi on a printed sheet. */
const LOGO = { width: 704, height: 144 };

/** A logo as visitors load it: a picture with more pixels than any page shows is made smaller. @param size of it. */
export async function fitLogo(
  bytes: Buffer,
  extension: string,
  size: { width: number; height: number },
): Promise<Buffer> {
  if (extension === '.svg' || (size.width <= LOGO.width && size.height <= LOGO.height))
    return bytes;
  const sharp = await loadSharp();
  const image = sharp(bytes)
    .autoOrient()
    .resize({ ...LOGO, fit: 'inside' });
  if (extension === '.png') image.png({ palette: true, effort: 10 });
  return image.toBuffer();
}

/** Luminance (WCAG 2) below which a colour has less than 2:1 on dark pages, above which less than 1.5:1 on light ones. */
const DARK = 0.076;
const LIGHT = 0.65;

/** Background that a logo needs on pages of the other colour scheme. Empty if it is visible on both. */
export async function logoGround(bytes: Uint8Array): Promise<'light' | 'dark' | ''> {
  const sharp = await loadSharp();
  const pixels = await sharp(bytes)
    .resize({ ...LOGO, fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer();
  const linear = (at: number) => ((pixels[at] ?? 0) / 255) ** 2.2;
  const luminances: number[] = [];
  for (let at = 0; at < pixels.length; at += 4) {
    if ((pixels[at + 3] ?? 0) < 128) continue;
    luminances.push(0.2126 * linear(at) + 0.7152 * linear(at + 1) + 0.0722 * linear(at + 2));
  }
  const share = (test: (light: number) => boolean) =>
    luminances.filter(test).length / (luminances.length || 1);
  // Letters are a small part of many logos. White parts of a coloured logo need not be visible on white.
  if (share((light) => light > LIGHT) > 0.5)
    return luminances.length * 1.1 > pixels.length / 4 ? '' : 'dark';
  return share((light) => light < DARK) > 0.1 ? 'light' : '';
}

/** Size of an SVG, read from its `viewBox`, otherwise from `width` and `height`, without rendering it. */
function svgSize(text: string): { width: number; height: number } | undefined {
  const [tag = ''] = /<svg\b[^>]*>/.exec(text) ?? [];
  const box = /\bviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag);
  const width = Number(box?.[1] ?? /\swidth\s*=\s*["']([\d.]+)/.exec(tag)?.[1]);
  const height = Number(box?.[2] ?? /\sheight\s*=\s*["']([\d.]+)/.exec(tag)?.[1]);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Size in pixels of a user's picture file, such as a logo. Undefined if it cannot be read. */
export async function pictureSize(
  bytes: Buffer,
  extension: string,
): Promise<{ width: number; height: number } | undefined> {
  if (extension.toLowerCase() === '.svg') return svgSize(bytes.toString('utf8'));
  const sharp = await loadSharp();
  try {
    // An empty file already throws here.
    const { autoOrient } = await sharp(bytes).metadata();
    return { width: autoOrient.width, height: autoOrient.height };
  } catch {
    return undefined;
  }
}
