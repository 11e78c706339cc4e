import type { AccountStatus } from '../store/status.ts';

/** One whole week, Monday to Sunday in UTC, by the time of creation. */
export interface ReportWeek {
  /** Its Monday, `YYYY-MM-DD`. */
  monday: string;
  created: number;
  sent: number;
  watched: number;
  /** Whether a hole in the history touches it: its counts may be too small. */
  hole: boolean;
}

const WEEK_MS = 7 * 86_400_000;
const MOST_WEEKS = 26;

const startOf = (monday: string): number => Date.parse(`${monday}T00:00:00Z`);

function mondayOf(time: number): number {
  const day = new Date(time);
  day.setUTCHours(0, 0, 0, 0);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.getTime();
}

/**
 * The last 26 whole weeks. The week that `asOf` falls into is incomplete, and the one in which the
 * history begins is not whole, so neither is shown. Weeks without a batch count as zero.
 */
export function weeksOf(
  counted: readonly Omit<ReportWeek, 'hole'>[],
  accounts: readonly AccountStatus[],
  asOf: string,
): ReportWeek[] {
  const starts = accounts.flatMap(({ coveredFrom }) =>
    coveredFrom === null ? [] : Date.parse(coveredFrom),
  );
  const unfinished = mondayOf(Date.parse(asOf));
  const begin = Math.max(Math.min(...starts), unfinished - MOST_WEEKS * WEEK_MS);
  const first = mondayOf(begin) === begin ? begin : mondayOf(begin) + WEEK_MS;
  const holes = accounts.flatMap(({ holes }) => holes.filter(({ filled }) => filled === null));
  const byMonday = new Map(counted.map((week) => [startOf(week.monday), week]));
  const weeks: ReportWeek[] = [];
  for (let start = first; start < unfinished; start += WEEK_MS) {
    const end = start + WEEK_MS;
    const { created = 0, sent = 0, watched = 0 } = byMonday.get(start) ?? {};
    weeks.push({
      monday: new Date(start).toISOString().slice(0, 10),
      created,
      sent,
      watched,
      hole: holes.some(({ from, until }) => Date.parse(from) < end && Date.parse(until) > start),
    });
  }
  return weeks;
}
