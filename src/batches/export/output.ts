import { randomBytes } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { renameDurably } from '../../lib/files/write.ts';
import { refuseSiteFolder } from '../store/location.ts';
import type { HistoryStore } from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import type { Chunks } from './format.ts';
import {
  beginRun,
  finishRun,
  isOwnFile,
  type NewRun,
  recordWritten,
  removeLeftovers,
  type Written,
} from './ledger.ts';
import { writePrivateFile } from './write.ts';

/** A checked output: its run is recorded, and the file is written under another name first. */
export interface OutputFile extends NewRun {
  readonly run: number;
}

const refused = (file: string, why: string, fix: string, code = 'export-output-refused') =>
  new ConfigError({ code, what: `The export cannot be written to ${file}.`, why, fix });

export interface OutputOptions {
  store: HistoryStore;
  bases: readonly string[];
  /**
   * The stream of an export of changes. Its file may not exist yet: an existing one has not been taken,
   * and would be destroyed.
   */
  stream?: string | undefined;
  /** Replace a file even if this program did not write it. */
  force?: boolean | undefined;
}

/**
 * Checks the place of an export, and begins its run. Needs the export lock.
 *
 * @throws {ConfigError} the place is the site's, a link, a folder, the history itself, or taken.
 */
export function planOutput(
  target: string,
  { store, bases, stream, force = false }: OutputOptions,
): OutputFile {
  const output = path.resolve(target);
  refuseSiteFolder(output, 'The export', bases);
  const before = lstatSync(output, { throwIfNoEntry: false });
  if (output === store.file || output.startsWith(`${store.file}-`)) {
    throw refused(target, 'That is the history itself.', 'Name another file.');
  }
  if (before?.isSymbolicLink()) {
    throw refused(target, 'It is a symbolic link.', 'Take it away, or name another file.');
  }
  if (before?.isDirectory()) {
    throw refused(target, 'It is a folder.', 'Name a file in it.');
  }
  if (before && !before.isFile()) {
    throw refused(target, 'It is not a plain file.', 'Name another file.');
  }
  if (before && stream !== undefined) {
    throw refused(
      target,
      'The file of an earlier export of changes is still there; overwriting it would lose them.',
      'Load that file and take it away, or give each export a separate name (with a date, for example).',
      'export-output-exists',
    );
  }
  if (before && before.size > 0 && !force && !isOwnFile(store, output)) {
    throw refused(
      target,
      'It holds a file that this program did not write, or that was changed since.',
      'Name another file, take that one away, or add --force to replace it.',
      'export-output-foreign',
    );
  }
  makePrivateFolder(path.dirname(output));
  removeLeftovers(store);
  const unique = randomBytes(6).toString('hex');
  const name = `.${path.basename(output)}.${unique}.batches-tmp`;
  const planned = { stream, output, temporary: path.join(path.dirname(output), name) };
  return { ...planned, run: beginRun(store, planned) };
}

/**
 * Writes the file and renames it into place; an existing file there, with its permissions, is replaced.
 * The content's hash is recorded before, so that a later export knows the file as its own, whenever
 * this one ends.
 *
 * @param written called when all is written: the changes and rows of the file.
 */
export async function writeOutput(
  store: HistoryStore,
  { run, output, temporary }: OutputFile,
  chunks: Chunks,
  written: () => Omit<Written, 'sha256'>,
): Promise<void> {
  let isRecorded = false;
  try {
    const sha256 = await writePrivateFile(temporary, chunks);
    // Ends the snapshot from which the content was read.
    if (store.db.isTransaction) store.db.exec('COMMIT');
    recordWritten(store, run, { ...written(), sha256 });
    // From here on the unnamed file is evidence: a missing one means that it took its name.
    isRecorded = true;
    renameDurably(temporary, output);
    finishRun(store, run);
  } catch (error) {
    if (!isRecorded) rmSync(temporary, { force: true });
    throw error;
  }
}
