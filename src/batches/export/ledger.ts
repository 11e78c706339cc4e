import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { HistoryStore } from '../store/open.ts';
import { insert, selectAll, selectOne, selectValue, transaction } from '../store/sql.ts';
import type { SeqRange } from './rows.ts';

/** Names of unnamed files. No other file is ever removed. */
const UNNAMED = /^\..+\.[0-9a-f]{12}\.batches-tmp$/s;

/** One writing of a file or of standard output, from its beginning. */
export interface NewRun {
  /** The stream whose mark it moves, if any. */
  stream?: string | null | undefined;
  /** The only account that is exported. */
  account?: string | null | undefined;
  /** Absolute path, or empty for standard output. */
  output: string;
  /** The file that it writes to first, in the same folder. */
  temporary: string;
}

/** The output of a run. */
export interface Written extends SeqRange {
  rows: number;
  sha256: string;
}

/** An interrupted run whose file had taken its name. */
export interface Finished extends Written {
  stream: string | null;
  output: string;
}

/** Up to which change a stream has been exported; 0 if it never was. */
export const committedSeq = ({ db }: HistoryStore, stream: string): number =>
  selectValue<number>(db, 'SELECT committed_seq FROM export_stream WHERE name = ?', stream) ?? 0;

/** Identifies a folder, so that another one at the same path (such as a new checkout) is recognised. */
function folderIdentity(output: string): string {
  if (output === '') return '';
  const folder = statSync(path.dirname(output), { bigint: true, throwIfNoEntry: false });
  return folder ? `${folder.dev}:${folder.ino}` : '';
}

/** Records a run before its file exists, so that the file is found if the run is killed. */
export const beginRun = (
  { db }: HistoryStore,
  { stream = null, account = null, output, temporary }: NewRun,
) =>
  insert(db, 'export_run', {
    at: new Date().toISOString(),
    stream,
    account,
    output,
    temporary,
    folder: folderIdentity(output),
    state: 'begun',
  });

/** Records that the content is complete: an unnamed file is on the disk. */
export function recordWritten({ db }: HistoryStore, run: number, written: Written): void {
  const { from, to, rows, sha256 } = written;
  db.prepare(
    `UPDATE export_run SET state = 'written', from_seq = ?, to_seq = ?, rows = ?, sha256 = ?
     WHERE id = ?`,
  ).run(from, to, rows, sha256, run);
}

/** Moves the stream's mark after a run is written: its changes never come again. */
export function finishRun({ db }: HistoryStore, run: number): void {
  transaction(db, () => {
    db.prepare("UPDATE export_run SET state = 'done' WHERE id = ?").run(run);
    db.prepare(
      `INSERT INTO export_stream (name, committed_seq, account)
         SELECT stream, to_seq, account FROM export_run WHERE id = ? AND stream IS NOT NULL
       ON CONFLICT (name) DO UPDATE SET committed_seq = max(committed_seq, excluded.committed_seq)`,
    ).run(run);
  });
}

/** SHA-256 of a file, hexadecimal. Undefined if there is none. */
function hashOfFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1 << 20);
  const fd = openSync(file, 'r');
  try {
    for (let bytesRead = 1; bytesRead > 0; ) {
      bytesRead = readSync(fd, buffer);
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}

/** Whether exports or reports of this history wrote a file, and it is unchanged since. */
export function isOwnFile({ db }: HistoryStore, file: string): boolean {
  const hash = hashOfFile(file) ?? null;
  const sql = 'SELECT id FROM export_run WHERE output = ? AND sha256 = ?';
  return selectValue(db, sql, file, hash) !== undefined;
}

/** A run whose file had these bytes; finished or not. */
export const findRun = (
  { db }: HistoryStore,
  { stream, output, sha256 }: { stream: string; output: string; sha256: string },
): (Finished & { id: number }) | undefined =>
  selectOne(
    db,
    `SELECT id, stream, output, sha256, rows, from_seq AS "from", to_seq AS "to"
     FROM export_run WHERE stream = ? AND output = ? AND sha256 = ?`,
    stream,
    output,
    sha256,
  );

/**
 * Settles the runs that were killed, in any folder. Needs the export lock. An unnamed file was complete
 * before its run was recorded as written, and taking its name is one step, so there are these cases:
 * - the unnamed file is there: the run counts as not exported, its changes come again, and the file,
 *   which holds personal data, is removed;
 * - it was written, and no unnamed file is in the same folder: it had taken its name, even if its reader
 *   took it away since;
 * - anything else (another machine, a copied history): it counts as not exported.
 *
 * Runs to a bucket stay as they are: only the bucket shows whether their manifest was put.
 *
 * @returns the runs whose files are there under their names.
 */
export function settleRuns(store: HistoryStore): Finished[] {
  const { db } = store;
  type StoredRun = Finished & { id: number; temporary: string; folder: string; state: string };
  return selectAll<StoredRun>(
    db,
    `SELECT id, stream, output, temporary, folder, state, sha256, rows, from_seq AS "from", to_seq AS "to"
     FROM export_run WHERE state <> 'done' AND NOT (state = 'written' AND output LIKE 's3://%')
     ORDER BY id`,
  ).flatMap((run) => {
    const { id, output, temporary, folder, state } = run;
    const isUnnamed = existsSync(temporary);
    if (state === 'written' && !isUnnamed && folderIdentity(output) === folder) {
      finishRun(store, id);
      return hashOfFile(output) === run.sha256 ? [run] : [];
    }
    if (isUnnamed && UNNAMED.test(path.basename(temporary))) rmSync(temporary);
    db.prepare('DELETE FROM export_run WHERE id = ?').run(id);
    return [];
  });
}
