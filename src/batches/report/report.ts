import path from 'node:path';
import { settleRuns } from '../export/ledger.ts';
import { type OutputOptions, planOutput, writeOutput } from '../export/output.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import { transaction } from '../store/sql.ts';
import { figuresOf } from './figures.ts';

/**
 * Writes the report into a folder as `index.html`. Only its owner can read it.
 *
 * @returns the path of the page.
 * @throws {ConfigError} nothing was pulled yet, the folder belongs to the site, or it has a page that this program did
 *   not write.
 */
export async function writeHistoryReport(
  store: HistoryStore,
  {
    folder,
    account,
    bases,
    force,
  }: { folder: string; account?: string } & Pick<OutputOptions, 'bases' | 'force'>,
): Promise<string> {
  const figures = transaction(store.db, () => figuresOf(store.db, account), { mode: 'DEFERRED' });
  // Loaded here because only the report needs this code.
  const { reportPage } = await import('./page.ts');
  const page = reportPage(figures);
  using _lock = lockExports(store);
  settleRuns(store);
  const output = planOutput(path.join(folder, 'index.html'), { store, bases, force });
  await writeOutput(store, output, [page], () => ({ from: 0, to: 0, rows: 1 }));
  return output.output;
}
