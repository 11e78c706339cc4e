/** Raised when a body has more bytes than are allowed. */
export class BodyTooLargeError extends Error {}

export interface ReadBodyOptions {
  /** Most bytes, counted after any decompression. */
  maxBytes: number;
  /** Length that the server announced. It is only a hint for the size of the first buffer. */
  length?: number | undefined;
}

const FIRST_ROOM = 64 * 1024;

/**
 * Reads a body up to a limit. The bytes are collected in one growing buffer: a list of chunks would take a
 * hundred times their size if a server sends them one by one. It is not of Node's pool, so it can be transferred
 * to another thread. The connection is released however the reading ends, so that a server that never ends cannot
 * block further requests.
 *
 * @throws {BodyTooLargeError} and the errors of the body.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  { maxBytes, length }: ReadBodyOptions,
): Promise<Buffer> {
  // `||` and not `??`: a header that is missing or no number is 0 or NaN.
  let buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(0, length || FIRST_ROOM), maxBytes));
  let size = 0;
  // An iteration that ends early cancels the body.
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
