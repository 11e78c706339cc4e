/** Problems that a build cannot solve, described for its operator. */
import type { LoadedConfig } from '../../config/load.ts';
import { type AppError, printable, RefusedError, UnreachableError } from '../../errors.ts';
import { failureAdvice } from '../../images/failure-advice.ts';
import { countText, firstOf } from '../../lib/terminal/count-text.ts';
import { type FeedCounts, feedText } from '../../site/vehicle-feeds/feed.ts';
import { type Control, unmatchedText } from '../../stock/control.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import { tooManyUnusable, unusableText } from '../../stock/refusals.ts';
import type { BuildOptions } from '../options/run-options.ts';
import { dealerLabel } from '../report/attention-lines.ts';
import { failedPicturesText } from '../report/dealer-report.ts';
import type { BuildReport, DealerReport } from '../report/report.ts';
import { type DealerOutcome, type DealerState, tooManyMissing } from './gates.ts';

export type Attention = BuildReport['attention'][number];

/** How to fix an unusable response. Temporary problems are listed here only after they have lasted too long. */
const fixOf = (problem: AppError): string | undefined =>
  problem instanceof UnreachableError
    ? 'Ask the vendor why the service returns no usable response for this dealer.'
    : problem.fix;

/** A readable time, to the minute. */
const timeOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

interface AttentionOptions extends Pick<BuildOptions, 'now' | 'first'> {
  /** `maxSnapshotAge` in milliseconds. */
  config: { publish: Pick<LoadedConfig['publish'], 'maxSnapshotAge' | 'maxQuarantined'> };
}

/**
 * Attention for a dealer, if needed. A single failed request needs none. Neither does a dealer that stops the
 * build, because the build reports that error.
 */
export function attentionOf(
  stock: DealerStock,
  state: DealerState,
  { now, config: { publish }, first }: AttentionOptions,
): Omit<Attention, 'dealer'> | undefined {
  const { maxSnapshotAge } = publish;
  const { dealer, problem, takenAt, notCompared, counts, vehicles, control } = stock;
  const name = dealerLabel(dealer);
  if (notCompared !== undefined && !first) {
    return {
      code: 'stock-not-compared',
      what: `${name}: this build could not check for missing vehicles. The live site could not be read (${notCompared}), and this machine has no snapshot of an earlier build.`,
      fix: 'If nothing is online yet, build with --first. Otherwise look for missing vehicles on the site, and find out why site.url cannot be read.',
    };
  }
  if (vehicles.length === 0 && control && control.hidden > 0) {
    return {
      code: 'vehicles-all-hidden',
      what: `${name}: all ${control.hidden} vehicles are hidden, so its list is empty.`,
      fix: 'If this is wrong, look for "yes" in lines of vehicles.csv that should not be hidden, and build again.',
    };
  }
  if (!problem) {
    if (!counts || !tooManyUnusable(counts.items, publish)) return undefined;
    return {
      code: 'stock-media-unusable',
      what: `${name}: pages cannot show some media: of ${counts.items.received} media items, ${unusableText(counts)}.`,
      fix: 'Ask the vendor whether the interface has changed. "quarantine" and "unknownTypes" in the report list the items.',
    };
  }
  if (state === 'left-out') {
    return {
      code: 'stock-left-out',
      what: `${name}: left out, because there is no published record and no snapshot. ${problem.message}`,
      why: problem.why,
      fix: fixOf(problem),
    };
  }
  if (takenAt === undefined) return undefined;
  if (state === 'held' || problem instanceof RefusedError) {
    return {
      code: problem.code,
      what: `${problem.message} Visitors still see the vehicles of ${timeOf(takenAt)}.`,
      why: problem.why,
      fix: problem.fix,
    };
  }
  const age = now - Date.parse(takenAt);
  if (age <= maxSnapshotAge) return undefined;
  return {
    code: 'stock-answer-old',
    what: `${name}: the snapshot of ${timeOf(takenAt)} is ${Math.ceil(age / 3_600_000)} hours old, more than publish.maxSnapshotAge (${Math.round(maxSnapshotAge / 3_600_000)} hours). ${problem.message}`,
    why: problem.why,
    fix: fixOf(problem),
  };
}

