import type { DatabaseSync } from 'node:sqlite';
import { AttentionError } from '../../errors.ts';
import { ATTEMPT_OK } from './accounts.ts';
import { isFarAhead } from './clock.ts';

/** What is known of one account. Times are ISO 8601 in UTC. Holds no personal data. */
export interface AccountStatus {
  account: string;
  /** Pulls that stored a response. */
  pulls: number;
  /** When the last of them began. */
  lastPull: string | null;
  /** The last pull that was tried: `ok`, or the code of its error. */
  lastAttempt: { at: string; outcome: string } | null;
  /** Failed pulls since the last good one. */
  failedAttempts: number;
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

function attemptsOf(
  db: DatabaseSync,
  account: string,
): Pick<AccountStatus, 'lastAttempt' | 'failedAttempts'> {
  const last = db
    .prepare('SELECT at, outcome FROM attempt WHERE account = ? ORDER BY id DESC LIMIT 1')
    .get(account);
  const failed = db
    .prepare(
      `SELECT count(*) AS failed FROM attempt WHERE account = ?1 AND id >
         (SELECT coalesce(max(id), 0) FROM attempt WHERE account = ?1 AND outcome = ?2)`,
    )
    .get(account, ATTEMPT_OK);
  return {
    lastAttempt: last ? { at: String(last.at), outcome: String(last.outcome) } : null,
    failedAttempts: Number(failed?.failed),
  };
}

/** @param id the store's number of the account; 0 if no response of it was ever stored. */
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
    ...attemptsOf(db, account),
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

/**
 * What the history holds, for people and for monitoring.
 *
 * @param configured accounts of the configuration. Also those without any response are included.
 */
export function statusOf(db: DatabaseSync, configured: readonly string[] = []): Status {
  const ids = new Map(configured.map((name) => [name, 0]));
  for (const { account } of db.prepare('SELECT DISTINCT account FROM attempt').all()) {
    ids.set(String(account), 0);
  }
  for (const { id, name } of db.prepare('SELECT id, name FROM account').all()) {
    ids.set(String(name), Number(id));
  }
  const accounts = [...ids].sort(([a], [b]) => (a < b ? -1 : 1));
  const streams = db
    .prepare(
      `SELECT name, (SELECT count(*) FROM version WHERE change_seq > committed_seq) AS waiting
       FROM export_stream ORDER BY name`,
    )
    .all();
  return {
    accounts: accounts.map(([name, id]) => accountStatus(db, id, name)),
    streams: streams.map(({ name, waiting }) => ({
      name: String(name),
      changesWaiting: Number(waiting),
    })),
    erasures: Number(db.prepare('SELECT count(*) AS erasures FROM erasure').get()?.erasures),
  };
}

function ageText({ account, lastPull, lastAttempt, failedAttempts }: AccountStatus): string {
  const good = lastPull === null ? 'was never pulled' : `was last pulled ${lastPull}`;
  const failed = failedAttempts > 0 ? ` (the last pull failed: ${lastAttempt?.outcome})` : '';
  return `"${account}" ${good}${failed}`;
}

/**
 * Checks that each configured account, or without configured accounts each account of the history, was
 * pulled within `maxAge`. A pull in the future proves nothing: a clock was wrong.
 *
 * @throws {AttentionError} `pull-too-old`
 */
export function refuseStale(
  { accounts }: Status,
  configured: readonly string[],
  { maxAge, now }: { maxAge: number; now: number },
): void {
  const oldest = new Date(now - maxAge).toISOString();
  const present = new Date(now).toISOString();
  const expected = accounts.filter(
    ({ account }) => configured.length === 0 || configured.includes(account),
  );
  const stale = expected.filter(
    ({ lastPull }) => lastPull === null || lastPull < oldest || isFarAhead(lastPull, present),
  );
  if (stale.length === 0 && expected.length > 0) return;
  throw new AttentionError({
    code: 'pull-too-old',
    what: 'The history is older than --fail-older-than allows.',
    why:
      expected.length === 0
        ? 'No account is configured, and none was ever pulled.'
        : `${stale.map(ageText).join('; ')}.`,
    fix: 'Run "npm run batches -- pull" and follow its messages.',
  });
}
