import { expect, it } from 'vitest';
import { decideBounds } from '../../../src/images/bounds.ts';

it.each([
  [1, 8, { encoders: 2, downloads: 8 }],
  [2, 8, { encoders: 3, downloads: 8 }],
  [8, 16, { encoders: 9, downloads: 32 }],
  [64, 128, { encoders: 64, downloads: 32 }],
  // Memory is short.
  [16, 1, { encoders: 6, downloads: 2 }],
  [2, 0.25, { encoders: 1, downloads: 2 }],
])('with %d cores and %d GB, a machine makes at the same time: %j', (cores, memory, expected) => {
  const unset = { downloads: 0, encoders: 0 };
  expect(decideBounds(unset, { cores, memory: memory * 2 ** 30 })).toEqual(expected);
});

it('configured bounds are used', () => {
  const configured = { downloads: 1, encoders: 20 };
  expect(decideBounds(configured, { cores: 2, memory: 2 ** 33 })).toEqual(configured);
});
