import sharp from 'sharp';

/**
 * Letters and digits as strokes in a box 4 wide and 7 high, y downwards. Fonts are not used, because a
 * bare machine has none, and text would not be drawn at all.
 */
const STROKES: Readonly<Record<string, string>> = {
  A: '07,02,10,30,42,47 04,44',
  B: '00,07,37,46,45,34,04 34,43,41,30,00',
  C: '41,30,10,01,06,17,37,46',
  D: '00,07,27,45,42,20,00',
  E: '40,00,07,47 04,34',
  F: '40,00,07 04,34',
  G: '41,30,10,01,06,17,37,46,44,24',
  H: '00,07 40,47 04,44',
  I: '20,27',
  J: '40,46,37,17,06',
  K: '00,07 40,04,47',
  L: '00,07,47',
  M: '07,00,24,40,47',
  N: '07,00,47,40',
  O: '10,30,41,46,37,17,06,01,10',
  P: '07,00,30,41,43,34,04',
  Q: '10,30,41,46,37,17,06,01,10 25,47',
  R: '07,00,30,41,43,34,04 24,47',
  S: '41,30,10,01,02,13,34,45,46,37,17,06',
  T: '00,40 20,27',
  U: '00,06,17,37,46,40',
  V: '00,27,40',
  W: '00,17,23,37,40',
  X: '00,47 40,07',
  Y: '00,23,40 23,27',
  Z: '00,40,07,47',
  '0': '10,30,41,46,37,17,06,01,10',
  '1': '20,27',
  '2': '01,10,30,41,43,07,47',
  '3': '01,10,30,41,42,33,13 33,45,46,37,17,06',
  '4': '37,30,05,45',
  '5': '40,00,03,33,44,46,37,17,06',
  '6': '41,30,10,01,06,17,37,46,44,33,13,04',
  '7': '00,40,17',
  '8': '13,02,01,10,30,41,42,33,13,04,06,17,37,46,44,33',
  '9': '06,17,37,46,41,30,10,01,03,14,34,43',
  '.': '17,27',
  '-': '14,34',
  ' ': '',
};

const UNKNOWN = '00,40,47,07,00';
/** Distance from one character to the next, and thickness of a stroke, in units of the box. */
const ADVANCE = 5.9;
const STROKE = 1.05;
const MOST_CHARACTERS = 10;

/** Size of a British plate in millimetres, and the largest size of its letters. */
const PLATE = { width: 520, height: 111 };
const LETTERS = { width: 458, height: 75 };

/** Where a plate lies in a picture: an SVG matrix from millimetres off the plate's middle to pixels. */
export type Placement = readonly [a: number, b: number, c: number, d: number, x: number, y: number];

/** Letters on a plate, as an opacity for each pixel of a part of the picture. */
export interface Letters {
  /** Opacity of the letters, 0 to 255. */
  data: Buffer;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The letters of a plate. A mark of the usual form gets its gap; long text is cut to what fits. */
export async function drawLetters(text: string, place: Placement): Promise<Letters> {
  const spaced = text.toUpperCase().replace(/^([A-Z]{2}\d{2})([A-Z]{3})$/, '$1 $2');
  const shown = [...spaced].slice(0, MOST_CHARACTERS);
  const across = shown.length * ADVANCE - (ADVANCE - 4);
  const unit = Math.min(LETTERS.height / 7, LETTERS.width / across);
  const path = shown
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
  const [halfWidth, halfHeight] = [PLATE.width / 2, PLATE.height / 2];
  const reachX = Math.abs(a) * halfWidth + Math.abs(c) * halfHeight;
  const reachY = Math.abs(b) * halfWidth + Math.abs(d) * halfHeight;
  const [left, top] = [Math.floor(x - reachX), Math.floor(y - reachY)];
  const [width, height] = [Math.ceil(2 * reachX) + 1, Math.ceil(2 * reachY) + 1];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}"><path transform="matrix(${place.join(' ')}) scale(${unit}) translate(${-across / 2} -3.5)" d="${path}" fill="none" stroke="#000" stroke-width="${STROKE}" stroke-linecap="square"/></svg>`;
  const data = await sharp(Buffer.from(svg)).ensureAlpha().extractChannel(3).raw().toBuffer();
  return { data, left, top, width, height };
}
