import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { restrictDecoding } from '../../src/images/encode/picture.ts';

/** Restricts the tests of a file to the formats of the decoder process. Later files can decode every format. */
export function decodeHere(): void {
  beforeAll(restrictDecoding);
  afterAll(() => {
    sharp.unblock({ operation: ['VipsForeignLoad'] });
  });
}
