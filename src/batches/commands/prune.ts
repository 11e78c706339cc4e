import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { prune } from '../erase.ts';
import { selectValue } from '../store/sql.ts';
import { existingStore, guarded, print } from './history.ts';
import { erasureLines } from './messages.ts';
import type { PRUNE_OPTIONS } from './options.ts';

/** An age as a modifier of SQLite's date functions. */
function modifierOf(age: string): string {
  const { count, unit } = /^(?<count>[1-9]\d{0,3})(?<unit>[md])$/.exec(age)?.groups ?? {};
  if (count !== undefined) return `-${count} ${unit === 'd' ? 'days' : 'months'}`;
  throw wrongValue(
    'older-than',
    'It is neither months nor days.',
    'Write months such as 24m, or days such as 730d.',
  );
}

/** If the month has no such day, `floor` uses its last day. */
const CUTOFF = "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?, 'floor')";

export const run: Run<typeof PRUNE_OPTIONS> = guarded(async ({ values }, io) => {
  const modifier = modifierOf(values['older-than']);
  const dryRun = values['dry-run'];
  using store = await existingStore(values, io);
  const before = selectValue<string>(store.db, CUTOFF, modifier) ?? '';
  const lines = erasureLines(prune(store, { before, dryRun }), { dryRun });
  print(io.stdout, [`batches created before ${before}`, ...lines]);
  return EXIT.published;
});
