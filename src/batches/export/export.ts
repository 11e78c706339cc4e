import type { Writable } from 'node:stream';
import type { DeploySettings } from '../../config/deploy-settings.ts';
import { HASH_KEY_VARIABLE } from '../../config/environment.ts';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import { selectOne, snapshot } from '../store/sql.ts';
import { streamsOf } from '../store/status.ts';
import { bucketFolder } from './bucket.ts';
import { type PersonalOptions, treatmentName } from './columns.ts';
import type { Cell } from './format.ts';
import { endingOf, type FormatName, loadFormat } from './formats.ts';
import { beginRun, committedSeq, finishRun, recordWritten, settleRuns } from './ledger.ts';
import { planOutput, writeOutput, writeToStream } from './output.ts';
import { PROFILES, type ProfileName } from './profiles.ts';
import { renderingOf, type Selection } from './rows.ts';

export interface ExportOptions {
  store: HistoryStore;
  format: FormatName;
  profile: ProfileName;
  personal: PersonalOptions;
  /** `last`: changes since the last export of this stream. Otherwise a time, ISO 8601, or the number of a change. */
  since?: string | number;
  /** Every version of each batch, instead of only the current one. */
  history?: boolean;
  /** Only erased batches, for the consumer of the same export without it. */
  erasures?: boolean;
  /** Name of the consumer whose position `--since last` moves. By default, it is derived from the other options. */
  stream?: string;
  /** The account to export. By default all. */
  account?: string;
  /** Replace a file even if this program did not write it. Files of changes are never replaced. */
  force?: boolean;
  /** An absolute path, a folder in a bucket, or a stream. A bucket gets only changes since `last`. */
  to:
    | { file: string }
    | { bucket: DeploySettings['s3']; partRows?: number }
    | { writable: Writable };
  /** Interrupts an upload to a bucket. */
  signal?: AbortSignal;
}

/** The stream of an export. Together, the exports of one stream contain every change once. */
function streamName(options: ExportOptions): string {
  const { stream, profile, format, personal, account, history, erasures } = options;
  const consumer = stream ?? [profile, format, personal.mode, account ?? '*'].join('/');
  // Batches, versions, contacts and the erasures of each have separate positions.
  const rows = PROFILES[profile].contacts ? 'contacts' : history ? 'history' : 'now';
  return `${consumer}/${rows}${erasures ? '/erasures' : ''}`;
}

/** A remark if the consumer of a stream of changes has not received all erasures. */
function waitingRemarks(options: ExportOptions): string[] {
  const erasures = streamName({ ...options, erasures: true });
  const stream = streamsOf(options.store.db).find(({ name }) => name === erasures);
  const waiting = stream?.changesWaiting ?? 0;
  if (options.erasures || waiting === 0) return [];
  const batches = countText(waiting, 'erased batch waits', 'erased batches wait');
  return [`${batches} for this consumer: run the same command with --erasures.`];
}

/**
 * A stream has one position. An export of another account would omit everything before it. After an export with more
 * personal data, erasures with less would not reach that data. With another key, rows of one person would differ.
 */
function refuseOtherContent(options: ExportOptions): void {
  const { store, account = null, personal, stream } = options;
  const both = [false, true];
  const names = both.flatMap((history) =>
    both.map((erasures) => streamName({ ...options, history, erasures })),
  );
  const earlier = selectOne<{ account: string | null; pii: string }>(
    store.db,
    "SELECT account, pii FROM export_run WHERE stream IN (?, ?, ?, ?) AND state = 'done'",
    ...names,
  );
  if (!earlier) return;
  if (earlier.account === account && earlier.pii === treatmentName(personal)) return;
  const [mode = ''] = earlier.pii.split(' ');
  const range = earlier.account === null ? 'all accounts' : `the account "${earlier.account}"`;
  throw wrongValue(
    stream === undefined ? 'pii' : 'stream',
    `Earlier exports of this stream are of ${range} with --pii ${mode}. This one has another account, --pii, --calling-code or ${HASH_KEY_VARIABLE}, so changes or erasures would be missing, or hashes or contacts would differ.`,
    'Use the same ones again, or a separate --stream name.',
  );
}

