import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { acknowledgeDrift } from '../store/accounts.ts';
import { driftOf } from '../store/status.ts';
import { existingStore, guarded, print, summarise } from './history.ts';
import { driftLines } from './messages.ts';
import type { DRIFT_OPTIONS } from './options.ts';

export const run: Run<typeof DRIFT_OPTIONS> = guarded(async ({ values }, io) => {
  const { account, seen } = values;
  using store = existingStore(values, io);
  print(io.stdout, driftLines(driftOf(store.db, account)));
  if (seen) {
    const count = acknowledgeDrift(store.db, account, new Date().toISOString());
    summarise(values, io.stdout, [`${countText(count, 'finding')} acknowledged`]);
  }
  return EXIT.published;
});
