import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { BodyTooLargeError } from '../../service/read-body.ts';

/** Room for a body whose length is not announced; it grows by doubling. */
const FIRST_ROOM = 256 * 1024;

/**
 * The bytes of an answer, as far as they are allowed, gathered in one buffer of the announced
 * length: of a stream's own ways to do it, each makes two or three further copies of every picture.
 *
 * @param length what the server announced; not believed, only used for a first room.
 * @throws {BodyTooLargeError} and what the stream itself throws.
 */
export async function readPicture(
  body: Readable,
  { maxBytes, length }: { maxBytes: number; length: number | undefined },
): Promise<Buffer> {
  if (length !== undefined && length > maxBytes) throw new BodyTooLargeError();
  let kept = Buffer.allocUnsafeSlow(Math.min(maxBytes, length || FIRST_ROOM));
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      const end = size + chunk.length;
      if (end > maxBytes) return reject(new BodyTooLargeError());
      if (end > kept.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(end, kept.length * 2)));
        kept.copy(larger, 0, 0, size);
        kept = larger;
      }
      kept.set(chunk, size);
      size = end;
    });
    body.on('end', resolve);
    body.on('error', reject);
    body.on('close', () => reject(new Error('The connection was closed.')));
  });
  return kept.subarray(0, size);
}

/** Undoes a compression that nobody asked for; undefined where it is of an unknown kind. */
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
