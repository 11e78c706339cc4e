import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { restrictDecoding } from '../../src/images/encode/picture.ts';

/** Decodes the tests of a file like in the decoder process. Later files decode without a cache again. */
export function decodeHere(): void {
  beforeAll(restrictDecoding);
  afterAll(() => {
    sharp.unblock({ operation: ['VipsForeignLoad'] });
  });
}
