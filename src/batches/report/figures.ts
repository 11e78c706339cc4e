import type { DatabaseSync } from 'node:sqlite';
import { bisectLeft, quantileSorted } from 'd3-array';
import { ConfigError } from '../../errors.ts';
import { ATTEMPT_OK } from '../store/accounts.ts';
import { selectAll, selectOne, selectValue } from '../store/sql.ts';
import { type AccountStatus, statusOf } from '../store/status.ts';

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

export interface WaitingTimes {
  buckets: FunnelStep[];
  /** Hours. Undefined if no batch was watched. */
  median: number | undefined;
  ninetieth: number | undefined;
  /** Batches that were watched before the time of sending, according to the service. */
  negative: number;
}

/** Counts of the batches that were created in a period. */
export interface PeriodCounts {
  sent: number;
  watched: number;
  plays: number;
  acted: number;
}

/** One account in the comparison. Counts of a period are undefined if pulls do not cover all of it. */
export interface AccountFigures {
  account: string;
  /** The error code of the last pull. Undefined if it succeeded. */
  failed: string | undefined;
  /** The last `comparedWeeks` full weeks. */
  current: PeriodCounts | undefined;
  /** As many weeks before. */
  previous: PeriodCounts | undefined;
}

/** Everything that the report shows: counts and shares, no recipients and no single batches. */
export interface Figures {
  /** Time of the last pull, ISO 8601. The report treats it as the present. */
  asOf: string;
  account: string | undefined;
  funnel: FunnelStep[];
  /** Batches with an action that were not sent or not watched. "Acted" does not include them. */
  actionsLeftOut: number;
  senders: Group[];
  products: Group[];
  waiting: WaitingTimes;
  weeks: ReportWeek[];
  clicks: FunnelStep[];
  /** Length of both periods in the comparison: four weeks, or fewer if the history has fewer full weeks. */
  comparedWeeks: number;
  /** Comparison of the accounts, in natural order. */
  byAccount: AccountFigures[];
  accounts: AccountStatus[];
}

const CURRENT = `FROM batch b JOIN version v ON v.change_seq = b.current_seq
  JOIN account a ON a.id = b.account_id WHERE (?1 IS NULL OR a.name = ?1)`;

// Each step includes the steps before it, in all figures and in the view funnel_weekly.
const SENT = 'v.date_sent IS NOT NULL';
const WATCHED = `(${SENT} AND (v.landing_page_first_watched IS NOT NULL OR v.landing_page_watch_count > 0))`;
const HAS_ACTION = 'v.customer_action_state_json IS NOT NULL';
const ACTED = `(${WATCHED} AND ${HAS_ACTION})`;

/** In seconds. */
const HOUR = 3600;
const BUCKETS: readonly [label: string, untilHours: number][] = [
  ['under 1 hour', 1],
  ['1–4 hours', 4],
  ['4–24 hours', 24],
  ['1–3 days', 72],
  ['3–7 days', 168],
  ['over 7 days', Number.POSITIVE_INFINITY],
];

type Account = string | null;

function funnelOf(db: DatabaseSync, account: Account): FunnelStep[] {
  const steps = selectOne<Record<string, number>>(
    db,
    `SELECT count(*) AS Created, coalesce(sum(${SENT}), 0) AS Sent,
       coalesce(sum(${WATCHED}), 0) AS Watched, coalesce(sum(${ACTED}), 0) AS Acted ${CURRENT}`,
    account,
  );
  return Object.entries(steps ?? {}).map(([label, count]) => ({ label, count }));
}

const actionsLeftOutOf = (db: DatabaseSync, account: Account): number =>
  selectValue<number>(
    db,
    `SELECT count(*) ${CURRENT} AND ${HAS_ACTION} AND NOT ${ACTED}`,
    account,
  ) ?? 0;

const groupsBy = (db: DatabaseSync, column: string, account: Account): Group[] =>
  selectAll(
    db,
    `SELECT ${column} AS label, count(*) AS sent, sum(${WATCHED}) AS watched ${CURRENT}
     AND ${SENT} GROUP BY ${column}`,
    account,
  );

