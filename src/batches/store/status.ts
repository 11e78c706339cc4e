import type { DatabaseSync } from 'node:sqlite';

/** What is known of one account. Times are ISO 8601 in UTC. Holds no personal data. */
export interface AccountStatus {
  account: string;
  pulls: number;
  lastPull: string | null;
  /** Up to when the history has no gap but the holes below. */
  coveredUntil: string | null;
  coveredFrom: string | null;
  batches: number;
  versions: number;
  /** Batches that the last pull did not see any more; they stay. */
  outOfWindow: number;
  erased: number;
  quarantined: number;
  holes: { from: string; until: string; reason: string; filled: string | null }[];
  drift: { at: string; code: string; field: string | null; detail: string }[];
  driftTotal: number;
}

export interface Status {
  accounts: AccountStatus[];
  streams: { name: string; changesWaiting: number }[];
  erasures: number;
}

const RECENT_DRIFT = 10;

type Row = Record<string, unknown>;

const text = (value: unknown): string | null => (value === null ? null : String(value));

function accountStatus(db: DatabaseSync, id: number, account: string): AccountStatus {
  const one = (sql: string): Row => db.prepare(sql).get(id) ?? {};
  const pulls = one(
    `SELECT count(*) AS pulls, max(started_at) AS last, max(covered_until) AS until,
       min(covered_from) AS since FROM pull WHERE account_id = ?`,
  );
  const batches = one(
    `SELECT count(*) AS batches, coalesce(sum(versions), 0) AS versions, count(erased_at) AS erased,
       coalesce(sum(last_seen_at < (SELECT max(last_seen_at) FROM batch WHERE account_id = ?1)), 0)
         AS away FROM batch WHERE account_id = ?1`,
  );
  const drift = db
    .prepare(
      'SELECT at, code, field, detail FROM drift WHERE account_id = ? ORDER BY id DESC LIMIT ?',
    )
    .all(id, RECENT_DRIFT);
  const holes = db
    .prepare(
      'SELECT from_at, until_at, reason, filled_at FROM hole WHERE account_id = ? ORDER BY from_at',
    )
    .all(id);
  return {
    account,
    pulls: Number(pulls.pulls),
    lastPull: text(pulls.last ?? null),
    coveredUntil: text(pulls.until ?? null),
    coveredFrom: text(pulls.since ?? null),
    batches: Number(batches.batches),
    versions: Number(batches.versions),
    outOfWindow: Number(batches.away),
    erased: Number(batches.erased),
    quarantined: Number(one('SELECT count(*) AS kept FROM quarantine WHERE account_id = ?').kept),
    holes: holes.map((hole) => ({
      from: String(hole.from_at),
      until: String(hole.until_at),
      reason: String(hole.reason),
      filled: text(hole.filled_at ?? null),
    })),
    drift: drift.map((finding) => ({
      at: String(finding.at),
      code: String(finding.code),
      field: text(finding.field ?? null),
      detail: String(finding.detail),
    })),
    driftTotal: Number(one('SELECT count(*) AS total FROM drift WHERE account_id = ?').total),
  };
}

/** What the history holds, for people and for monitoring. */
export function statusOf(db: DatabaseSync): Status {
  const accounts = db.prepare('SELECT id, name FROM account ORDER BY name').all();
  const streams = db
    .prepare(
      `SELECT name, (SELECT count(*) FROM version WHERE change_seq > committed_seq) AS waiting
       FROM export_stream ORDER BY name`,
    )
    .all();
  return {
    accounts: accounts.map(({ id, name }) => accountStatus(db, Number(id), String(name))),
    streams: streams.map(({ name, waiting }) => ({
      name: String(name),
      changesWaiting: Number(waiting),
    })),
    erasures: Number(db.prepare('SELECT count(*) AS erasures FROM erasure').get()?.erasures),
  };
}
