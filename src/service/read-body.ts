/** Raised when a body has more bytes than are allowed. */
export class BodyTooLargeError extends Error {}

/** Raised when the next bytes of a body take too long. */
export class BodyStalledError extends Error {}

export interface ReadBodyOptions {
  /** Most bytes, counted after any decompression. */
  maxBytes: number;
  /** What the server announced; not believed, only used for a first room. */
  length?: number;
  /** Longest wait for the next bytes, in milliseconds. */
  stallTimeout?: number;
}

const FIRST_ROOM = 64 * 1024;

/**
 * The bytes of a body, as far as they are allowed. They are gathered in one growing buffer: a list
 * of chunks could be made to cost a hundred times its bytes by a server that sends them one by one.
 * Whatever ends the reading, the connection is given back, so that a server that never ends cannot
 * keep connections from the others.
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
          // Lets the read that is under way end.
          reader.cancel().catch(() => {});
        }, stallTimeout);
  // `||` and not `??`: a header that is missing or no number is 0 or NaN.
  let kept = Buffer.allocUnsafe(Math.min(Math.max(0, length || FIRST_ROOM), maxBytes));
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
      if (end > kept.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(end, kept.length * 2)));
        kept.copy(larger, 0, 0, size);
        kept = larger;
      }
      kept.set(value, size);
      size = end;
    }
    ended = true;
  } finally {
    clearTimeout(timer);
    if (!ended) reader.cancel().catch(() => {});
  }
  return kept.subarray(0, size);
}
