import { describe, expect, it } from 'vitest';
import { decideBounds } from '../../../src/images/bounds.ts';

const GB = 2 ** 30;
const decide = (cores: number, memory: number, configured = { downloads: 0, encoders: 0 }) =>
  decideBounds(configured, { cores, memory });

describe('decideBounds', () => {
  it.each([
    [1, 8, { encoders: 2, downloads: 8 }],
    [2, 8, { encoders: 3, downloads: 8 }],
    [8, 16, { encoders: 9, downloads: 32 }],
    [64, 128, { encoders: 64, downloads: 32 }],
  ])('with %i cores and %i GB', (cores, memory, expected) => {
    expect(decide(cores, memory * GB)).toEqual(expected);
  });

  it('lowers its bounds if memory is short, but never to zero', () => {
    expect(decide(16, GB)).toEqual({ encoders: 6, downloads: 2 });
    expect(decide(2, 0.25 * GB)).toEqual({ encoders: 1, downloads: 2 });
  });

  it('uses configured bounds', () => {
    expect(decide(2, 8 * GB, { downloads: 1, encoders: 20 })).toEqual({
      encoders: 20,
      downloads: 1,
    });
  });
});
