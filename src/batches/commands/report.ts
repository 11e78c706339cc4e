import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
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
  await optionalConfig(values, io);
  using store = existingStore(values, io);
  const { account, force } = values;
  checkKnownAccount(account, store);
  const folder = fromHere(io, values.output);
  const file = await writeHistoryReport(store, {
    folder,
    account,
    bases: basesOf(values, io),
    force,
  });
  print(io.stdout, [file]);
  return EXIT.published;
});
