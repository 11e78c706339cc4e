import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { timestampSchema, toUtc } from '../../contract/media.ts';
import { selectOne } from '../store/sql.ts';
import { type PersonalOptions, SOURCES, treatmentOf } from './columns.ts';
import type { Cell, Column, Layout } from './format.ts';
import { PROFILES, type Profile, type ProfileName } from './profiles.ts';

/** Changes that one export holds: after `from`, up to and including `to`. */
export interface SeqRange {
  from: number;
  to: number;
}

export interface Selection extends SeqRange {
  account?: string | undefined;
  /** Only changes that were seen after this moment, ISO 8601 in UTC. */
  after?: string | undefined;
  /** Every version, not only the present one of each batch. */
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
  return selectOne<{ rows: number }>(db, `SELECT count(*) AS rows ${text}`, ...values)?.rows ?? 0;
}

/** The number of the last change. */
export const lastSeq = (db: DatabaseSync): number =>
  selectOne<{ seq: number }>(db, 'SELECT coalesce(max(change_seq), 0) AS seq FROM version')?.seq ??
  0;

export interface Rendering {
  layout: Layout;
  /** The chosen versions in the order of their changes, one by one, a cell for each column. */
  rows(db: DatabaseSync, selection: Selection): Generator<Cell[]>;
  /** How many values a typed column of the target could not take, and were left out. */
  unreadable(): number;
}

/** How rows of the store become rows of an export: columns by profile, persons by `pii`. */
export function renderingOf(
  profileName: ProfileName,
  personal: PersonalOptions,
  { history }: { history: boolean },
): Rendering {
  const profile: Profile = PROFILES[profileName];
  const { omitUnknown } = profile;
  const version = history ? (['Version'] as const) : [];
  const keys = new Set([...profile.keys, ...version]);
  let unreadable = 0;
  const parts = [...new Set([...profile.sources, ...version])].flatMap((name) => {
    const source = SOURCES.find((one) => one.name === name);
    const treatment = source && treatmentOf(source, personal);
    if (!source || !treatment) return [];
    const { hashed, apply } = treatment;
    const kind = hashed ? 'text' : (profile.kinds[name] ?? source.kind);
    const column: Column = { name: profile.columnName(name, hashed), kind, key: keys.has(name) };
    const read = (stored: unknown): Cell => {
      const value = source.read ? source.read(stored) : stored;
      if (omitUnknown && value === '') return null;
      const cell = apply(value);
      if (kind !== 'time' || source.kind === 'time' || cell === null) return cell;
      if (timestampSchema.safeParse(cell).success) return toUtc(String(cell));
      unreadable++;
      return null;
    };
    return [{ column, read, sql: (omitUnknown && source.known) || source.sql }];
  });
  return {
    layout: { ...profile, columns: parts.map(({ column }) => column) },
    *rows(db, selection) {
      const [text, values] = from(selection);
      const expressions = parts.map(({ sql }) => sql).join(', ');
      const statement = db.prepare(`SELECT ${expressions} ${text} ORDER BY v.change_seq`);
      // Arrays, because row objects of `node:sqlite` pile up in memory until the next full collection.
      statement.setReturnArrays(true);
      const stored = statement.iterate(...values) as Iterable<unknown> as Iterable<unknown[]>;
      for (const row of stored) yield parts.map(({ read }, index) => read(row[index]));
    },
    unreadable: () => unreadable,
  };
}
