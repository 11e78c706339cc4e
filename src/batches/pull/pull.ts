import { parseBatches } from '../../contract/parse.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import { answerDrift, fieldDrift, typesIn } from '../model/drift.ts';
import { DAY_MS, type Plan, reachOf } from '../model/reach.ts';
import {
  ATTEMPT_OK,
  ensureAccount,
  recordDrift,
  recordTypes,
  seenLast,
  typesKnown,
} from '../store/accounts.ts';
import { correctTimesAhead, timeAhead } from '../store/clock.ts';
import { erasedTest } from '../store/erased-persons.ts';
import { lockPulls } from '../store/locks.ts';
import { insert, transaction } from '../store/sql.ts';
import { refuseBroken } from './answer.ts';
import { applyRecords, distinct, saveQuarantined } from './apply.ts';
import { clockDrift } from './clock.ts';
import { closeGaps, planPull } from './holes.ts';
import { readQuarantineAgain } from './quarantine.ts';
import type { PullOptions, PullResult } from './types.ts';

/**
 * Reads the batches of one account (interface 4.2) into the history. The whole window is read
 * again each time; a record counts as changed when the hash of its canonical form differs. All of
 * it is one transaction: a process that is killed leaves the history as it was. Pulls of one
 * history follow each other, so what is stored later was asked for later.
 *
 * @throws {ConfigError} key form; the account's name has the history of another customer; this
 *   machine's clock is behind.
 * @throws {RefusedError} {@link UnreachableError} as {@link getMyVideos}.
 * @throws {GateError} more than half of the records break the contract; nothing was stored.
 */
export async function pullAccount(options: PullOptions): Promise<PullResult> {
  const { store, account, service, dryRun = false } = options;
  const clock = options.now ?? Date.now;
  // A missing key is reported before anything is fetched; erased persons are read when the answer is there.
  erasedTest(store.db, options.hashKey);
  using _lock = await lockPulls(store, options.waiting);
  const now = clock();
  const at = new Date(now).toISOString();
  const planned = planFrom(options, now);
  const body = await getMyVideos({
    service,
    account,
    daysOfHistory: planned.days,
    ...(options.signal && { signal: options.signal }),
  });
  const parsed = parseBatches(body, service.fieldNames);
  refuseBroken(options, parsed, at);
  const { records, duplicates } = distinct(parsed.accepted);
  return transaction(
    store.db,
    () => {
      const { db } = store;
      const corrected = correctTimesAhead(db, at);
      const aboutClock = clockDrift(db, { at, corrected, records: parsed.accepted });
      const isErased = erasedTest(db, options.hashKey);
      const id = ensureAccount(db, account);
      const from = now - planned.days * DAY_MS;
      const ids = new Set(records.map(({ record }) => record.BatchId));
      const witnesses = seenLast(db, id, from + DAY_MS).map(({ batchId, created }) => ({
        created: Date.parse(created),
        present: ids.has(batchId),
      }));
      const [oldest] = records;
      const covered = reachOf({
        now,
        days: planned.days,
        witnesses,
        oldestInAnswer: oldest && Date.parse(oldest.record.DateCreated),
      });
      const recovered = readQuarantineAgain(db, id, service.fieldNames, isErased);
      const applied = applyRecords(records, { db, account: id, seenAt: at, isErased });
      saveQuarantined(parsed.quarantined, body, { db, account: id, seenAt: at });
      const types = typesIn(parsed.accepted);
      const findings = [
        ...aboutClock,
        ...answerDrift({
          received: parsed.received,
          duplicates,
          quarantined: parsed.quarantined,
          expected: witnesses.length,
          absent: witnesses.filter(({ present }) => !present).length,
          daysAsked: planned.days,
          daysReached: covered && (now - covered.from) / DAY_MS,
        }),
        ...fieldDrift(types, typesKnown(db, id)),
        ...applied.findings,
      ];
      recordTypes(db, id, types, at);
      recordDrift(db, id, findings, at);
      insert(db, 'pull', {
        account_id: id,
        started_at: at,
        finished_at: new Date(clock()).toISOString(),
        days_asked: planned.days,
        covered_from: covered ? new Date(covered.from).toISOString() : null,
        covered_until: covered ? at : null,
        received: parsed.received,
        accepted: records.length,
        quarantined: parsed.quarantined.length,
        inserted: applied.inserted,
        changed: applied.changed,
        unchanged: applied.unchanged,
      });
      insert(db, 'attempt', { account: account.name, at, outcome: ATTEMPT_OK });
      const settled = closeGaps(options, id, covered, { ...planned, now });
      return {
        ...applied,
        account: account.name,
        at,
        days: planned.days,
        widened: planned.days > (options.days ?? account.daysOfHistory),
        received: parsed.received,
        quarantined: parsed.quarantined.length,
        recovered,
        findings,
        ...settled,
      };
    },
    { keep: !dryRun },
  );
}

/** The plan of a pull, as if the times that its transaction is going to correct were right. */
function planFrom(options: PullOptions, now: number): Plan {
  const { db } = options.store;
  const at = new Date(now).toISOString();
  if (timeAhead(db, at) === undefined) return planPull(options, now);
  const plan = () => {
    correctTimesAhead(db, at);
    return planPull(options, now);
  };
  return transaction(db, plan, { keep: false });
}
