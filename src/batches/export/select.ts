import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { FIELDS } from '../fields.ts';
import type { HistoryRow } from './layout.ts';
import type { SeqRange } from './ledger.ts';

export interface Selection extends SeqRange {
  account?: string | undefined;
  /** Only what was seen to change after this moment, ISO 8601 in UTC. */
  after?: string | undefined;
  /** Every version, not only what each batch says now. */
  history: boolean;
}

const COLUMNS = [
  'a.name AS account',
  'b.batch_id',
  'b.first_seen_at',
  'b.last_seen_at',
  'v.number',
  'v.change_seq',
  'v.seen_at',
  'v.raw',
  ...FIELDS.map(({ column }) => `v.${column}`),
].join(', ');

function from({ account, after, history, ...range }: Selection): [string, SQLInputValue[]] {
  const conditions = ['v.change_seq > ?', 'v.change_seq <= ?'];
  const values: SQLInputValue[] = [range.from, range.to];
  if (!history) conditions.push('v.change_seq = b.current_seq');
  if (account !== undefined) {
    conditions.push('a.name = ?');
    values.push(account);
  }
  if (after !== undefined) {
    conditions.push('v.seen_at > ?');
    values.push(after);
  }
  // CROSS JOIN fixes the order of the loops: along the changes, so nothing has to be sorted.
  const text = `FROM version v CROSS JOIN batch b ON b.id = v.batch_row
    CROSS JOIN account a ON a.id = b.account_id WHERE ${conditions.join(' AND ')}`;
  return [text, values];
}

export function countRows(db: DatabaseSync, selection: Selection): number {
  const [text, values] = from(selection);
  return Number(db.prepare(`SELECT count(*) AS rows ${text}`).get(...values)?.rows);
}

/** The chosen versions in the order of their changes, read one by one. */
export function selectRows(db: DatabaseSync, selection: Selection): Iterable<HistoryRow> {
  const [text, values] = from(selection);
  return db.prepare(`SELECT ${COLUMNS} ${text} ORDER BY v.change_seq`).iterate(...values);
}

/** The last change of all. */
export function lastSeq(db: DatabaseSync): number {
  return Number(db.prepare('SELECT coalesce(max(change_seq), 0) AS seq FROM version').get()?.seq);
}
