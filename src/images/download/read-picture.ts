import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { BodyTooLargeError } from '../../service/read-body.ts';

/** First size of the buffer for a body without an announced length; it grows by doubling. */
const FIRST_ROOM = 256 * 1024;

/**
 * Reads the bytes of an answer, up to a limit, into one buffer of the announced length. A stream's own
 * methods make two or three further copies of every picture.
 *
 * @param length length that the server announced; a hint for the size of the first buffer.
 * @throws {BodyTooLargeError} and what the stream itself throws.
 */
export async function readPicture(
  body: Readable,
  { maxBytes, length }: { maxBytes: number; length: number | undefined },
): Promise<Buffer> {
  if (length !== undefined && length > maxBytes) throw new BodyTooLargeError();
  let buffer = Buffer.allocUnsafeSlow(Math.min(maxBytes, length || FIRST_ROOM));
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      const end = size + chunk.length;
      if (end > maxBytes) return reject(new BodyTooLargeError());
      if (end > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(end, buffer.length * 2)));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      buffer.set(chunk, size);
      size = end;
    });
    body.on('end', resolve);
    body.on('error', reject);
    body.on('close', () => reject(new Error('The connection was closed.')));
  });
  return buffer.subarray(0, size);
}

/** Decompresses an answer that is compressed although the request did not ask for it; undefined for an unknown encoding. */
export function decompressed(
  bytes: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Buffer | undefined {
  const options = { maxOutputLength: maxBytes };
  try {
    if (encoding === undefined || encoding === '' || encoding === 'identity') return bytes;
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, options);
    if (encoding === 'deflate') return inflateSync(bytes, options);
    if (encoding === 'br') return brotliDecompressSync(bytes, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new BodyTooLargeError();
    }
  }
  return undefined;
}
