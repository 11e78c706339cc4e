import type { DatabaseSync } from 'node:sqlite';
import { bisectLeft, max, min, quantileSorted, sum } from 'd3-array';
import { ConfigError } from '../../errors.ts';
import { iso } from '../pull/coverage.ts';
import { selectAll, selectOne, selectValue, snapshot } from '../store/sql.ts';
import { type AccountStatus, statusOf } from '../store/status.ts';
import { ACTED, CURRENT_VERSIONS, HAS_ACTION, SENT, WATCHED } from '../store/views.ts';
import { accountFigures, covers, WEEK_MS, wasPulledFor } from './accounts.ts';

/** Sent and watched batches of one sender or product type. */
export interface Group {
  label: string;
  sent: number;
  watched: number;
}

/** One full week, Monday to Sunday in UTC, by the time of creation. */
export interface ReportWeek {
  /** Its Monday, `YYYY-MM-DD`. */
  monday: string;
  created: number;
  sent: number;
  watched: number;
  /** Whether pulls did not cover a part of the week, since the account's history began. Its counts may be too small. */
  hole: boolean;
}

export interface FunnelStep {
  label: string;
  count: number;
}

const MOST_COMPARED_WEEKS = 4;

/** In seconds. */
const HOUR = 3600;
const BUCKETS: readonly [label: string, fromHours: number, untilHours: number][] = [
  ['under 1 hour', 0, 1],
  ['1–4 hours', 1, 4],
  ['4–24 hours', 4, 24],
  ['1–3 days', 24, 72],
  ['3–7 days', 72, 168],
  ['over 7 days', 168, Number.POSITIVE_INFINITY],
];

/** The current versions of one account, or of all. */
const CURRENT = `${CURRENT_VERSIONS} WHERE (?1 IS NULL OR a.name = ?1)`;

/** Sums over the current versions. The names of the columns are the labels. */
const sumsOf = (db: DatabaseSync, columns: string, account: string | undefined): FunnelStep[] =>
  Object.entries(selectOne<object>(db, `SELECT ${columns} ${CURRENT}`, account) ?? {}).map(
    ([label, count]) => ({ label, count: count ?? 0 }),
  );

const FUNNEL = `count(*) AS Created, sum(${SENT}) AS Sent, sum(${WATCHED}) AS Watched, sum(${ACTED}) AS Acted`;
const CLICKS = `sum(v.video_play_count) AS "Video plays", sum(v.image_link_clicks) AS "Image links",
  sum(v.social_clicks) AS "Social network", sum(v.search_clicks) AS "Search engine"`;

function waitingOf(db: DatabaseSync, account: string | undefined) {
  const delays = selectAll<{ seconds: number }>(
    db,
    `SELECT unixepoch(v.landing_page_first_watched) - unixepoch(v.date_sent) AS seconds ${CURRENT}
     AND ${SENT} AND v.landing_page_first_watched IS NOT NULL ORDER BY seconds`,
    account,
  ).map(({ seconds }) => seconds / HOUR);
  const negative = bisectLeft(delays, 0);
  const hours = delays.slice(negative);
  return {
    buckets: BUCKETS.map(([label, from, until]) => ({
      label,
      count: bisectLeft(hours, until) - bisectLeft(hours, from),
    })),
    /** Batches that were watched before the time of sending, according to the service. */
    negative,
    /** Hours. Undefined if no batch was watched. */
    median: quantileSorted(hours, 0.5),
    ninetieth: quantileSorted(hours, 0.9),
  };
}

/** With fewer batches, a rate is mostly chance and could reveal a single customer. */
export const SMALLEST_GROUP = 10;
const MOST_GROUPS = 12;

/**
 * Sent batches by a column, the largest groups first. Groups that are too small or after the twelfth are combined. The
 * combined group is omitted if it is also too small.
 */
