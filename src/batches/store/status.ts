import type { DatabaseSync } from 'node:sqlite';
import { AttentionError } from '../../errors.ts';
import type { DriftFinding } from '../model/drift.ts';
import { isFarAhead } from './clock.ts';
import { selectAll, selectOne, selectValue } from './sql.ts';

/** A finding with the account and the time of its pull. */
type RecordedDrift = DriftFinding & { account: string; at: string };

/** Numbers and times of one account, ISO 8601 in UTC. */
interface Counts {
  /** Pulls that stored a response. */
  pulls: number;
  /** Start of the last of these pulls. */
  lastPull: string | null;
  /** Failed pulls since the last successful pull. */
  failedAttempts: number;
  /** Until this time, the history has no gaps except `holes`. */
  coveredUntil: string | null;
  coveredFrom: string | null;
  batches: number;
  versions: number;
  /** Batches that are missing from the last response. They stay in the history. */
  outOfWindow: number;
  erased: number;
  quarantined: number;
  driftTotal: number;
}

const RECENT_DRIFT = 10;

/** Restricts changes or erasures `e` to a stream `s`: to its accounts, and to recipients if it has contacts. */
const OF_STREAM = `JOIN batch b ON b.id = e.batch_row JOIN account a ON a.id = b.account_id
  WHERE (s.account IS NULL OR s.account = a.name)
    AND (s.name NOT LIKE '%/contacts/erasures' OR b.erased_at IS NOT NULL)`;

/**
 * All export streams. For a stream of erasures, `changesWaiting` counts erasures. It is listed even before its first
 * export.
 */
export const streamsOf = (db: DatabaseSync): { name: string; changesWaiting: number }[] =>
  selectAll(
    db,
    `SELECT name, iif(name LIKE '%/erasures',
       (SELECT count(*) FROM erased_batch e ${OF_STREAM} AND e.seq > s.seq),
       (SELECT count(*) FROM (SELECT batch_row FROM version WHERE change_seq > s.seq UNION ALL
         SELECT batch_row FROM contact_change WHERE change_seq > s.seq AND s.name LIKE '%/contacts') e
         ${OF_STREAM})) AS changesWaiting
     FROM (WITH run AS (
         SELECT stream AS name, to_seq, account, pii FROM export_run WHERE state = 'done' AND stream IS NOT NULL)
       SELECT name, max(to_seq) AS seq, account FROM (
         SELECT name, to_seq, account FROM run
         UNION ALL SELECT name || '/erasures', 0, account FROM run
           WHERE name NOT LIKE '%/erasures' AND pii NOT LIKE 'none%' AND EXISTS (SELECT 1 FROM erased_batch))
       GROUP BY name) s ORDER BY name`,
  );

/** The state of one account. Contains no personal data. */
function accountStatus(db: DatabaseSync, account: string) {
  // Without a number, no response was ever stored.
  const id = selectValue<number>(db, 'SELECT id FROM account WHERE name = ?', account) ?? 0;
  const counts = selectOne<Counts>(
    db,
    `SELECT p.*, b.*, (SELECT count(*) FROM quarantine WHERE account_id = ?1) AS quarantined,
       (SELECT count(*) FROM drift WHERE account_id = ?1 AND seen_at IS NULL) AS driftTotal,
       (SELECT count(*) FROM pull WHERE account = ?2 AND id >
         (SELECT coalesce(max(id), 0) FROM pull WHERE account = ?2 AND failure IS NULL)) AS failedAttempts
     FROM (SELECT count(*) AS pulls, max(at) AS lastPull, max(covered_until) AS coveredUntil,
         min(covered_from) AS coveredFrom FROM pull WHERE account = ?2 AND failure IS NULL) p,
       (SELECT count(*) AS batches, coalesce(sum(versions), 0) AS versions,
         coalesce(sum(last_seen_at < (SELECT max(at) FROM pull WHERE account = ?2 AND failure IS NULL)), 0)
           AS outOfWindow, count(erased_at) AS erased FROM batch WHERE account_id = ?1 AND versions > 0) b`,
    id,
    account,
  ) as Counts;
  const lastAttempt = selectOne<{ at: string; outcome: string }>(
    db,
    "SELECT at, coalesce(failure, 'ok') AS outcome FROM pull WHERE account = ? ORDER BY id DESC LIMIT 1",
    account,
  );
  return {
    account,
    ...counts,
    /** The last pull, successful or not. `outcome` is `ok` or the code of its error. */
    lastAttempt: lastAttempt ?? null,
    holes: selectAll<{ from: string; until: string; reason: string; filled: string | null }>(
      db,
      `SELECT from_at AS "from", until_at AS until, reason, filled_at AS filled FROM hole
       WHERE account_id = ? ORDER BY from_at`,
      id,
    ),
    drift: driftOf(db, account, RECENT_DRIFT),
  };
}

export type AccountStatus = ReturnType<typeof accountStatus>;

/** Drift that was not acknowledged, the latest first. @param account name. Without it, all accounts. */
export const driftOf = (
  db: DatabaseSync,
  account: string | undefined,
  most = Number.MAX_SAFE_INTEGER,
): RecordedDrift[] =>
  selectAll(
    db,
    `SELECT a.name AS account, at, code, field, detail FROM drift d JOIN account a ON a.id = d.account_id
     WHERE seen_at IS NULL AND (?1 IS NULL OR a.name = ?1) ORDER BY d.id DESC LIMIT ?2`,
    account,
    most,
  );

/**
 * The state of the history, for people and for monitoring.
 *
 * @param configured accounts of the configuration. They are included even without any response.
 */
export function statusOf(db: DatabaseSync, configured: readonly string[] = []) {
  const stored = 'SELECT account AS name FROM pull UNION SELECT name FROM account';
  const names = selectAll<{ name: string }>(db, stored).map(({ name }) => name);
  const accounts = [...new Set([...configured, ...names])].sort();
  return {
    accounts: accounts.map((name) => accountStatus(db, name)),
    streams: streamsOf(db),
  };
}

export type Status = ReturnType<typeof statusOf>;

function ageText({ account, lastPull, lastAttempt, failedAttempts }: AccountStatus): string {
  const lastGood = lastPull === null ? 'was never pulled' : `was last pulled ${lastPull}`;
  const lastFailure = failedAttempts > 0 ? ` (the last pull failed: ${lastAttempt?.outcome})` : '';
  return `"${account}" ${lastGood}${lastFailure}`;
}

/**
 * Checks that each configured account was pulled within `maxAge`. If none is configured, it checks each account of
 * the history. A pull in the future does not count: a clock was wrong.
 *
 * @throws {AttentionError} `pull-too-old`
 */
export function refuseStale(
  { accounts }: Status,
  configured: readonly string[],
  { maxAge, now }: { maxAge: number; now: number },
): void {
  const oldest = new Date(now - maxAge).toISOString();
  const nowText = new Date(now).toISOString();
  const checkedAccounts = accounts.filter(
    ({ account }) => configured.length === 0 || configured.includes(account),
  );
  const staleAccounts = checkedAccounts.filter(
    ({ lastPull }) => lastPull === null || lastPull < oldest || isFarAhead(lastPull, nowText),
  );
  if (staleAccounts.length === 0 && checkedAccounts.length > 0) return;
  throw new AttentionError({
    code: 'pull-too-old',
    what: 'The history is older than --fail-older-than allows.',
    why:
      checkedAccounts.length === 0
        ? 'No account is configured, and none was ever pulled.'
        : `${staleAccounts.map(ageText).join('; ')}.`,
    fix: 'Run "npm run batches -- pull" and follow its messages.',
  });
}
