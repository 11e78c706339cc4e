import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { renameDurably } from '../../lib/files/write.ts';
import { type HistoryStore, transaction } from '../store/open.ts';

/** Changes that one export holds: after `from`, up to and including `to`. */
export interface SeqRange {
  from: number;
  to: number;
}

export interface PlannedExport extends SeqRange {
  stream: string;
  rows: number;
  /** Absolute path, or empty for standard output. */
  output: string;
  temporary: string;
  sha256: string;
}

/** An interrupted export that was brought to its end. */
export interface Finished extends SeqRange {
  output: string;
  rows: number;
}

/** Up to where a stream has been exported; 0 where it never was. */
export function committedSeq({ db }: HistoryStore, stream: string): number {
  const row = db.prepare('SELECT committed_seq FROM export_stream WHERE name = ?').get(stream);
  return Number(row?.committed_seq ?? 0);
}

/** Identifies a folder, so that another one at the same path (such as a new checkout) is recognised. */
export function folderIdentity(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Writes down what is about to be put in place, before it is. */
export function addPending({ db }: HistoryStore, planned: PlannedExport, at: string): number {
  return transaction(db, () => {
    const folder = planned.output === '' ? '' : folderIdentity(path.dirname(planned.output));
    const { lastInsertRowid } = db
      .prepare(
        `INSERT INTO export_run
           (stream, from_seq, to_seq, rows, state, output, temporary, folder, sha256, at)
         VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?)`,
      )
      .run(
        planned.stream,
        planned.from,
        planned.to,
        planned.rows,
        planned.output,
        planned.temporary,
        folder,
        planned.sha256,
        at,
      );
    return Number(lastInsertRowid);
  });
}

/** Moves the stream's mark: the changes of this run never come again. */
export function commitRun({ db }: HistoryStore, run: number): void {
  transaction(db, () => {
    db.prepare("UPDATE export_run SET state = 'committed' WHERE id = ?").run(run);
    db.prepare(
      `INSERT INTO export_stream (name, committed_seq)
         SELECT stream, to_seq FROM export_run WHERE id = ?
       ON CONFLICT (name) DO UPDATE SET committed_seq = max(committed_seq, excluded.committed_seq)`,
    ).run(run);
  });
}

function discardRun({ db }: HistoryStore, run: number): void {
  db.prepare("UPDATE export_run SET state = 'discarded' WHERE id = ?").run(run);
}

/** SHA-256 of a file, hexadecimal; undefined where there is none. */
export function hashOfFile(file: string): string | undefined {
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

function sameFolder(output: string, identity: string): boolean {
  try {
    return folderIdentity(path.dirname(output)) === identity;
  } catch {
    return false;
  }
}

/**
 * What an interrupted run left, brought to one end. The file was complete before the run was
 * written down, and taking its name is one step, so there are these cases:
 * - the unnamed file is there, whole, and its name is free: it takes its name now;
 * - the named file is there with the content that was written down: it had taken it;
 * - neither is there, in the same folder: it had taken its name, and its reader took it away;
 * - anything else (another machine, a copied history, standard output): it counts as not exported,
 *   and its changes come again.
 */
function finishRun(store: HistoryStore, run: Record<string, unknown>): Finished | undefined {
  const id = Number(run.id);
  const output = String(run.output);
  const temporary = String(run.temporary);
  const finished = {
    output,
    rows: Number(run.rows),
    from: Number(run.from_seq),
    to: Number(run.to_seq),
  };
  const here = output !== '' && sameFolder(output, String(run.folder));
  if (!here) {
    discardRun(store, id);
    return undefined;
  }
  if (hashOfFile(temporary) === run.sha256 && !existsSync(output)) {
    renameDurably(temporary, output);
    commitRun(store, id);
    return finished;
  }
  const taken = !existsSync(temporary);
  if (taken) commitRun(store, id);
  else {
    rmSync(temporary, { force: true });
    discardRun(store, id);
  }
  return taken && existsSync(output) && hashOfFile(output) === run.sha256 ? finished : undefined;
}

/**
 * Finishes or discards every interrupted run of a stream. Needs `lockExports`.
 *
 * @returns those whose files stand under their names now.
 */
export function recoverExports(store: HistoryStore, stream: string): Finished[] {
  return store.db
    .prepare("SELECT * FROM export_run WHERE stream = ? AND state = 'pending' ORDER BY id")
    .all(stream)
    .flatMap((run) => finishRun(store, run) ?? []);
}

/**
 * Throws away the content of exports that were interrupted before they got their name, so that it
 * is made anew. Needs `lockExports`.
 */
export function discardUnfinished(store: HistoryStore): void {
  const pending = store.db.prepare("SELECT id, temporary FROM export_run WHERE state = 'pending'");
  for (const { id, temporary } of pending.all()) {
    if (temporary === '' || !existsSync(String(temporary))) continue;
    discardRun(store, Number(id));
    rmSync(String(temporary), { force: true });
  }
}
