/** Likeness of two pictures of the same size, as RGB bytes, 3 a pixel. */

/** Brightness of each pixel, 0 to 255 (BT.601). */
function luma(rgb: Uint8Array): Float32Array {
  const out = new Float32Array(Math.floor(rgb.length / 3));
  for (let index = 0; index < out.length; index++) {
    const at = index * 3;
    out[index] = 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
  }
  return out;
}

const BLOCK = 8;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/**
 * Mean structural similarity of the brightness, over 8×8 windows that overlap by half; 1 is equal.
 * Source: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment" (2004), with flat windows.
 */
export function ssim(a: Uint8Array, b: Uint8Array, width: number): number {
  const [x, y] = [luma(a), luma(b)];
  const height = Math.floor(x.length / width);
  const count = BLOCK * BLOCK;
  let sum = 0;
  let windows = 0;
  for (let top = 0; top + BLOCK <= height; top += BLOCK / 2) {
    for (let left = 0; left + BLOCK <= width; left += BLOCK / 2) {
      let [sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0];
      for (let row = 0; row < BLOCK; row++) {
        const start = (top + row) * width + left;
        for (let at = start; at < start + BLOCK; at++) {
          const px = x[at] ?? 0;
          const py = y[at] ?? 0;
          sx += px;
          sy += py;
          sxx += px * px;
          syy += py * py;
          sxy += px * py;
        }
      }
      const [mx, my] = [sx / count, sy / count];
      const vx = sxx / count - mx * mx;
      const vy = syy / count - my * my;
      const cov = sxy / count - mx * my;
      sum += ((2 * mx * my + C1) * (2 * cov + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2));
      windows++;
    }
  }
  return windows === 0 ? Number.NaN : sum / windows;
}

/** Peak signal-to-noise ratio over all channels, in dB. */
export function psnr(a: Uint8Array, b: Uint8Array): number {
  let squares = 0;
  for (let index = 0; index < a.length; index++) {
    squares += ((a[index] ?? 0) - (b[index] ?? 0)) ** 2;
  }
  return 10 * Math.log10((255 * 255 * a.length) / squares);
}
