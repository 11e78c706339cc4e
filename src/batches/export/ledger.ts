import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { HistoryStore } from '../store/open.ts';
import { change, insert, selectAll, selectOne, selectValue } from '../store/sql.ts';
import type { SeqRange } from './rows.ts';

/** Names of temporary files. No other files are ever removed. */
const UNNAMED = /^\..+\.[0-9a-f]{12}\.batches-tmp$/s;

/** Who receives an export, or a report. */
export interface Consumer {
  /** The stream whose position an export of changes moves. */
  stream?: string;
  /** The account to export. Undefined: all. */
  account?: string;
  /** The `treatmentName` of an export. Undefined: a report. */
  pii?: string;
}

/** The output of a run. */
export interface Written extends SeqRange {
  rows: number;
  sha256: string;
}

/** An interrupted run whose file was complete and renamed. */
export interface Finished extends Written {
  stream: string | null;
  output: string;
}

/** The last exported change of a stream. 0 if there was no export. */
export const committedSeq = ({ db }: HistoryStore, stream: string): number =>
  selectValue<number>(
    db,
    "SELECT max(to_seq) FROM export_run WHERE stream = ? AND state = 'done'",
    stream,
  ) ?? 0;

/** Identifies a folder, to detect a different folder at the same path (such as a new checkout). */
function folderIdentity(output: string): string {
  if (output === '') return '';
  const folder = statSync(path.dirname(output), { bigint: true, throwIfNoEntry: false });
  return folder ? `${folder.dev}:${folder.ino}` : '';
}

/**
 * Records a run before its file exists, so that the file can be found if the run is killed.
 *
 * @param output absolute path of the file, or empty for standard output.
 * @param temporary the temporary file, in the same folder.
 */
export function beginRun(
  { db }: HistoryStore,
  { stream, account, pii }: Consumer,
  output = '',
  temporary = '',
): number {
  const at = new Date().toISOString();
  const folder = folderIdentity(output);
  const run = { at, stream, account, pii, output, temporary, folder, state: 'begun' };
  return insert(db, 'export_run', run);
}

/** Records that the temporary file is complete and on the disk. */
export function recordWritten({ db }: HistoryStore, run: number, output: Written): void {
  const { from, to, rows, sha256 } = output;
  const written = "state = 'written', from_seq = ?, to_seq = ?, rows = ?, sha256 = ?";
  change(db, `UPDATE export_run SET ${written} WHERE id = ?`, from, to, rows, sha256, run);
}

/** Moves the position of the stream past a written run, so that its changes are not exported again. */
export function finishRun({ db }: HistoryStore, run: number): void {
  change(db, "UPDATE export_run SET state = 'done' WHERE id = ?", run);
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

/** Whether an export or report of this history wrote the file, and it has not changed since. */
export function isOwnFile({ db }: HistoryStore, file: string): boolean {
  const sql = 'SELECT id FROM export_run WHERE output = ? AND sha256 = ?';
  return selectValue(db, sql, file, hashOfFile(file)) !== undefined;
}

const FINISHED = 'id, stream, output, sha256, rows, from_seq AS "from", to_seq AS "to"';

/** A run that wrote a file with this hash, finished or not. */
export const findRun = (
  { db }: HistoryStore,
  { stream, output, sha256 }: { stream: string; output: string; sha256: string },
): (Finished & { id: number }) | undefined =>
  selectOne(
    db,
    `SELECT ${FINISHED} FROM export_run WHERE stream = ? AND output = ? AND sha256 = ?`,
    stream,
    output,
    sha256,
  );

/**
 * Settles killed runs in any folder. The caller must hold the export lock. A run is recorded as written only after its
 * temporary file is complete, and renaming is one step. So there are three cases:
 * - The temporary file exists: the run counts as not exported, and its changes are exported again. The file contains
 *   personal data, so it is removed.
 * - The run was written, and the same folder has no temporary file: the file was renamed, even if its reader has
 *   moved it since.
 * - All other cases (another machine, a copied history): the run counts as not exported.
 *
 * Runs to a bucket are skipped: only the bucket shows whether their manifest was uploaded.
 *
 * @returns the runs whose files exist under their final names.
 */
export function settleRuns(store: HistoryStore): Finished[] {
  const { db } = store;
  type StoredRun = Finished & { id: number; temporary: string; folder: string; state: string };
  return selectAll<StoredRun>(
    db,
    `SELECT temporary, folder, state, ${FINISHED} FROM export_run WHERE state <> 'done' AND NOT (state = 'written' AND output LIKE 's3://%')
     ORDER BY id`,
  ).flatMap((run) => {
    const { id, output, temporary, folder, state } = run;
    const isUnnamed = existsSync(temporary);
    if (state === 'written' && !isUnnamed && folderIdentity(output) === folder) {
      finishRun(store, id);
      return hashOfFile(output) === run.sha256 ? [run] : [];
    }
    if (isUnnamed && UNNAMED.test(path.basename(temporary))) rmSync(temporary);
    change(db, 'DELETE FROM export_run WHERE id = ?', id);
    return [];
  });
}