/** Maximum lines in a note about unmatched plates. */
const LISTED = 5;

/**
 * Decisions that match no vehicle of any dealer. In `vehicles.csv` they become a note, because the vehicle may
 * have been sold. With `--hide` they need attention, because the vehicle is still online. If a dealer's response
 * is missing, its record does not name hidden vehicles. Then only `--hide` is reported, as a note.
 */
export function unmatchedDecisions(
  control: Control,
  { outcomes, matched }: { outcomes: readonly DealerOutcome[]; matched: readonly string[] },
): { notes: string[]; attention: Attention[] } {
  const isComplete = outcomes.every(({ state }) => state !== 'degraded');
  const matchedKeys = new Set(matched);
  const rows = [...control].filter(([key]) => !matchedKeys.has(key));
  const textsOf = (isOption: boolean) =>
    rows.flatMap(([, row]) => ((row.line === undefined) === isOption ? [unmatchedText(row)] : []));
  const unmatchedOptions = textsOf(true);
  const plates = printable(firstOf(unmatchedOptions, LISTED));
  if (!isComplete) {
    const text = `--hide: no snapshot has a vehicle with the plate ${plates}. Either it was hidden before, or the plate is wrong.`;
    return { notes: unmatchedOptions.length > 0 ? [text] : [], attention: [] };
  }
  const unmatchedRows = textsOf(false);
  const text = `vehicles.csv: no vehicle has these plates: ${firstOf(unmatchedRows, LISTED)}.`;
  const entry = {
    code: 'vehicles-hide-unmatched',
    what: `Nothing was hidden: no vehicle has the plate ${plates}.`,
    fix: 'Compare it with the plate on the page of the vehicle, and build again with --hide.',
  };
  return {
    notes: unmatchedRows.length > 0 ? [text] : [],
    attention: unmatchedOptions.length > 0 ? [entry] : [],
  };
}

/** A note about published dealers that are no longer configured. */
export function removedDealers(
  publishedIds: ReadonlySet<number>,
  { dealers }: Pick<LoadedConfig, 'dealers'>,
): string[] {
  const configured = new Set(dealers.map(({ id }) => id));
  const ids = [...publishedIds].filter((id) => !configured.has(id)).map(String);
  const text = `Dealers that are no longer in the configuration lose their pages: ${firstOf(ids, LISTED)}.`;
  return ids.length > 0 ? [text] : [];
}

/** Failures that a setting corrects. They do not pass, so each night more pictures fail. */
const BY_SETTING = ['download-host', 'download-address'];

/**
 * Fresh dealers of which too many pictures failed, with or without earlier thumbnails. If a setting corrects that, few
 * are too many. Without a response, pictures are not requested, and the dealer has its own entry.
 */
export const failedPicturesAttention = (
  dealers: readonly Pick<DealerReport, 'id' | 'name' | 'state' | 'pictures'>[],
  publish: Pick<LoadedConfig['publish'], 'maxPictureFailures'>,
): Attention[] =>
  dealers.flatMap(({ id, name, state, pictures }) => {
    const { listed, failed, reason } = pictures;
    if (state !== 'fresh' || !reason) return [];
    const limits = BY_SETTING.includes(reason.code) ? { maxPictureFailures: 0 } : publish;
    if (!tooManyMissing({ pictures: listed, missing: failed }, limits)) return [];
    return [
      {
        dealer: id,
        code: 'stock-pictures-failed',
        what: `Dealer ${id} (${printable(name)}): ${failedPicturesText(pictures)}. It has ${countText(listed, 'picture')}.`,
        fix: failureAdvice(reason),
      },
    ];
  });

/** Feeds without vehicles although the site has some. A platform would remove all ads. */
export const emptyFeeds = (feeds: readonly FeedCounts[]): Attention[] =>
  feeds.flatMap((feed) =>
    feed.used > 0 || feed.vehicles === feed.notForSale
      ? []
      : [
          {
            code: 'feed-empty',
            what: `No vehicle has all columns that a feed requires. ${feedText(feed)}.`,
            fix: 'Add the missing columns to the stock list, or the missing settings of the dealer (docs/feeds.md).',
          },
        ],
  );
