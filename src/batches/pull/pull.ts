import type { LoadedConfig, WithKey } from '../../config/load.ts';
import type { AccountConfig } from '../../config/schema.ts';
import type { Secret } from '../../config/secret.ts';
import { type Parsed, parseBatches } from '../../contract/parse.ts';
import { GateError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { getMyVideos } from '../../service/my-videos.ts';
import {
  answerDrift,
  brokenField,
  type DriftFinding,
  fieldDrift,
  quarantineDrift,
  typesIn,
} from '../model/drift.ts';
import {
  ensureAccount,
  recordDrift,
  recordPull,
  recordTypes,
  typesKnown,
} from '../store/accounts.ts';
import { clockDrift, correctTimesAhead } from '../store/clock.ts';
import { erasedTest } from '../store/erased-persons.ts';
import { lockPulls } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import { transaction } from '../store/sql.ts';
import { applyRecords, distinct, readQuarantineAgain, saveQuarantined } from './apply.ts';
import { closeGaps, type Plan, planPull, reachOf } from './coverage.ts';

export interface PullOptions {
  store: HistoryStore;
  service: LoadedConfig['service'];
  account: WithKey<AccountConfig>;
  /** Days to request instead of the account's `daysOfHistory`. */
  days?: number;
  /** Store nothing. */
  dryRun?: boolean;
  /** Needed if persons were erased by e-mail or telephone number. */
  hashKey?: Secret;
  now?: () => number;
  /** Called once if the pull waits for another pull of the history. */
  waiting?: () => void;
  signal?: AbortSignal;
}

/** If a larger share of the records is unreadable, the response is refused: quarantine would hide the problem. */
const MOST_QUARANTINED = 0.5;

/**
 * Stops a pull if most of the response cannot be read, and records that in the ledger.
 *
 * @throws {GateError} more than half of the records break the contract.
 */
function refuseBroken(options: PullOptions, parsed: Parsed<unknown>, at: string): void {
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
  throw new GateError({
    code: 'batches-contract-broken',
    what: `The service's response for account "${options.account.name}" breaks the contract: ${unreadable}.`,
    why: `The first problem: ${brokenField(first)}: ${first.message}.`,
    fix: 'Nothing was stored. If a field was renamed, set service.fieldNames. Otherwise ask the vendor. The next pull also requests the days since the last successful one.',
  });
}

/** The plan of a pull, made with the corrected times that its transaction will store. */
const planFrom = ({ store: { db }, account, days }: PullOptions, now: number): Plan =>
  transaction(
    db,
    () => {
      correctTimesAhead(db, new Date(now).toISOString());
      return planPull(db, account, { usual: days ?? account.daysOfHistory, now });
    },
    { keep: false },
  );

/**
 * Reads the batches of one account (interface 4.2) into the history. Each pull reads the full window again. A record
 * counts as changed if the hash of its canonical form differs. A pull is one transaction, so a killed process leaves
 * the history unchanged. Only one pull of a history runs at a time, so data that is stored later was also requested
 * later.
 *
 * @throws {ConfigError} the key has the wrong form, the history of this account name belongs to another customer, or
 *   this machine's clock is behind.
 * @throws {RefusedError} {@link UnreachableError} as {@link getMyVideos}.
 * @throws {GateError} more than half of the records break the contract. Nothing was stored.
 */
export async function pullAccount(options: PullOptions) {
  const { store, account, service, signal, dryRun = false } = options;
  const { db } = store;
  // Reports a missing key before the request. The transaction below reads the erased persons again.
  erasedTest(db, options.hashKey);
  using _lock = await lockPulls(store, options);
  const now = (options.now ?? Date.now)();
  const at = new Date(now).toISOString();
  const plan = planFrom(options, now);
  const { days } = plan;
  const body = await getMyVideos({ service, account, daysOfHistory: days, signal });
  const parsed = parseBatches(body, service.fieldNames);
  refuseBroken(options, parsed, at);
  const { received, accepted } = parsed;
  const records = distinct(accepted);
  const duplicates = accepted.length - records.length;
  const storeAnswer = () => {
    const corrected = correctTimesAhead(db, at);
    const aboutClock = clockDrift(db, at, corrected, accepted);
    const isErased = erasedTest(db, options.hashKey);
    const id = ensureAccount(db, account);
    const target = { db, account: id, isErased };
    const reach = reachOf(db, id, { now, days }, records, body);
    const { covered } = reach;
    const recovered = readQuarantineAgain({ ...target, storedAt: at }, service.fieldNames);
    const applied = applyRecords(records, { ...target, seenAt: at });
    saveQuarantined(parsed.quarantined, body, { ...target, seenAt: at });
    const types = typesIn(accepted);
    const allFindings = [
      ...aboutClock,
      ...answerDrift({ ...reach, received, duplicates, daysAsked: days }),
      ...quarantineDrift(parsed.quarantined),
      ...fieldDrift(types, typesKnown(db, id)),
      ...applied.findings,
    ];
    recordTypes(db, id, types);
    const findings = recordDrift(db, id, allFindings, at);
    recordPull(db, account.name, at, { covered });
    return {
      ...applied,
      account: account.name,
      days,
      /** Whether the pull requested more days than usual, because pulls were missed. */
      widened: days > (options.days ?? account.daysOfHistory),
      received,
      quarantined: parsed.quarantined.length,
      /** Quarantined records of earlier pulls that are readable now. */
      recovered,
      findings,
      ...closeGaps(db, id, covered, { ...plan, now }),
    };
  };
  return transaction(db, storeAnswer, { keep: !dryRun });
}

export type PullResult = Awaited<ReturnType<typeof pullAccount>>;
