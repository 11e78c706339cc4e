import { GateError } from '../../errors.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { sourceKey } from '../../images/plan.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { Vehicle } from '../../stock/vehicle.ts';

/** Failed pictures of a dealer's vehicles, and `missing`: those without fallback thumbnails. */
export interface FailedPictures {
  failed: number;
  missing: number;
}

/** Number of pictures or videos of vehicles. */
export const countMedia = (vehicles: readonly Vehicle[], wanted: 'image' | 'video'): number =>
  vehicles.reduce((sum, { media }) => sum + media.filter(({ kind }) => kind === wanted).length, 0);

/** Counts failed pictures of a dealer's vehicles; a picture of two vehicles counts twice. */
export function failedPictures(
  { dealer, vehicles }: Pick<DealerStock, 'dealer' | 'vehicles'>,
  media: Pick<MediaResult, 'failures'> | undefined,
): FailedPictures {
  const its = media?.failures.filter(({ key }) => dealerOf(key) === String(dealer.id)) ?? [];
  const standIns = new Map(its.map(({ key, standIn }) => [key, standIn]));
  const count = { failed: 0, missing: 0 };
  if (its.length === 0) return count;
  for (const { dealerId, media } of vehicles) {
    for (const item of media) {
      const standIn = item.kind === 'image' ? standIns.get(sourceKey(dealerId, item)) : undefined;
      if (standIn === undefined) continue;
      count.failed++;
      if (!standIn) count.missing++;
    }
  }
  return count;
}

/**
 * Checks that every picture of the vehicles is on a page, or is known to have failed. One with fallback
 * thumbnails of an earlier build may be either.
 *
 * @throws {GateError} pictures are missing, and nothing says why.
 */
export function checkEveryPicture(
  stock: readonly Pick<DealerStock, 'dealer' | 'vehicles'>[],
  summaries: ReadonlyMap<number, Pick<DealerSummary, 'pictures'>>,
  media: Pick<MediaResult, 'failures'>,
): void {
  for (const one of stock) {
    const listed = countMedia(one.vehicles, 'image');
    const used = summaries.get(one.dealer.id)?.pictures ?? 0;
    const { failed, missing } = failedPictures(one, media);
    if (used + missing <= listed && listed <= used + failed) continue;
    throw new GateError({
      code: 'publish-pictures-lost',
      what: `${one.dealer.name}: of ${countText(listed, 'picture')}, ${used} are on pages and ${failed} failed. Of the others nothing is known.`,
      why: 'Something else wrote to the cache folder while the build ran, or this is a fault of the program.',
      fix: 'Run the build again, and let nothing else write there. If it stays, report it. The published site is as it was.',
    });
  }
}
