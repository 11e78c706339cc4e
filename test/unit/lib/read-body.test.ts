import { expect, it } from 'vitest';
import { BodyTooLargeError, readBody } from '../../../src/lib/http/read-body.ts';

const filled = (size: number, byte: number) => new Uint8Array(size).fill(byte);

it('a body may have exactly the allowed size and is aborted beyond it', async () => {
  let isCancelled = false;
  const bodyOf = (chunks: Uint8Array[]) =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const next = chunks.shift();
        if (next) controller.enqueue(next);
        else controller.close();
      },
      cancel: () => {
        isCancelled = true;
      },
    });
  const chunks = [filled(3, 1), filled(4, 2)];
  const exact = await readBody(bodyOf([...chunks]), 7, 1);
  expect(exact).toEqual(Buffer.concat(chunks));
  const longer = bodyOf([...chunks, filled(1, 3), filled(1, 4)]);
  await expect(readBody(longer, 7)).rejects.toBeInstanceOf(BodyTooLargeError);
  expect(isCancelled).toBe(true);
});