/**
 * Writes the history, or its changes, in one format for one target.
 *
 * With `since: 'last'` and a file, the exports of a stream together contain every change exactly once, even if one is
 * killed: see {@link settleRuns}. An export to standard output counts after its last byte is written. If it is
 * killed before, the next export repeats it completely.
 *
 * @returns the path of the output if it is not standard output, the exported changes if the export continues an earlier
 *   one, and whether an interrupted run of the same command had already written the file.
 * @throws {ConfigError} the output cannot be used, there are too many rows, or the key for hashes is missing.
 * @throws {UnreachableError} another export of this history is running.
 */
export async function exportBatches(options: ExportOptions) {
  const { store, since, account, history, erasures, to: target, force = false } = options;
  const { db } = store;
  const profile = PROFILES[options.profile];
  const { layout, ...rendering } = renderingOf(profile, options.personal, { history, erasures });
  const encodeRows = await loadFormat(options.format);
  using _lock = lockExports(store);
  const stream = since === 'last' ? streamName(options) : undefined;
  if (stream !== undefined) refuseOtherContent(options);
  const consumer = { stream, account, pii: treatmentName(options.personal) };
  const remarks = stream === undefined ? [] : waitingRemarks(options);
  const file = 'file' in target ? target.file : undefined;
  const settled = settleRuns(store).find((run) => run.stream === stream && run.output === file);
  await using folder =
    'bucket' in target && stream !== undefined
      ? bucketFolder(store, {
          consumer: { ...consumer, stream },
          kind: [history && 'history', erasures && 'erasures'].filter(Boolean).join('-') || 'now',
          from: committedSeq(store, stream),
          force,
          settings: target.bucket,
          ending: endingOf(options.format),
          partRows: target.partRows,
          signal: options.signal,
        })
      : undefined;
  const finished = settled ?? (await folder?.settle());
  if (finished) {
    const { rows, output } = finished;
    return { rows, file: output, range: finished, wasWritten: true, remarks };
  }
  const output = file !== undefined && planOutput(store, file, { ...consumer, force });
  // If a pull commits meanwhile, its changes belong to the next export.
  using _snapshot = snapshot(db);
  const to = rendering.last(db);
  const recipients = profile.contacts;
  if (typeof since === 'number' && since > to) {
    const fix = 'Give that number or a smaller one.';
    throw wrongValue('since-change', `The last one is ${to}.`, fix);
  }
  const start = () => (typeof since === 'string' ? rendering.last(db, since) : (since ?? 0));
  const from = stream === undefined ? start() : committedSeq(store, stream);
  const selection: Selection = { from, to, account, recipients, history, erasures };
  const remark = (text: string) => remarks.push(text);
  const encode = (rows: Iterable<Cell[]>) => encodeRows({ layout, rows, remark });
  let rows = 0;
  function* countedRows() {
    for (const { cells } of rendering.rows(db, selection)) {
      rows++;
      yield cells;
    }
  }
  const chunks = encode(countedRows());
  if (folder && from < to) {
    rows = await folder.write({ from, to }, rendering.rows(db, selection), encode);
  } else if (output) await writeOutput(store, output, chunks, () => ({ from, to, rows }));
  else if ('writable' in target) {
    await writeToStream(target.writable, chunks);
    db.exec('COMMIT');
    const run = beginRun(store, consumer);
    recordWritten(store, run, { from, to, rows, sha256: '' });
    finishRun(store, run);
  }
  const unreadable = rendering.unreadable();
  if (unreadable > 0) {
    const values = countText(unreadable, 'value was', 'values were');
    remarks.push(`${values} left out of a date column, which accepts only times.`);
  }
  const range = since === undefined ? undefined : { from, to };
  const place = from < to ? (folder?.manifest ?? file) : file;
  return { rows, file: place, range, wasWritten: false, remarks };
}

export type ExportResult = Awaited<ReturnType<typeof exportBatches>>;
