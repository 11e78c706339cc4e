/**
 * The process that decodes and encodes. Only this process decodes untrusted bytes. It has neither the environment
 * of the build nor its secrets. A picture that crashes the decoder affects no other picture.
 */
import { readFile } from 'node:fs/promises';
import { collectGarbage } from '../../lib/garbage-collection.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { putOutput } from '../stores/folder.ts';
import { encodePicture, PictureError, restrictDecoding } from './picture.ts';
import type { EncodeReply, EncodeRequest } from './protocol.ts';

/** Handles one request. Every fault of the picture becomes a reply. */
async function replyTo(request: EncodeRequest): Promise<EncodeReply> {
  const { id, hash, file, recipes, maxPixels, have = [], folder } = request;
  const bytes = await readFile(file);
  try {
    const { content, colour, files } = await encodePicture(bytes, recipes, {
      hash,
      maxPixels,
      exists: (name) => have.includes(name),
    });
    const writes = files.map(async ({ name, data }) => {
      const fingerprint = fingerprintOf(data);
      await putOutput(folder, name, data, fingerprint);
      return { name, bytes: data.length, fingerprint };
    });
    const newOutputs = await Promise.all(writes);
    return { id, ok: true, content, colour, newOutputs };
  } catch (error) {
    if (error instanceof PictureError) {
      return { id, ok: false, code: error.code, message: error.message };
    }
    throw error;
  }
}

restrictDecoding();
process.on('message', (request: EncodeRequest) => {
  replyTo(request).then(
    (reply) => {
      process.send?.(reply);
      collectGarbage();
    },
    // Any other error, such as a full disk, is a fault of the machine: the process ends with it.
    (error: Error) => {
      console.error(`The encoder process failed: ${error.message}`);
      process.exit(70);
    },
  );
});
// Ctrl-C reaches every process of the terminal. The build ends this process.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
// All code is loaded.
process.send?.('ready');
