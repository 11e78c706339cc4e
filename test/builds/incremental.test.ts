import { it } from 'vitest';
import { compareAfterEdits } from '../support/incremental.ts';

// test/proofs/ runs 200 edits with other seeds.
it(
  'after each of 6 random edits, an incremental build equals a build from nothing',
  () => compareAfterEdits(6, 2),
  300_000,
);
