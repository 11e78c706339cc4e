import type { DatabaseSync } from 'node:sqlite';
import type { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HASH_KEY_VARIABLE } from '../../config/environment.ts';
import { ConfigError } from '../../errors.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { type PersonalOptions, treatmentName } from '../export/columns.ts';
import { writeToStream } from '../export/output.ts';
import { PROFILES, type Profile } from '../export/profiles.ts';
import { lastSeq, renderingOf } from '../export/rows.ts';
import { line, rowObject } from '../export/text.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import { selectValue, snapshot } from '../store/sql.ts';
import { type Catalog, REPLICATION_KEY, STREAM, schemaOf, selectedColumns } from './catalog.ts';

/** Records between two STATE messages. A failed load repeats at most this many. */
const RECORDS_PER_STATE = 10_000;

/** The current values of a batch, with the time of its erasure if its person was erased. */
const PROFILE: Profile = {
  ...PROFILES.generic,
  sources: [...PROFILES.generic.sources, '_erased'],
};

const seqSchema = z.int().min(0);
const bookmarkSchema = z.object({
  change_seq: seqSchema,
  erasure_seq: seqSchema,
  /** Time of the last change or erasure in the history. Until then, none of its numbers can be used again. */
  last_at: z.string(),
  pii: z.string(),
  account: z.string().optional(),
});

/** The value of a STATE message, or the message. A new pipeline has no state, or an empty state. */
export const stateSchema = z.preprocess(
  (given) => {
    const state = Object(given).type === 'STATE' ? Object(given).value : given;
    return isDeepStrictEqual(state, {}) ? { bookmarks: {} } : state;
  },
  z.object({ bookmarks: z.object({ [STREAM]: bookmarkSchema.optional() }) }),
);

type Bookmark = z.infer<typeof bookmarkSchema>;

/** The form of records, with the columns that they may have. */
export const tapRendering = (personal: PersonalOptions) => renderingOf(PROFILE, personal, {});

interface TapOptions {
  store: HistoryStore;
  personal: PersonalOptions;
  account?: string;
  state?: z.infer<typeof stateSchema>;
  catalog?: Catalog;
}

/** The position after the last change and the last erasure. */
const endOf = (db: DatabaseSync, { personal, account }: TapOptions): Bookmark => ({
  change_seq: lastSeq(db, 'changes'),
  erasure_seq: lastSeq(db, 'erasures'),
  last_at:
    selectValue(
      db,
      `SELECT max(at) FROM (
         SELECT max(seen_at) AS at FROM version UNION ALL SELECT max(at) FROM erased_batch)`,
    ) ?? '',
  pii: treatmentName(personal),
  account,
});

/** Refuses a state of other settings or another history, because the run would omit changes or erasures. */
function refuseOtherState(db: DatabaseSync, start: Bookmark, end: Bookmark): void {
  if (start.pii !== end.pii || start.account !== end.account) {
    throw wrongValue(
      'state',
      `Its run had another pii, account, calling_code or ${HASH_KEY_VARIABLE}.`,
      'Use the same settings, or empty the table and run once without a state (Meltano: --full-refresh).',
    );
  }
  // A restored history gives the numbers after its copy to later changes.
  const isReused = selectValue(
    db,
    `SELECT 1 FROM version WHERE seen_at > ?1 AND +change_seq <= ?2
     UNION ALL SELECT 1 FROM erased_batch WHERE at > ?1 AND seq <= ?3`,
    start.last_at,
    start.change_seq,
    start.erasure_seq,
  );
  const isAhead = start.change_seq > end.change_seq || start.erasure_seq > end.erasure_seq;
  if (!isAhead && isReused === undefined) return;
  throw new ConfigError({
    code: 'tap-state-ahead',
    what: 'The state is ahead of the history.',
    why: `The history has another change ${start.change_seq} or erasure ${start.erasure_seq}, or does not reach them. The state belongs to another history, or the history was restored from an older copy.`,
    fix: 'Correct the setting store, or run once without a state (Meltano: --full-refresh).',
  });
}

/**
 * Writes changes and erasures after the state as Singer messages. The caller stores the state. Each state follows its
 * records, so a run that fails can be repeated.
 *
 * @returns the number of written records.
 * @throws {ConfigError} the state is ahead of the history.
 * @throws {UnreachableError} an export of this history is running.
 * @throws {AppError} the reader closed the stream.
 */
export async function tap(options: TapOptions, stdout: Writable): Promise<number> {
  const { store, personal, account, state, catalog } = options;
  const { db } = store;
  const rendering = tapRendering(personal);
  const allColumns = rendering.layout.columns;
  const columns = selectedColumns(allColumns, catalog);
  if (!columns) return 0;
  using _lock = lockExports(store);
  // If a pull commits meanwhile, its changes belong to the next run.
  using _snapshot = snapshot(db);
  const end = endOf(db, options);
  const start = state?.bookmarks[STREAM] ?? { ...end, change_seq: 0, erasure_seq: 0 };
  refuseOtherState(db, start, end);
  const layout = { ...rendering.layout, columns };
  const indexes = columns.map((column) => allColumns.indexOf(column));
  const stateLine = (bookmark: Bookmark) =>
    line({ type: 'STATE', value: { bookmarks: { [STREAM]: bookmark } } });
  const time_extracted = new Date().toISOString();
  let records = 0;
  function* recordsOf(position: 'change_seq' | 'erasure_seq', bookmarks: Bookmark) {
    const erasures = position === 'erasure_seq';
    const selection = { from: start[position], to: end[position], erasures, account };
    // Skips erased batches that changed after the state: they were already written as changes.
    const changedUntil = erasures ? start.change_seq : undefined;
    for (const { seq, cells } of rendering.rows(db, { ...selection, changedUntil })) {
      const row = indexes.map((index) => cells[index]);
      const record = rowObject(row, layout, { asText: true });
      yield line({ type: 'RECORD', stream: STREAM, record, time_extracted });
      if (++records % RECORDS_PER_STATE === 0) yield stateLine({ ...bookmarks, [position]: seq });
    }
  }
  const schema = { type: 'SCHEMA', ...schemaOf(columns), bookmark_properties: [REPLICATION_KEY] };
  function* messages() {
    yield line(schema);
    yield* recordsOf('change_seq', { ...end, erasure_seq: start.erasure_seq });
    yield* recordsOf('erasure_seq', end);
    yield stateLine(end);
  }
  await writeToStream(stdout, messages());
  return records;
}
