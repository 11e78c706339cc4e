import { describe, expect, it } from 'vitest';
import { BodyTooLargeError, readBody } from '../../../src/lib/http/read-body.ts';

/** A body of these chunks that reports its cancellation. */
function bodyOf(chunks: readonly Uint8Array[], { ends = true } = {}) {
  const state = { cancelled: false };
  const left = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (ends) controller.close();
      else return new Promise(() => {});
    },
    cancel: () => {
      state.cancelled = true;
    },
  });
  return { body, state };
}
const filled = (size: number, byte: number) => new Uint8Array(size).fill(byte);

describe('a body', () => {
  it('is read completely with any announced length', async () => {
    const chunks = [filled(3, 1), filled(100_000, 2), filled(5, 3)];
    const complete = Buffer.concat(chunks);
    for (const length of [undefined, 0, -5, Number.NaN, 1, complete.length, 150_000, 10 ** 12]) {
      const { body, state } = bodyOf(chunks);
      const read = await readBody(body, {
        maxBytes: 200_000,
        ...(length !== undefined && { length }),
      });
      expect(read.equals(complete)).toBe(true);
      expect(state.cancelled).toBe(false);
    }
  });

  it('may be missing or empty', async () => {
    expect(await readBody(null, { maxBytes: 1 })).toHaveLength(0);
    expect(await readBody(bodyOf([]).body, { maxBytes: 1 })).toHaveLength(0);
  });

  it('may have exactly the allowed size and is aborted beyond it', async () => {
    const chunks = [filled(3, 1), filled(4, 2)];
    expect(await readBody(bodyOf(chunks).body, { maxBytes: 7 })).toHaveLength(7);
    const { body, state } = bodyOf([...chunks, filled(1, 3)], { ends: false });
    await expect(readBody(body, { maxBytes: 7 })).rejects.toBeInstanceOf(BodyTooLargeError);
    expect(state.cancelled).toBe(true);
  });
});
