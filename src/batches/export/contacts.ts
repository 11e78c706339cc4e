import type { DatabaseSync } from 'node:sqlite';
import { selectArrays } from '../store/sql.ts';
import { CONTACT_SOURCES } from './columns.ts';

/** The last non-null value of a column, by the creation of its batch. */
const latest = (column: string): string =>
  `max(CASE WHEN ${column} IS NOT NULL THEN strftime('%Y-%m-%dT%H:%M:%fZ', date_created) || ' ' || printf('%020d', batch_id) || ' ' || ${column} END)`;
/** `latest` without the sort key: a time (24 characters) and a number (20), each with a space. */
const lastValue = (name: string): string => `substr(${name}, 47) AS ${name}`;

/** Address, number and sums of a contact's batches. A text such as `n/a` does not replace an earlier address or number. */
const SUMS = `${latest("iif(recipient_email LIKE '%@%', trim(recipient_email), NULL)")} AS email,
    ${latest("iif(recipient_mobile GLOB '*[0-9]*', trim(recipient_mobile), NULL)")} AS mobile, count(*) AS batches, max(date_sent) AS last_sent,
    min(landing_page_first_watched) AS first_watched, max(landing_page_last_watched) AS last_watched,
    sum(landing_page_watch_count) AS watches, sum(video_play_count) AS plays,
    sum(image_link_clicks + social_clicks + search_clicks) AS clicks`;

/** The key of the first batch, with the sort key of `latest`. */
const FIRST_KEY = latest("account || '-' || batch_id").replace(/^max/, 'min');

/** The last erasure that removed a batch of the contact. Contacts with different erasures count as different. */
const LOSS = `(SELECT max(c.change_seq) FROM contact_change c JOIN account x ON x.id = c.account_id
      WHERE c.batch_row = b.id AND c.change_seq <= ?2 AND (?1 IS NULL OR x.name = ?1))`;

/** The recipient of a version. The calling code `?4` makes a national number international. */
const PERSON = `iif(?4 <> '' AND contact GLOB '0*' AND contact NOT GLOB '*[^0-9]*',
      '+' || ?4 || substr(contact, 2), contact) AS person`;

/**
 * SQL for the contacts of batches. `?1` limits the account, and `?2` is the last included change. `?3` limits the
 * result to recipients of batches with later changes than `?3`.
 */
const contactsAt = (isCurrent: string): string =>
  `WITH dated AS (
    SELECT v.*, ${PERSON}, a.name AS account, b.batch_id, ${LOSS} AS loss
    FROM version v JOIN batch b ON b.id = v.batch_row JOIN account a ON a.id = b.account_id
    WHERE (?1 IS NULL OR a.name = ?1) AND ${isCurrent}
  ), touched AS (
    SELECT DISTINCT ${PERSON} FROM version WHERE batch_row IN (
      SELECT batch_row FROM version WHERE change_seq > ?3
      UNION ALL SELECT batch_row FROM contact_change WHERE change_seq > ?3)
  )
  SELECT person AS contact, loss, ${['key', 'email', 'mobile'].map(lastValue).join(', ')}, batches, last_sent, first_watched,
    last_watched, watches, plays, clicks, ${['action', 'date', 'rating'].map(lastValue).join(', ')}
  FROM (
    SELECT person, ${FIRST_KEY} AS key, ${SUMS},
      ${latest('customer_action_state_json')} AS action,
      ${latest('customer_action_date_json')} AS date,
      ${latest('customer_rating_json')} AS rating,
      max(loss) AS loss
    FROM dated WHERE person <> '' AND (?3 = 0 OR person IN touched)
    GROUP BY person
  ) ORDER BY key`;

const NOW = contactsAt('v.change_seq = b.current_seq');
const THEN = contactsAt(`v.change_seq <= ?2 AND v.number = (
  SELECT max(w.number) FROM version w WHERE w.batch_row = v.batch_row AND w.change_seq <= ?2)`);

/** The recipient, the last erasure, and the stored values of {@link CONTACT_SOURCES}. */
type Contact = [contact: string, loss: number | null, ...values: unknown[]];

/** Values of a contact without batches: the columns after key, address and number. */
const NO_BATCHES = CONTACT_SOURCES.slice(3).map(({ kind }) => (kind === 'integer' ? 0 : null));

interface ContactSelection {
  account?: string;
  from: number;
  to: number;
  callingCode?: string;
}

/**
 * The values of contacts that changed since the change `from`. Keys that no contact has any more come first, without
 * batches: the recipient of their batches was corrected.
 */
export function* changedContacts(
  db: DatabaseSync,
  { account, from, to: last, callingCode = '' }: ContactSelection,
): Generator<unknown[]> {
  const contactsOf = (sql: string, to: number) =>
    selectArrays<Contact>(db, sql, account, to, from, callingCode);
  if (from === 0) {
    for (const [, , ...values] of contactsOf(NOW, last)) yield values;
    return;
  }
  const oldContacts = [...contactsOf(THEN, from)];
  const newContacts = [...contactsOf(NOW, last)];
  const contacts = new Set(newContacts.map(([contact]) => contact));
  const keys = new Set(newContacts.map(([, , key]) => key));
  for (const [contact, , key, ...values] of oldContacts) {
    if (keys.has(key)) continue;
    // Without address and number, a CRM that matches by them does not confuse it with the contact.
    const address = contacts.has(contact) ? [null, null] : values.slice(0, 2);
    yield [key, ...address, ...NO_BATCHES];
  }
  const oldTexts = new Set(oldContacts.map((contact) => JSON.stringify(contact)));
  for (const contact of newContacts)
    if (!oldTexts.has(JSON.stringify(contact))) yield contact.slice(2);
}
