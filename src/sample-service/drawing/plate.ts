import sharp from 'sharp';
import { GLYPH_HEIGHT, lettering } from './glyphs.ts';
import type { Corner } from './layers.ts';

/** Height of a British plate as a share of its width. */
const ASPECT = 0.111 / 0.52;
/** Shares of the plate's height and width that letters fill at most. */
const TALLEST = 0.68;
const WIDEST = 0.88;
/** Of a stroke, in units of the glyph box. */
const STROKE = 1.05;
/** Letters end somewhat outside of their strokes. */
const MARGIN_PX = 3;

/** Letters on a plate: how dark each pixel of a part of the picture becomes. */
export interface Letters {
  /** Opacity of the letters, 0 to 255. */
  data: Buffer;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The letters of a plate with these corners, within a picture of this size. */
export async function drawLetters(
  text: string,
  corners: readonly Corner[],
  picture: { width: number; height: number },
): Promise<Letters | undefined> {
  const { lines, width } = lettering(text);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const left = Math.max(0, Math.floor(Math.min(...xs)) - MARGIN_PX);
  const top = Math.max(0, Math.floor(Math.min(...ys)) - MARGIN_PX);
  const right = Math.min(picture.width, Math.ceil(Math.max(...xs)) + MARGIN_PX);
  const bottom = Math.min(picture.height, Math.ceil(Math.max(...ys)) + MARGIN_PX);
  if (lines.length === 0 || right - left < 1 || bottom - top < 1) return undefined;

  const [tl, tr, br, bl] = corners as [Corner, Corner, Corner, Corner];
  /** Unit of the glyph box as a share of the plate's width. */
  const unit = Math.min((ASPECT * TALLEST) / GLYPH_HEIGHT, WIDEST / Math.max(width, 1));
  const at = (gx: number, gy: number): string => {
    const u = 0.5 + (gx - width / 2) * unit;
    const v = 0.5 + ((gy - GLYPH_HEIGHT / 2) * unit) / ASPECT;
    const [x, y] = [0, 1].map((axis) => {
      const of = (corner: Corner): number => corner[axis] ?? 0;
      const above = of(tl) + (of(tr) - of(tl)) * u;
      return above + (of(bl) + (of(br) - of(bl)) * u - above) * v;
    }) as [number, number];
    return `${(x - left).toFixed(2)} ${(y - top).toFixed(2)}`;
  };
  const paths = lines.map((line) => `M${line.map(([x, y]) => at(x, y)).join('L')}`).join('');
  const height =
    (Math.hypot(bl[0] - tl[0], bl[1] - tl[1]) + Math.hypot(br[0] - tr[0], br[1] - tr[1])) / 2;
  const size = { width: right - left, height: bottom - top };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><path d="${paths}" fill="none" stroke="#111214" stroke-width="${((unit * STROKE * height) / ASPECT).toFixed(2)}" stroke-linecap="square"/></svg>`;
  const data = await sharp(Buffer.from(svg)).ensureAlpha().extractChannel(3).raw().toBuffer();
  return { data, left, top, ...size };
}
