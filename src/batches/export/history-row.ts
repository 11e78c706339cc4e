import { FIELDS } from '../model/fields.ts';

/**
 * A version as it is read from the store, with the batch it belongs to: one value for each of
 * {@link HISTORY_COLUMNS}. An array, because row objects of `node:sqlite` pile up in memory until
 * the next full collection, and an export of a million rows would grow by them.
 */
export type HistoryRow = readonly unknown[];

const NAMED: readonly (readonly [name: string, expression: string])[] = [
  ['account', 'a.name'],
  ['batch_id', 'b.batch_id'],
  ['first_seen_at', 'b.first_seen_at'],
  ['last_seen_at', 'b.last_seen_at'],
  ['number', 'v.number'],
  ['change_seq', 'v.change_seq'],
  ['seen_at', 'v.seen_at'],
  ['raw', 'v.raw'],
  ...FIELDS.map(({ column }) => [column, `v.${column}`] as const),
];

/** Expressions over the tables `account` a, `batch` b and `version` v. */
export const HISTORY_COLUMNS: readonly string[] = NAMED.map(([, expression]) => expression);

const POSITIONS = new Map(NAMED.map(([name], index) => [name, index]));

/** Reads one value of a row by its name; the place is looked up once. */
export function columnValue(name: string): (row: HistoryRow) => unknown {
  const position = POSITIONS.get(name);
  if (position === undefined) throw new Error(`no column of the history is called ${name}`);
  return (row) => row[position] ?? null;
}
