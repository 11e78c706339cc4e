import { EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { prune } from '../erase.ts';
import { existingStore, guarded, print } from './history.ts';
import { erasureLines } from './messages.ts';
import type { PRUNE_OPTIONS } from './options.ts';

/** Batches from before this time are old: calendar months or days before `now`, ISO 8601 in UTC. */
function cutoff(age: string, now: Date): string {
  const { count, unit } = /^(?<count>[1-9]\d{0,3})(?<unit>[md])$/.exec(age)?.groups ?? {};
  if (count === undefined) {
    throw wrongValue(
      'older-than',
      'It is neither months nor days.',
      'Write months such as 24m, or days such as 730d.',
    );
  }
  const before = new Date(now);
  if (unit === 'd') before.setUTCDate(before.getUTCDate() - Number(count));
  else {
    const day = before.getUTCDate();
    before.setUTCMonth(before.getUTCMonth() - Number(count));
    // If the month has no such day, use its last day.
    if (before.getUTCDate() !== day) before.setUTCDate(0);
  }
  return before.toISOString();
}

export const run: Run<typeof PRUNE_OPTIONS> = guarded(async ({ values }, io) => {
  const before = cutoff(values['older-than'], new Date());
  const dryRun = values['dry-run'];
  using store = await existingStore(values, io);
  print(io.stdout, erasureLines(prune(store, { before, dryRun }), { dryRun }));
  return EXIT.published;
});
