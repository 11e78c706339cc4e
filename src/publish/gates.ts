import type { PublishConfig } from '../config/schema.ts';
import { type AppError, GateError } from '../errors.ts';
import type { MediaResult, PictureFailure } from '../media/line.ts';
import type { DealerStock } from '../stock/load.ts';
import type { DealerReport } from './report.ts';

export type DealerState = DealerReport['state'];

/** Fewer failed pictures than this never stop a publish: a small site may have one bad picture in four. */
const MIN_PICTURE_FAILURES = 5;

/** What becomes of a dealer of which nothing else is known. */
export const STATES: Record<DealerStock['source'], DealerState> = {
  live: 'fresh',
  snapshot: 'degraded',
  held: 'held',
  none: 'left-out',
};

/**
 * What becomes of each dealer, by id. A dealer with nothing to stand on is left out if it was
 * never published, and stops the publish if it was.
 *
 * @throws the dealer's own problem, or {@link GateError} where there is nothing to publish at all.
 */
export function checkDealers(
  stock: readonly DealerStock[],
  wasPublished: (slug: string) => boolean,
): Map<number, DealerState> {
  const states = new Map<number, DealerState>();
  let firstProblem: AppError | undefined;
  for (const { dealer, source, problem } of stock) {
    states.set(dealer.id, STATES[source]);
    if (source !== 'none') continue;
    firstProblem ??= problem;
    if (wasPublished(dealer.slug)) throw problem ?? nothingToPublish();
  }
  if ([...states.values()].every((state) => state === 'left-out')) {
    throw firstProblem ?? nothingToPublish();
  }
  const pages = stock.reduce((sum, one) => sum + one.vehicles.length + one.withdrawn.length, 0);
  if (pages === 0) throw nothingToPublish();
  return states;
}

/** No dealer has anything. */
export function nothingToPublish(): GateError {
  return new GateError({
    code: 'publish-nothing',
    what: 'There is nothing to publish: no dealer has a vehicle.',
    why: 'The service answered with empty lists, and nothing is known from before.',
    fix: 'Check the dealer ids, and in the service whether the dealers have vehicles.',
  });
}

/** Pictures that pages lack. */
export interface PictureLoss {
  pictures: number;
  /** Those that can neither be had nor stood in for. */
  missing: number;
  first: Pick<PictureFailure, 'message' | 'code'> | undefined;
}

/** What pages lack. A picture whose last good thumbnails stand in makes the site no worse. */
export function pictureLoss({
  counts,
  failures,
}: Pick<MediaResult, 'counts' | 'failures'>): PictureLoss {
  const missing = failures.filter(({ standIn }) => !standIn);
  return { pictures: counts.sources, missing: missing.length, first: missing[0] };
}

/** @throws {GateError} too many pictures can neither be had nor stood in for. */
export function checkPictures(
  { pictures, missing, first }: PictureLoss,
  { maxPictureFailures }: Pick<PublishConfig, 'maxPictureFailures'>,
): void {
  if (missing < MIN_PICTURE_FAILURES || missing <= pictures * maxPictureFailures) return;
  throw new GateError({
    code: 'publish-too-many-pictures-failed',
    what: `${missing} of ${pictures} pictures could not be had or decoded.`,
    why: `That is more than publish.maxPictureFailures (${maxPictureFailures * 100} %). The first: ${first?.message} [${first?.code}].`,
    fix: 'If their host is not in media.hosts, add it; otherwise try again later.',
  });
}
