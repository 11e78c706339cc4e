import { rmSync } from 'node:fs';
import path from 'node:path';
import { type OutputOptions, planOutput, putInPlace } from '../export/output.ts';
import { FileSink } from '../export/sink.ts';
import { lockExports } from '../store/locks.ts';
import { type HistoryStore, transaction } from '../store/open.ts';
import { figuresOf } from './figures.ts';

/**
 * Writes the report into a folder as `index.html`, readable by its owner alone.
 *
 * @returns the path of the page.
 * @throws {ConfigError} nothing was pulled yet, the folder is the site's, or it holds a page that
 *   this program did not write.
 */
export async function writeHistoryReport(
  store: HistoryStore,
  {
    folder,
    account,
    bases,
    force,
  }: { folder: string; account?: string | undefined } & Pick<OutputOptions, 'bases' | 'force'>,
): Promise<string> {
  const figures = transaction(store.db, () => figuresOf(store.db, account), { mode: 'DEFERRED' });
  // Drawing loads what no other command needs.
  const { reportPage } = await import('./page.ts');
  const page = reportPage(figures);
  using _lock = lockExports(store);
  const output = planOutput(path.join(folder, 'index.html'), {
    store,
    bases,
    once: false,
    force,
  });
  const sink = new FileSink(output.temporary);
  try {
    sink.write(page);
    putInPlace(store, output, sink.finish());
  } catch (error) {
    sink.close();
    rmSync(output.temporary, { force: true });
    throw error;
  }
  return output.file;
}
