import { z } from 'zod';
import { duration } from './duration.ts';
import { wholeNumber } from './forms.ts';

const share = (byDefault: number) => z.number().min(0).max(1).default(byDefault);

/** The section `publish` of the configuration. */
export const publishSchema = z.strictObject({
  maxSnapshotAge: duration('72h').describe(
    'How old the last good answer for a dealer may be, from the night on which it was last given, before a person is needed. It stands in all the same.',
  ),
  maxQuarantined: share(0.2).describe(
    "Share of a dealer's records that may break the contract before the answer is not used.",
  ),
  maxVehicleLoss: share(0.3).describe(
    "Share of a dealer's vehicles that may vanish at once before the answer is held back.",
  ),
  minVehicleLoss: wholeNumber(1, 1_000_000)
    .default(5)
    .describe('Fewer vanished vehicles than this are never held back, unless all are gone.'),
  maxPictureFailures: share(0.2).describe(
    'Share of all pictures that may fail before nothing is published.',
  ),
});
