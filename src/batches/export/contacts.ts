import type { DatabaseSync } from 'node:sqlite';
import { selectAll, selectOne } from '../store/sql.ts';
import { CONTACT, lastValue, latest, SUMS } from '../store/views.ts';
import { crmKey, type PersonalOptions, SOURCES, treatmentOf } from './columns.ts';
import type { Cell, CellKind, Column } from './format.ts';
import { CONTACT_COLUMNS, type ContactColumn, type Profile } from './profiles.ts';
import type { Rendering, Selection } from './rows.ts';

/** The batch field whose rules for personal data a column follows. Other columns are sums and times. */
const FIELD_OF: Partial<Record<ContactColumn, string>> = {
  Email: 'RecipientEmail',
  Mobile: 'RecipientMobile',
  Action: 'CustomerActionState',
  ActionDate: 'CustomerActionDate',
  Rating: 'CustomerRating',
};

const KINDS: Readonly<Record<ContactColumn, CellKind>> = {
  ContactKey: 'text',
  Email: 'text',
  Mobile: 'phone',
  Batches: 'integer',
  LastSent: 'time',
  FirstWatched: 'time',
  LastWatched: 'time',
  Watches: 'integer',
  Plays: 'integer',
  Clicks: 'integer',
  Action: 'json',
  ActionDate: 'json',
  Rating: 'json',
};

/** The key of the first batch, with the sort key that `latest` has. */
const FIRST_KEY = latest("account || '-' || batch_id").replace(/^max/, 'min');

/** The last erasure that took a batch from the same contact. Rows with different ones are different. */
const LOSS = `(SELECT max(c.change_seq) FROM contact_change c JOIN account x ON x.id = c.account_id
      WHERE c.batch_row = b.id AND c.change_seq <= ?2 AND (?1 IS NULL OR x.name = ?1))`;

/**
 * Contacts of batches. `?1` limits the account, `?2` is the last change that counts, and `?3` limits the
 * result to recipients of batches that changed after it.
 */
function contactsAt(isCurrent: string): string {
  return `WITH dated AS (
    SELECT v.*, a.name AS account, b.batch_id, ${CONTACT} AS contact, ${LOSS} AS loss
    FROM version v JOIN batch b ON b.id = v.batch_row JOIN account a ON a.id = b.account_id
    WHERE (?1 IS NULL OR a.name = ?1) AND ${isCurrent}
  ), touched AS (
    SELECT DISTINCT ${CONTACT} AS contact FROM version WHERE batch_row IN (
      SELECT batch_row FROM version WHERE change_seq > ?3
      UNION ALL SELECT batch_row FROM contact_change WHERE change_seq > ?3)
  )
  SELECT contact, ${['key', 'email', 'mobile'].map(lastValue).join(', ')}, batches, last_sent, first_watched,
    last_watched, watches, plays, clicks, ${['action', 'date', 'rating'].map(lastValue).join(', ')}, loss
  FROM (
    SELECT contact, ${FIRST_KEY} AS key, ${latest("nullif(recipient_email, '')")} AS email,
      ${latest("nullif(recipient_mobile, '')")} AS mobile, ${SUMS},
      ${latest('customer_action_state_json')} AS action,
      ${latest('customer_action_date_json')} AS date,
      ${latest('customer_rating_json')} AS rating,
      max(loss) AS loss
    FROM dated WHERE contact <> '' AND (?3 = 0 OR contact IN touched)
    GROUP BY contact
  ) ORDER BY key`;
}

const NOW = contactsAt('v.change_seq = b.current_seq');
const THEN = contactsAt(`v.change_seq <= ?2 AND v.number = (
  SELECT max(w.number) FROM version w WHERE w.batch_row = v.batch_row AND w.change_seq <= ?2)`);

/** Contacts in the order of {@link CONTACT_COLUMNS}, after the contact itself. */
type ContactRow = Record<string, string | number | null>;

/** The values of a contact that has no batch any more. */
const NO_BATCHES = {
  batches: 0,
  last_sent: null,
  first_watched: null,
  last_watched: null,
  watches: 0,
  plays: 0,
  clicks: 0,
  action: null,
  date: null,
  rating: null,
};

/**
 * Contacts whose values differ from those after the change `from`. Without one, all contacts. A key that no
 * contact has any more comes first, without batches: the recipient of its batches was corrected.
 */
function* changedContacts(db: DatabaseSync, selection: Selection): Generator<ContactRow> {
  const { account = null, after, to } = selection;
  const from =
    after === undefined
      ? selection.from
      : (selectOne<{ seq: number }>(
          db,
          `SELECT coalesce(max(change_seq), 0) AS seq FROM (
             SELECT change_seq FROM version WHERE seen_at <= ?1
             UNION ALL SELECT change_seq FROM contact_change WHERE at <= ?1)`,
          after,
        )?.seq ?? 0);
  const before = from === 0 ? [] : selectAll<ContactRow>(db, THEN, account, from, from);
  const now = selectAll<ContactRow>(db, NOW, account, to, from);
  const keys = new Set(now.map(({ key }) => key));
  const contacts = new Set(now.map(({ contact }) => contact));
  for (const row of before) {
    if (keys.has(row.key ?? null)) continue;
    // A CRM that matches by address would otherwise mistake it for the contact.
    const address = contacts.has(row.contact ?? null) && { email: null, mobile: null };
    yield { ...row, ...address, ...NO_BATCHES };
  }
  const values = new Map(before.map((row) => [row.contact, JSON.stringify(row)]));
  for (const row of now) {
    if (values.get(row.contact) !== JSON.stringify(row)) yield row;
  }
}

const readCell = (kind: CellKind, value: unknown): Cell =>
  kind === 'json' && value !== null && value !== '' ? JSON.parse(String(value)) : value;

/** One row per recipient, of one account or of all. */
export function contactRendering(profile: Profile, personal: PersonalOptions): Rendering {
  const parts = CONTACT_COLUMNS.flatMap((name, index) => {
    const source = SOURCES.find((one) => one.name === FIELD_OF[name]);
    const treatment = source && treatmentOf(source, personal);
    if (source && !treatment) return [];
    const hashed = treatment?.hashed ?? false;
    const kind = hashed ? 'text' : KINDS[name];
    const column: Column = {
      name: profile.contactColumn?.(name, hashed) ?? name,
      kind,
      key: name === 'ContactKey',
    };
    const read = (stored: unknown): Cell => {
      const value = name === 'ContactKey' ? crmKey(String(stored)) : readCell(KINDS[name], stored);
      const known = value === '' ? null : value;
      return treatment ? treatment.apply(known) : known;
    };
    return [{ column, read, index: index + 1 }];
  });
  return {
    layout: {
      ...profile,
      columns: parts.map(({ column }) => column),
      empty: { csv: '', json: null },
    },
    last: (db) =>
      selectOne<{ seq: number }>(
        db,
        `SELECT coalesce(max(change_seq), 0) AS seq FROM (
           SELECT change_seq FROM version UNION ALL SELECT change_seq FROM contact_change)`,
      )?.seq ?? 0,
    count: (db, selection) => [...changedContacts(db, selection)].length,
    *rows(db, selection) {
      for (const row of changedContacts(db, selection)) {
        const cells = Object.values(row);
        yield { seq: selection.to, cells: parts.map(({ read, index }) => read(cells[index])) };
      }
    },
    unreadable: () => 0,
  };
}
