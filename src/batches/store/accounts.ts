import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../errors.ts';
import type { DriftFinding, TypesByField } from '../model/drift.ts';
import type { Interval } from '../model/reach.ts';

export interface AccountIdentity {
  name: string;
  customerId: string;
  pathId: string;
}

const iso = (time: number): string => new Date(time).toISOString();

/** The store's own number of an account; undefined where it was never pulled. */
export function findAccount(db: DatabaseSync, identity: AccountIdentity): number | undefined {
  const row = db.prepare('SELECT * FROM account WHERE name = ?').get(identity.name);
  if (!row) return undefined;
  if (row.customer_id === identity.customerId && row.path_id === identity.pathId) {
    return Number(row.id);
  }
  throw new ConfigError({
    code: 'account-is-another',
    what: `The history of account "${identity.name}" belongs to another customerId or pathId.`,
    why: 'BatchIds of two customers may be equal, and one history would overwrite the other.',
    fix: 'Give the new customer an account name of its own in the configuration.',
  });
}

export function ensureAccount(db: DatabaseSync, identity: AccountIdentity): number {
  const known = findAccount(db, identity);
  if (known !== undefined) return known;
  const { lastInsertRowid } = db
    .prepare('INSERT INTO account (name, customer_id, path_id) VALUES (?, ?, ?)')
    .run(identity.name, identity.customerId, identity.pathId);
  return Number(lastInsertRowid);
}

/** Outcome of a pull that stored its response. */
export const ATTEMPT_OK = 'ok';

/** Records a pull by the account's name. @param outcome {@link ATTEMPT_OK} or the error's code. */
export function recordAttempt(
  db: DatabaseSync,
  account: string,
  at: string,
  outcome: string,
): void {
  db.prepare('INSERT INTO attempt (account, at, outcome) VALUES (?, ?, ?)').run(
    account,
    at,
    outcome,
  );
}

/** The stretches of time that pulls of an account were the whole truth for. */
export function coverageOf(db: DatabaseSync, account: number): Interval[] {
  return db
    .prepare(
      'SELECT covered_from, covered_until FROM pull WHERE account_id = ? AND covered_until IS NOT NULL',
    )
    .all(account)
    .map((row) => ({
      from: Date.parse(String(row.covered_from)),
      until: Date.parse(String(row.covered_until)),
    }));
}

/** When the newest batch created before `time` was created; undefined where none is known. */
export function newestBefore(db: DatabaseSync, account: number, time: number): number | undefined {
  const row = db
    .prepare(
      'SELECT max(date_created) AS created FROM batch WHERE account_id = ? AND date_created <= ?',
    )
    .get(account, iso(time));
  return typeof row?.created === 'string' ? Date.parse(row.created) : undefined;
}

/** Batches that the account's last pull saw, created since `time`. */
export function seenLast(
  db: DatabaseSync,
  account: number,
  time: number,
): { batchId: number; created: number }[] {
  return db
    .prepare(
      `SELECT batch_id, date_created FROM batch
       WHERE account_id = ?1 AND date_created >= ?2
         AND last_seen_at = (SELECT max(last_seen_at) FROM batch WHERE account_id = ?1)`,
    )
    .all(account, iso(time))
    .map((row) => ({
      batchId: Number(row.batch_id),
      created: Date.parse(String(row.date_created)),
    }));
}

export interface Gap extends Interval {
  id: number;
  reason: string;
  filled: boolean;
}

export function gapsOf(db: DatabaseSync, account: number): Gap[] {
  return db
    .prepare('SELECT * FROM hole WHERE account_id = ? ORDER BY from_at')
    .all(account)
    .map((row) => ({
      id: Number(row.id),
      from: Date.parse(String(row.from_at)),
      until: Date.parse(String(row.until_at)),
      reason: String(row.reason),
      filled: row.filled_at !== null,
    }));
}

export function recordGap(
  db: DatabaseSync,
  account: number,
  { from, until }: Interval,
  { reason, at }: { reason: string; at: string },
): void {
  db.prepare(
    'INSERT INTO hole (account_id, from_at, until_at, reason, recorded_at) VALUES (?, ?, ?, ?, ?)',
  ).run(account, iso(from), iso(until), reason, at);
}

export function markFilled(db: DatabaseSync, hole: number, at: string): void {
  db.prepare('UPDATE hole SET filled_at = ? WHERE id = ?').run(at, hole);
}

export function typesKnown(db: DatabaseSync, account: number): TypesByField {
  const types = new Map<string, Set<string>>();
  const rows = db.prepare('SELECT field, type FROM field_type WHERE account_id = ?').all(account);
  for (const { field, type } of rows) {
    const known = types.get(String(field)) ?? new Set();
    types.set(String(field), known.add(String(type)));
  }
  return types;
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
  const add = db.prepare(
    'INSERT INTO drift (account_id, at, code, field, detail) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { code, field, detail } of findings) add.run(account, at, code, field, detail);
}
