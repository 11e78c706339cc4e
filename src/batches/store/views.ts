import { FIELDS } from '../model/fields.ts';

/** Selects a column. JSON text becomes a plain value. */
const columnOf = (column: string): string =>
  column.endsWith('_json')
    ? `json_extract(v.${column}, '$') AS ${column.replace(/_json$/, '')}`
    : `v.${column}`;

const columns = FIELDS.filter(({ name }) => name !== 'Data').map(({ column }) => columnOf(column));

/** The last non-null value of a column, by the creation of its batch. */
export const latest = (column: string): string =>
  `max(CASE WHEN ${column} IS NOT NULL THEN strftime('%Y-%m-%dT%H:%M:%fZ', date_created) || ' ' || printf('%020d', batch_id) || ' ' || ${column} END)`;
/** `latest` without the sort key: a time (24 characters) and a number (20), each with a space. */
export const lastValue = (name: string): string => `substr(${name}, 47) AS ${name}`;

/**
 * Address, number and sums of a contact's batches, for the view `contacts` and the contact profiles. A text such as `n/a`
 * does not replace an earlier address or number.
 */
export const SUMS = `${latest("iif(recipient_email LIKE '%@%', trim(recipient_email), NULL)")} AS email,
    ${latest("iif(recipient_mobile GLOB '*[0-9]*', trim(recipient_mobile), NULL)")} AS mobile, count(*) AS batches, max(date_sent) AS last_sent,
    min(landing_page_first_watched) AS first_watched, max(landing_page_last_watched) AS last_watched,
    sum(landing_page_watch_count) AS watches, sum(video_play_count) AS plays,
    sum(image_link_clicks + social_clicks + search_clicks) AS clicks`;

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

-- One row per account and recipient: the e-mail address, otherwise the phone number.
CREATE VIEW contacts AS
SELECT account, contact, ${lastValue('email')}, ${lastValue('mobile')}, batches, last_sent, first_watched, last_watched,
  watches, plays, clicks, ${lastValue('action')}, ${lastValue('rating')}, change_seq
FROM (
  SELECT account, contact,
    ${SUMS},
    ${latest('customer_action_state')} AS action,
    ${latest('customer_rating')} AS rating,
    max(change_seq) AS change_seq
  FROM batches_current JOIN (SELECT change_seq, contact FROM version) USING (change_seq)
  WHERE contact <> ''
  GROUP BY account, contact
);

-- One row per account and week of creation, Monday to Sunday.
CREATE VIEW funnel_weekly AS
SELECT a.name AS account, date(v.date_created, 'weekday 0', '-6 days') AS monday, count(*) AS created,
  sum(${SENT}) AS sent, sum(${WATCHED}) AS watched, sum(${ACTED}) AS acted, sum(v.video_play_count) AS plays
${CURRENT_VERSIONS} GROUP BY account, monday;
`;
