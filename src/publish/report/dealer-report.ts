import { problemOf } from '../../errors.ts';
import type { MediaResult, PictureFailure } from '../../images/pipeline/types.ts';
import { itemOf, sourceKey } from '../../images/plan.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { dealerOf } from '../../record/known-pictures.ts';
import type { DealerSummary } from '../../site/views/summaries.ts';
import type { DealerStock } from '../../stock/dealer-stock.ts';
import type { DealerList } from '../../stock/list.ts';
import { keyAt, plateKey } from '../../stock/plate.ts';
import { countMedia, type Vehicle } from '../../stock/vehicle.ts';
import type { BuildReport, DealerReport } from './report.ts';

/** Maximum findings of a kind in a report. The counts include all findings. */
const LISTED = 50;

/** Counts of a dealer without a response. */
const NONE = { received: 0, accepted: 0, quarantined: 0 };

export function countBy(codes: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function addCounts(sum: Record<string, number>, more: object): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}

/** Failed pictures of a dealer's vehicles, `missing`: those without fallback thumbnails, and the commonest reason. */
type FailedPictures = Pick<DealerReport['pictures'], 'failed' | 'missing' | 'reason'>;

/** Counts failed pictures of a dealer's vehicles. A picture of two vehicles counts twice. */
export function failedPictures(
  { dealer, vehicles }: Pick<DealerStock, 'dealer' | 'vehicles'>,
  media: Pick<MediaResult, 'failures'> | undefined,
): FailedPictures {
  const failures = media?.failures.filter(({ key }) => dealerOf(key) === String(dealer.id)) ?? [];
  const byKey = new Map(failures.map((failure) => [failure.key, failure]));
  const count = { failed: 0, missing: 0 };
  if (failures.length === 0) return count;
  const failed: PictureFailure[] = [];
  for (const { dealerId, media } of vehicles) {
    for (const item of media) {
      const failure = item.kind === 'image' ? byKey.get(sourceKey(dealerId, item)) : undefined;
      if (!failure) continue;
      failed.push(failure);
      if (!failure.standIn) count.missing++;
    }
  }
  const groups = Map.groupBy(failed, ({ code, message }) => `${code} ${message}`);
  const [commonest] = [...groups.values()].sort((a, b) => b.length - a.length);
  const reason = commonest?.[0] && { code: commonest[0].code, message: commonest[0].message };
  return { ...count, failed: failed.length, ...(reason && { reason }) };
}

/** Failed pictures with the commonest reason, and their replacement on pages. Empty if none failed. */
export function failedPicturesText(
  { failed, missing, reason }: FailedPictures,
  published = true,
): string {
  if (failed === 0) return '';
  const text = `${countText(failed, 'picture')} failed${reason ? ` (${reason.message})` : ''}`;
  if (!published) return text;
  const shown = failed - missing;
  const instead =
    shown === 0
      ? 'they are not shown'
      : missing === 0
        ? 'earlier ones are shown'
        : `earlier ones are shown for ${shown}`;
  return `${text}, ${instead}`;
}

export interface DealerReportInput {
  stock: DealerStock;
  state: DealerReport['state'];
  /** Milliseconds since 1970. */
  now: number;
  /** Summary of the dealer's pages. Undefined if they were not planned. */
  summary?: DealerSummary;
  media?: MediaResult;
  waiting?: DealerReport['waiting'];
  /** The slug in the addresses of its published pages, if known. */
  formerSlug?: string | undefined;
}

/** Compares a dealer's stock list with the service's response. */
function listReport(
  { facts, read, problem }: DealerList,
  vehicles: readonly Vehicle[],
): DealerReport['facts'] {
  const vrms = vehicles.map(({ vrm }) => vrm);
  const listed = new Set(vrms.map(plateKey));
  const unmatched = (read?.ids ?? []).filter(
    ({ keys }) => !keys.some((key) => keyAt(listed, key) !== undefined),
  );
  const without = vrms.filter((vrm) => !facts || keyAt(facts.byPlate, vrm) === undefined);
  const { columns = [], problems = [], problemCount = 0 } = read ?? {};
  const source = !problem ? 'list' : facts ? 'last' : 'none';
  return {
    source,
    rows: facts?.rows ?? 0,
    matched: vrms.length - without.length,
    rowsWithoutVehicle: unmatched.length,
    vehiclesWithoutRow: without.length,
    unmatchedRows: unmatched.slice(0, LISTED).map(({ name }) => name),
    unmatchedVehicles: without.slice(0, LISTED),
    problems: problems.slice(0, LISTED),
    problemCount,
    unusedColumns: columns.flatMap(({ heading, field }) => (field ? [] : heading)),
  };
}

export function dealerReport(input: DealerReportInput): DealerReport {
  const { stock, state, now, summary, media, waiting, formerSlug } = input;
  const { list, dealer, counts, vehicles } = stock;
  return {
    id: dealer.id,
    slug: dealer.slug,
    name: dealer.name,
    ...(formerSlug !== undefined && formerSlug !== dealer.slug && { formerSlug }),
    state,
    source: stock.source,
    ...(stock.takenAt && {
      takenAt: stock.takenAt,
      ageSeconds: Math.max(0, Math.round((now - Date.parse(stock.takenAt)) / 1000)),
    }),
    vehicles: {
      ...(counts?.vehicles ?? { ...NONE, duplicates: 0 }),
      kept: counts?.keptVrms.length ?? 0,
      used: summary?.vehicles ?? 0,
      hidden: stock.control?.hidden ?? 0,
      withdrawn: summary?.withdrawn.length ?? 0,
    },
    ...(waiting && { waiting }),
    pictures: {
      listed: countMedia(vehicles, 'image'),
      used: summary?.pictures ?? 0,
      ...failedPictures(stock, media),
    },
    videos: {
      listed: countMedia(vehicles, 'video'),
      embedded: summary?.embedded ?? 0,
      linked: summary?.linked ?? 0,
    },
    items: counts?.items ?? { ...NONE, unknownType: 0, duplicates: 0 },
    quarantine: (counts?.quarantine ?? []).slice(0, LISTED),
    quarantineCodes: countBy((counts?.quarantine ?? []).map(({ code }) => code)),
    unknownTypes: counts?.unknownTypes ?? {},
    unknownFields: counts?.unknownFields ?? {},
    duplicateVrms: (counts?.duplicateVrms ?? []).slice(0, LISTED),
    keptVrms: (counts?.keptVrms ?? []).slice(0, LISTED),
    ...(list && { facts: listReport(list, vehicles) }),
    ...(stock.problem && { problem: problemOf(stock.problem) }),
    notes: [...stock.notes, ...(list?.notes ?? [])],
  };
}

export function listedFailures(
  failures: readonly PictureFailure[],
): BuildReport['pictureFailures'] {
  return failures.slice(0, LISTED).map(({ key, vehicle: _, url, ...rest }) => ({
    key: url === undefined ? key : `${itemOf(key)} ${url}`,
    ...rest,
  }));
}
