import sharp from 'sharp';
import strokes from './strokes.json' with { type: 'json' };

/**
 * Letters and digits as strokes in a box 4 wide and 7 high, y downwards. Text needs fonts, which a bare machine
 * does not have.
 */
const STROKES: Readonly<Record<string, string>> = strokes;

const UNKNOWN = '00,40,47,07,00';
/** Distance from one character to the next, and thickness of a stroke, in units of the box. */
const ADVANCE = 5.9;
const STROKE = 1.05;
const MAX_CHARACTERS = 10;

/** Size of a British plate in millimetres, and the largest size of its letters. */
const PLATE = { width: 520, height: 111 };
const LETTERS = { width: 458, height: 75 };

/** Position of a plate in a picture: an SVG matrix from millimetres from the plate's middle to pixels. */
export type Placement = readonly [a: number, b: number, c: number, d: number, x: number, y: number];

export type Letters = Awaited<ReturnType<typeof drawLetters>>;

/**
 * The letters of a plate: an opacity from 0 to 255 for each pixel in a part of the picture. A plate of the usual form
 * has a gap. Long text is cut off.
 */
export async function drawLetters(text: string, place: Placement) {
  const spaced = text.toUpperCase().replace(/^([A-Z]{2}\d{2})([A-Z]{3})$/, '$1 $2');
  const characters = [...spaced].slice(0, MAX_CHARACTERS);
  const across = characters.length * ADVANCE - (ADVANCE - 4);
  const unit = Math.min(LETTERS.height / 7, LETTERS.width / across);
  const path = characters
    .flatMap((character, index) =>
      (STROKES[character] ?? UNKNOWN)
        .split(' ')
        .filter((stroke) => stroke !== '')
        .map((stroke) => {
          const points = stroke.split(',').map(([x, y]) => `${Number(x) + index * ADVANCE} ${y}`);
          return `M${points.join('L')}`;
        }),
    )
    .join('');
  const [a, b, c, d, x, y] = place;
  const halfWidth = PLATE.width / 2;
  const halfHeight = PLATE.height / 2;
  const reachX = Math.abs(a) * halfWidth + Math.abs(c) * halfHeight;
  const reachY = Math.abs(b) * halfWidth + Math.abs(d) * halfHeight;
  const left = Math.floor(x - reachX);
  const top = Math.floor(y - reachY);
  const width = Math.ceil(2 * reachX) + 1;
  const height = Math.ceil(2 * reachY) + 1;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}"><path transform="matrix(${place.join(' ')}) scale(${unit}) translate(${-across / 2} -3.5)" d="${path}" fill="none" stroke="#000" stroke-width="${STROKE}" stroke-linecap="square"/></svg>`;
  const data = await sharp(Buffer.from(svg)).ensureAlpha().extractChannel(3).raw().toBuffer();
  return { data, left, top, width, height };
}
