import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { timestampSchema, toUtc } from '../../contract/media.ts';
import { selectOne } from '../store/sql.ts';
import {
  type PersonalOptions,
  SOURCES,
  type Source,
  type SourceName,
  treatmentOf,
} from './columns.ts';
import type { Cell, Column, Layout } from './format.ts';
import type { Profile } from './profiles.ts';

/**
 * The rows of an export: each batch as it is now, every version of it, or only batches whose person was
 * erased, for consumers that received the person before.
 */
export type RowsKind = 'now' | 'history' | 'erasures';

/** Changes or erasures that one export holds: after `from`, up to and including `to`. */
export interface SeqRange {
  from: number;
  to: number;
}

export interface Selection extends SeqRange {
  account?: string | undefined;
  /** Only changes or erasures after this moment, ISO 8601 in UTC. */
  after?: string | undefined;
  /** Only erasures of batches whose last change is this one or an earlier one. */
  changedUntil?: number | undefined;
  kind: RowsKind;
}

/** How rows are ordered and dated. */
const ORDER = {
  changes: { seq: 'v.change_seq', time: 'v.seen_at' },
  erasures: { seq: 'e.seq', time: 'e.at' },
} as const;

const orderOf = (kind: RowsKind) => ORDER[kind === 'erasures' ? 'erasures' : 'changes'];

function from({
  account,
  after,
  changedUntil,
  kind,
  ...range
}: Selection): [string, SQLInputValue[]] {
  const { seq, time } = orderOf(kind);
  const conditions = [`${seq} > ?`, `${seq} <= ?`];
  const values: SQLInputValue[] = [range.from, range.to];
  if (kind !== 'history') conditions.push('v.change_seq = b.current_seq');
  if (account !== undefined) {
    conditions.push('a.name = ?');
    values.push(account);
  }
  if (after !== undefined) {
    conditions.push(`${time} > ?`);
    values.push(after);
  }
  if (changedUntil !== undefined) {
    conditions.push('v.change_seq <= ?');
    values.push(changedUntil);
  }
  // CROSS JOIN fixes the order of the loops: along the changes, so nothing has to be sorted.
  const versions =
    kind === 'erasures'
      ? 'erased_batch e CROSS JOIN batch b ON b.id = e.batch_row CROSS JOIN version v ON v.change_seq = b.current_seq'
      : 'version v CROSS JOIN batch b ON b.id = v.batch_row';
  // SQLite omits the last join if no column needs it.
  const erasure = kind === 'erasures' ? '' : 'LEFT JOIN erased_batch e ON e.batch_row = b.id';
  const text = `FROM ${versions} CROSS JOIN account a ON a.id = b.account_id ${erasure}
    WHERE ${conditions.join(' AND ')}`;
  return [text, values];
}

export function countRows(db: DatabaseSync, selection: Selection): number {
  const [text, values] = from(selection);
  return selectOne<{ rows: number }>(db, `SELECT count(*) AS rows ${text}`, ...values)?.rows ?? 0;
}

/** The number of the last change, or of the last erasure. */
export function lastSeq(db: DatabaseSync, kind: RowsKind): number {
  const [column, table] = kind === 'erasures' ? ['seq', 'erased_batch'] : ['change_seq', 'version'];
  const sql = `SELECT coalesce(max(${column}), 0) AS seq FROM ${table}`;
  return selectOne<{ seq: number }>(db, sql)?.seq ?? 0;
}

export interface Row {
  /** Number of its change or erasure. */
  seq: number;
  /** A cell for each column. */
  cells: Cell[];
}

export interface Rendering {
  layout: Layout;
  /** The number of the last change or erasure that the rows can depend on. */
  last(db: DatabaseSync): number;
  count(db: DatabaseSync, selection: Selection): number;
  /** The chosen versions in the order of their changes or erasures, one by one. */
  rows(db: DatabaseSync, selection: Selection): Generator<Row>;
  /** How many values a typed column of the target could not take, and were left out. */
  unreadable(): number;
}

/** Whether an erasure can remove the values of a source: see `withoutPerson`. */
const isErased = ({ kind, personal }: Source): boolean =>
  personal === 'contact' || personal === 'free' || kind === 'json';

/** The columns of an export, in their order. */
function sourcesOf(profile: Profile, kind: RowsKind): SourceName[] {
  if (kind === 'now') return [...profile.sources];
  if (kind === 'history') return [...new Set<SourceName>([...profile.sources, 'Version'])];
  const erased = SOURCES.filter(isErased).map(({ name }) => name);
  const fields = profile.sources.filter((name) => erased.includes(name));
  return [...profile.keys, ...profile.erasureSources, ...fields];
}

/** How rows of the store become rows of an export: columns by profile, persons by `pii`. */
export function renderingOf(
  profile: Profile,
  personal: PersonalOptions,
  rows: RowsKind,
): Rendering {
  const erasures = rows === 'erasures';
  // Of an erased batch an unknown value is written: it clears the consumer's field.
  const dropUnknown = profile.omitUnknown || erasures;
  const keys = new Set<SourceName>([
    ...profile.keys,
    ...(rows === 'history' ? ['Version' as const] : []),
  ]);
  let unreadable = 0;
  const parts = sourcesOf(profile, rows).flatMap((name) => {
    const source = SOURCES.find((one) => one.name === name);
    const treatment = source && treatmentOf(source, personal);
    if (!source || !treatment) return [];
    const { hashed, apply } = treatment;
    const kind = hashed ? 'text' : (profile.kinds[name] ?? source.kind);
    const column: Column = { name: profile.columnName(name, hashed), kind, key: keys.has(name) };
    const read = (stored: unknown): Cell => {
      const value = source.read ? source.read(stored) : stored;
      if (dropUnknown && value === '') return null;
      const cell = apply(value);
      if (kind !== 'time' || source.kind === 'time' || cell === null) return cell;
      if (timestampSchema.safeParse(cell).success) return toUtc(String(cell));
      unreadable++;
      return null;
    };
    return [{ column, read, sql: (dropUnknown && source.known) || source.sql }];
  });
  return {
    count: countRows,
    last: (db) => lastSeq(db, rows),
    layout: {
      ...profile,
      columns: parts.map(({ column }) => column),
      omitUnknown: profile.omitUnknown && !erasures,
      empty: { csv: '', json: null, ...(erasures && profile.clears) },
    },
    *rows(db, selection) {
      const [text, values] = from(selection);
      const expressions = parts.map(({ sql }) => sql).join(', ');
      const { seq } = orderOf(selection.kind);
      const statement = db.prepare(`SELECT ${expressions}, ${seq} ${text} ORDER BY ${seq}`);
      // Arrays, because row objects of `node:sqlite` pile up in memory until the next full collection.
      statement.setReturnArrays(true);
      const stored = statement.iterate(...values) as Iterable<unknown> as Iterable<unknown[]>;
      for (const row of stored) {
        const cells = parts.map(({ read }, index) => read(row[index]));
        yield { seq: Number(row[parts.length]), cells };
      }
    },
    unreadable: () => unreadable,
  };
}
