import path from 'node:path';
import { settleRuns } from '../export/ledger.ts';
import { planOutput, writeOutput } from '../export/output.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
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
  { folder, account, force }: { folder: string; account?: string; force?: boolean },
): Promise<string> {
  const figures = figuresOf(store.db, account);
  // Loaded here because only the report needs this code.
  const { reportPage } = await import('./page.ts');
  const page = reportPage(figures);
  using _lock = lockExports(store);
  settleRuns(store);
  const output = planOutput(store, path.join(folder, 'index.html'), { force });
  await writeOutput(store, output, [page], () => ({ from: 0, to: 0, rows: 1 }));
  return output.output;
}
