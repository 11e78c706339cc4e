/** Strokes of capital letters in a box of 20 × 28: drawn, since fonts differ between machines. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'M0 28 10 0 20 28M4 18H16',
  B: 'M1 0V28H11a7 7 0 0 0 0-14H1M1 0H10a7 7 0 0 1 0 14',
  C: 'M19 6A11 14 0 1 0 19 22',
  D: 'M1 0V28H6A13 14 0 0 0 6 0Z',
  E: 'M18 0H1V28H18M1 14H15',
  F: 'M18 0H1V28M1 14H15',
  G: 'M19 6A11 14 0 1 0 20 17H12',
  H: 'M1 0V28M19 0V28M1 14H19',
  I: 'M10 0V28',
  J: 'M15 0V20A7 8 0 0 1 1 20',
  K: 'M1 0V28M19 0 1 16M8 10 19 28',
  L: 'M1 0V28H17',
  M: 'M0 28V0L10 18 20 0V28',
  N: 'M1 28V0L19 28V0',
  O: 'M10 0A10 14 0 1 0 10 28 10 14 0 1 0 10 0',
  P: 'M1 28V0H11a8 8 0 0 1 0 16H1',
  Q: 'M10 0A10 14 0 1 0 10 28 10 14 0 1 0 10 0M13 20 20 28',
  R: 'M1 28V0H11a8 8 0 0 1 0 16H1M11 16 19 28',
  S: 'M18 5C15-2 2-2 2 7S18 13 18 21 4 31 1 23',
  T: 'M0 0H20M10 0V28',
  U: 'M1 0V18A9 10 0 0 0 19 18V0',
  V: 'M0 0 10 28 20 0',
  W: 'M0 0 5 28 10 8 15 28 20 0',
  X: 'M1 0 19 28M19 0 1 28',
  Y: 'M0 0 10 14 20 0M10 14V28',
  Z: 'M1 0H19L1 28H19',
};

/** A car from the side, in the same box: of names that begin with no such letter. */
const CAR =
  'M-6 20V14l5-1 5-7h11l6 7 6 2v5M-6 20h4M4 20h11M21 20h6M-2 20a3 3 0 0 0 6 0 3 3 0 0 0-6 0M15 20a3 3 0 0 0 6 0 3 3 0 0 0-6 0';

export interface IconColours {
  ground: string;
  on: string;
}

/** The first letter of a name on a ground, as SVG of 64 × 64 whose middle four fifths hold all of it. */
export function initialIcon(name: string, { ground, on }: IconColours): string {
  const letter = name.trim().normalize('NFKD').charAt(0).toUpperCase();
  const strokes = LETTERS[letter] ?? CAR;
  const width = strokes === CAR ? 3 : 5;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="${ground}" d="M0 0h64v64H0z"/><path fill="none" stroke="${on}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" transform="translate(22 18)" d="${strokes}"/></svg>`;
}

/** Loaded when an icon is made: a night without changes does without. */
const loadSharp = async () => (await import('sharp')).default;

/** An icon as a square PNG. @param size pixels. */
export async function iconPng(svg: string, size: number): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(Buffer.from(svg), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ palette: true, effort: 10 })
    .toBuffer();
}

/** Most that a logo may be wider than high, or higher than wide, to be told apart as an icon. */
const SQUARE_ENOUGH = 1.6;

/**
 * A logo in the middle of a white square, as PNG; undefined where its shape leaves nothing to see.
 * @param size pixels.
 */
export async function logoIcon(
  logo: { bytes: Uint8Array; width: number; height: number },
  size: number,
): Promise<Buffer | undefined> {
  const shape = logo.width / logo.height;
  if (Math.max(shape, 1 / shape) > SQUARE_ENOUGH) return undefined;
  const inner = Math.round(size * 0.8);
  const edge = Math.round((size - inner) / 2);
  const white = { r: 255, g: 255, b: 255, alpha: 1 };
  const sharp = await loadSharp();
  return sharp(logo.bytes)
    .resize(inner, inner, { fit: 'contain', background: white })
    .flatten({ background: white })
    .extend({
      top: edge,
      bottom: size - inner - edge,
      left: edge,
      right: size - inner - edge,
      background: white,
    })
    .png({ palette: true, effort: 10 })
    .toBuffer();
}
