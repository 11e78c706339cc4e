/** Raised when a body has more bytes than are allowed. */
export class BodyTooLargeError extends Error {}

const FIRST_SIZE = 64 * 1024;

/**
 * Reads a body up to a limit. It collects the bytes in one growing buffer: if a server sends single bytes, a list
 * of chunks would take a hundred times their size. The buffer is not in Node's pool, so it can be transferred to
 * another thread. The connection is always released, so that a server that never ends cannot block other
 * requests.
 *
 * @param maxBytes after decompression.
 * @param length that the server announced. Only a hint for the size of the first buffer.
 * @throws {BodyTooLargeError} and the errors of the body.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  length?: number,
): Promise<Buffer> {
  // `||` and not `??`: a missing or invalid header is 0 or NaN.
  let buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(0, length || FIRST_SIZE), maxBytes));
  let size = 0;
  // Leaving the loop early cancels the body.
  for await (const bytes of body ?? []) {
    const end = size + bytes.byteLength;
    if (end > maxBytes) throw new BodyTooLargeError();
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(end, buffer.length * 2)));
      buffer.copy(larger, 0, 0, size);
      buffer = larger;
    }
    buffer.set(bytes, size);
    size = end;
  }
  return buffer.subarray(0, size);
}
