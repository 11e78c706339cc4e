import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { writeHistoryReport } from '../report/report.ts';
import { guarded } from './guard.ts';
import {
  basesOf,
  checkKnownAccount,
  existingStore,
  fromHere,
  optionalConfig,
  print,
} from './history.ts';
import type { REPORT_OPTIONS } from './options.ts';

export const run: Run<typeof REPORT_OPTIONS> = guarded(async ({ values }, io) => {
  if (/\.(html?|pdf)$/i.test(values.output)) {
    throw wrongValue(
      'output',
      'It names a file, and a report is a folder with an index.html.',
      'Name a folder, such as .batches/report.',
    );
  }
  await optionalConfig(values, io);
  using store = existingStore(values, io);
  const { account, force } = values;
  checkKnownAccount(account, store);
  const folder = fromHere(io, values.output, 'output');
  const file = await writeHistoryReport(store, {
    folder,
    account,
    bases: basesOf(values, io),
    force,
  });
  print(io.stdout, [file]);
  return EXIT.published;
});
