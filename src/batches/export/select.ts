import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { HISTORY_COLUMNS, type HistoryRow } from './history-row.ts';
import type { SeqRange } from './ledger.ts';

export interface Selection extends SeqRange {
  account?: string | undefined;
  /** Only what was seen to change after this moment, ISO 8601 in UTC. */
  after?: string | undefined;
  /** Every version, not only what each batch says now. */
  history: boolean;
}

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
  const columns = HISTORY_COLUMNS.join(', ');
  const statement = db.prepare(`SELECT ${columns} ${text} ORDER BY v.change_seq`);
  statement.setReturnArrays(true);
  return statement.iterate(...values) as Iterable<unknown> as Iterable<HistoryRow>;
}

/** The last change of all. */
export function lastSeq(db: DatabaseSync): number {
  return Number(db.prepare('SELECT coalesce(max(change_seq), 0) AS seq FROM version').get()?.seq);
}
