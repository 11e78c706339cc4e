/** Raised when a body has more bytes than are allowed. */
export class BodyTooLargeError extends Error {}

/** Raised when the next bytes of a body take too long. */
export class BodyStalledError extends Error {}

export interface ReadBodyOptions {
  /** Most bytes, counted after any decompression. */
  maxBytes: number;
  /** Length that the server announced; it is only a hint for the size of the first buffer. */
  length?: number;
  /** Longest wait for the next bytes, in milliseconds. */
  stallTimeout?: number;
}

const FIRST_ROOM = 64 * 1024;

/**
 * Reads a body up to a limit. The bytes are collected in one growing buffer: a list of chunks would
 * take a hundred times their size if a server sends them one by one. The connection is released
 * however the reading ends, so that a server that never ends cannot block further requests.
 *
 * @throws {BodyTooLargeError} | {BodyStalledError}, and what the body itself throws.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, length, stallTimeout }: ReadBodyOptions,
): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0);
  const reader = body.getReader();
  let stalled = false;
  const timer =
    stallTimeout === undefined
      ? undefined
      : setTimeout(() => {
          stalled = true;
          // Ends the pending read.
          reader.cancel().catch(() => {});
        }, stallTimeout);
  // `||` and not `??`: a header that is missing or no number is 0 or NaN.
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(0, length || FIRST_ROOM), maxBytes));
  let size = 0;
  let ended = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (stalled) throw new BodyStalledError();
      if (done) break;
      timer?.refresh();
      const end = size + value.byteLength;
      if (end > maxBytes) throw new BodyTooLargeError();
      if (end > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(end, buffer.length * 2)));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      buffer.set(value, size);
      size = end;
    }
    ended = true;
  } finally {
    clearTimeout(timer);
    if (!ended) reader.cancel().catch(() => {});
  }
  return buffer.subarray(0, size);
}
