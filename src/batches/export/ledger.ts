import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { renameDurably } from '../../lib/files/write.ts';
import type { HistoryStore } from '../store/open.ts';
import { insert, selectAll, selectOne, transaction } from '../store/sql.ts';
import type { SeqRange } from './rows.ts';

/** Names of unnamed files; no other file is ever removed, whatever a history says. */
const UNNAMED = /^\..+\.[0-9a-f]{12}\.batches-tmp$/s;

/** One writing of a file or of standard output, from its beginning. */
export interface NewRun {
  /** The stream whose mark it moves, if any. */
  stream?: string | null | undefined;
  /** Absolute path, or empty for standard output. */
  output: string;
  /** The file that it writes to first, in the same folder. */
  temporary: string;
}

/** What a run has written. */
export interface Written extends SeqRange {
  rows: number;
  sha256: string;
}

/** An interrupted export that was brought to its end. */
export interface Finished extends SeqRange {
  output: string;
  rows: number;
}

interface StoredRun extends Finished {
  id: number;
  temporary: string;
  folder: string;
  sha256: string;
}

/** Up to where a stream has been exported; 0 if it never was. */
export const committedSeq = ({ db }: HistoryStore, stream: string): number =>
  selectOne<{ seq: number }>(
    db,
    'SELECT committed_seq AS seq FROM export_stream WHERE name = ?',
    stream,
  )?.seq ?? 0;

/** Identifies a folder, so that another one at the same path (such as a new checkout) is recognised. */
function folderIdentity(output: string): string {
  if (output === '') return '';
  const folder = statSync(path.dirname(output), { bigint: true, throwIfNoEntry: false });
  return folder ? `${folder.dev}:${folder.ino}` : '';
}

/** Records a run before its file exists, so that the file is found if the run is killed. */
export const beginRun = ({ db }: HistoryStore, { stream = null, output, temporary }: NewRun) =>
  insert(db, 'export_run', {
    at: new Date().toISOString(),
    stream,
    output,
    temporary,
    folder: folderIdentity(output),
    state: 'begun',
  });

/** Records that the unnamed file is complete and on the disk. */
export function recordWritten(
  { db }: HistoryStore,
  run: number,
  { from, to, rows, sha256 }: Written,
): void {
  db.prepare(
    `UPDATE export_run SET state = 'written', from_seq = ?, to_seq = ?, rows = ?, sha256 = ?
     WHERE id = ?`,
  ).run(from, to, rows, sha256, run);
}

/** Moves the stream's mark: the changes of this run never come again. */
export function finishRun({ db }: HistoryStore, run: number): void {
  transaction(db, () => {
    db.prepare("UPDATE export_run SET state = 'done' WHERE id = ?").run(run);
    db.prepare(
      `INSERT INTO export_stream (name, committed_seq)
         SELECT stream, to_seq FROM export_run WHERE id = ? AND stream IS NOT NULL
       ON CONFLICT (name) DO UPDATE SET committed_seq = max(committed_seq, excluded.committed_seq)`,
    ).run(run);
  });
}

function discardRun({ db }: HistoryStore, run: number): void {
  db.prepare('DELETE FROM export_run WHERE id = ?').run(run);
}

/** SHA-256 of a file, hexadecimal; undefined if there is none. */
function hashOfFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1 << 20);
  const fd = openSync(file, 'r');
  try {
    for (let read = 1; read > 0; ) {
      read = readSync(fd, buffer);
      hash.update(buffer.subarray(0, read));
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}

/** Whether a file is one that this history's exports or reports wrote, and unchanged since. */
export function isOwnFile({ db }: HistoryStore, file: string): boolean {
  const hash = hashOfFile(file) ?? null;
  const sql = 'SELECT id FROM export_run WHERE output = ? AND sha256 = ?';
  return selectOne(db, sql, file, hash) !== undefined;
}

/**
 * Brings an interrupted run to one end. The file was complete before the run was recorded as written,
 * and taking its name is one step, so there are these cases:
 * - the unnamed file is there, whole, and its name is free: it takes its name now;
 * - the named file is there with the recorded content: it had taken it;
 * - neither is there, in the same folder: it had taken its name, and its reader took it away;
 * - anything else (another machine, a copied history, standard output): it counts as not exported,
 *   and its changes come again.
 */
function recover(store: HistoryStore, run: StoredRun): Finished | undefined {
  const { id, output, temporary } = run;
  if (output === '' || folderIdentity(output) !== run.folder) {
    discardRun(store, id);
    return undefined;
  }
  if (hashOfFile(temporary) === run.sha256 && !existsSync(output)) {
    renameDurably(temporary, output);
  }
  if (existsSync(temporary)) {
    rmSync(temporary, { force: true });
    discardRun(store, id);
    return undefined;
  }
  finishRun(store, id);
  return hashOfFile(output) === run.sha256 ? run : undefined;
}

/**
 * Finishes or discards every interrupted run of a stream. Needs the export lock.
 *
 * @returns the runs whose files have their names now.
 */
export function recoverExports(store: HistoryStore, stream: string): Finished[] {
  return selectAll<StoredRun>(
    store.db,
    `SELECT id, output, temporary, folder, sha256, rows, from_seq AS "from", to_seq AS "to"
     FROM export_run WHERE stream = ? AND state = 'written' ORDER BY id`,
    stream,
  ).flatMap((run) => recover(store, run) ?? []);
}

/**
 * Removes the unnamed files that killed runs left, in any folder: they hold personal data. Needs the
 * export lock.
 *
 * @param all also the files with which {@link recoverExports} would finish a run: their changes come
 *   again.
 */
export function removeLeftovers(store: HistoryStore, { all = false } = {}): void {
  const runs = selectAll<{ id: number; temporary: string; written: 0 | 1; stream: string | null }>(
    store.db,
    `SELECT id, temporary, state = 'written' AS written, stream FROM export_run
     WHERE state <> 'done'`,
  );
  for (const { id, temporary, written, stream } of runs) {
    const isThere = existsSync(temporary);
    // Without its unnamed file, a complete run has named it.
    if (written && stream !== null && !(all && isThere)) continue;
    if (written && !isThere) {
      finishRun(store, id);
      continue;
    }
    if (UNNAMED.test(path.basename(temporary))) rmSync(temporary, { force: true });
    discardRun(store, id);
  }
}
