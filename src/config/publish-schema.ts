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
    "Share of a dealer's records that may break the contract before the answer is not used. If more of its media items cannot be used, the dealer needs attention.",
  ),
  maxVehicleLoss: share(0.3).describe(
    "Share of a dealer's vehicles that may vanish at once before the answer is held back. The same share limits the pictures, and the videos, that vehicles which are still listed may lose at once.",
  ),
  minVehicleLoss: wholeNumber(1, 1_000_000)
    .default(5)
    .describe(
      'Fewer vanished vehicles, pictures or videos than this are never held back, unless no vehicle or no picture is left.',
    ),
  maxPictureFailures: share(0.2).describe(
    'Share of all pictures that may fail before nothing is published.',
  ),
});
