import type { LoadedConfig, WithKey } from '../../config/load.ts';
import type { AccountConfig } from '../../config/schema.ts';
import type { Secret } from '../../config/secret.ts';
import { type ParsedBatches, parseBatches } from '../../contract/parse.ts';
import { GateError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import {
  answerDrift,
  type DriftFinding,
  fieldDrift,
  quarantineDrift,
  typesIn,
} from '../model/drift.ts';
import {
  ensureAccount,
  recordAttempt,
  recordDrift,
  recordTypes,
  typesKnown,
} from '../store/accounts.ts';
import { clockDrift, correctTimesAhead, timeAhead } from '../store/clock.ts';
import { erasedTest } from '../store/erased-persons.ts';
import { lockPulls } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import { insert, transaction } from '../store/sql.ts';
import {
  type Applied,
  applyRecords,
  distinct,
  readQuarantineAgain,
  saveQuarantined,
} from './apply.ts';
import { closeGaps, type Interval, type Plan, planPull, reachOf } from './coverage.ts';

export interface PullOptions {
  store: HistoryStore;
  service: LoadedConfig['service'];
  account: WithKey<AccountConfig>;
  /** Days to ask for instead of the account's own `daysOfHistory`. */
  days?: number | undefined;
  /** Do everything, but store nothing. */
  dryRun?: boolean;
  /** Needed if persons were erased by e-mail or telephone number. */
  hashKey?: Secret | undefined;
  now?: () => number;
  /** Called once, if another pull of the history is waited for. */
  waiting?: () => void;
}

export interface PullResult extends Omit<Applied, 'outdated'> {
  account: string;
  /** When the answer was asked for, ISO 8601. */
  at: string;
  days: number;
  /** Whether more days than usual were asked for, because pulls were missed. */
  widened: boolean;
  received: number;
  quarantined: number;
  /** Quarantined records of earlier pulls that can be read now. */
  recovered: number;
  /** Stretches that this pull gave up for good. */
  holes: readonly Interval[];
  /** Holes of earlier pulls that this one filled. */
  filled: readonly Interval[];
}

/** If a larger share of the records is unreadable, the response is refused: quarantine would hide it. */
const MOST_QUARANTINED = 0.5;

/**
 * Stops a pull if most of the response cannot be read, and records that in the ledger.
 *
 * @throws {GateError} more than half of the records break the contract.
 */
function refuseBroken(options: PullOptions, parsed: ParsedBatches, at: string): void {
  const { received, quarantined } = parsed;
  const [first] = quarantined;
  if (!first || quarantined.length / received <= MOST_QUARANTINED) return;
  const { db } = options.store;
  const unreadable = `${quarantined.length} of ${countText(received, 'record')} cannot be read`;
  const findings: DriftFinding[] = [
    { code: 'contract-broken', field: null, detail: unreadable },
    ...quarantineDrift(quarantined),
  ];
  transaction(db, () => recordDrift(db, ensureAccount(db, options.account), findings, at), {
    keep: !options.dryRun,
  });
  const place = first.path.replace(/^\[\d+\]\.?/, '') || 'the record itself';
  throw new GateError({
    code: 'batches-contract-broken',
    what: `The service's answer for account "${options.account.name}" breaks the contract: ${unreadable}.`,
    why: `The first of them: ${place}: ${first.message}.`,
    fix: 'Nothing was stored and nothing is lost. If a field was renamed, set service.fieldNames; else ask the vendor. The next pull reaches back to the last good one.',
  });
}

/** The plan of a pull, as if the times that its transaction is going to correct were right. */
function planFrom({ store: { db }, account, days }: PullOptions, now: number): Plan {
  const at = new Date(now).toISOString();
  const plan = () => planPull(db, account, { usual: days ?? account.daysOfHistory, now });
  if (timeAhead(db, at) === undefined) return plan();
  const corrected = () => {
    correctTimesAhead(db, at);
    return plan();
  };
  return transaction(db, corrected, { keep: false });
}

/**
 * Reads the batches of one account (interface 4.2) into the history. The whole window is read
 * again each time. A record counts as changed when the hash of its canonical form differs. All of
 * it is one transaction: a process that is killed leaves the history as it was. Pulls of one
 * history follow each other, so later stored data was also requested later.
 *
 * @throws {ConfigError} key form. The account's name has the history of another customer; this
 *   machine's clock is behind.
 * @throws {RefusedError} {@link UnreachableError} as {@link getMyVideos}.
 * @throws {GateError} more than half of the records break the contract; nothing was stored.
 */
export async function pullAccount(options: PullOptions): Promise<PullResult> {
  const { store, account, service, dryRun = false } = options;
  const { db } = store;
  const clock = options.now ?? Date.now;
  // A missing key is reported before anything is fetched; erased persons are read when the answer is there.
  erasedTest(db, options.hashKey);
  using _lock = await lockPulls(store, options.waiting);
  const now = clock();
  const at = new Date(now).toISOString();
  const plan = planFrom(options, now);
  const { days } = plan;
  const body = await getMyVideos({ service, account, daysOfHistory: days });
  const parsed = parseBatches(body, service.fieldNames);
  refuseBroken(options, parsed, at);
  const { received, accepted } = parsed;
  const quarantined = parsed.quarantined.length;
  const { records, duplicates } = distinct(accepted);
  const storeAnswer = (): PullResult => {
    const corrected = correctTimesAhead(db, at);
    const aboutClock = clockDrift(db, { at, corrected, records: accepted });
    const isErased = erasedTest(db, options.hashKey);
    const id = ensureAccount(db, account);
    const target = { db, account: id, isErased };
    const reach = reachOf(db, id, { now, days, records });
    const { covered } = reach;
    const recovered = readQuarantineAgain(target, service.fieldNames);
    const applied = applyRecords(records, { ...target, seenAt: at });
    saveQuarantined(parsed.quarantined, body, { ...target, seenAt: at });
    const types = typesIn(accepted);
    const found = [
      ...aboutClock,
      ...answerDrift({ ...reach, received, duplicates, daysAsked: days }),
      ...quarantineDrift(parsed.quarantined),
      ...fieldDrift(types, typesKnown(db, id)),
      ...applied.findings,
    ];
    recordTypes(db, id, types, at);
    const findings = recordDrift(db, id, found, at);
    insert(db, 'pull', {
      account_id: id,
      started_at: at,
      finished_at: new Date(clock()).toISOString(),
      days_asked: days,
      covered_from: covered?.from ?? null,
      covered_until: covered?.until ?? null,
      received,
      accepted: records.length,
      quarantined,
      inserted: applied.inserted,
      changed: applied.changed,
      unchanged: applied.unchanged,
    });
    recordAttempt(db, account.name, at);
    return {
      ...applied,
      account: account.name,
      at,
      days,
      widened: days > (options.days ?? account.daysOfHistory),
      received,
      quarantined,
      recovered,
      findings,
      ...closeGaps(db, id, covered, { ...plan, now }),
    };
  };
  return transaction(db, storeAnswer, { keep: !dryRun });
}
