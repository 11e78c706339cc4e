import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { ConfigError } from '../../errors.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import type { Format, FormatName } from './format.ts';
import { loadFormat } from './formats.ts';
import { keyPart, type Rendering, renderingOf } from './layout.ts';
import {
  addPending,
  commitRun,
  committedSeq,
  type Finished,
  recoverExports,
  type SeqRange,
} from './ledger.ts';
import { type OutputFile, planOutput, putInPlace } from './output.ts';
import type { PersonalOptions } from './personal.ts';
import type { ProfileName } from './profiles.ts';
import { countRows, lastSeq, type Selection, selectRows } from './select.ts';
import { FileSink, type Sink, StreamSink } from './sink.ts';

export interface ExportOptions {
  store: HistoryStore;
  format: FormatName;
  profile: ProfileName;
  personal: PersonalOptions;
  /** `last`: what changed since the last export of this stream; or a moment, ISO 8601. */
  since?: string | undefined;
  account?: string | undefined;
  /** Every version rather than the present one of each batch. */
  history?: boolean;
  /** Name of the consumer whose mark `--since last` moves; by default made of the other options. */
  stream?: string | undefined;
  /** A file, or the stream to write to. */
  to: { file: string } | { writable: Writable };
  /** Folders that the site's own folders are relative to. */
  bases: readonly string[];
  /** Replace a file even where this program did not write it; never one of changes. */
  force?: boolean | undefined;
  now?: () => number;
}

export interface ExportResult {
  rows: number;
  /** Where the rows are; undefined for standard output. */
  file: string | undefined;
  /** The changes it holds, where the export goes by the last one. */
  range: SeqRange | undefined;
  /** Interrupted exports that were brought to their end first. */
  finished: readonly Finished[];
  remarks: readonly string[];
}

/** Exports of one stream follow each other: together they hold every change once. */
function streamName({ stream, profile, format, personal, account, history }: ExportOptions) {
  return (
    stream ??
    [profile, format, personal.mode, account ?? '*', history ? 'history' : 'now'].join('/')
  );
}

function refuseTooMany(format: Format, name: FormatName, rows: number): void {
  if (format.maxRows === undefined || rows <= format.maxRows) return;
  throw new ConfigError({
    code: 'export-too-many-rows',
    what: `${countText(rows, 'row is', 'rows are')} too many for ${name}: it takes ${format.maxRows}.`,
    why: 'A workbook is built in memory as a whole.',
    fix: 'Use --format csv or parquet, which take any number, or choose less with --account or --since.',
  });
}

function refuseEqualKeys({ store, profile, account }: ExportOptions): void {
  if (profile === 'generic' || account !== undefined) return;
  const names = store.db
    .prepare('SELECT name FROM account')
    .all()
    .map(({ name }) => String(name));
  const other = new Map<string, string>();
  for (const name of names) {
    const twin = other.get(keyPart(name));
    if (twin !== undefined) {
      throw new ConfigError({
        code: 'export-keys-collide',
        what: `The accounts "${twin}" and "${name}" would share keys in the CRM.`,
        why: 'Characters that a CRM refuses in keys are written as "_".',
        fix: 'Export them apart with --account, each into its own table.',
      });
    }
    other.set(keyPart(name), name);
  }
}

interface Job {
  options: ExportOptions;
  format: Format;
  rendering: Rendering;
  selection: Selection;
  at: string;
  remarks: string[];
}

/** Reads from one snapshot: a pull that commits meanwhile belongs to the next export. */
async function writeRows({ options, format, rendering, selection, at, remarks }: Job, sink: Sink) {
  const { db } = options.store;
  function* rows() {
    for (const row of selectRows(db, selection)) yield rendering.cells(row);
  }
  const count = await format.write({
    layout: rendering.layout,
    rows: rows(),
    sink,
    at,
    toSeq: selection.to,
    remark: (text) => remarks.push(text),
  });
  const unreadable = rendering.unreadable();
  if (unreadable > 0) {
    remarks.push(`${unreadable} values are no date and were left out of a date column.`);
  }
  return count;
}

