import type { DatabaseSync } from 'node:sqlite';
import type { AccountConfig } from '../../config/schema.ts';
import { ConfigError } from '../../errors.ts';
import type { DriftFinding, TypesByField } from '../model/drift.ts';
import { change, insert, selectAll, selectOne } from './sql.ts';

type AccountIdentity = Pick<AccountConfig, 'name' | 'customerId' | 'pathId'>;

/**
 * The store's number of an account. Undefined if it was never pulled.
 *
 * @throws {ConfigError} the history has another customer under this name, or this customer under another name.
 */
export function findAccount(db: DatabaseSync, identity: AccountIdentity): number | undefined {
  const { name, customerId, pathId } = identity;
  const row = selectOne<{ id: number; stored: string; isSame: 0 | 1 }>(
    db,
    `SELECT id, name AS stored, customer_id = ?2 AND path_id = ?3 AS isSame FROM account
     WHERE name = ?1 OR (customer_id = ?2 AND path_id = ?3) ORDER BY name = ?1 DESC`,
    name,
    customerId,
    pathId,
  );
  if (!row || (row.stored === name && row.isSame)) return row?.id;
  if (row.stored !== name) {
    throw new ConfigError({
      code: 'account-twice',
      what: `The accounts "${row.stored}" and "${name}" have the same customerId and pathId.`,
      why: 'Their batches would be stored and counted twice.',
      fix: `Correct the ids of one account. If "${name}" is a new name, use the old one again.`,
    });
  }
  throw new ConfigError({
    code: 'account-is-another',
    what: `The history of account "${name}" belongs to another customerId or pathId.`,
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

export const accountNames = (db: DatabaseSync): string[] =>
  selectAll<{ name: string }>(db, 'SELECT name FROM account').map(({ name }) => name);

export function typesKnown(db: DatabaseSync, account: number): TypesByField {
  const rows = selectAll<{ field: string; type: string }>(
    db,
    'SELECT field, type FROM field_type WHERE account_id = ?',
    account,
  );
  const fields = Map.groupBy(rows, ({ field }) => field);
  return new Map([...fields].map(([name, types]) => [name, new Set(types.map((t) => t.type))]));
}

export function recordTypes(db: DatabaseSync, account: number, types: TypesByField): void {
  const add = db.prepare(
    'INSERT OR IGNORE INTO field_type (account_id, field, type) VALUES (?, ?, ?)',
  );
  for (const [field, fieldTypes] of types)
    for (const type of fieldTypes) add.run(account, field, type);
}

/**
 * Records findings, except acknowledged findings. A round number of batches is recorded only once, because an
 * account may have exactly 100 for weeks.
 *
 * @returns the recorded findings.
 */
export function recordDrift(
  db: DatabaseSync,
  account: number,
  findings: readonly DriftFinding[],
  at: string,
): DriftFinding[] {
  const findKnown = db.prepare(
    `SELECT 1 FROM drift WHERE account_id = ? AND code = ? AND field IS ? AND detail = ?
       AND (seen_at IS NOT NULL OR code = 'answer-round')`,
  );
  return findings.filter(({ code, field, detail }) => {
    if (findKnown.get(account, code, field, detail)) return false;
    insert(db, 'drift', { account_id: account, at, code, field, detail });
    return true;
  });
}

/** Acknowledges all drift of one account, or of all accounts. @returns the number of findings. */
export const acknowledgeDrift = (db: DatabaseSync, account: string | undefined, at: string) =>
  change(
    db,
    `UPDATE drift SET seen_at = ?1 WHERE seen_at IS NULL
       AND (?2 IS NULL OR account_id = (SELECT id FROM account WHERE name = ?2))`,
    at,
    account,
  );

/**
 * Records a pull, successful or not.
 *
 * @param account its name.
 * @param covered the period for which the response was complete. Undefined if it proves nothing.
 */
export function recordPull(
  db: DatabaseSync,
  account: string,
  at: string,
  { failure, covered }: { failure?: string; covered?: { from: string; until: string } },
): void {
  const { from, until } = covered ?? {};
  insert(db, 'pull', { account, at, failure, covered_from: from, covered_until: until });
}
