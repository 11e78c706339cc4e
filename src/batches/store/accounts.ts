import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../errors.ts';
import type { DriftFinding, TypesByField } from '../model/drift.ts';
import type { Interval } from '../model/reach.ts';
import { insert, selectAll, selectOne } from './sql.ts';

interface AccountIdentity {
  name: string;
  customerId: string;
  pathId: string;
}

const iso = (time: number): string => new Date(time).toISOString();

/** An interval as the store holds it: its times are ISO 8601. */
type Stored<T extends Interval> = Omit<T, 'from' | 'until'> & { from: string; until: string };

const parsedInterval = <T extends Interval>(row: Stored<T>): T =>
  ({ ...row, from: Date.parse(row.from), until: Date.parse(row.until) }) as unknown as T;

/** The store's own number of an account; undefined if it was never pulled. */
export function findAccount(db: DatabaseSync, identity: AccountIdentity): number | undefined {
  const row = selectOne<{ id: number; customerId: string; pathId: string }>(
    db,
    'SELECT id, customer_id AS customerId, path_id AS pathId FROM account WHERE name = ?',
    identity.name,
  );
  if (!row || (row.customerId === identity.customerId && row.pathId === identity.pathId)) {
    return row?.id;
  }
  throw new ConfigError({
    code: 'account-is-another',
    what: `The history of account "${identity.name}" belongs to another customerId or pathId.`,
    why: 'BatchIds of two customers may be equal, and one history would overwrite the other.',
    fix: 'Give the new customer a separate account name in the configuration.',
  });
}

export const ensureAccount = (db: DatabaseSync, identity: AccountIdentity): number =>
  findAccount(db, identity) ??
  insert(db, 'account', {
    name: identity.name,
    customer_id: identity.customerId,
    path_id: identity.pathId,
  });

/** Outcome of a pull that stored its response. */
export const ATTEMPT_OK = 'ok';

/** The intervals for which a pull's response was complete. */
export const coverageOf = (db: DatabaseSync, account: number): Interval[] =>
  selectAll<Stored<Interval>>(
    db,
    `SELECT covered_from AS "from", covered_until AS until FROM pull
     WHERE account_id = ? AND covered_until IS NOT NULL`,
    account,
  ).map(parsedInterval);

/** When the newest batch created before `time` was created; undefined if none is known. */
export function newestBefore(db: DatabaseSync, account: number, time: number): number | undefined {
  const row = selectOne<{ created: string | null }>(
    db,
    'SELECT max(date_created) AS created FROM batch WHERE account_id = ? AND date_created <= ?',
    account,
    iso(time),
  );
  return row?.created ? Date.parse(row.created) : undefined;
}

/** Batches that the account's last pull saw, created since `time`. */
export const seenLast = (
  db: DatabaseSync,
  account: number,
  time: number,
): { batchId: number; created: string }[] =>
  selectAll(
    db,
    `SELECT batch_id AS batchId, date_created AS created FROM batch
     WHERE account_id = ?1 AND date_created >= ?2
       AND last_seen_at = (SELECT max(last_seen_at) FROM batch WHERE account_id = ?1)`,
    account,
    iso(time),
  );

export interface Gap extends Interval {
  id: number;
  reason: string;
  filled: 0 | 1;
}

export const gapsOf = (db: DatabaseSync, account: number): Gap[] =>
  selectAll<Stored<Gap>>(
    db,
    `SELECT id, from_at AS "from", until_at AS until, reason, filled_at IS NOT NULL AS filled
     FROM hole WHERE account_id = ? ORDER BY from_at`,
    account,
  ).map(parsedInterval);

export function typesKnown(db: DatabaseSync, account: number): TypesByField {
  const rows = selectAll<{ field: string; type: string }>(
    db,
    'SELECT field, type FROM field_type WHERE account_id = ?',
    account,
  );
  const fields = Map.groupBy(rows, ({ field }) => field);
  return new Map([...fields].map(([name, types]) => [name, new Set(types.map((t) => t.type))]));
}

export function recordTypes(
  db: DatabaseSync,
  account: number,
  types: TypesByField,
  at: string,
): void {
  const add = db.prepare(
    'INSERT OR IGNORE INTO field_type (account_id, field, type, first_seen_at) VALUES (?, ?, ?, ?)',
  );
  for (const [field, seen] of types) for (const type of seen) add.run(account, field, type, at);
}

export function recordDrift(
  db: DatabaseSync,
  account: number,
  findings: readonly DriftFinding[],
  at: string,
): void {
  for (const { code, field, detail } of findings) {
    insert(db, 'drift', { account_id: account, at, code, field, detail });
  }
}