async function toFile(job: Job, output: OutputFile, stream: string | undefined): Promise<number> {
  const { store } = job.options;
  const sink = new FileSink(output.temporary);
  let awaited = false;
  try {
    const rows = await writeRows(job, sink);
    const sha256 = sink.finish();
    store.db.exec('COMMIT');
    if (stream === undefined) {
      putInPlace(store, output, sha256);
      return rows;
    }
    const { from, to } = job.selection;
    const planned = { stream, from, to, rows, output: output.file, sha256 };
    const run = addPending(store, { ...planned, temporary: output.temporary }, job.at);
    // From here on the unnamed file is evidence: a missing one means that it took its name.
    awaited = true;
    putInPlace(store, output, sha256);
    commitRun(store, run);
    return rows;
  } catch (error) {
    sink.close();
    if (!awaited) rmSync(output.temporary, { force: true });
    throw error;
  }
}

async function toStream(job: Job, writable: Writable, stream: string | undefined): Promise<number> {
  const { store } = job.options;
  const sink = new StreamSink(writable);
  const rows = await writeRows(job, sink);
  await sink.finish();
  store.db.exec('COMMIT');
  if (stream === undefined) return rows;
  const { from, to } = job.selection;
  const planned = { stream, from, to, rows, output: '', temporary: '', sha256: '' };
  commitRun(store, addPending(store, planned, job.at));
  return rows;
}

/**
 * Writes the history, or what changed in it, in one format for one target.
 *
 * With `since: 'last'` and a file, the exports of a stream together hold every change exactly once,
 * also when one is killed at any moment: see {@link recoverExports}. On a stream (standard output), a run
 * counts when its last byte was taken; one that is killed before comes again as a whole.
 *
 * @throws {ConfigError} the output's place, the number of rows, the key for hashes, equal keys.
 * @throws {UnreachableError} another export of this history is running.
 */
export async function exportBatches(options: ExportOptions): Promise<ExportResult> {
  const { store, since, history = false, account, to: target, bases } = options;
  const rendering = renderingOf(options.profile, options.personal, { history });
  refuseEqualKeys(options);
  const format = await loadFormat(options.format);
  using _lock = lockExports(store);
  const stream = since === 'last' ? streamName(options) : undefined;
  const finished = stream === undefined ? [] : recoverExports(store, stream);
  const remarks: string[] = [];
  if ('file' in target) {
    const output = finished.find(({ output }) => samePlace(output, target.file));
    // The interrupted run was this very command: what it left is the answer to this one.
    if (output) {
      return { rows: output.rows, file: output.output, range: output, finished, remarks };
    }
  }
  const output =
    'file' in target
      ? planOutput(target.file, { store, bases, once: stream !== undefined, force: options.force })
      : undefined;
  store.db.exec('BEGIN');
  try {
    const selection: Selection = {
      from: stream === undefined ? 0 : committedSeq(store, stream),
      to: lastSeq(store.db),
      account,
      history,
      after: since === undefined || stream !== undefined ? undefined : since,
    };
    if (format.maxRows !== undefined) {
      refuseTooMany(format, options.format, countRows(store.db, selection));
    }
    const at = new Date((options.now ?? Date.now)()).toISOString();
    const job: Job = { options, format, rendering, selection, at, remarks };
    const rows =
      'file' in target
        ? await toFile(job, output as OutputFile, stream)
        : await toStream(job, target.writable, stream);
    const range = stream === undefined ? undefined : { from: selection.from, to: selection.to };
    return { rows, file: output?.file, range, finished, remarks };
  } finally {
    if (store.db.isTransaction) store.db.exec('ROLLBACK');
  }
}

const samePlace = (a: string, b: string): boolean => path.resolve(a) === path.resolve(b);