function waitingOf(db: DatabaseSync, account: Account): WaitingTimes {
  const delays = selectAll<{ seconds: number }>(
    db,
    `SELECT unixepoch(v.landing_page_first_watched) - unixepoch(v.date_sent) AS seconds ${CURRENT}
     AND ${SENT} AND v.landing_page_first_watched IS NOT NULL ORDER BY seconds`,
    account,
  ).map(({ seconds }) => seconds / HOUR);
  const negative = bisectLeft(delays, 0);
  const hours = delays.slice(negative);
  let from = 0;
  const buckets = BUCKETS.map(([label, until]) => {
    const end = bisectLeft(hours, until);
    const count = end - from;
    from = end;
    return { label, count };
  });
  return {
    buckets,
    negative,
    median: quantileSorted(hours, 0.5),
    ninetieth: quantileSorted(hours, 0.9),
  };
}

const clicksOf = (db: DatabaseSync, account: Account): FunnelStep[] =>
  Object.entries({
    'Video plays': 'video_play_count',
    'Image links': 'image_link_clicks',
    'Social network': 'social_clicks',
    'Search engine': 'search_clicks',
  }).map(([label, column]) => {
    const sql = `SELECT sum(v.${column}) ${CURRENT}`;
    return { label, count: selectValue<number>(db, sql, account) ?? 0 };
  });

const weeklyOf = (db: DatabaseSync, account: Account): Omit<ReportWeek, 'hole'>[] =>
  selectAll(
    db,
    `SELECT date(v.date_created, 'weekday 0', '-6 days') AS monday, count(*) AS created,
       sum(${SENT}) AS sent, sum(${WATCHED}) AS watched ${CURRENT} GROUP BY monday`,
    account,
  );

const WEEK_MS = 7 * 86_400_000;
const MOST_COMPARED_WEEKS = 4;
const NO_COUNTS: PeriodCounts = { sent: 0, watched: 0, plays: 0, acted: 0 };

/** d2 comes before d10. */
const naturally = new Intl.Collator('en', { numeric: true }).compare;

/** A period. Both ends are milliseconds since 1970. */
interface Period {
  from: number;
  until: number;
}

/** Whether pulls of an account cover all of a period. */
function covers(
  { coveredFrom, coveredUntil, holes }: AccountStatus,
  { from, until }: Period,
): boolean {
  if (coveredFrom === null || coveredUntil === null) return false;
  const isInHole = holes.some(
    (hole) =>
      hole.filled === null && Date.parse(hole.from) < until && Date.parse(hole.until) > from,
  );
  return Date.parse(coveredFrom) <= from && Date.parse(coveredUntil) >= until && !isInHole;
}

/** Whether an account was pulled for a period: from the beginning of its history to its last pull, successful or not. */
function wasPulledFor(
  { coveredFrom, lastPull, lastAttempt }: AccountStatus,
  { from, until }: Period,
): boolean {
  if (coveredFrom === null) return false;
  const pulls = [lastPull, lastAttempt?.at ?? null].map((at) => (at === null ? 0 : Date.parse(at)));
  return Date.parse(coveredFrom) < until && Math.max(...pulls) > from;
}

/** Counts by account. */
function countsIn(db: DatabaseSync, { from, until }: Period): Map<string, PeriodCounts> {
  const rows = selectAll<PeriodCounts & { account: string }>(
    db,
    `SELECT a.name AS account, sum(${SENT}) AS sent, sum(v.video_play_count) AS plays,
       sum(${WATCHED}) AS watched, sum(${ACTED}) AS acted ${CURRENT}
     AND unixepoch(v.date_created) >= ?2 AND unixepoch(v.date_created) < ?3 GROUP BY a.name`,
    null,
    from / 1000,
    until / 1000,
  );
  return new Map(rows.map(({ account, ...counts }) => [account, counts]));
}

/** All accounts in natural order. @param end the Monday after the last full week, as milliseconds since 1970. */
function accountFigures(
  db: DatabaseSync,
  accounts: readonly AccountStatus[],
  { end, comparedWeeks }: { end: number; comparedWeeks: number },
): AccountFigures[] {
  const length = comparedWeeks * WEEK_MS;
  const countsUntil = (until: number) => {
    const period = { from: until - length, until };
    const counts = countsIn(db, period);
    return (status: AccountStatus) =>
      covers(status, period) ? (counts.get(status.account) ?? NO_COUNTS) : undefined;
  };
  const currentOf = countsUntil(end);
  const previousOf = countsUntil(end - length);
  return accounts
    .map((status) => ({
      account: status.account,
      failed:
        status.lastAttempt && status.lastAttempt.outcome !== ATTEMPT_OK
          ? status.lastAttempt.outcome
          : undefined,
      current: currentOf(status),
      previous: previousOf(status),
    }))
    .sort((a, b) => naturally(a.account, b.account));
}

