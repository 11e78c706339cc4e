/** A decoder process that starts slowly, like on a busy machine, and then decodes immediately. */
import type { EncodeRequest } from '../../../src/images/encode/protocol.ts';

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
process.on('message', ({ id, hash }: EncodeRequest) => {
  const content = { hash, width: 4, height: 3 };
  process.send?.({ id, ok: true, content, colour: 'aabbcc', newOutputs: [] });
});
process.on('disconnect', () => process.exit(0));

process.send?.('ready');
