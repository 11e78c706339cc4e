import { rmSync } from 'node:fs';
import path from 'node:path';
import { lockExports } from '../export/ledger.ts';
import { planOutput, putInPlace } from '../export/output.ts';
import { FileSink } from '../export/sink.ts';
import type { Store } from '../store/open.ts';
import { transaction } from '../store/open.ts';
import { figuresOf } from './figures.ts';

/** Where the report is written unless `--output` says otherwise. */
export const DEFAULT_REPORT = '.batches/report';

/**
 * Writes the report into a folder as `index.html`, readable by its owner alone.
 *
 * @returns the path of the page.
 * @throws {ConfigError} nothing was pulled yet, or the folder is the site's.
 */
export async function writeReport(
  store: Store,
  {
    folder,
    account,
    bases,
  }: { folder: string; account?: string | undefined; bases: readonly string[] },
): Promise<string> {
  const figures = transaction(store.db, () => figuresOf(store.db, account), { mode: 'DEFERRED' });
  // Drawing loads about a second's worth of libraries that no other command needs.
  const { reportPage } = await import('./page.ts');
  const page = reportPage(figures);
  using _lock = lockExports(store);
  const output = planOutput(path.join(folder, 'index.html'), { store, bases, once: false });
  const sink = new FileSink(output.temporary);
  try {
    sink.write(page);
    sink.finish();
    putInPlace(output);
  } catch (error) {
    sink.close();
    rmSync(output.temporary, { force: true });
    throw error;
  }
  return output.file;
}
