import fc from 'fast-check';
import jsqr from 'jsqr';
import { expect, it } from 'vitest';
import { qrCode } from '../../../src/site/views/sheet.ts';

// Its types wrongly declare an ES module.
const readCode = jsqr as unknown as typeof jsqr.default;

const SCALE = 3;

/** Draws the path like browsers: lines of one module's height, black on white. */
function read(text: string): string | undefined {
  const { path, size } = qrCode(text);
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  let x = 0;
  let y = 0;
  for (const [, command, first, second] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    if (command === 'M') [x, y] = [Number(first), Number(second) - 0.5];
    else if (command === 'm') x += Number(first);
    else {
      for (let row = y * SCALE; row < (y + 1) * SCALE; row++) {
        const from = (row * width + x * SCALE) * 4;
        for (let at = 0; at < Number(first) * SCALE * 4; at++) {
          if (at % 4 !== 3) pixels[from + at] = 0;
        }
      }
      x += Number(first);
    }
  }
  return readCode(pixels, width, width)?.data;
}

it('a QR code contains its URL, for any length', () => {
  const part = fc.stringMatching(/^[a-z0-9-]{1,54}$/);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const address = `https://${parts.join('/')}/`;
      expect(read(address)).toBe(address);
    }),
    { numRuns: 60 },
  );
});

it('a QR code has four light modules around it and is small', () => {
  const { path, size } = qrCode('https://cars.example/northgate/ab12cde/');
  expect(size).toBe(29 + 8);
  const starts = [...path.matchAll(/M(\d+) ([\d.]+)/g)];
  expect(Math.min(...starts.map(([, x]) => Number(x)))).toBe(4);
  expect(starts[0]?.[2]).toBe('4.5');
  expect(starts.at(-1)?.[2]).toBe('32.5');
  expect(path.length).toBeLessThan(1500);
});
