import type { PublishConfig } from '../../config/schema.ts';
import {
  type AppError,
  fromPlainError,
  GateError,
  type PlainError,
  RefusedError,
  toPlainError,
  UnreachableError,
} from '../../errors.ts';
import { failureAdvice } from '../../images/failure-advice.ts';
import type { MediaResult, PictureFailure } from '../../images/pipeline/types.ts';
import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { countMedia } from '../../stock/vehicle.ts';
import { countBy, failedPictures } from '../report/dealer-report.ts';
import type { DealerReport } from '../report/report.ts';

export type DealerState = DealerReport['state'];

/** Fewer failed pictures than this never stop a build: on a small site, one picture in four may be broken. */
const MIN_PICTURE_FAILURES = 5;

/** One vehicle does not stop a site of a few vehicles, unless most pictures of the site are missing. */
const MAX_OF_ONE_VEHICLE = 0.5;

const STATES = { live: 'fresh', snapshot: 'degraded', held: 'held' } as const;

/** Facts about a dealer that decide whether the site may be published, as plain data. */
export interface DealerOutcome extends Pick<DealerStock, 'published'> {
  /** Why its response is not used. */
  problem: PlainError | undefined;
  /** Why its configured stock list is not used. */
  listProblem?: PlainError;
  dealer: { id: number; name: string };
  state: DealerState;
  /** Vehicles with pages, including withdrawn ones. */
  vehicles: number;
  /** Vehicles that `vehicles.csv` or `--hide` hides. */
  hidden?: number;
}

/**
 * Outcome of a dealer. Without a usable response, a dealer is left out if it was never published. If it was, or
 * if that is unknown, the site cannot be published without it.
 *
 * @param first set by `--first`: nothing is live yet.
 */
export function outcomeOf(
  stock: DealerStock,
  { first = false }: { first?: boolean } = {},
): DealerOutcome {
  const { dealer, source, published, problem, vehicles, withdrawn, list, control } = stock;
  const { id, name } = dealer;
  const mayBeLive = published === 'live' || (published === 'unknown' && !first);
  return {
    dealer: { id, name },
    published,
    problem: problem && toPlainError(problem),
    listProblem: list?.problem && !list.facts ? toPlainError(list.problem) : undefined,
    state: source !== 'none' ? STATES[source] : mayBeLive ? 'failed' : 'left-out',
    vehicles: vehicles.length + withdrawn.length,
    hidden: control?.hidden ?? 0,
  };
}

const errorOf = ({ problem }: Pick<DealerOutcome, 'problem'>): AppError | undefined =>
  problem && fromPlainError(problem);

/** Maximum dealers in an error, after the first. */
const MOST_DEALERS = 60;

/** The error of a published dealer without a usable response: its problem, the other dealers, the consequence. */
function lostDealer(
  { published, ...outcome }: DealerOutcome,
  others: readonly DealerOutcome[],
): AppError {
  const problem = errorOf(outcome) ?? nothingToPublish();
  const isRefused = problem instanceof RefusedError;
  const isUnknown = published === 'unknown';
  const names = others.map(({ dealer: { id, name } }) => `${id} (${name})`);
  const details = {
    code: problem.code,
    what: `${problem.message}${names.length > 0 ? ` ${countText(names.length, 'more dealer')} failed: ${firstOf(names, MOST_DEALERS)}.` : ''}`,
    why: `${problem.why ? `${problem.why} ` : ''}${
      isUnknown
        ? 'The published site could not be read to find pages of this dealer, and there is no snapshot.'
        : 'It has pages online, and there is no snapshot.'
    }`,
    cause: problem,
  };
  const fix = isUnknown
    ? `${(isRefused && problem.fix) || 'Run the build again later.'} If nothing is online yet, run it once with --first: this dealer is then left out.`
    : (problem.fix ?? 'Run the build again later.');
  if (isRefused) return new RefusedError({ ...details, fix });
  const isTemporary = isUnknown || problem instanceof UnreachableError;
  return new (isTemporary ? UnreachableError : GateError)({ ...details, fix });
}

/**
 * Checks that the service does not refuse all dealers. The cause would be the account or the service.
 *
 * @throws {RefusedError} every dealer is refused.
 */
export function checkNotAllRefused(stock: readonly { problem?: AppError }[]): void {
  const [problem] = stock.map((dealer) => dealer.problem);
  if (!problem || !stock.every((dealer) => dealer.problem instanceof RefusedError)) return;
  if (stock.length === 1) throw problem;
  const { code, message, why, fix } = problem;
  const what = `The service refused the requests for all dealers (${stock.length}). The first: ${message}`;
  throw new RefusedError({ code, what, why, fix, cause: problem });
}

/**
 * Checks that a site of these dealers may be published.
 *
 * @param complete whether these are all dealers. Otherwise, only a dealer that stops the whole site is an error.
 * @throws the problem of a dealer that must not be left out, or {@link GateError} if there is nothing to publish.
 */
