import { expect, it } from 'vitest';
import { qrCode } from '../../../src/site/views/sheet.ts';

it('a QR code has four light modules around it and is small', () => {
  const { path, size } = qrCode('https://cars.example/northgate/ab12cde/');
  expect(size).toBe(29 + 8);
  const starts = [...path.matchAll(/M(\d+) ([\d.]+)/g)];
  expect(Math.min(...starts.map(([, x]) => Number(x)))).toBe(4);
  expect(starts[0]?.[2]).toBe('4.5');
  expect(starts.at(-1)?.[2]).toBe('32.5');
  expect(path.length).toBeLessThan(1500);
});
