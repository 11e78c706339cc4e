import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { figuresOf } from '../report/figures.ts';
import { writeHistoryReport } from '../report/page.ts';
import { existingStore, guarded, print, summarise } from './history.ts';
import type { REPORT_OPTIONS } from './options.ts';

export const run: Run<typeof REPORT_OPTIONS> = guarded(async ({ values }, io) => {
  if (/\.(html?|pdf)$/i.test(values.output)) {
    throw wrongValue(
      'output',
      'It is a file. A report is a folder with an index.html.',
      'Name a folder, such as .batches/report.',
    );
  }
  using store = existingStore(values, io);
  const { output: folder, account, force } = values;
  if (values.format === 'json') {
    print(io.stdout, [JSON.stringify(figuresOf(store.db, account), null, 2)]);
    return EXIT.published;
  }
  summarise(values, io.stdout, [await writeHistoryReport(store, { folder, account, force })]);
  return EXIT.published;
});
