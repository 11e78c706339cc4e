import { it } from 'vitest';
import { compareAfterEdits } from '../support/incremental.ts';

/** `EDIT_STEPS` sets the number of edits, `EDIT_SEED` the seed. The other half is incremental.test.ts. */
const STEPS = Number(process.env.EDIT_STEPS ?? 50);
const SEED = Number(process.env.EDIT_SEED ?? 0) + 1001;

it(
  `after each of ${STEPS} random edits, an incremental build equals a build from nothing`,
  () => compareAfterEdits(STEPS, SEED),
  1_800_000,
);
