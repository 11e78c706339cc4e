import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { Chunks } from './format.ts';

const BLOCK = 64 * 1024;

/** Text is encoded row by row: collected strings would survive garbage collections and pile up. */
async function* blocksOf(chunks: Chunks, hash?: Hash): AsyncGenerator<Uint8Array> {
  let block = Buffer.allocUnsafe(BLOCK);
  let used = 0;
  const full = () => {
    const bytes = block.subarray(0, used);
    hash?.update(bytes);
    block = Buffer.allocUnsafe(BLOCK);
    used = 0;
    return bytes;
  };
  for await (const chunk of chunks) {
    const isText = typeof chunk === 'string';
    // A UTF-16 unit takes at most three bytes.
    const most = isText ? chunk.length * 3 : chunk.length;
    if (used + most > BLOCK) yield full();
    if (isText && most <= BLOCK) {
      used += block.write(chunk, used, 'utf8');
      continue;
    }
    block = Buffer.from(chunk);
    used = block.length;
    yield full();
  }
  yield full();
}

/**
 * Writes a new file that only its owner can read (0600); never an existing one, never through a link.
 * When it returns, the content is on the disk.
 *
 * @returns the SHA-256 of the file.
 */
export async function writePrivateFile(file: string, chunks: Chunks): Promise<string> {
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
