import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { restrictDecoding } from '../../src/images/encode/picture.ts';

/** Has the tests of a file decode as the process for that does. The files after it decode everything again. */
export function decodeHere(): void {
  beforeAll(restrictDecoding);
  afterAll(() => {
    sharp.unblock({ operation: ['VipsForeignLoad'] });
  });
}
