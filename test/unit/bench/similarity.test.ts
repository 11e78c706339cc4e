import { describe, expect, it } from 'vitest';
import { psnr, ssim } from '../../../bench/support/similarity.ts';

const width = 32;
const picture = (value: (x: number, y: number) => number) =>
  Uint8Array.from({ length: width * width * 3 }, (_, index) => {
    const pixel = Math.floor(index / 3);
    return value(pixel % width, Math.floor(pixel / width));
  });
const waves = picture((x, y) => 128 + 60 * Math.sin(x) + 60 * Math.cos(y));
const noisy = (amount: number) =>
  waves.map((value, index) => Math.max(0, value + ((index * 7919) % (2 * amount + 1)) - amount));

describe('similarity', () => {
  it('is 1, and without end, for equal pictures', () => {
    expect(ssim(waves, waves, width)).toBeCloseTo(1);
    expect(psnr(waves, waves)).toBe(Number.POSITIVE_INFINITY);
  });

  it('falls with every step of noise', () => {
    const steps = [1, 4, 16, 60].map(noisy);
    const by = (measure: (other: Uint8Array) => number) => steps.map(measure);
    for (const values of [
      by((other) => ssim(waves, other, width)),
      by((other) => psnr(waves, other)),
    ]) {
      expect(values).toEqual([...values].sort((a, b) => b - a));
      expect(new Set(values).size).toBe(steps.length);
    }
  });

  it('gives 20 dB where every value is a tenth of the range away', () => {
    const flat = picture(() => 100);
    expect(
      psnr(
        flat,
        picture(() => 125.5),
      ),
    ).toBeCloseTo(20, 0);
  });

  it('sees lost structure where the mean stays', () => {
    expect(
      ssim(
        waves,
        picture(() => 128),
        width,
      ),
    ).toBeLessThan(0.2);
  });
});
