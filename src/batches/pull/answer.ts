import type { BatchRecord } from '../../contract/batch.ts';
import type { FieldNames } from '../../contract/field-names.ts';
import { type ParsedBatches, parseBatches } from '../../contract/parse.ts';
import { GateError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { answerDrift } from '../model/drift.ts';
import { ensureAccount, recordDrift } from '../store/accounts.ts';
import { transaction } from '../store/sql.ts';
import type { PullOptions } from './types.ts';

/** Beyond this share of unreadable records the answer is no answer: keeping them aside hides it. */
const MOST_QUARANTINED = 0.5;

/** Counts are integers (interface 2.3); the contract alone would take 2.5. */
function refuseFractions(parsed: ParsedBatches, body: readonly unknown[]): ParsedBatches {
  const bad = new Set<number>();
  for (const record of parsed.accepted) {
    const whole = [
      record.LandingPageWatchCount,
      record.VideoPlayCount,
      record.ImageLinkClicks,
      record.SocialClicks,
      record.SearchClicks,
    ].every(Number.isSafeInteger);
    if (!whole) bad.add(record.BatchId);
  }
  if (bad.size === 0) return parsed;
  const indices = body.flatMap((raw, index) =>
    bad.has(Number((raw as BatchRecord | null)?.BatchId)) ? [index] : [],
  );
  const known = new Set(parsed.quarantined.map(({ path }) => /^\[\d+\]/.exec(path)?.[0]));
  const added = indices
    .filter((index) => !known.has(`[${index}]`))
    .map((index) => ({
      code: 'contract-not-integer',
      path: `[${index}].count`,
      message: 'a count must be a whole number',
    }));
  return {
    ...parsed,
    accepted: parsed.accepted.filter(({ BatchId }) => !bad.has(BatchId)),
    quarantined: [...parsed.quarantined, ...added],
  };
}

/** The records of an answer; those that break the contract are set aside (interface 2.3). */
export function readAnswer(body: readonly unknown[], names: FieldNames): ParsedBatches {
  return refuseFractions(parseBatches(body, names), body);
}

/**
 * Stops a pull whose answer cannot be read for the most part, and writes that into the ledger.
 *
 * @throws {GateError} more than half of the records break the contract.
 */
export function refuseBroken(
  options: Pick<PullOptions, 'store' | 'account' | 'dryRun'>,
  parsed: ParsedBatches,
  at: string,
): void {
  const { received, quarantined } = parsed;
  if (received === 0 || quarantined.length / received <= MOST_QUARANTINED) return;
  const [first] = quarantined;
  const findings = answerDrift({
    received,
    duplicates: 0,
    quarantined,
    expected: 0,
    absent: 0,
    daysAsked: 0,
    daysReached: undefined,
  });
  const { db } = options.store;
  transaction(
    db,
    () => {
      const detail = `${quarantined.length} of ${countText(received, 'record')} cannot be read`;
      const account = ensureAccount(db, options.account);
      recordDrift(db, account, [{ code: 'contract-broken', field: null, detail }, ...findings], at);
    },
    { keep: !options.dryRun },
  );
  const where = first?.path.replace(/^\[\d+\]\.?/, '') || 'the record itself';
  throw new GateError({
    code: 'batches-contract-broken',
    what: `The service's answer for account "${options.account.name}" breaks the contract: ${quarantined.length} of ${countText(received, 'record')} cannot be read.`,
    why: `The first of them: ${where}: ${first?.message}.`,
    fix: 'Nothing was stored and nothing is lost. If a field was renamed, set service.fieldNames; else ask the vendor. The next pull reaches back to the last good one.',
  });
}
