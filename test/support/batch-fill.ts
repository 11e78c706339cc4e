import type { ErasedTest } from '../../src/batches/model/persons.ts';
import { applyRecords, distinct, saveQuarantined } from '../../src/batches/pull/apply.ts';
import { ensureAccount, recordPull } from '../../src/batches/store/accounts.ts';
import type { HistoryStore } from '../../src/batches/store/open.ts';
import { transaction } from '../../src/batches/store/sql.ts';
import type { BatchRecord } from '../../src/contract/batch.ts';
import { batchesHere, HASH_KEY, tempFolder, tempStore } from './batches.ts';

/** Inserts records into a history like a pull, without a service. The `broken` ones break the contract. */
export function fill(
  store: HistoryStore,
  records: readonly BatchRecord[],
  {
    at = '2026-02-01T06:00:00.000Z',
    account = 'north',
    coveredFrom = '2025-12-01T00:00:00.000Z',
    isErased = () => false,
    broken = [],
  }: {
    at?: string;
    account?: string;
    coveredFrom?: string;
    isErased?: ErasedTest;
    broken?: readonly BatchRecord[];
  } = {},
) {
  return transaction(store.db, () => {
    const identity = { name: account, customerId: `C-${account}`, pathId: '7' };
    const id = ensureAccount(store.db, identity);
    const options = { db: store.db, account: id, seenAt: at, isErased };
    const applied = applyRecords(distinct(records), options);
    const body = broken.map(({ SearchClicks: _, ...record }) => record);
    const issues = body.map((_, index) => ({
      path: `[${index}].SearchClicks`,
      code: 'x',
      message: '',
    }));
    saveQuarantined(issues, body, options);
    recordPull(store.db, account, at, { covered: { from: coveredFrom, until: at } });
    return applied;
  });
}

/** A history of these records in a separate folder, and the command line on it. */
export function historyOf(records: readonly BatchRecord[]) {
  const folder = tempFolder();
  const store = tempStore(folder);
  fill(store, records);
  const run = (args: readonly string[], input = '') =>
    batchesHere([...args, '--store', store.file], {
      cwd: folder,
      input,
      env: { BATCH_HASH_KEY: HASH_KEY },
    });
  return { folder, store, run };
}
