import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** A value of a statement. Undefined is stored and compared as null. */
type Value = SQLInputValue | undefined;

const bound = (values: readonly Value[]): SQLInputValue[] => values.map((value) => value ?? null);

/** The rows of a query. The names of its columns are the properties of T. */
export const selectAll = <T>(db: DatabaseSync, sql: string, ...values: Value[]): T[] =>
  db.prepare(sql).all(...bound(values)) as T[];

/** The first row of a query. */
export const selectOne = <T>(db: DatabaseSync, sql: string, ...values: Value[]): T | undefined =>
  db.prepare(sql).get(...bound(values)) as T | undefined;

/** The first value of the first row of a query. Undefined if it is null or there is no row. */
export const selectValue = <T>(db: DatabaseSync, sql: string, ...values: Value[]): T | undefined =>
  (Object.values(selectOne<object>(db, sql, ...values) ?? {})[0] ?? undefined) as T;

/** The rows of a query one by one, as arrays: `node:sqlite` keeps row objects until the next full garbage collection. */
export function selectArrays<T extends unknown[]>(
  db: DatabaseSync,
  sql: string,
  ...values: Value[]
): Iterable<T> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement.iterate(...bound(values)) as Iterable<unknown> as Iterable<T>;
}

/** Runs a statement. @returns the number of changed rows. */
export const change = (db: DatabaseSync, sql: string, ...values: Value[]): number =>
  Number(db.prepare(sql).run(...bound(values)).changes);

/** Adds a row. @returns its number. */
export function insert(
  db: DatabaseSync,
  table: string,
  row: Readonly<Record<string, Value>>,
): number {
  const names = Object.keys(row);
  const places = names.map(() => '?').join(', ');
  const statement = db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`);
  return Number(statement.run(...bound(Object.values(row))).lastInsertRowid);
}

/**
 * Starts a transaction that reads one state of the history, also if other processes change it meanwhile. Ends when it is
 * disposed of, or with an earlier COMMIT.
 */
export function snapshot(db: DatabaseSync): Disposable {
  db.exec('BEGIN');
  return { [Symbol.dispose]: () => db.isTransaction && db.exec('ROLLBACK') };
}

/** Runs `work` in one transaction, which has the write lock from its start. */
export function transaction<T>(db: DatabaseSync, work: () => T, { keep = true } = {}): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec(keep ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