export function checkDealers(
  dealers: readonly DealerOutcome[],
  { complete }: { complete: boolean },
): void {
  if (complete) checkNotAllRefused(dealers.map((one) => ({ problem: errorOf(one) })));
  const [failed, ...others] = dealers.filter(({ state }) => state === 'failed');
  // If all dealers are refused, the error is about the site, not the first dealer.
  if (failed && (complete || failed.problem?.type !== 'RefusedError'))
    throw lostDealer(failed, others);
  if (!complete) return;
  if (dealers.every(({ state }) => state === 'left-out')) {
    throw dealers.map(errorOf).find((problem) => problem) ?? nothingToPublish();
  }
  if (dealers.every(({ vehicles }) => vehicles === 0)) {
    const hidden = dealers.reduce((sum, dealer) => sum + (dealer.hidden ?? 0), 0);
    throw hidden > 0 ? allHidden(hidden) : nothingToPublish();
  }
  // An invalid stock list of one dealer does not block the others. If all are invalid, nothing is published.
  const [first] = dealers;
  if (first?.listProblem && dealers.every(({ listProblem }) => listProblem)) {
    const { what, ...problem } = first.listProblem;
    const all = `The stock lists of all dealers (${dealers.length}) cannot be used. The first: ${what}`;
    throw fromPlainError({ ...problem, what: dealers.length === 1 ? what : all });
  }
}

const allHidden = (hidden: number): GateError =>
  new GateError({
    code: 'publish-all-hidden',
    what: `vehicles.csv or --hide hides all vehicles of the site: ${hidden}.`,
    why: 'A site without any vehicle is not published. The published site is unchanged, so these vehicles are still online.',
    fix: 'Look for "yes" in lines that should not be hidden. To take all vehicles offline, remove the site from its host.',
  });

export const nothingToPublish = (): GateError =>
  new GateError({
    code: 'publish-nothing',
    what: 'There is nothing to publish: no dealer has a vehicle.',
    why: 'The service returned empty lists, and there is no snapshot.',
    fix: 'Check the dealer ids, and in the service whether the dealers have vehicles.',
  });

/** Maximum fixes in an error about pictures. */
const MOST_ADVICE = 2;

export const tooManyMissing = (
  { pictures, missing }: { pictures: number; missing: number },
  { maxPictureFailures }: Pick<PublishConfig, 'maxPictureFailures'>,
): boolean => missing >= MIN_PICTURE_FAILURES && missing > pictures * maxPictureFailures;

/**
 * @param pictures number of all pictures.
 * @throws {GateError} too many pictures failed and have no fallback thumbnails.
 */
export function checkPictures(
  pictures: number,
  failures: readonly Omit<PictureFailure, 'url'>[],
  config: Pick<PublishConfig, 'maxPictureFailures'>,
): void {
  const missing = failures.filter(({ standIn }) => !standIn);
  const { size: vehicles } = new Set(missing.map((one) => `${dealerOf(one.key)} ${one.vehicle}`));
  const limit = vehicles > 1 ? 0 : MAX_OF_ONE_VEHICLE;
  const maxPictureFailures = Math.max(config.maxPictureFailures, limit);
  if (!tooManyMissing({ pictures, missing: missing.length }, { maxPictureFailures })) return;
  const [first] = missing;
  const advice = Object.entries(countBy(missing.map(failureAdvice))).sort(([, a], [, b]) => b - a);
  throw new GateError({
    code: 'publish-too-many-pictures-failed',
    what: `${missing.length} of ${countText(pictures, 'picture')} could not be downloaded or decoded.`,
    why: `This exceeds publish.maxPictureFailures (${config.maxPictureFailures * 100} %). The first: ${first?.message} [${first?.code}].`,
    fix: advice
      .slice(0, MOST_ADVICE)
      .map(([fix]) => fix)
      .join(' '),
  });
}

/**
 * Checks that every picture is on a page or has failed. A failed picture with fallback thumbnails may be on a page.
 *
 * @throws {GateError} pictures are missing for an unknown reason.
 */
export function checkEveryPicture(
  stock: readonly Pick<DealerStock, 'dealer' | 'vehicles'>[],
  summaries: ReadonlyMap<number, Pick<DealerSummary, 'pictures'>>,
  media: Pick<MediaResult, 'failures'>,
): void {
  for (const dealerStock of stock) {
    const listed = countMedia(dealerStock.vehicles, 'image');
    const used = summaries.get(dealerStock.dealer.id)?.pictures ?? 0;
    const { failed, missing } = failedPictures(dealerStock, media);
    if (used + missing <= listed && listed <= used + failed) continue;
    throw new GateError({
      code: 'publish-pictures-lost',
      what: `${dealerStock.dealer.name}: of ${countText(listed, 'picture')}, ${used} are on pages and ${failed} failed. The others are missing.`,
      why: 'Another program wrote to the cache folder during the build, or this is a bug.',
      fix: 'Run the build again, and let no other program write there. If it fails again, report it. The published site is unchanged.',
    });
  }
}
