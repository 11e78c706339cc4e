import type { DatabaseSync } from 'node:sqlite';
import { timestampSchema, toUtc } from '../../contract/media.ts';
import { selectArrays, selectValue } from '../store/sql.ts';
import {
  CONTACT_SOURCES,
  isOpen,
  type PersonalOptions,
  SOURCES,
  type Source,
  treatmentOf,
} from './columns.ts';
import { changedContacts } from './contacts.ts';
import type { Cell, Column, Layout } from './format.ts';
import type { Profile } from './profiles.ts';

/** The rows of an export. By default, the current version of each batch. */
interface RowsKind {
  /** All versions. */
  history?: boolean;
  /** Only batches whose person was erased, for consumers that received the person before. */
  erasures?: boolean;
}

/** The changes or erasures of one export: after `from`, up to and including `to`. */
export interface SeqRange {
  from: number;
  to: number;
}

export interface Selection extends SeqRange, RowsKind {
  account?: string;
  /** Only erasures of batches that have no later change than this one. */
  changedUntil?: number;
  /** Only erasures of recipients, for contacts. */
  recipients?: boolean;
}

const CHANGES = 'SELECT change_seq AS seq, seen_at AS at FROM version';
const NUMBERED = {
  changes: CHANGES,
  erasures: 'SELECT seq, at FROM erased_batch',
  contacts: `${CHANGES} UNION ALL SELECT change_seq, at FROM contact_change`,
};

/**
 * The number of the last change, or of the last erasure.
 *
 * @param time without those after this time, ISO 8601 in UTC.
 */
export function lastSeq(db: DatabaseSync, kind: keyof typeof NUMBERED, time?: string): number {
  const numbered = `FROM (${NUMBERED[kind]})`;
  const first = `SELECT min(seq) - 1 ${numbered} WHERE at > ?`;
  const before = time === undefined ? undefined : selectValue<number>(db, first, time);
  return before ?? selectValue<number>(db, `SELECT max(seq) ${numbered}`) ?? 0;
}

export interface Row {
  /** Number of its change or erasure. */
  seq: number;
  /** A cell for each column. */
  cells: Cell[];
}

/** Whether an erasure can remove the values of a source (see `redacted`). */
const isErased = (source: Source): boolean =>
  source.sql !== '' && (source.personal !== 'none' || isOpen(source));

/** The columns of an export, in order. */
function sourcesOf(profile: Profile, keys: readonly string[], { erasures }: RowsKind): Source[] {
  const { sources, erasureSources = [] } = profile;
  const lookUp = (names: readonly string[]) =>
    names.flatMap((name) => SOURCES.find((source) => source.name === name) ?? []);
  if (!erasures) return lookUp([...new Set([...sources, ...keys])]);
  return [...lookUp([...keys, ...erasureSources]), ...lookUp(sources).filter(isErased)];
}

/** The stored values of batches. The last value of a row is the number of its change or erasure. */
function batchRows(
  db: DatabaseSync,
  { from, to, account, changedUntil, recipients, history, erasures }: Selection,
  expressions: readonly string[],
): Iterable<unknown[]> {
  const seq = erasures ? 'e.seq' : 'v.change_seq';
  // CROSS JOIN makes SQLite loop over the changes in their order, so it does not need to sort. It omits the LEFT JOIN
  // if no column needs it.
  const tables = erasures
    ? 'erased_batch e CROSS JOIN batch b ON b.id = e.batch_row CROSS JOIN version v ON v.batch_row = b.id'
    : 'version v CROSS JOIN batch b ON b.id = v.batch_row LEFT JOIN erased_batch e ON e.batch_row = b.id';
  const sql = `SELECT ${expressions.join(', ')}, ${seq}
    FROM ${tables} CROSS JOIN account a ON a.id = b.account_id
    WHERE ${seq} > ?1 AND ${seq} <= ?2 AND (?3 IS NULL OR a.name = ?3)
      AND (?4 IS NULL OR v.change_seq <= ?4)
      ${history ? '' : 'AND v.change_seq = b.current_seq'}
      ${recipients ? 'AND b.erased_at IS NOT NULL' : ''}
    ORDER BY ${seq}${erasures ? ', v.number' : ''}`;
  return selectArrays(db, sql, from, to, account, changedUntil);
}

/** Converts rows of the store to rows of an export: columns by profile, personal data by `pii`. */
export function renderingOf(profile: Profile, personal: PersonalOptions, rowsKind: RowsKind) {
  const { history, erasures } = rowsKind;
  const contacts = profile.contacts && !erasures;
  // Exports of erasures contain unknown values, because these clear the consumer's fields.
  const dropUnknown = profile.omitUnknown || erasures || contacts;
  const keys = history ? [...profile.keys, 'Version'] : profile.keys;
  let unreadable = 0;
  const parts = sourcesOf(profile, keys, rowsKind).flatMap((source) => {
    const { name } = source;
    const treatment = treatmentOf(source, personal);
    if (!treatment) return [];
    const { hashed, apply } = treatment;
    const kind = hashed ? 'text' : (profile.kinds?.[name] ?? source.kind);
    const column: Column = {
      name: profile.columnName(name, hashed),
      kind,
      key: keys.includes(name),
    };
    const read = (stored: unknown): Cell => {
      const value = source.kind === 'json' && stored !== null ? JSON.parse(String(stored)) : stored;
      if (dropUnknown && value === '') return null;
      const cell = apply(value);
      if (kind !== 'time' || source.kind === 'time' || cell === null) return cell;
      if (timestampSchema.safeParse(cell).success) return toUtc(String(cell));
      unreadable++;
      return null;
    };
    const index = CONTACT_SOURCES.indexOf(source);
    return [{ column, read, index, sql: (dropUnknown && source.knownSql) || source.sql }];
  });
  const layout: Layout = {
    ...profile,
    columns: parts.map(({ column }) => column),
    omitUnknown: profile.omitUnknown && !erasures,
    clears: erasures ? profile.clears : undefined,
  };
  return {
    layout,
    /** Number of the last change or erasure that the rows can depend on, see {@link lastSeq}. */
    last: (db: DatabaseSync, time?: string): number =>
      lastSeq(db, contacts ? 'contacts' : erasures ? 'erasures' : 'changes', time),
    /** The selected rows, one by one: versions in the order of their changes or erasures, or contacts. */
    *rows(db: DatabaseSync, selection: Selection): Generator<Row> {
      if (contacts) {
        const { callingCode } = personal;
        for (const values of changedContacts(db, { ...selection, callingCode })) {
          yield { seq: selection.to, cells: parts.map(({ read, index }) => read(values[index])) };
        }
        return;
      }
      const expressions = parts.map(({ sql }) => sql);
      for (const row of batchRows(db, selection, expressions)) {
        const cells = parts.map(({ read }, index) => read(row[index]));
        yield { seq: Number(row[parts.length]), cells };
      }
    },
    /** Number of values that were omitted because they do not fit the type of the target's column. */
    unreadable: () => unreadable,
  };
}
