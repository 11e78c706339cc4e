import { it } from 'vitest';
import { compareAfterEdits } from '../support/incremental.ts';

/** More in `EDIT_STEPS`, others by another `EDIT_SEED`. The other half is incremental-too.test.ts, on the next core. */
const STEPS = Number(process.env.EDIT_STEPS ?? 100);
const SEED = Number(process.env.EDIT_SEED ?? 0) + 1;

it(
  `after each of ${STEPS} random edits, what is reused, here or on the published site, is what a build from nothing makes`,
  () => compareAfterEdits(STEPS, SEED),
  1_800_000,
);
