import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { BodyTooLargeError } from '../lib/http/read-body.ts';

/** Decompresses a response that is compressed without being requested so. Undefined for an unknown encoding. */
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
