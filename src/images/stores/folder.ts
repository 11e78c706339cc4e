import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryName, writeFileAtomic } from '../../lib/files/write.ts';
import { timeOf } from '../fingerprint.ts';

/** Whether a name is one that an output, or the bytes of a source, has before it is whole. */
export const isTemporaryName = (name: string): boolean => /^[0-9a-f]{18}.*\.tmp$/.test(name);

/** Writes one output with the time that its bytes ask for, see {@link timeOf}. */
export const putOutput = (
  folder: string,
  name: string,
  data: Uint8Array,
  fingerprint: string,
): Promise<void> =>
  writeFileAtomic(path.join(folder, name), data, { own: true, time: timeOf(fingerprint) });

/** Puts the bytes of a source where the encoder can read them; returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // A leftover of a killed run has the form of a torn output, and goes with those.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache, where four trips to a thread take longer.
  try {
    writeFileSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
  return file;
}
