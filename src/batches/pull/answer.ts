import type { ParsedBatches } from '../../contract/parse.ts';
import { GateError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { answerDrift } from '../model/drift.ts';
import { ensureAccount, recordDrift } from '../store/accounts.ts';
import { transaction } from '../store/sql.ts';
import type { PullOptions } from './types.ts';

/** If a larger share of the records is unreadable, the response is refused: quarantine would hide it. */
const MOST_QUARANTINED = 0.5;

/**
 * Stops a pull if most of the response cannot be read, and records that in the ledger.
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
