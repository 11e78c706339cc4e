import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { ConfigError, EXIT } from '../../errors.ts';
import type { Run } from '../../lib/command-line/definition.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { prune } from '../erase.ts';
import { selectValue } from '../store/sql.ts';
import { existingStore, guarded, summarise } from './history.ts';
import { erasureLines } from './messages.ts';
import type { PRUNE_OPTIONS } from './options.ts';

/** Days after the last pull in which this machine's clock is trusted. */
const TRUSTED_DAYS = 31;

/** An age as a modifier of SQLite's date functions. Undefined for a date. */
function modifierOf(age: string): string | undefined {
  if (z.iso.date().safeParse(age).success) {
    if (Date.parse(age) <= Date.now()) return undefined;
    throw wrongValue('older-than', 'This date is in the future.', 'Check the year.');
  }
  const { count, unit } = /^(?<count>[1-9]\d{0,3})(?<unit>[md])$/.exec(age)?.groups ?? {};
  if (count !== undefined) return `-${count} ${unit === 'd' ? 'days' : 'months'}`;
  throw wrongValue(
    'older-than',
    'It is neither months, days nor a date.',
    'Write months such as 24m, days such as 730d, or a date such as 2024-11-28.',
  );
}

/** If the month has no such day, `floor` uses its last day. */
const CUTOFF = "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?, 'floor')";

/**
 * The time before which batches are erased, ISO 8601.
 *
 * @throws {ConfigError} the last pull was long ago: this machine's clock may be ahead.
 */
function cutoffOf(db: DatabaseSync, modifier: string): string {
  const pulled = selectValue<string>(db, 'SELECT max(at) FROM pull WHERE failure IS NULL');
  const now = new Date();
  if (pulled !== undefined && now.getTime() - Date.parse(pulled) > TRUSTED_DAYS * 86_400_000) {
    throw new ConfigError({
      code: 'prune-clock',
      what: `The last successful pull was on ${pulled.slice(0, 10)}, but the clock of this machine shows ${now.toISOString().slice(0, 10)}.`,
      why: 'If the clock is ahead, newer batches would be erased. Nothing was erased.',
      fix: 'Pull first, or give a date instead of the age, such as --older-than 2024-11-28.',
    });
  }
  return selectValue<string>(db, CUTOFF, modifier) ?? '';
}

export const run: Run<typeof PRUNE_OPTIONS> = guarded(async ({ values }, io) => {
  const { 'older-than': age, 'dry-run': dryRun } = values;
  const modifier = modifierOf(age);
  using store = existingStore(values, io);
  const before = modifier === undefined ? age : cutoffOf(store.db, modifier);
  const lines = erasureLines(prune(store, { before, dryRun }), { dryRun });
  summarise(values, io.stdout, [`batches created before ${before}`, ...lines]);
  return EXIT.published;
});
