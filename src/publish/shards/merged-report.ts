import { type AppError, EXIT } from '../../errors.ts';
import { problemOf } from '../dealer-report.ts';
import type { BuildReport } from '../report.ts';

type Counts = Record<string, number>;

const added = (all: readonly Counts[]): Counts => {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) {
      sums.set(name, (sums.get(name) ?? 0) + count);
    }
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** One report of all parts: dealers in the order of the configuration, counts added up. */
export function mergedReport(
  { dealers }: { dealers: readonly { id: number }[] },
  reports: readonly BuildReport[],
  { now, durationMs, error }: { now: number; durationMs: number; error: AppError | undefined },
): BuildReport {
  const byId = new Map(
    reports.flatMap((report) => report.dealers.map((dealer) => [dealer.id, dealer] as const)),
  );
  const places = new Map(dealers.map(({ id }, index) => [id, index]));
  const placeOf = (id: number | undefined) => places.get(id ?? Number.NaN) ?? dealers.length;
  const states = [...byId.values()].map(({ state }) => state);
  const media = reports.flatMap((report) => (report.media ? [report.media] : []));
  const sum = (count: (report: BuildReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    version: 1,
    outcome: error
      ? 'not-published'
      : states.every((state) => state === 'fresh')
        ? 'published'
        : 'degraded',
    exitCode: error?.exitCode ?? EXIT.published,
    startedAt: new Date(now).toISOString(),
    durationMs,
    steps: {},
    // The front page and the one for what is not there belong to no part.
    pages: sum(({ pages }) => pages) + (error ? 0 : 2),
    rendered: sum(({ rendered = 0 }) => rendered) + (error ? 0 : 2),
    dealers: dealers.flatMap(({ id }) => byId.get(id) ?? []),
    ...(media.length > 0 && { media: added(media) as NonNullable<BuildReport['media']> }),
    pictureFailures: reports.flatMap(({ pictureFailures }) => pictureFailures).slice(0, 50),
    pictureFailureCodes: added(reports.map(({ pictureFailureCodes }) => pictureFailureCodes)),
    unmatchedEmbeds: added(reports.map(({ unmatchedEmbeds }) => unmatchedEmbeds)),
    attention: reports
      .flatMap(({ attention }) => attention)
      .sort((one, other) => placeOf(one.dealer) - placeOf(other.dealer)),
    // What every part notes is one note.
    notes: [...new Set(reports.flatMap(({ notes }) => notes))],
    ...(error && { problem: problemOf(error) }),
  };
}
