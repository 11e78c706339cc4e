import { FIELDS } from '../model/fields.ts';

/** Selects a column. JSON text becomes a plain value. */
const columnOf = (column: string): string =>
  column.endsWith('_json')
    ? `json_extract(v.${column}, '$') AS ${column.replace(/_json$/, '')}`
    : `v.${column}`;

const columns = FIELDS.filter(({ name }) => name !== 'Data').map(({ column }) => columnOf(column));

// Each step includes the steps before it, in all figures.
export const SENT = 'v.date_sent IS NOT NULL';
export const WATCHED = `(${SENT} AND (v.landing_page_first_watched IS NOT NULL OR v.landing_page_watch_count > 0))`;
export const HAS_ACTION = 'v.customer_action_state_json IS NOT NULL';
export const ACTED = `(${WATCHED} AND ${HAS_ACTION})`;

/** The current versions of all batches. */
export const CURRENT_VERSIONS = `FROM batch b JOIN version v ON v.change_seq = b.current_seq
  JOIN account a ON a.id = b.account_id`;

/**
 * Views for SQL tools. They are a public interface: columns are added, never renamed or removed. Times are UTC,
 * ISO 8601. docs/batches.md describes them.
 */
export const VIEWS = `
-- Each batch as it is now.
CREATE VIEW batches_current AS
SELECT a.name AS account, b.batch_id, ${columns.join(', ')},
  b.versions, v.change_seq, b.first_seen_at, v.seen_at AS changed_at, b.last_seen_at, b.erased_at
${CURRENT_VERSIONS};

-- One row per account and week of creation, Monday to Sunday.
CREATE VIEW funnel_weekly AS
SELECT a.name AS account, date(v.date_created, 'weekday 0', '-6 days') AS monday, count(*) AS created,
  sum(${SENT}) AS sent, sum(${WATCHED}) AS watched, sum(${ACTED}) AS acted, sum(v.video_play_count) AS plays
${CURRENT_VERSIONS} GROUP BY account, monday;
`;