/** With fewer batches, a rate is mostly chance and could reveal a single customer. */
export const SMALLEST_GROUP = 10;
const MOST_GROUPS = 12;

/**
 * Sorts groups, the largest first. Groups that are too small or after the twelfth are combined. The combined group is
 * omitted if it is also too small.
 */
function fold(groups: readonly Group[]): Group[] {
  const ordered = [...groups].sort(
    (a, b) => b.sent - a.sent || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0),
  );
  const largest = ordered.filter(({ sent }) => sent >= SMALLEST_GROUP).slice(0, MOST_GROUPS);
  const remaining = ordered.filter((group) => !largest.includes(group));
  const sent = remaining.reduce((sum, group) => sum + group.sent, 0);
  const watched = remaining.reduce((sum, group) => sum + group.watched, 0);
  if (sent < SMALLEST_GROUP) return largest;
  return [...largest, { label: `All others (${remaining.length})`, sent, watched }];
}

const MOST_WEEKS = 26;

function mondayOf(time: number): number {
  const day = new Date(time);
  day.setUTCHours(0, 0, 0, 0);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.getTime();
}

/**
 * The last 26 full weeks. The week of `asOf` and the week in which the history begins are incomplete, so they are
 * omitted. Weeks without batches count as zero.
 */
function weeksOf(
  weeklyCounts: readonly Omit<ReportWeek, 'hole'>[],
  accounts: readonly AccountStatus[],
  asOf: string,
): ReportWeek[] {
  const starts = accounts.flatMap(({ coveredFrom }) =>
    coveredFrom === null ? [] : Date.parse(coveredFrom),
  );
  const unfinished = mondayOf(Date.parse(asOf));
  const begin = Math.max(Math.min(...starts), unfinished - MOST_WEEKS * WEEK_MS);
  const first = mondayOf(begin) === begin ? begin : mondayOf(begin) + WEEK_MS;
  const byMonday = new Map(weeklyCounts.map((week) => [Date.parse(week.monday), week]));
  const weeks: ReportWeek[] = [];
  for (let start = first; start < unfinished; start += WEEK_MS) {
    const week = { from: start, until: start + WEEK_MS };
    const { created = 0, sent = 0, watched = 0 } = byMonday.get(start) ?? {};
    weeks.push({
      monday: new Date(start).toISOString().slice(0, 10),
      created,
      sent,
      watched,
      hole: accounts.some((status) => wasPulledFor(status, week) && !covers(status, week)),
    });
  }
  return weeks;
}

/**
 * Computes the figures from the current version of every batch.
 *
 * @throws {ConfigError} nothing was pulled yet, or the account is unknown.
 */
export function figuresOf(db: DatabaseSync, account?: string): Figures {
  const accounts = statusOf(db).accounts.filter(
    (status) => account === undefined || status.account === account,
  );
  const asOf = accounts
    .flatMap(({ lastPull }) => lastPull ?? [])
    .sort()
    .at(-1);
  if (asOf === undefined) {
    throw new ConfigError({
      code: 'report-no-history',
      what: 'There is nothing to report yet.',
      why: 'No pull has stored anything in this history.',
      fix: 'Run "npm run batches -- pull" first, or name the right --store and --account.',
    });
  }
  const filter = account ?? null;
  const weeks = weeksOf(weeklyOf(db, filter), accounts, asOf);
  const comparedWeeks = Math.max(1, Math.min(weeks.length, MOST_COMPARED_WEEKS));
  return {
    asOf,
    account,
    funnel: funnelOf(db, filter),
    actionsLeftOut: actionsLeftOutOf(db, filter),
    senders: fold(groupsBy(db, 'v.sending_user_name', filter)),
    // Product types are in snake_case (interface 2.3).
    products: fold(groupsBy(db, "replace(v.product_type, '_', ' ')", filter)),
    waiting: waitingOf(db, filter),
    weeks,
    clicks: clicksOf(db, filter),
    comparedWeeks,
    byAccount: accountFigures(db, accounts, { end: mondayOf(Date.parse(asOf)), comparedWeeks }),
    accounts,
  };
}
