import type { PublishConfig } from '../config/schema.ts';
import { type AppError, GateError } from '../errors.ts';
import type { MediaResult } from '../media/line.ts';
import type { DealerStock } from '../stock/load.ts';
import type { DealerReport } from './report.ts';

export type DealerState = DealerReport['state'];

/** Fewer failed pictures than this never stop a publish: a small site may have one bad picture in four. */
const MIN_PICTURE_FAILURES = 5;

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
    if (source === 'live') states.set(dealer.id, 'fresh');
    else if (source === 'snapshot') states.set(dealer.id, 'degraded');
    else if (source === 'held') states.set(dealer.id, 'held');
    else {
      firstProblem ??= problem;
      if (wasPublished(dealer.slug)) throw problem ?? nothingToPublish();
      states.set(dealer.id, 'left-out');
    }
  }
  if ([...states.values()].every((state) => state === 'left-out')) {
    throw firstProblem ?? nothingToPublish();
  }
  const pages = stock.reduce((sum, one) => sum + one.vehicles.length + one.withdrawn.length, 0);
  if (pages === 0) throw nothingToPublish();
  return states;
}

function nothingToPublish(): GateError {
  return new GateError({
    code: 'publish-nothing',
    what: 'There is nothing to publish: no dealer has a vehicle.',
    why: 'The service answered with empty lists, and nothing is known from before.',
    fix: 'Check the dealer ids, and in the service whether the dealers have vehicles.',
  });
}

/** @throws {GateError} too many pictures can neither be had nor stood in for. */
export function checkPictures(
  { counts, failures }: Pick<MediaResult, 'counts' | 'failures'>,
  { maxPictureFailures }: Pick<PublishConfig, 'maxPictureFailures'>,
): void {
  // A picture whose last good thumbnails stand in makes the site no worse.
  const missing = failures.filter(({ standIn }) => !standIn);
  if (missing.length < MIN_PICTURE_FAILURES) return;
  if (missing.length <= counts.sources * maxPictureFailures) return;
  const [first] = missing;
  throw new GateError({
    code: 'publish-too-many-pictures-failed',
    what: `${missing.length} of ${counts.sources} pictures could not be had or decoded.`,
    why: `That is more than publish.maxPictureFailures (${maxPictureFailures * 100} %). The first: ${first?.message} [${first?.code}].`,
    fix: 'If their host is not in media.hosts, add it; otherwise try again later.',
  });
}
