import { it } from 'vitest';
import { compareAfterEdits } from '../support/incremental.ts';

// test/proofs/ has 200 of them, and other seeds.
it(
  'after each of 6 random edits, what is reused, here or on the published site, is what a build from nothing makes',
  () => compareAfterEdits(6, 2),
  300_000,
);
