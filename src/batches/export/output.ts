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
  type Consumer,
  finishRun,
  isOwnFile,
  recordWritten,
  type Written,
} from './ledger.ts';

/**
 * The consumer of a file. `force` replaces a file even if this program did not write it. A file of a stream is never
 * replaced: the consumer has not read it yet.
 */
type OutputOptions = Consumer & { force?: boolean };

const refusal = (file: string, why: string, fix: string, code = 'export-output-refused') =>
  new ConfigError({ code, what: `The export cannot be written to ${file}.`, why, fix });

/** Refuses an existing file, unless it may be replaced. */
function refuseExisting(
  store: HistoryStore,
  target: string,
  stats: Stats,
  { stream, force = false }: OutputOptions,
): void {
  if (stats.isDirectory()) throw refusal(target, 'It is a folder.', 'Name a file in it.');
  if (!stats.isFile()) {
    const why = 'It is a symbolic link, or not a plain file.';
    throw refusal(target, why, 'Move it away, or name another file.');
  }
  if (stream !== undefined) {
    throw refusal(
      target,
      'The file of an earlier export still exists. Overwriting it would lose its changes.',
      'Load that file and delete it, or use a new name for each export, such as one with a date.',
      'export-output-exists',
    );
  }
  if (stats.size === 0 || force || isOwnFile(store, target)) return;
  throw refusal(
    target,
    'The existing file was not written by this program, or was changed since.',
    'Name another file, move that one away, or add --force to replace it.',
    'export-output-foreign',
  );
}

/**
 * Checks the absolute path of an export and records its run. The caller must hold the export lock.
 *
 * @returns the run, and the paths of the file and of its temporary file.
 * @throws {ConfigError} the path is inside the site, a link, a folder, the history itself, or another existing file.
 */
export function planOutput(store: HistoryStore, output: string, options: OutputOptions) {
  refuseSiteFolder(output, 'The export', store.bases);
  if (output === store.file || output.startsWith(`${store.file}-`)) {
    throw refusal(output, 'That is the history itself.', 'Name another file.');
  }
  const existing = lstatSync(output, { throwIfNoEntry: false });
  if (existing) refuseExisting(store, output, existing, options);
  const folder = path.dirname(output);
  makePrivateFolder(folder);
  const unique = randomBytes(6).toString('hex');
  const temporary = path.join(folder, `.${path.basename(output)}.${unique}.batches-tmp`);
  return { run: beginRun(store, options, output, temporary), output, temporary };
}

const BLOCK = 64 * 1024;

/** Joins chunks to blocks. Encodes text at once: collected strings would survive garbage collections and pile up. */
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
 * Writes a temporary file that only its owner can read (0600), and renames it. This replaces an existing file and its
 * permissions. The hash is recorded before the renaming, so later exports recognise the file even if this export is
 * killed.
 *
 * @param rangeOf returns the changes and rows of the file. Called after the content is written.
 */
export async function writeOutput(
  store: HistoryStore,
  { run, output, temporary }: ReturnType<typeof planOutput>,
  chunks: Chunks,
  rangeOf: () => Omit<Written, 'sha256'>,
): Promise<void> {
  let isRecorded = false;
  try {
    const hash = createHash('sha256');
    {
      await using handle = await open(temporary, 'wx', 0o600);
      await handle.writeFile(blocksOf(chunks, hash));
      await handle.sync();
    }
    // Ends the snapshot from which the content was read.
    if (store.db.isTransaction) store.db.exec('COMMIT');
    recordWritten(store, run, { ...rangeOf(), sha256: hash.digest('hex') });
    // From here on, a missing temporary file means that it was renamed.
    isRecorded = true;
    renameDurably(temporary, output);
    finishRun(store, run);
  } catch (error) {
    if (!isRecorded) rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes to standard output as fast as the reader reads, so that memory does not grow.
 *
 * @throws {AppError} the reader closed the stream.
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
      what: 'The reader of standard output stopped before the export was complete.',
      why: 'The program behind the pipe ended early.',
      fix: 'Run the export again. An incomplete export does not count.',
      cause: error,
    });
  }
}
