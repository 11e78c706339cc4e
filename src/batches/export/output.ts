import { createHash, type Hash, randomBytes } from 'node:crypto';
import { lstatSync, rmSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { AppError, ConfigError } from '../../errors.ts';
import { renameDurably } from '../../lib/files/write.ts';
import type { HistoryStore } from '../store/open.ts';
import { makePrivateFolder, refuseSiteFolder } from '../store/places.ts';
import type { Chunks } from './format.ts';
import {
  beginRun,
  finishRun,
  isOwnFile,
  type NewRun,
  recordWritten,
  type Written,
} from './ledger.ts';

/** A checked output: its run is recorded, and the file is written under another name first. */
export interface OutputFile extends NewRun {
  readonly run: number;
}

export interface OutputOptions {
  store: HistoryStore;
  bases: readonly string[];
  /**
   * The stream of an export of changes. Its file may not exist yet: an existing one has not been taken,
   * and would be destroyed.
   */
  stream?: string | undefined;
  /** The only account that is exported. */
  account?: string | undefined;
  /** Replace a file even if this program did not write it. */
  force?: boolean | undefined;
}

const refused = (file: string, why: string, fix: string, code = 'export-output-refused') =>
  new ConfigError({ code, what: `The export cannot be written to ${file}.`, why, fix });

/** Refuses an existing file, unless it may be replaced. */
function refuseExisting(
  target: string,
  stats: Stats,
  { store, stream, force = false }: OutputOptions,
): void {
  if (stats.isSymbolicLink()) {
    throw refused(target, 'It is a symbolic link.', 'Take it away, or name another file.');
  }
  if (stats.isDirectory()) throw refused(target, 'It is a folder.', 'Name a file in it.');
  if (!stats.isFile()) throw refused(target, 'It is not a plain file.', 'Name another file.');
  if (stream !== undefined) {
    throw refused(
      target,
      'The file of an earlier export of changes is still there; overwriting it would lose them.',
      'Load that file and take it away, or give each export a separate name (with a date, for example).',
      'export-output-exists',
    );
  }
  if (stats.size === 0 || force || isOwnFile(store, path.resolve(target))) return;
  throw refused(
    target,
    'It holds a file that this program did not write, or that was changed since.',
    'Name another file, take that one away, or add --force to replace it.',
    'export-output-foreign',
  );
}

/**
 * Checks the place of an export, and begins its run. Needs the export lock.
 *
 * @throws {ConfigError} the place is the site's, a link, a folder, the history itself, or taken.
 */
export function planOutput(target: string, options: OutputOptions): OutputFile {
  const { store, bases, stream, account } = options;
  const output = path.resolve(target);
  refuseSiteFolder(output, 'The export', bases);
  if (output === store.file || output.startsWith(`${store.file}-`)) {
    throw refused(target, 'That is the history itself.', 'Name another file.');
  }
  const existing = lstatSync(output, { throwIfNoEntry: false });
  if (existing) refuseExisting(target, existing, options);
  const folder = path.dirname(output);
  makePrivateFolder(folder);
  const unique = randomBytes(6).toString('hex');
  const temporary = path.join(folder, `.${path.basename(output)}.${unique}.batches-tmp`);
  const planned = { stream, output, temporary };
  return { ...planned, run: beginRun(store, { ...planned, account }) };
}

const BLOCK = 64 * 1024;

/** Text is encoded row by row: collected strings would survive garbage collections and pile up. */
export async function* blocksOf(chunks: Chunks, hash?: Hash): AsyncGenerator<Uint8Array> {
  let block = Buffer.allocUnsafe(BLOCK);
  let length = 0;
  const flush = () => {
    const bytes = block.subarray(0, length);
    hash?.update(bytes);
    block = Buffer.allocUnsafe(BLOCK);
    length = 0;
    return bytes;
  };
  for await (const chunk of chunks) {
    const isText = typeof chunk === 'string';
    // A UTF-16 unit takes at most three bytes.
    const maxBytes = isText ? chunk.length * 3 : chunk.length;
    if (length + maxBytes > BLOCK) yield flush();
    if (isText && maxBytes <= BLOCK) {
      length += block.write(chunk, length, 'utf8');
      continue;
    }
    block = Buffer.from(chunk);
    length = block.length;
    yield flush();
  }
  yield flush();
}

/**
 * Writes a new file that only its owner can read (0600); never an existing one, never through a link.
 * When it returns, the content is on the disk.
 *
 * @returns the SHA-256 of the file.
 */
async function writePrivateFile(file: string, chunks: Chunks): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(blocksOf(chunks, hash));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/**
 * Writes the file and renames it into place. An existing file there, with its permissions, is replaced.
 * The content's hash is recorded before, so that a later export knows the file as its own, whenever
 * this one ends.
 *
 * @param written called when everything is written: the changes and rows of the file.
 */
export async function writeOutput(
  store: HistoryStore,
  { run, output, temporary }: OutputFile,
  chunks: Chunks,
  rangeOf: () => Omit<Written, 'sha256'>,
): Promise<void> {
  let isRecorded = false;
  try {
    const sha256 = await writePrivateFile(temporary, chunks);
    // Ends the snapshot from which the content was read.
    if (store.db.isTransaction) store.db.exec('COMMIT');
    recordWritten(store, run, { ...rangeOf(), sha256 });
    // From here on the unnamed file is evidence: a missing one means that it took its name.
    isRecorded = true;
    renameDurably(temporary, output);
    finishRun(store, run);
  } catch (error) {
    if (!isRecorded) rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes to standard output at its own pace: nothing piles up in memory before a slow reader.
 *
 * @throws {AppError} the reader closed its end.
 */
export async function writeToStream(stream: Writable, chunks: Chunks): Promise<void> {
  // Each write reports its own error.
  const ignore = () => {};
  stream.on('error', ignore);
  for await (const block of blocksOf(chunks)) {
    const error = await new Promise<unknown>((resolve) => stream.write(block, resolve));
    if (!error) continue;
    throw new AppError({
      code: 'export-reader-gone',
      what: 'The reader of standard output went away before the export was complete.',
      why: 'The program behind the pipe ended early.',
      fix: 'Run the export again: an incomplete export does not count as exported.',
      cause: error,
    });
  }
}