function groupsBy(db: DatabaseSync, column: string, account: string | undefined): Group[] {
  const groups = selectAll<Group>(
    db,
    `SELECT ${column} AS label, count(*) AS sent, sum(${WATCHED}) AS watched ${CURRENT}
     AND ${SENT} GROUP BY ${column} ORDER BY 2 DESC, 1`,
    account,
  );
  const largest = groups.filter(({ sent }) => sent >= SMALLEST_GROUP).slice(0, MOST_GROUPS);
  const remaining = groups.slice(largest.length);
  const sent = sum(remaining, (group) => group.sent);
  const watched = sum(remaining, (group) => group.watched);
  if (sent < SMALLEST_GROUP) return largest;
  return [...largest, { label: `All others (${remaining.length})`, sent, watched }];
}

const MOST_WEEKS = 26;

/** The start of a week, as milliseconds since 1970. */
const mondayOf = (time: number): number => time - ((time - Date.UTC(1970, 0, 5)) % WEEK_MS);

/**
 * The last 26 full weeks. The week of `asOf` and the week in which the history begins are incomplete, so they are
 * omitted. Weeks without batches count as zero.
 */
function weeksOf(
  db: DatabaseSync,
  account: string | undefined,
  accounts: readonly AccountStatus[],
  asOf: string,
): ReportWeek[] {
  const earliest = min(accounts, ({ coveredFrom }) => coveredFrom) ?? asOf;
  const unfinished = mondayOf(Date.parse(asOf));
  const begin = Math.max(Date.parse(earliest), unfinished - MOST_WEEKS * WEEK_MS);
  const first = mondayOf(begin) === begin ? begin : mondayOf(begin) + WEEK_MS;
  const counts = selectAll<Omit<ReportWeek, 'hole'>>(
    db,
    `SELECT monday, sum(created) AS created, sum(sent) AS sent, sum(watched) AS watched
     FROM funnel_weekly WHERE ?1 IS NULL OR account = ?1 GROUP BY monday`,
    account,
  );
  const byMonday = new Map(counts.map((week) => [week.monday, week]));
  const weeks: ReportWeek[] = [];
  for (let start = first; start < unfinished; start += WEEK_MS) {
    const week = { from: iso(start), until: iso(start + WEEK_MS) };
    const monday = week.from.slice(0, 10);
    const { created = 0, sent = 0, watched = 0 } = byMonday.get(monday) ?? {};
    const hole = accounts.some((status) => wasPulledFor(status, week) && !covers(status, week));
    weeks.push({ monday, created, sent, watched, hole });
  }
  return weeks;
}

/**
 * Computes everything that the report shows from the current version of every batch: counts and shares, no recipients
 * and no single batches.
 *
 * @throws {ConfigError} nothing was pulled yet, or the account is unknown.
 */
export function figuresOf(db: DatabaseSync, account?: string) {
  using _snapshot = snapshot(db);
  const accounts = statusOf(db).accounts.filter(
    (status) => account === undefined || status.account === account,
  );
  const asOf = max(accounts, ({ lastPull }) => lastPull);
  if (asOf === undefined) {
    throw new ConfigError({
      code: 'report-no-history',
      what: 'There is nothing to report yet.',
      why: 'No pull has stored anything in this history.',
      fix: 'Run "npm run batches -- pull" first, or name the right --store and --account.',
    });
  }
  const weeks = weeksOf(db, account, accounts, asOf);
  const comparedWeeks = Math.max(1, Math.min(weeks.length, MOST_COMPARED_WEEKS));
  return {
    /** Time of the last pull, ISO 8601. The report treats it as the present. */
    asOf,
    account,
    funnel: sumsOf(db, FUNNEL, account),
    /** Batches with an action that were not sent or not watched. "Acted" does not include them. */
    actionsLeftOut:
      selectValue(db, `SELECT sum(${HAS_ACTION} AND NOT ${ACTED}) ${CURRENT}`, account) ?? 0,
    senders: groupsBy(db, 'v.sending_user_name', account),
    // Product types are in snake_case (interface 2.3).
    products: groupsBy(db, "replace(v.product_type, '_', ' ')", account),
    waiting: waitingOf(db, account),
    weeks,
    clicks: sumsOf(db, CLICKS, account),
    /** Length of both periods in the comparison: four weeks, or fewer if the history has fewer full weeks. */
    comparedWeeks,
    byAccount: accountFigures(db, accounts, { end: mondayOf(Date.parse(asOf)), comparedWeeks }),
    accounts,
  };
}

export type Figures = ReturnType<typeof figuresOf>;
